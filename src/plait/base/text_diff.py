"""Differences between two texts: by line, and within a long line by word.

Common beginnings and endings are removed. The rest is divided at lines that occur once in both texts, as in a patience
diff, and only small parts are compared by `difflib`, which takes quadratic time. A part without such a line, or after
the work limit, counts as replaced, so any two texts take linear time.
"""

from __future__ import annotations

from bisect import bisect_left

from plait.base.limits import current_budget
from plait.base.lines import lines_with_breaks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from typing import TypeAlias

    # A range in which two sequences differ: start and end in the left one, start and end in the right one.
    Range: TypeAlias = "tuple[int, int, int, int]"
    # A piece of text and its state: SAME, GONE or NEW; in a hunk also MARKED and NO_END.
    Part: TypeAlias = "tuple[str, str]"

SAME, GONE, NEW = " ", "-", "+"
# A long line whose two versions are hard to compare. Its differences are marked.
MARKED = "~"
# The sign for a line break at the end of only one text.
NO_END = "\\"
CONTEXT = 3
# A longer line is shown with marked differences, if its versions have enough in common.
LONG = 80

# Maximum pairs of lines for one difflib comparison, and for all comparisons per line of the texts.
_SMALL = 10_000
_WORK = 100
_MOST_WORK = 10_000_000
# Number of unchanged characters shown on each side of a difference.
_NEAR = 24
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != 0x09} | {0x0D: "\\r"}


class Hunk:
    """Lines that differ, with surrounding lines that do not.

    before, after: the number of its first line in each text, and its number of lines. lines: the state of each (SAME,
    GONE, NEW, MARKED or NO_END), and its text.
    """

    __slots__ = ("after", "before", "lines")

    def __init__(self, before: tuple[int, int], after: tuple[int, int], lines: list[Part]) -> None:
        self.before = before
        self.after = after
        self.lines = lines

    @property
    def header(self) -> str:
        """The hunk header of a unified diff."""
        return f"@@ -{_span(self.before)} +{_span(self.after)} @@"


class Paint:
    """Formats differences for a reader. clean: applied to text from inputs before it is coloured."""

    __slots__ = ("bold", "clean", "gone", "new", "plain")

    def __init__(self, clean: Callable[[str], str], *, colour: bool) -> None:
        self.clean = clean
        self.gone, self.new, self.bold, self.plain = (
            ("\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m") if colour else ("", "", "", "")
        )

    def __call__(self, sign: str, text: str) -> str:
        """A text in the colour of removed or added text."""
        colour = {GONE: self.gone, NEW: self.new}.get(sign, "")
        return f"{colour}{self.clean(text)}{self.plain}" if colour else self.clean(text)


def _span(lines: tuple[int, int]) -> str:
    start, count = lines
    return str(start) if count == 1 else f"{start if count else start - 1},{count}"


def hunks(before: str, after: str, *, shorten: bool = True) -> list[Hunk]:
    """The changed lines of two texts, in order. shorten: abbreviate long lines that differ only in parts (MARKED)."""
    left, right = lines_with_breaks(before), lines_with_breaks(after)
    found: list[Hunk] = []
    group: list[Range] = []
    for one in differing(left, right):
        if group and one[0] - group[-1][1] > 2 * CONTEXT:
            found.append(_hunk(left, right, group, shorten))
            group = []
        group.append(one)
    if group:
        found.append(_hunk(left, right, group, shorten))
    return found


def _hunk(left: Sequence[str], right: Sequence[str], group: Sequence[Range], shorten: bool) -> Hunk:
    """The lines of ranges that are near each other."""
    start, end = max(group[0][0] - CONTEXT, 0), min(group[-1][1] + CONTEXT, len(left))
    start_after, end_after = group[0][2] - (group[0][0] - start), group[-1][3] + (end - group[-1][1])
    same_end = left[-1:] and right[-1:] and left[-1].endswith("\n") == right[-1].endswith("\n")
    lines: list[Part] = []

    def add(sign: str, several: Sequence[str]) -> None:
        for line in several:
            lines.append((sign, line.removesuffix("\n")))
            if not line.endswith("\n") and not same_end:
                lines.append((NO_END, "no line break at the end"))

    at = start
    for a, b, c, d in group:
        add(SAME, left[at:a])
        at = b
        short = _shortened_lines(left[a:b], right[c:d]) if shorten else []
        if short:
            lines += short
        else:
            add(GONE, left[a:b])
            add(NEW, right[c:d])
    add(SAME, left[at:end])
    return Hunk((start + 1, end - start), (start_after + 1, end_after - start_after), lines)


def _shortened_lines(left: Sequence[str], right: Sequence[str]) -> list[Part]:
    """MARKED lines, equally many on each side; empty if one of the lines cannot be shown in this way."""
    found: list[Part] = []
    if len(left) == len(right):
        for old, new in zip(left, right, strict=True):
            parts = marked(old, new) if old.endswith("\n") == new.endswith("\n") else None
            if parts is None:
                return []
            found.append((MARKED, with_marks(parts).removesuffix("\n")))
    return found


