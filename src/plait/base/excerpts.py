"""Excerpts of diagnostics for other processes: their sources have only the lines at their positions."""

from __future__ import annotations

from plait.base.source import Position, Source, public

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Finding

# Maximum number of characters of a line.
_LONGEST = 1_000


def excerpt(found: Finding) -> Finding:
    """A copy of a warning's diagnostic, without suggestions, because they become edits only with the whole text."""
    made = type(found)(
        public(found.message),
        at=None if found.at is None else _position(found.at),
        also=map(_position, found.also),
        code=found.code,
        word=found.word or next((one.old for one in found.suggestions if one.is_of_word), ""),
    )
    made.severity = found.severity
    return made


def _position(at: Position) -> Position:
    """A copy whose source has only this line, and no text if it is private."""
    source = at.source
    if source is not None:
        part = Source(source.name, "" if source.private else (at.text or "")[:_LONGEST], at.line)
        part.shown, part.private = source.shown, source.private
        source = part
    copied = Position(source, at.line, at.column, at.end)
    return copied.labelled(at.label) if at.label else copied
