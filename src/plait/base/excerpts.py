"""Excerpts of diagnostics for other processes: their sources have only the lines at their positions."""

from __future__ import annotations

from plait.base.source import Position, Source, public

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.base.errors import Finding, Warning

# Maximum number of characters of a line.
_LONGEST = 1_000


def excerpt(found: Finding, rename: Callable[[str], str] = str) -> Finding:
    """A copy of a warning's diagnostic, without suggestions, because they become edits only with the whole text.
    rename: replaces paths that the reader does not know.
    """
    made = type(found)(
        public(rename(found.message)),
        at=None if found.at is None else _position(found.at, rename),
        also=[_position(at, rename) for at in found.also],
        code=found.code,
        word=found.word or next((one.old for one in found.suggestions if one.is_of_word), ""),
    )
    made.severity = found.severity
    return made


def renamed(told: Warning, rename: Callable[[str], str]) -> Warning:
    """A warning with other paths. rename: as in `excerpt`."""
    return type(told)(rename(told), excerpt(told.diagnostic, rename))


def _position(at: Position, rename: Callable[[str], str]) -> Position:
    """A copy whose source has only this line, and no text if it is private."""
    source = at.source
    if source is not None:
        part = Source(rename(source.name), "" if source.private else rename(at.text or "")[:_LONGEST], at.line)
        part.shown, part.private = rename(source.shown), source.private
        source = part
    copied = Position(source, at.line, at.column, at.end)
    return copied.labelled(at.label) if at.label else copied
