"""The names and strings of a program with their positions in the file: lines and columns, both from 1.

The parser's tree contains only lines. In this module its tokens are strings with positions, so every name, member,
argument and string in the tree has a position.
"""

from __future__ import annotations

from plait.ytt.starlark.parse import Parser
from plait.ytt.starlark.program_parts import CodePart, ExprSlot, TemplateStatement
from plait.ytt.starlark.scan import scan, scan_slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.source import Source
    from plait.ytt.starlark.program_parts import Piece
    from plait.ytt.starlark.scan import Token

# Matches the lines of a folded scalar that count as one.
_FOLDED = 100
_QUOTES = ('"""', "'''", '"', "'")


class Placed(str):
    """A string with a position. column: 0 if the text is not written literally, for example with escapes."""

    __slots__ = ("column", "line")
    line: int
    column: int

    def __str__(self) -> str:
        return self

    @property
    def end(self) -> int:
        """The column after it."""
        return self.column + len(self)


def plain(text: str) -> str:
    """The string without its position."""
    return str.__str__(text)


def place_of(text: str) -> tuple[int, int] | None:
    """Line and column of a string of the tree; None for one without a position."""
    return (text.line, text.column) if isinstance(text, Placed) and text.column else None


class PlacedParser(Parser):
    """A parser whose names and strings are `Placed`."""

    __slots__ = ()

    @staticmethod
    def tokens_of(pieces: Sequence[Piece], source: Source) -> list[Token]:
        return _placed(scan(pieces, source), source)

    @staticmethod
    def tokens_of_slot(slot: ExprSlot, source: Source) -> list[Token]:
        return _placed(scan_slot(slot, source), source)


def _placed(tokens: Sequence[Token], source: Source) -> list[Token]:
    out: list[Token] = []
    for token in tokens:
        kind, value, line, column = token
        if kind in ("identifier", "string literal"):
            found = Placed(value)
            found.line = line
            text = source.line(line) or ""
            if kind == "string literal":
                column += text[column - 1 : column] == "r"
                column += next((len(one) for one in _QUOTES if text.startswith(one, column - 1)), 0)
            found.column = column if found and text.startswith(found, column - 1) else 0
            token = kind, found, line, column
        out.append(token)
    return out


def with_columns(pieces: Sequence[Piece], source: Source) -> tuple[list[Piece], dict[int, int]]:
    """The pieces of a program with their positions in the file, if the file contains them literally.

    Returns the pieces, and the lines with another number in the engine, which counts the lines of a block scalar from
    its key.
    """
    finder = _Finder(source)
    out: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, TemplateStatement):
            slots = [type(slot)(slot.text, *finder.place(slot)) for slot in piece.slots]
            out.append(TemplateStatement(piece.line, slots, piece.lower))
        else:
            out.append(CodePart(piece.text, *finder.place(piece)))
    return out, finder.told


class _Finder:
    """Finds the positions of pieces in order. told: maps a line to the engine's number, if it differs."""

    __slots__ = ("_at", "_source", "told")

    def __init__(self, source: Source) -> None:
        self._source = source
        self._at = (0, 0)  # line and index after the last insertion into a text
        self.told: dict[int, int] = {}

    def place(self, piece: CodePart | ExprSlot) -> tuple[int, int]:
        """Line and column of a piece."""
        if piece.column > 1 or not piece.text.strip():
            return piece.line, piece.column
        first = piece.text.split("\n", 1)[0]
        line = self._source.line(piece.line) or ""
        # A comment of a template ends where its line ends.
        if "#@" in line and (line.rstrip().endswith(first.rstrip()) or "/end" in line):
            return piece.line, len(line.rstrip()) - len(first.rstrip()) + 1
        return self._inserted(piece, first) or (piece.line, 1)

    def _inserted(self, piece: CodePart | ExprSlot, first: str) -> tuple[int, int] | None:
        """The position of code between `(@` and `@)`; None for other code. A block scalar begins below its key."""
        number, start = max(self._at, (piece.line, 0))
        line = self._source.line(number)
        while line is not None and number <= piece.line + _FOLDED:
            for begin in _openings(line, start):
                if line.startswith(first, begin):
                    self._at = number, begin + len(first)
                    if number != piece.line:
                        for offset in range(piece.text.count("\n") + 1):
                            self.told[number + offset] = piece.line + offset
                    return number, begin + 1
            number, start = number + 1, 0
            line = self._source.line(number)
        return None


def _openings(line: str, start: int) -> Iterator[int]:
    """The indexes at which inserted code can start."""
    found = line.find("(@", start)
    while found >= 0:
        begin = found + 2
        begin += line.startswith("-", begin)
        begin += line.startswith("=", begin)
        yield begin
        found = line.find("(@", begin)
