"""Words in messages: similar names for misspelt keys, flags, attributes and functions; lists; counts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.suggestions import Hint


# Maximum number of edits of a typo, however long the name is.
FARTHEST = 8


def distance(left: str, right: str, limit: int) -> int:
    """The number of edits (replace, insert, delete, swap neighbours) that turn one string into the other.

    A result above `limit` means "more than limit"; the computation stops there.
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    if left == right:
        return 0
    far = limit + 1
    # A letter that only one of them has takes an edit; most candidates end here.
    letters, others = {*left}, {*right}
    if len(letters - others) > limit or len(others - letters) > limit:
        return far
    width = len(right)
    row = [j if j <= limit else far for j in range(width + 1)]
    before = row
    for i, a in enumerate(left, 1):
        above, last = row, before
        # Only a band along the diagonal can contain distances within the limit.
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


# Inputs determine names and candidates, so the time for a hint must be limited.
_LONGEST = 100
# A shorter name is the start of a longer one by accident.
_SHORTEST = 4
_SEPARATORS = frozenset("./:[")
_STEPS = 1_000_000


def near(name: str, candidates: Iterable[str], maximum: int = 3) -> list[str]:
    """The candidates most similar to `name`: all with the smallest distance, at most `maximum`. Empty if none is
    similar.

    Similar means a distance below half the name's length, ignoring case, `_` and `-`. Those that start with the name
    come alone. If there is none, the longest one that the name starts with.
    """
    wanted = _folded(name)
    if len(wanted) > _LONGEST:
        return []
    known = list(dict.fromkeys(candidates))[: _STEPS // (len(wanted) ** 2 + 1)]
    best = min((len(wanted) + 1) // 2 - 1, FARTHEST)
    found: list[str] = []
    for candidate in known:
        folded = _folded(candidate)
        if abs(len(folded) - len(wanted)) > best or candidate == name:
            continue
        steps = distance(wanted, folded, best)
        if steps < best:
            best, found = steps, []
        if steps == best:
            found.append(candidate)
    if len(wanted) > 1:
        found = [one for one in found or known if one != name and _folded(one).startswith(wanted)] or found
    if not found:
        # What follows a separator is not a part of the name: `db.host`, `Deployment/web:spec`.
        starts = [
            one
            for one in known
            if len(_folded(one)) >= _SHORTEST
            and wanted.startswith(_folded(one))
            and _SEPARATORS.isdisjoint(wanted[len(_folded(one)) :])
        ]
        found = [one for one in starts if one != name and len(one) == max(map(len, starts))]
    return found[:maximum]


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The most similar candidate, or None if none is similar."""
    found = near(name, candidates, 1)
    return found[0] if found else None


def did_you_mean(name: str, candidates: Iterable[str]) -> Hint | None:
    """A hint that names the most similar candidates, with suggestions to replace `name`; or None."""
    found = near(name, candidates)
    if not found:
        return None
    from plait.base.suggestions import replacing

    return replacing(name, found, f"did you mean {listed(found, quote=chr(34))}?")


def spelled(name: str, candidates: Iterable[str]) -> str:
    """The candidate that Starlark's own messages propose for a name, or "". The first of the most similar ones is used."""
    wanted, best, found = name.replace("_", "").lower(), (len(name.replace("_", "")) + 1) // 2, ""
    known = list(candidates)[: _STEPS // (len(wanted) ** 2 + 1)] if len(name) <= _LONGEST else ()
    for candidate in known:
        steps = _levenshtein(wanted, candidate.replace("_", "").lower(), best)
        if steps < best:
            best, found = steps, candidate
    return found


def _levenshtein(left: str, right: str, maximum: int) -> int:
    """The distance as Starlark counts it, without swaps. Any number above `maximum` means "more"."""
    if len(left) > len(right):
        left, right = right, left
    shared = next((place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if shared is not None:
        left, right = left[shared:], right[shared:]
    if not left:
        return len(right)
    if len(right) - len(left) > maximum:
        return len(right) - len(left)
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before: int = i - 1
        row[0] = i
        for j, b in enumerate(right, 1):
            before, row[j] = row[j], min(before + (a != b), 1 + row[j - 1], 1 + row[j])
        if min(row) > maximum:
            return min(row)
    return row[-1]


def no_attribute(thing: object, name: str) -> AttributeError:
    """The error for a missing attribute, with the most similar existing attribute, or with all."""
    message = f"{type(thing).__name__} has no attribute {name!r}"
    if not name.startswith("_"):
        known = [one for one in dir(thing) if not one.startswith("_")]
        message += f"; {did_you_mean(name, known) or 'it has ' + ', '.join(known)}"
    return AttributeError(message)


def listed(names: Sequence[str], quote: str = "") -> str:
    """Names as alternatives: "a", "a or b", "a, b or c"."""
    shown = [f"{quote}{name}{quote}" for name in names]
    return f"{', '.join(shown[:-1])} or {shown[-1]}" if len(shown) > 1 else "".join(shown)


def with_article(name: str) -> str:
    """A name after its article: `a map`, `an integer`."""
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def counted(count: int, noun: str) -> str:
    """A number with its noun: "1 item", "2 items"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


_SLIPS = 5  # shorter names are too similar to each other


def is_slip(name: str, known: str) -> bool:
    """True if a name looks like a misspelling of a known one, not like another name.

    A misspelling differs in case or separators, in two swapped letters, or in one missing or extra letter inside a
    word. A name with another first or last letter, or another number, is another name.

    >>> is_slip("replcas", "replicas"), is_slip("imagepullpolicy", "imagePullPolicy"), is_slip("web-1", "web-2")
    (True, True, False)
    >>> is_slip("http", "https"), is_slip("http_proxy", "HTTP_PROXY"), is_slip("client-a", "client-b")
    (False, False, False)
    """
    if name == known or min(len(name), len(known)) < _SLIPS or abs(len(name) - len(known)) > 2 or len(name) > _LONGEST:
        return False
    if name[0].lower() != known[0].lower() or name[-1].lower() != known[-1].lower():
        return False
    if _folded(name) == _folded(known):
        return not (name.isupper() or known.isupper())
    if len(name) == len(known):
        places = [place for place, (a, b) in enumerate(zip(name, known, strict=True)) if a != b]
        if len(places) != 2 or places[1] != places[0] + 1:
            return False
        first, second = name[places[0]], name[places[1]]
        return first.isalpha() and second.isalpha() and (first, second) == (known[places[1]], known[places[0]])
    long, short = (name, known) if len(name) > len(known) else (known, name)
    if len(long) != len(short) + 1:
        return False
    place = next((place for place, (a, b) in enumerate(zip(long, short, strict=False)) if a != b), len(short))
    around = long[place - 1 : place + 2]
    return long[place + 1 :] == short[place:] and len(around) == 3 and around.isalpha()
