"""Hints for a project file with lines at a wrong level. Loaded only for an error."""

from __future__ import annotations

from itertools import islice

from plait.base.errors import PlaitError
from plait.base.source import Position, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.base.errors import UsageError

_CODES = frozenset({"pipeline-form", "project-form", "setting-type", "unknown-setting"})
# The longest file, and the number of changes to it, that are read again for a hint.
_MOST_LINES = 500
_MOST_MOVES = 24
_STEP = 2


def relate_indentation(error: UsageError, source: Source, read: Callable[[Source], object]) -> None:
    """Moves an error to lines whose indentation is its cause, with their correct one as the hint.

    read: reads a project file. With the correct indentation it finds no error up to the last of these lines.
    """
    at = error.at
    if at is None or at.source is not source or error.code not in _CODES or error.suggestions:
        return
    lines = source.text.split("\n")
    if len(lines) > _MOST_LINES:
        return
    found = None
    for move in islice(_moves(lines, at.line - 1), _MOST_MOVES):
        fault = _fault(lines, move, source.name, read)
        if fault is None:
            found = move
            break
        # The other errors of the file are reported next.
        if found is None and fault.code in _CODES and fault.at is not None and fault.at.line > move.last + 1:
            found = move
    if found is None:
        return
    error.at = Position(source, found.first + 1)
    if found.first + 1 != at.line:
        error.also.insert(0, at)
    error.hint = found.advice(lines)


class _Move:
    """A change of the indentation of the lines from `first` to `last`, counted from 0. width: the number of added spaces.
    is_free: a key of any name is accepted there.
    """

    __slots__ = ("first", "is_free", "last", "width")

    def __init__(self, first: int, last: int, width: int, *, is_free: bool = True) -> None:
        self.first = first
        self.last = last
        self.width = width
        self.is_free = is_free

    def applied(self, lines: Sequence[str]) -> list[str]:
        """The lines after the change."""
        return [
            _indented(line, self.width) if self.first <= place <= self.last else line
            for place, line in enumerate(lines)
        ]

    def advice(self, lines: Sequence[str]) -> str:
        """The hint for this change."""
        several = self.last > self.first
        what = f"lines {self.first + 1}-{self.last + 1}" if several else f"line {self.first + 1}"
        change = f"by {abs(self.width)} {'more' if self.width > 0 else 'fewer'} spaces"
        place = _key_above(self.applied(lines), self.first)
        return f"indent {what} {change}: {'they belong' if several else 'it belongs'} {place}"


def _fault(lines: Sequence[str], move: _Move, name: str, read: Callable[[Source], object]) -> PlaitError | None:
    """The error of a file after a change, or of the check that the moved key is known at its new level; or None."""
    moved = move.applied(lines)
    error = _error_of(moved, name, read)
    if error is None and not move.is_free:
        moved[move.first] = moved[move.first].replace(":", f"{_UNKNOWN}:", 1)
        if _error_of(moved, name, read) is None:
            return PlaitError("any key is accepted there", code="unknown-setting")
    return error


_UNKNOWN = "-unknown"


def _error_of(lines: Sequence[str], name: str, read: Callable[[Source], object]) -> PlaitError | None:
    try:
        read(Source(name, "\n".join(lines)))
    except PlaitError as error:
        return error
    return None


def _moves(lines: Sequence[str], place: int) -> Iterator[_Move]:
    """Changes of indentation at a line, or after it."""
    after = next((one for one in range(place + 1, len(lines)) if _has_content(lines[one])), place)
    for first in dict.fromkeys((place, after)):
        old = _indentation(lines[first])
        above = [_key_column(lines[one]) for one in range(first) if _has_content(lines[one])]
        if above and above[-1] + _STEP > old:
            yield from (_Move(first, last, above[-1] + _STEP - old) for last in _ends(lines, first, old))
        # The levels of the keys that contain the line above, and those between it and the wrong level.
        levels: list[int] = []
        for level in reversed(above):
            if level < min([*levels, level + 1]):
                levels.append(level)
        for level in levels:
            if level != old:
                yield from (_Move(first, last, level - old, is_free=level < old) for last in _ends(lines, first, old))


def _ends(lines: Sequence[str], first: int, old: int) -> Iterator[int]:
    """The last lines of the blocks that begin with a line, the longest first."""
    ends = []
    last = first
    for place in range(first + 1, len(lines)):
        if not _has_content(lines[place]):
            continue
        if _indentation(lines[place]) <= old:
            ends.append(last)
        if _indentation(lines[place]) < old:
            break
        last = place
    else:
        ends.append(last)
    yield from reversed(ends)


def _indented(line: str, width: int) -> str:
    if not line.strip():
        return line
    return " " * width + line if width > 0 else line[min(-width, _indentation(line)) :]


def _has_content(line: str) -> bool:
    return line.strip()[:1] not in ("", "#")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _key_column(line: str) -> int:
    """The column of the key in a line, after the dash of an item."""
    return len(line) - len(line.lstrip(" -"))


def _key_above(lines: Sequence[str], place: int) -> str:
    """The key that contains a line, or the top of the file, for a hint."""
    level = _indentation(lines[place])
    above = [one for one in lines[:place] if _has_content(one) and _key_column(one) < level]
    return f'to "{above[-1].strip(" -").partition(":")[0]}"' if above else "at the top of the file"
