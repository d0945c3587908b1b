"""The line that sets a value: `plait log` and `plait blame` name its commit."""

from __future__ import annotations

from plait.insight.explain import OVERRIDDEN
from plait.tree.nodes import equal, is_filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.insight.explain import History, HistoryEntry


def value_source(history: History) -> HistoryEntry | None:
    """The entry that sets the value: where an equal value was written, also as a data value. None if no file does."""
    entry = history.entries[-1]
    while True:
        same = [
            one
            for one in entry.origins
            if one.state != OVERRIDDEN and one.has_value and type(one.value) is type(entry.value)
            and not is_filled(one.value) and equal(one.value, entry.value) and _is_in_file(one)
        ]  # fmt: skip
        if len(same) != 1:
            break
        entry = same[0]
    return entry if _is_in_file(entry) else None


def _is_in_file(entry: HistoryEntry) -> bool:
    return entry.source is not None and not entry.source.flag and entry.line > 0
