"""Edits literals in code, such as the value in `#@ replicas = 3`."""

from __future__ import annotations

import re

from plait.base.source import Source
from plait.tree.nodes import COLLECTION_TYPES
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.scan import ScanFailure, scan
from plait.ytt.starlark.value_text import repr_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.tree.nodes import Value

_CODE = re.compile(r"#@(?= )")
_LITERAL = re.compile(
    r"""r?"(?:\\.|[^"\\])*"|r?'(?:\\.|[^'\\])*'|[0-9.][0-9A-Za-z_.]*(?:(?<=[eE])[+-][0-9]+)?|[A-Za-z]+"""
)
_KINDS = frozenset({"int literal", "float literal", "string literal"})
_WORDS = {"True": True, "False": False, "None": None}


def with_literal(text: str, line: int, old: Value, new: Value, *, is_program: bool) -> Iterator[str]:
    """Yields the file's text once for each literal on a line that has the old value, with that literal replaced.

    is_program: the file is Starlark; in other files code follows `#@`.
    """
    if isinstance(old, COLLECTION_TYPES) or isinstance(new, COLLECTION_TYPES):
        return
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return
    row = lines[line - 1]
    mark = None if is_program else _CODE.search(row)
    if mark is None and not is_program:
        return
    for start, end, value in _literals(row, 0 if mark is None else mark.end()):
        if type(value) is type(old) and value == old:
            changed = row[:start] + repr_of(new) + row[end:]
            yield "\n".join([*lines[: line - 1], changed, *lines[line:]])


def _literals(row: str, begin: int) -> Iterator[tuple[int, int, object]]:
    """The literals of a line of code: start, end and value of each."""
    try:
        tokens = scan([CodePart(row[begin:], 1, begin + 1)], Source("", row))
    except ScanFailure:
        return
    for kind, value, _, column in tokens:
        if kind not in _KINDS and value not in _WORDS:
            continue
        found = _LITERAL.match(row, column - 1)
        if found is not None:
            yield column - 1, found.end(), _WORDS[str(value)] if kind == "identifier" else value
