"""The lines that contributed to an item of a result: its origin, and its changes."""

from __future__ import annotations

from plait.authoring.analysis.source_paths import path_of
from plait.tree.nodes import COLLECTION_TYPES, ArrayItem, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Trace


def origin_lines(trace: Trace, item: Item) -> list[tuple[str, int]]:
    """The (absolute path, line) of each contributing line, oldest first."""
    found: dict[tuple[str, int], None] = {}
    for original, change in trace.versions(item):
        source, line = (original.source, original.line) if change is None else (change.source, change.line)
        path = path_of(source)
        if path is not None:
            found[path, line] = None
        for origin in () if change is None or change.action == "expression" else change.because:
            # The scalar as written, below the line of the operation that inserted it.
            if (
                isinstance(origin, MapItem | ArrayItem)
                and origin.source is source
                and _is_same_scalar(origin.value, original.value)
            ):
                path = path_of(origin.source)
                if path is not None:
                    found[path, origin.line] = None
    return [*reversed(found)]


def _is_same_scalar(value: Value, other: Value) -> bool:
    return not isinstance(value, COLLECTION_TYPES) and type(value) is type(other) and value == other