def marked(before: str, after: str) -> list[Part] | None:
    """Splits two versions of a long line into common and differing parts, and shortens the common ones.

    Returns None if both lines are short or have little in common.
    """
    if max(len(before), len(after)) <= LONG:
        return None
    import re

    # Compares whole words, because half a number or half a name is not informative.
    words = re.compile(r"\w+|\W")
    left, right = words.findall(before), words.findall(after)
    parts: list[Part] = []
    at = 0
    for a, b, c, d in differing(left, right):
        parts.append((SAME, "".join(left[at:a])))
        parts += [(GONE, "".join(left[a:b])), (NEW, "".join(right[c:d]))]
        at = b
    parts.append((SAME, "".join(left[at:])))
    last = len(parts) - 1
    shown = [
        (sign, _shortened(text, from_start=place == 0, to_end=place == last) if sign == SAME else text)
        for place, (sign, text) in enumerate(parts)
        if text
    ]
    if 2 * sum(len(text) for _, text in shown) > len(before) + len(after):
        return None
    return shown


def _shortened(text: str, *, from_start: bool, to_end: bool) -> str:
    """The common text before, between or after differences, reduced to the parts near them."""
    head = "" if from_start else text[:_NEAR]
    tail = "" if to_end else text[-_NEAR:]
    return text if len(text) <= len(head) + len(tail) + 3 else f"{head}...{tail}"


def with_marks(parts: Sequence[Part], show: Callable[[str, str], str] = lambda _sign, text: text) -> str:
    """Parts as one text: `[-removed-]` and `{+added+}`. show: formats each part."""
    forms = {GONE: "[-{}-]", NEW: "{{+{}+}}", SAME: "{}"}
    return "".join(show(sign, forms[sign].format(text)) for sign, text in parts)


def visible(line: str) -> str:
    """A line with visible control characters, such as a carriage return."""
    return line.translate(_CONTROL)


def ranges(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[tuple[bool, Range]]:
    """All ranges of two sequences in order, each with True if it is equal. Raises LimitError when the time is up."""
    a = c = 0
    for one in [*differing(left, right), (len(left), len(left), len(right), len(right))]:
        if a < one[0]:
            yield True, (a, one[0], c, one[2])
        if one[0] < one[1] or one[2] < one[3]:
            yield False, one
        a, c = one[1], one[3]


def differing(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Range]:
    """The ranges where two sequences differ, in order. Raises LimitError when the time is up."""
    run = current_budget()
    found: list[Range] = []
    work = min(_WORK * (len(left) + len(right)), _MOST_WORK)
    stack: list[Range] = [(0, len(left), 0, len(right))]
    while stack:
        a, b, c, d = stack.pop()
        while a < b and c < d and left[a] == right[c]:
            a += 1
            c += 1
        while a < b and c < d and left[b - 1] == right[d - 1]:
            b -= 1
            d -= 1
        if a == b and c == d:
            continue
        pairs = (b - a) * (d - c)
        work -= pairs if pairs <= _SMALL else b - a + d - c
        if pairs == 0 or work < 0:
            found.append((a, b, c, d))
            continue
        run.check_time()
        if pairs <= _SMALL:
            found += _by_difflib(left, right, (a, b, c, d))
        else:
            gaps = list(_gaps(left, right, (a, b, c, d)))
            if len(gaps) == 1:
                found.append(gaps[0])
            stack += reversed(gaps if len(gaps) > 1 else [])
    return found


def _by_difflib(left: Sequence[Hashable], right: Sequence[Hashable], within: Range) -> Iterator[Range]:
    from difflib import SequenceMatcher  # it takes longer than comparing two small files

    a, b, c, d = within
    matcher = SequenceMatcher(None, left[a:b], right[c:d], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            yield a + i, a + j, c + k, c + m


def _gaps(left: Sequence[Hashable], right: Sequence[Hashable], within: Range) -> Iterator[Range]:
    """The ranges between lines that occur once on each side, with as many of these lines as possible in order."""
    a, b, c, d = within
    ours, theirs = _once(left, a, b), _once(right, c, d)
    at, at_other = a, c
    for place, other in _rising([(place, theirs[line]) for line, place in ours.items() if line in theirs]):
        yield at, place, at_other, other
        at, at_other = place + 1, other + 1
    yield at, b, at_other, d


def _once(lines: Sequence[Hashable], start: int, end: int) -> dict[Hashable, int]:
    """The lines that occur once in a range, in order, with their indexes."""
    places: dict[Hashable, int] = {}
    for place in range(start, end):
        places[lines[place]] = -1 if lines[place] in places else place
    return {line: place for line, place in places.items() if place >= 0}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest subsequence of pairs with rising second numbers; the first numbers already rise."""
    ends: list[int] = []  # the smallest last number of a rising sequence, by length
    last: list[int] = []  # the index of the pair with that number
    before = [-1] * len(pairs)
    for number, (_, other) in enumerate(pairs):
        place = bisect_left(ends, other)
        if place:
            before[number] = last[place - 1]
        ends[place : place + 1] = [other]
        last[place : place + 1] = [number]
    found: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    found.reverse()
    return found


def heaviest_pairs(weights: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The ordered pairs of rows and columns with the highest total weight, without pairs of weight 0."""
    rows, columns = len(weights), len(weights[0]) if weights else 0
    # best[row][column]: the weight of the best pairs from this row and this column on.
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            best[row][column] = max(
                best[row + 1][column], best[row][column + 1], best[row + 1][column + 1] + weights[row][column]
            )
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < rows and column < columns:
        if weights[row][column] and best[row][column] == best[row + 1][column + 1] + weights[row][column]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs
