"""Operations files and variables, after BOSH and go-patch (docs/reference/operations.md).

>>> from plait.tree.nodes import from_plain, to_plain
>>> to_plain(patch(from_plain({"a": [1]}), [Replace(parse("/a/-"), 2)]))
{'a': [1, 2]}
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use
from plait.ops.job import PatchJob, patch
from plait.ops.operation_files import expand, operations_of, read_operations
from plait.ops.operations import Operation, Remove, Replace, Test, to_nodes
from plait.ops.pointer import Pointer, parse
from plait.ops.reader import file_source, file_text, keep_format, read_first, write_bytes, write_text
from plait.ops.variables import Sources
from plait.ops.walk import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ops.definitions import interpolate
    from plait.ops.difference import diff
    from plait.ops.store import VariableStore

__all__ = [
    "Operation",
    "PatchJob",
    "Pointer",
    "Remove",
    "Replace",
    "Sources",
    "Test",
    "VariableStore",
    "diff",
    "expand",
    "file_source",
    "file_text",
    "find",
    "interpolate",
    "keep_format",
    "operations_of",
    "parse",
    "patch",
    "read_first",
    "read_operations",
    "to_nodes",
    "write_bytes",
    "write_text",
]


_LATER = {"VariableStore": "store", "diff": "difference", "interpolate": "definitions"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _LATER.get(name), name)
