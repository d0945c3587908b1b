"""Warnings: diagnostics that do not end an evaluation, and that are also the text that a command line prints."""

from __future__ import annotations

from plait.base.errors import Finding, public

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from plait.base.source import Position
    from plait.base.suggestions import Suggestion


class Warning(str):
    """A warning as a line of text, with the diagnostic that the line is about."""

    __slots__ = ("diagnostic",)
    diagnostic: Finding

    def __new__(cls, text: str, diagnostic: Finding) -> Self:
        made = super().__new__(cls, text)
        made.diagnostic = diagnostic
        return made

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        # Other processes receive only the text: the position refers to the text of a whole file.
        return str, (str(self),)


def warning(
    message: str,
    *,
    code: str,
    at: Position | None = None,
    also: Iterable[Position] = (),
    word: str = "",
    suggestions: Sequence[Suggestion] = (),
) -> Warning:
    """A warning about a mistake. code: its name in `plait.base.codes`. at: the line shown before the message, if it has
    a source.
    """
    # A command line prints warnings whole: they quote no values of private sources.
    found = Finding(public(message), at=at, also=also, code=code, word=word, suggestions=suggestions)
    found.severity = "warning"
    return Warning(f"{at}: {message}" if at is not None else message, found)


def diagnostic_of(text: str) -> Finding:
    """The diagnostic of a warning; for any other text, one with that message and no code."""
    return text.diagnostic if isinstance(text, Warning) else Finding(text, code="")
