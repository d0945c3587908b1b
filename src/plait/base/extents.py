"""Finds the part of a line that a diagnostic is about."""

from __future__ import annotations

import re

from plait.base.source import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Diagnostic


def extent(found: Diagnostic, at: Position | None = None) -> Position | None:
    """The part of a line that a diagnostic is about, with its end; None if the line is unknown.

    This is the faulty word, else the text from the column on, else the whole line. at: replaces the diagnostic's
    position.
    """
    at = at or found.focus or found.at
    text = None if at is None else at.text
    if at is None or text is None:
        return None
    for word in words_of(found):
        place = find_word(text, word, (at.column or 1) - 1)
        if place >= 0:
            return Position(at.source, at.line, place + 1, place + 1 + len(word))
    begin = len(text) - len(text.lstrip()) if at.column is None else min(at.column - 1, max(len(text) - 1, 0))
    end = at.end or max(len(text.rstrip()), begin + 1) + 1
    return Position(at.source, at.line, begin + 1, end)


def words_of(found: Diagnostic) -> list[str]:
    """The faulty words, as the text may contain them."""
    return [
        one for one in dict.fromkeys((found.word, *(one.old for one in found.suggestions if one.is_of_word))) if one
    ]


def find_word(text: str, word: str, start: int = 0) -> int:
    """The index of a whole word in a line, at or after `start` if possible; -1 if it does not occur."""
    found = [one.start() for one in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
    return next((one for one in found if one >= start), found[0] if found else -1)
