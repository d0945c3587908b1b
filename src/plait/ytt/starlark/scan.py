"""Scans text into tokens (docs/reference/templates.md).

A token is a tuple `(kind, value, line, column)`. The kind of punctuation and keywords is their text; the others are
"identifier", "int literal", "float literal", "string literal", "newline", "end of file" and "host", a statement of the
template layer. Line breaks inside brackets and after a backslash are not tokens; neither is indentation, because blocks
are closed by `end`.

Consecutive code pieces are one text: brackets, strings and backslashes may continue from one to the next. Leading white
space is removed from every line before scanning, except after a backslash. A multi-line string loses it too
(docs/reference/language.md).
"""

from __future__ import annotations

from plait.base.errors import Finding
from plait.base.extensions import F_STRINGS
from plait.base.limits import current_budget, limit_error
from plait.base.source import Position, Source
from plait.ytt.starlark import numbers
from plait.ytt.starlark.fields import fields
from plait.ytt.starlark.program_parts import CodePart, ExprSlot, TemplateStatement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn, TypeAlias

    from plait.ytt.starlark.program_parts import Piece

    Token: TypeAlias = tuple[str, object, int, int]


# The kind of the token that represents text that cannot be scanned, and everything after it.
FAILURE = "failure"
_NO_QUOTE = "unexpected EOF in string"
_COMMENT = "no comment can follow an expression; put it on a line of its own"


class ScanFailure(Exception):
    """A fault in the text. The parser converts it to a StarlarkError. swallows: it hides the end of the slot."""

    def __init__(self, finding: Finding, *, swallows: bool = False) -> None:
        super().__init__(finding.message)
        self.finding = finding
        self.swallows = swallows


