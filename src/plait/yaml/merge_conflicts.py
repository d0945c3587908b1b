"""Unresolved conflicts of a merge in a text. Loaded only for errors, warnings and their fixes."""

from __future__ import annotations

from plait.base.errors import as_finding, warning
from plait.base.source import Position, Source, public
from plait.base.suggestions import SIDE, Suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    from plait.base.errors import PlaitError, Warning

    Error = TypeVar("Error", bound=PlaitError)

# As git writes them. The original text, between ||||||| and =======, is there only in some styles.
_START, _ORIGINAL, _MIDDLE, _END = _MARKERS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


class MergeConflict:
    """A conflict. Its attributes are indexes of lines, those of the markers; original: middle if there is no original."""

    __slots__ = ("end", "middle", "original", "start")

    def __init__(self, start: int, original: int, middle: int, end: int) -> None:
        self.start = start
        self.original = original
        self.middle = middle
        self.end = end

    def side(self, marker: str) -> range:
        """The lines of the version whose marker is given."""
        return range(self.start + 1, self.original) if marker == _START else range(self.middle + 1, self.end)


def conflict_around(lines: Sequence[str], line: int) -> MergeConflict | None:
    """The conflict that contains a line, or None. line: its index."""
    found = {_START: -1}
    for number, text in enumerate(lines):
        marker = text.rstrip()[:7]
        if marker not in _MARKERS or text[7:8].strip():
            continue
        if marker == _START:
            if number > line:
                return None
            found = {}
        found.setdefault(marker, number)
        if marker == _END and number >= line:
            start, middle = found.get(_START, -1), found.get(_MIDDLE, -1)
            original = found.get(_ORIGINAL, middle)
            return MergeConflict(start, original, middle, number) if 0 <= start < original <= middle else None
    return None


def conflict_error(kind: type[Error], source: Source, text: str, base: int, line: int, reference: str) -> Error | None:
    """The error for a conflict that contains a line; None if there is none.

    text: a part of the source, whose first line is line `base`. line: its index in the text. reference: as in
    PlaitError.
    """
    lines = text.split("\n")
    found = conflict_around(lines, line)
    if found is None:
        return None

    first, *also = _places(found, lines, source, base)
    return kind(
        public(_MESSAGE),
        at=first,
        also=also,
        hint=public(_HINT),
        reference=reference,
        code="merge-conflict",
        suggestions=_sides(found, lines),
    )


def conflict_warnings(source: Source) -> Iterator[Warning]:
    """A warning for each conflict in a text that is valid with it, such as a text template."""
    lines, line = source.text.split("\n"), 0
    while line < len(lines):
        found = conflict_around(lines, line) if lines[line].startswith(_START) else None
        if found is not None:
            first, *also = _places(found, lines, source, 1)
            message = f"{_MESSAGE}; {_HINT}"
            yield warning(message, code="conflict-in-text", at=first, also=also, suggestions=_sides(found, lines))
            line = found.end
        line += 1


_MESSAGE = "the conflict of a merge is not resolved"
_HINT = "keep the lines of one version, and remove the lines with the markers"


def _places(found: MergeConflict, lines: Sequence[str], source: Source, base: int) -> list[Position]:
    """The lines with markers. base: the number of the first of the lines."""
    first, middle, end = (
        Position(source, base + number, 1, len(lines[number].rstrip()) + 1)
        for number in (found.start, found.middle, found.end)
    )
    return [first, middle.labelled("the other version"), end.labelled("it ends here")]


def _sides(found: MergeConflict, lines: Sequence[str]) -> list[Suggestion]:
    """The fixes: to keep one version."""
    return [
        Suggestion(SIDE, lines[number][8:].strip() or name, old=marker)
        for number, name, marker in (
            (found.start, "the first version", _START),
            (found.end, "the second version", _END),
        )
    ]


def as_conflict(error: PlaitError, source: Source) -> PlaitError:
    """The error for the conflict that contains the line of a fault in code; without one, the error itself."""
    if error.at is None or error.code == "merge-conflict":
        return error
    conflict = conflict_error(type(error), source, source.text, 1, error.at.line - 1, error.reference)
    if conflict is None:
        return error
    conflict.listed = error.listed or [as_finding(error)]
    conflict.origins = error.origins
    return conflict
