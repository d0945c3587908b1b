"""The nearest names: suggestions for misspelt keys, flags, attributes and functions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# What differs by more letters than this is no typo, however long it is.
FARTHEST = 8


def distance(left: str, right: str, limit: int) -> int:
    """How many letters must be changed, added, left out or swapped with their neighbour to make one string the other.

    Any number above `limit` means "more than limit"; only as much is looked at as that takes.
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    if left == right:
        return 0
    far = limit + 1
    width = len(right)
    row = [j if j <= limit else far for j in range(width + 1)]
    before = row
    for i, a in enumerate(left, 1):
        above, last = row, before
        # Only a band around the diagonal can hold distances within the limit.
        first, end = max(1, i - limit), min(width, i + limit)
        row = [far] * (width + 1)
        if i <= limit:
            row[0] = i
        best = row[0]
        for j in range(first, end + 1):
            b = right[j - 1]
            cost = above[j - 1] if a == b else 1 + min(above[j - 1], above[j], row[j - 1])
            if i > 1 < j and a == right[j - 2] and b == left[i - 2] and last[j - 2] < cost:
                cost = last[j - 2] + 1
            row[j] = cost
            best = min(best, cost)
        before = above
        if best > limit and min(above[max(0, first - 2) : end + 1]) >= limit:
            return far
    return min(row[width], far)


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


# Long names and many candidates come from inputs too, and a hint must not take longer than the error that it is for.
_LONGEST = 100
_STEPS = 1_000_000


def near(name: str, candidates: Iterable[str], most: int = 3) -> list[str]:
    """The candidates most like `name`: all that are equally near, at most so many; none if none is near.

    Near is a distance below half the name's length; case, `_` and `-` do not count. If there is none, those that begin
    with the name.
    """
    wanted = _folded(name)
    if len(wanted) > _LONGEST:
        return []
    known = list(dict.fromkeys(candidates))[: _STEPS // (len(wanted) ** 2 + 1)]
    best = min((len(wanted) + 1) // 2 - 1, FARTHEST)
    found: list[str] = []
    for candidate in known:
        steps = distance(wanted, _folded(candidate), best) if candidate != name else best + 1
        if steps < best:
            best, found = steps, []
        if steps == best:
            found.append(candidate)
    if not found and len(wanted) > 1:
        found = [candidate for candidate in known if candidate != name and _folded(candidate).startswith(wanted)]
    return found[:most]


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The first of the nearest candidates, or None if none is near."""
    found = near(name, candidates, 1)
    return found[0] if found else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """A hint that names the nearest candidates, or None."""
    found = near(name, candidates)
    return f"did you mean {listed(found, quote=chr(34))}?" if found else None


def listed(names: Sequence[str], quote: str = "") -> str:
    """Names as alternatives: a, a or b, a, b or c."""
    shown = [f"{quote}{name}{quote}" for name in names]
    return f"{', '.join(shown[:-1])} or {shown[-1]}" if len(shown) > 1 else "".join(shown)
