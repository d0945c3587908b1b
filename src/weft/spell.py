"""The nearest names: suggestions for misspelt keys, flags, attributes and functions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def distance(left: str, right: str, limit: int) -> int:
    """How many letters must be changed, added, left out or swapped with their neighbour to make one string the other.

    Any number above `limit` means "more than limit".
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    row = list(range(len(right) + 1))
    before = row
    for i, a in enumerate(left, 1):
        above, row, last = row, [i], before
        for j, b in enumerate(right, 1):
            cost = above[j - 1] if a == b else 1 + min(above[j - 1], above[j], row[j - 1])
            if i > 1 < j and a == right[j - 2] and b == left[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        before = above
        if min(row) > limit and min(above) >= limit:
            return limit + 1
    return row[-1]


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
    best = (len(wanted) + 1) // 2 - 1
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
