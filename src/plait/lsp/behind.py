"""The lines behind an item of a result: where it was written, and where it was changed since."""

from __future__ import annotations

from plait.analysis.places import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Item
    from plait.provenance import Trace


def lines_behind(trace: Trace, item: Item) -> list[tuple[str, int]]:
    """The (absolute path, line) of each, the oldest first."""
    found: dict[tuple[str, int], None] = {}
    seen: set[Item] = set()
    current: Item | None = item
    while current is not None and current not in seen:
        seen.add(current)
        original = trace.original(current)
        change = trace.changes.get(original)
        source, line = (original.source, original.line) if change is None else (change.source, change.line)
        path = path_of(source)
        if path is not None:
            found[path, line] = None
        current = None if change is None else change.was
    return [*reversed(found)]
