"""Styles of printed text, and text that is safe for a terminal.

A style has a name. It becomes codes only on a terminal, or if colours are requested.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    # A piece of a line: the name of its style, "" for none, and its text.
    Piece: TypeAlias = "tuple[str, str]"
    StyledLine: TypeAlias = "list[Piece]"

# Names of styles, with their codes. They use the 8 colours that every terminal theme defines.
_CODES = {
    "error": "31;1",
    "warning": "33;1",
    "place": "1",
    "title": "1",
    "label": "36",
    "hint": "32",
    "value": "32",
    "flag": "36",
    "dim": "2",
}


class Styles:
    """Formats pieces of text for a reader. clean: applied to every piece, before codes are added."""

    __slots__ = ("_clean", "_codes")

    def __init__(self, clean: Callable[[str], str] = str, *, colour: bool = False) -> None:
        self._clean = clean
        self._codes = _CODES if colour else {}

    def __call__(self, style: str, text: str) -> str:
        """A piece of text in a style."""
        code = self._codes.get(style) if text else None
        return self._clean(text) if code is None else f"\x1b[{code}m{self._clean(text)}\x1b[0m"

    def line(self, pieces: Iterable[Piece]) -> str:
        """Joins pieces into a styled line."""
        return "".join([self(style, text) for style, text in pieces])


PLAIN = Styles()


def shortened(pieces: StyledLine, most: int) -> StyledLine:
    """A line of at most this number of characters, followed by " ..." if it was longer."""
    kept: StyledLine = []
    for style, text in pieces:
        if len(text) > most:
            return [*kept, (style, text[:most].rstrip()), ("", " ...")]
        kept.append((style, text))
        most -= len(text)
    return kept


def short_place(place: str, maximum: int) -> str:
    """A `file:line` of at most about this number of characters. Its path is shortened in the middle."""
    path, colon, line = place.rpartition(":")
    if len(place) <= maximum or not path:
        return place
    return f"{short_path(path, maximum - len(line) - 1)}{colon}{line}"


def short_path(path: str, most: int) -> str:
    """A path, shortened in the middle to about this number of characters; its first part and its end stay."""
    if len(path) <= most:
        return path
    first, slash, rest = path.partition("/")
    head = f"{first}/..." if slash and first else "..."
    room = max(most - len(head), 1)
    tail = rest[-room:] if slash else path[-room:]
    # Starts at the beginning of a name, if possible.
    cut = tail.find("/")
    return head + (tail[cut:] if 0 <= cut < len(tail) - 1 else tail)


def is_dumb() -> bool:
    """True if the terminal does not support control sequences, so that it has no colours and lines cannot be erased."""
    return os.environ.get("TERM", "dumb") == "dumb"


def _escape(character: str) -> str:
    """The escape for a mark, or for a control character except tab and line feed, also of eight bits or in invalid UTF-8."""
    code = ord(character)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return character if code in (0x09, 0x0A) else f"\\x{code:02x}"
    if 0xDC80 <= code < 0xDD00:
        return f"\\x{code - 0xDC00:02x}"
    # Some terminals treat these as line ends, or they change the writing direction.
    is_mark = code in (0x200E, 0x200F) or 0x2028 <= code < 0x202F or 0x2066 <= code < 0x206A
    return f"\\u{code:04x}" if is_mark else character


def harmless(text: str) -> str:
    """The text with escapes in place of characters that control a terminal."""
    if text.isprintable():  # neither control characters nor marks
        return text
    return text.translate({ord(character): _escape(character) for character in {*text}})
