"""YAML: text to nodes, nodes to text (docs/reference/templates.md, docs/reference/operations.md).

The package imports the writer. The reader, JSON, listings and formatting are imported on demand.
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use
from plait.yaml.scalar_styles import ScalarStyles
from plait.yaml.scalars import needs_quotes, resolve_plain, resolve_strict
from plait.yaml.writer import write, write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.yaml.comments import Comment, Comments
    from plait.yaml.document_start import is_second
    from plait.yaml.duplicate_keys import duplicate_key_warnings
    from plait.yaml.fmt import format_text
    from plait.yaml.json import read_json, write_json
    from plait.yaml.key_order import compare_keys, sort_items
    from plait.yaml.lossless.binding import Span, Spans
    from plait.yaml.position_listing import write_positions
    from plait.yaml.reader import read, read_value
    from plait.yaml.repeats import deduplicate, has_repeated_keys

__all__ = [
    "Comment",
    "Comments",
    "ScalarStyles",
    "Span",
    "Spans",
    "compare_keys",
    "deduplicate",
    "duplicate_key_warnings",
    "format_text",
    "has_repeated_keys",
    "is_second",
    "needs_quotes",
    "read",
    "read_json",
    "read_value",
    "resolve_plain",
    "resolve_strict",
    "sort_items",
    "write",
    "write_json",
    "write_positions",
    "write_value",
]

_LATER = {
    "Comment": "comments",
    "Comments": "comments",
    "Span": "lossless.binding",
    "Spans": "lossless.binding",
    "compare_keys": "key_order",
    "deduplicate": "repeats",
    "format_text": "fmt",
    "has_repeated_keys": "repeats",
    "is_second": "document_start",
    "read": "reader",
    "read_json": "json",
    "read_value": "reader",
    "sort_items": "key_order",
    "write_json": "json",
    "write_positions": "position_listing",
    "duplicate_key_warnings": "duplicate_keys",
}


def __getattr__(name: str) -> object:
    return first_use(__name__, _LATER.get(name), name)
