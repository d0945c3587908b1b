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
    for original, change in trace.versions(item):
        source, line = (original.source, original.line) if change is None else (change.source, change.line)
        path = path_of(source)
        if path is not None:
            found[path, line] = None
    return [*reversed(found)]
