"""Differences between two values, in the format of the DeepDiff library, which Deckhand's clients know.

Locations are written as `root['key'][0]`. A list is compared item by item, or as added and removed items, whichever is
shorter.
"""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict

from plait.base.limits import current_budget, limit_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A location: its parent, and the key or index in it; None at the root. It is formatted only for differences.
_Place = tuple["_Place", object] | None
# kind, location, details
_Change = tuple[str, _Place, object]
_ADDED, _REMOVED = "dictionary_item_added", "dictionary_item_removed"
# Maximum number of steps of difflib, which visits all items, and all pairs of equal ones, for each block.
_STEPS = 100_000_000
# Maps that share a smaller part of their keys are reported as a whole.
_ALIKE = 0.33


def changes(old: object, new: object) -> dict[str, object]:
    """The changes from one value to another, by kind; empty if the values are equal. Raises LimitError."""
    found: defaultdict[str, dict[str, object]] = defaultdict(dict)
    most, size = current_budget().limits.output, 0
    for kind, place, told in _changes(old, new, None):
        text = _written(place)
        size += len(text)
        if size > most:
            raise limit_error("the output", "output", most)
        found[kind][text] = told
    # Keys are reported only by location.
    return {kind: list(told) if kind in (_ADDED, _REMOVED) else told for kind, told in sorted(found.items())}


def _written(place: _Place) -> str:
    parts = []
    while place is not None:
        place, key = place
        parts.append(f"[{key!r}]")
    return f"root{''.join(reversed(parts))}"


def _changes(old: object, new: object, place: _Place) -> Iterator[_Change]:
    current_budget().check_time()
    if _kind(old) != _kind(new):
        told = {"new_type": _kind(new), "new_value": new, "old_type": _kind(old), "old_value": old}
        yield "type_changes", place, told
    elif isinstance(old, dict) and isinstance(new, dict):
        yield from _maps(old, new, place)
    elif isinstance(old, list) and isinstance(new, list):
        one_by_one = list(_item_by_item(old, new, place))
        if _are_scalars(old) and _are_scalars(new) and _are_few(old, new):
            moved = list(_by_moves(old, new, place))
            one_by_one = moved if len(moved) < len(one_by_one) else one_by_one
        yield from one_by_one
    elif old != new:
        yield "values_changed", place, _values(old, new)


def _maps(old: dict[object, object], new: dict[object, object], place: _Place) -> Iterator[_Change]:
    both, either = old.keys() & new.keys(), old.keys() | new.keys()
    if len(either) > 1 and len(both) / len(either) < _ALIKE:
        yield "values_changed", place, _values(old, new)
        return
    for key in new:
        if key not in old:
            yield _ADDED, (place, key), None
    for key, value in old.items():
        if key not in new:
            yield _REMOVED, (place, key), None
        else:
            yield from _changes(value, new[key], (place, key))


def _kind(value: object) -> str:
    """The library's name for the type of a value."""
    if isinstance(value, float):
        return "float"
    return type(value).__name__


def _values(old: object, new: object) -> dict[str, object]:
    told: dict[str, object] = {"new_value": new, "old_value": old}
    if isinstance(old, str) and isinstance(new, str) and ("\n" in old or "\n" in new):
        before, after = old.splitlines(), new.splitlines()
        if _are_few(before, after):
            lines = [*difflib.unified_diff(before, after, lineterm="")]
        else:
            hunk = f"@@ -1,{len(before)} +1,{len(after)} @@"
            lines = ["--- ", "+++ ", hunk, *(f"-{line}" for line in before), *(f"+{line}" for line in after)]
        told["diff"] = "\n".join(lines)
    return told


def _item_by_item(old: list[object], new: list[object], place: _Place) -> Iterator[_Change]:
    for index, (left, right) in enumerate(zip(old, new, strict=False)):
        yield from _changes(left, right, (place, index))
    yield from _items("iterable_item_removed", old, len(new), len(old), place)
    yield from _items("iterable_item_added", new, len(old), len(new), place)


def _by_moves(old: list[object], new: list[object], place: _Place) -> Iterator[_Change]:
    # 1, 1.0 and true are distinct here.
    left, right = ([(_kind(item), item) for item in items] for items in (old, new))
    for kind, i, j, k, m in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "replace":
            common = min(j - i, m - k)
            for step in range(common):
                yield from _changes(old[i + step], new[k + step], (place, i + step))
            yield from _items("iterable_item_removed", old, i + common, j, place)
            yield from _items("iterable_item_added", new, k + common, m, place)
        elif kind == "delete":
            yield from _items("iterable_item_removed", old, i, j, place)
        elif kind == "insert":
            yield from _items("iterable_item_added", new, k, m, place)


def _items(kind: str, items: list[object], start: int, end: int, place: _Place) -> Iterator[_Change]:
    for index in range(start, end):
        yield kind, (place, index), items[index]


def _are_few(old: Sequence[object], new: Sequence[object]) -> bool:
    """True if difflib can compare two lists in reasonable time. Raises LimitError if the time of the request is up."""
    current_budget().check_time()
    counts = Counter(old)
    pairs = sum(counts[item] * count for item, count in Counter(new).items())
    return (len(old) + pairs) * min(len(old), len(new)) <= _STEPS


def _are_scalars(items: list[object]) -> bool:
    return not any(isinstance(item, list | dict) for item in items)