KEYWORDS = frozenset(
    [
        "and",
        "break",
        "continue",
        "def",
        "elif",
        "else",
        "for",
        "if",
        "in",
        "lambda",
        "load",
        "not",
        "or",
        "pass",
        "return",
        "while",
    ],
)
_HINTS = {
    _NO_QUOTE: "a quote is missing",
    "unexpected newline in string": "a quote is missing",
    "unexpected input character '?'": "a conditional is written: this if condition else that",
}
RESERVED = frozenset(
    [
        "as",
        "class",
        "del",
        "except",
        "finally",
        "from",
        "global",
        "import",
        "is",
        "nonlocal",
        "raise",
        "try",
        "with",
        "yield",
    ],
)
_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME = _START | frozenset("0123456789")
_DIGITS = frozenset("0123456789")
_THREE = frozenset(("//=", "<<=", ">>="))
_TWO = frozenset(("<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "//", "**"))
_ONE = frozenset("=<>+-%/&|^:;~*,")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"'}


def next_line(source: Source, line: int) -> int:
    """The next line that contains more than a comment; 0 if there is none."""
    while (text := source.line(line := line + 1)) is not None:
        if text.strip() and not text.lstrip().startswith("#!"):
            return line
    return 0


def scan(pieces: Sequence[Piece], source: Source) -> list[Token]:
    """The tokens of a program, up to the first invalid one."""
    tokens: list[Token] = []
    depth: list[Token] = []
    last = 1
    index, count = 0, len(pieces)
    while index < count:
        piece = pieces[index]
        if isinstance(piece, TemplateStatement):
            tokens.append(("host", piece, piece.line, 1))
            last = piece.line
            index += 1
            continue
        codes: list[CodePart] = []
        while index < count and isinstance(piece := pieces[index], CodePart):
            codes.append(piece)
            index += 1
        try:
            last = _Scanner(codes, source, tokens, depth).run()
        except ScanFailure as error:
            last = _add_failure(tokens, error)
            break
    tokens.append(("end of file", "", last, 1))
    return tokens


def _add_failure(tokens: list[Token], error: ScanFailure) -> int:
    """Inserts a fault at its position among the tokens. Faults that the parser finds earlier come first."""
    at = error.finding.at
    line = 1 if at is None else at.line
    if error.swallows:
        # In ytt such a comment includes the parenthesis after the slot, and ytt reads on.
        tokens += [("identifier", "", line, 1)] * 2
    tokens.append((FAILURE, error.finding, line, 1))
    return line


def scan_slot(slot: ExprSlot, source: Source) -> list[Token]:
    """The tokens of a slot, up to the first invalid one."""
    tokens: list[Token] = []
    # As in parentheses, line breaks have no meaning.
    try:
        last = _Scanner([slot], source, tokens, [("(", "", slot.line, 1)]).run()
    except ScanFailure as error:
        last = _add_failure(tokens, error)
    tokens.append((")", "", last, 1))
    tokens.append(("end of file", "", last, 1))
    return tokens


class _Scanner:
    """One pass over the text of consecutive pieces. depth: the open brackets."""

    __slots__ = ("columns", "depth", "has_fields", "lines", "source", "text", "tokens")

    def __init__(
        self,
        pieces: Sequence[CodePart | ExprSlot],
        source: Source,
        tokens: list[Token],
        depth: list[Token],
    ) -> None:
        self.source = source
        self.tokens = tokens
        self.depth = depth
        # True if f"..." is a format string.
        self.has_fields = F_STRINGS in source.extensions
        texts: list[str] = []
        self.lines: list[int] = []
        self.columns: list[int] = []
        continued = False
        for piece in pieces:
            text = piece.text
            if "\r" in text:
                text = text.replace("\r\n", "\n").replace("\r", "\n")
            line, column = piece.line, piece.column
            for part in text.split("\n") if "\n" in text else (text,):
                stripped = part if continued else part.lstrip()
                texts.append(stripped)
                self.lines.append(line)
                self.columns.append(column + len(part) - len(stripped))
                continued = stripped.endswith("\\")
                line += 1
                column = 1
        texts.append("\0")
        self.lines.append(self.lines[-1])
        self.columns.append(1)
        self.text = "\n".join(texts) if len(texts) > 2 else texts[0] + "\n\0"

    def fail(self, message: str, row: int, column: int, code: str = "syntax-error") -> NoReturn:
        at = Position(self.source, self.lines[row], max(column, 1))
        finding = Finding(message, at=at, hint=_HINTS.get(message), code=code)
        if message == _NO_QUOTE and not self.source.is_unnamed:
            finding.reference = "unexpected newline in string"  # ytt's own programs end every line with this
        if message == _COMMENT:
            following = next_line(self.source, self.lines[row])
            finding.told_at = Position(self.source, following or self.lines[row])
            finding.is_last = not following
        raise ScanFailure(finding, swallows=message == _COMMENT)

    def run(self) -> int:
        text, tokens, depth = self.text, self.tokens, self.depth
        emit = tokens.append
        row = i = 0
        line = self.lines[0]
        offset = self.columns[0]  # column of position i is i + offset
        while True:
            c = text[i]
            if c in {" ", "\t"}:
                i += 1
            elif c in _START or (c > "\x7f" and c.isalpha()):
                if self.has_fields and c == "f" and (text[i + 1] == '"' or text[i + 1] == "'"):
                    i, row = self._format(i, row, offset)
                    if line != self.lines[row]:
                        line = self.lines[row]
                        offset = self.columns[row] - text.rfind("\n", 0, i) - 1
                    continue
                if c == "r" and (text[i + 1] == '"' or text[i + 1] == "'"):
                    i, row = self._string(i, row, offset, True)
                    if line != self.lines[row]:
                        line = self.lines[row]
                        offset = self.columns[row] - text.rfind("\n", 0, i) - 1
                    continue
                j = i + 1
                while text[j] in _NAME or (text[j] > "\x7f" and text[j].isalpha()):
                    j += 1
                word = text[i:j]
                if word in KEYWORDS:
                    emit((word, word, line, i + offset))
                elif word in RESERVED:
                    emit(("illegal token", word, line, i + offset))
                else:
                    emit(("identifier", word, line, i + offset))
                i = j
            elif c == "\n":
                if not depth and tokens and tokens[-1][0] not in ("newline", "host"):
                    emit(("newline", "\n", line, i + offset))
                i += 1
                row += 1
                line = self.lines[row]
                offset = self.columns[row] - i
            elif c in {'"', "'"}:
                i, row = self._string(i, row, offset, False)
                if line != self.lines[row]:
                    line = self.lines[row]
                    offset = self.columns[row] - text.rfind("\n", 0, i) - 1
            elif c in _DIGITS or (c == "." and text[i + 1] in _DIGITS):
                i = self._number(i, row, offset)
            elif c in {".", ","}:
                emit((c, c, line, i + offset))
                i += 1
            elif c in {"(", "[", "{"}:
                token = (c, c, line, i + offset)
                depth.append(token)
                emit(token)
                i += 1
            elif c in {")", "]", "}"}:
                if not depth:
                    self.fail(f"unexpected '{c}'", row, i + offset)
                depth.pop()
                emit((c, c, line, i + offset))
                i += 1
            elif c == "#":
                end = text.find("\n", i)
                if text[end + 1] == "\0" and depth and depth[0][1] == "":
                    self.fail(_COMMENT, row, i + offset)
                i = end
            elif c == "\\":
                if text[i + 1] != "\n":
                    self.fail("stray backslash in program", row, i + offset)
                i += 2
                row += 1
                line = self.lines[row]
                offset = self.columns[row] - i
            elif c == "\0":
                return line
            else:
                size = self._operator(i, row, offset)
                emit((text[i : i + size], c if size == 1 else "", line, i + offset))
                i += size

    def _operator(self, i: int, row: int, offset: int) -> int:
        """The length of the longest operator at a position."""
        text = self.text
        if text[i : i + 3] in _THREE:
            return 3
        if text[i : i + 2] in _TWO:
            return 2
        if text[i] not in _ONE:
            quoted = "`'`" if text[i] == "'" else f"'{text[i]}'"
            self.fail(f"unexpected input character {quoted}", row, i + offset)
        return 1

    def _string(self, start: int, row: int, offset: int, raw: bool) -> tuple[int, int]:
        """Scans a string literal. Returns the position after it and its last row."""
        text = self.text
        i = start + raw
        quote = text[i]
        line = self.lines[row]
        column = start + offset
        if text.startswith(quote * 3, i):
            quote *= 3
        i = begin = i + len(quote)
        # The common case: the next quote ends it and there are no special characters in between.
        end = text.find(quote, i)
        inner = text[i:end] if end >= 0 else text[i:]
        if end < 0 or "\\" in inner or "\n" in inner:
            end, row = self._string_end(begin, quote, row, column)
            inner = text[begin:end]
            if not raw and "\\" in inner:
                inner = self._unescaped(inner, row, column)
        self.tokens.append(("string literal", inner, line, column))
        return end + len(quote), row

    def _format(self, start: int, row: int, offset: int) -> tuple[int, int]:
        """Scans `f"a{x}b"`, which means `"a{}b".format((x))`. Returns the position after it and its last row."""
        text, line, column = self.text, self.lines[row], start + offset
        quote = text[start + 1]
        if text.startswith(quote * 3, start + 1):
            quote *= 3
        begin = start + 1 + len(quote)
        end, last = self._string_end(begin, quote, row, column)
        emit = self.tokens.append

        def at(index: int) -> tuple[int, int]:
            """Row and column of a position inside the quotes."""
            before = text.count("\n", begin, begin + index)
            first = text.rfind("\n", 0, begin + index) + 1
            return row + before, begin + index + (offset if before == 0 else self.columns[row + before] - first)

        def fail(message: str, index: int) -> NoReturn:
            self.fail(message, *at(index), "string-literal")

        template, found = fields(text[begin:end], lambda part: self._unescaped(part, row, column), fail)
        for kind, value in (("(", "("), ("string literal", template), (".", "."), ("identifier", "format"), ("(", "(")):
            emit((kind, value, line, column))
        for place, expression in found:
            at_row, at_column = at(place)
            emit(("(", "(", line, column))
            _Scanner(
                [ExprSlot(expression, self.lines[at_row], at_column)], self.source, self.tokens, [("(", "", line, 1)]
            ).run()
            emit((")", ")", line, column))
            emit((",", ",", line, column))
        emit((")", ")", line, column))
        emit((")", ")", line, column))
        return end + len(quote), last

    def _string_end(self, i: int, quote: str, row: int, column: int) -> tuple[int, int]:
        text, first = self.text, row
        while True:
            c = text[i]
            if c == "\0":
                self.fail(_NO_QUOTE, first, column, "string-literal")
            if c == "\\":
                if text[i + 1] == "\n":
                    row += 1
                i += 2
            elif c == "\n":
                if text[i + 1] == "\0":
                    self.fail(_NO_QUOTE, first, column, "string-literal")
                if len(quote) == 1:
                    self.fail("unexpected newline in string", first, column, "string-literal")
                row += 1
                i += 1
            elif text.startswith(quote, i):
                return i, row
            else:
                i += 1

    def _unescaped(self, inner: str, row: int, column: int) -> str:
        out: list[str] = []
        i, high = 0, False
        while True:
            j = inner.find("\\", i)
            if j < 0:
                out.append(inner[i:])
                break
            out.append(inner[i:j])
            c = inner[j + 1]
            i = j + 2
            if c in _ESCAPES:
                out.append(_ESCAPES[c])
                continue
            if c == "\n":
                continue
            if c in "01234567":
                while i < j + 4 and i < len(inner) and inner[i] in "01234567":
                    i += 1
                code = int(inner[j + 1 : i], 8)
                if code >= 256:
                    self.fail(f"invalid escape sequence \\{code:03o}", row, column, "string-literal")
            elif c == "x":
                if len(inner) < j + 4:
                    self.fail(f"truncated escape sequence {inner[j:]}", row, column, "string-literal")
                i = j + 4
                # Not `int` alone, which also accepts a sign, spaces and underscores.
                if not all(digit in "0123456789abcdefABCDEF" for digit in inner[j + 2 : i]):
                    self.fail(f"invalid escape sequence {inner[j:i]}", row, column, "string-literal")
                code = int(inner[j + 2 : i], 16)
            else:
                out.append("\\" + c)
                continue
            if code < 0x80:
                out.append(chr(code))
            else:
                high = True
                out.append(chr(0xDC00 + code))
        result = "".join(out)
        if high:
            result = result.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
        return result

    def _number(self, i: int, row: int, offset: int) -> int:
        text = self.text
        start, column = i, i + offset
        is_float = False
        second = text[i + 1].lower()
        if text[i] == "0" and second in ("x", "o", "b"):
            allowed = {"x": "0123456789abcdefABCDEF", "o": "01234567", "b": "01"}[second]
            name = {"x": "hex", "o": "octal", "b": "binary"}[second]
            i += 2
            while text[i] in allowed:
                i += 1
            if i == start + 2:
                self.fail(f"invalid {name} literal", row, column, "number-literal")
            self.tokens.append(("int literal", int(text[start:i], 0), self.lines[row], column))
            return i
        while text[i] in _DIGITS:
            i += 1
        if text[i] == ".":
            is_float = True
            i += 1
            while text[i] in _DIGITS:
                i += 1
        if text[i] in "eE":
            is_float = True
            i += 1
            if text[i] in "+-":
                i += 1
            while text[i] in _DIGITS:
                i += 1
        raw = text[start:i]
        if is_float:
            try:
                number: object = float(raw)
            except ValueError:
                self.fail("invalid float literal", row, column, "number-literal")
            if number in (float("inf"), float("-inf")):
                self.fail("invalid float literal", row, column, "number-literal")
            self.tokens.append(("float literal", number, self.lines[row], column))
            return i
        if raw[0] == "0" and raw.strip("0"):
            if raw.strip("01234567"):
                self.fail("invalid int literal", row, column, "number-literal")
            self.fail(f"obsolete form of octal literal; use 0o{raw[1:]}", row, column, "number-literal")
        if len(raw) * 3 > current_budget().limits.bits:
            at = Position(self.source, self.lines[row], column)
            raise limit_error(f"an int of {len(raw)} digits", "bits", current_budget().limits.bits, at=at)
        self.tokens.append(("int literal", numbers.parse(raw), self.lines[row], column))
        return i
