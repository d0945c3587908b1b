"""The nearest name: suggestions for misspelt keys, flags, attributes and functions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def distance(left: str, right: str, limit: int) -> int:
    """Levenshtein distance between two strings; any number above `limit` means "more than limit"."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        best = i
        for j, b in enumerate(right, 1):
            cost = previous if a == b else 1 + min(previous, row[j], row[j - 1])
            previous, row[j] = row[j], cost
            best = min(best, cost)
        if best > limit:
            return limit + 1
    return row[-1]


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `name`, or None if none is near: its distance must be below half the name's length.

    Case, `_` and `-` do not count. Of equally near candidates the first wins.
    """
    wanted = _folded(name)
    best: str | None = None
    limit = (len(wanted) + 1) // 2
    for candidate in candidates:
        found = distance(wanted, _folded(candidate), limit)
        if found < limit or (found == 0 and best is None):
            best, limit = candidate, found
            if found == 0:
                break
    return best


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A hint that names the nearest candidate, or None."""
    found = nearest(name, candidates)
    return None if found is None else f'did you mean "{found}"?'
