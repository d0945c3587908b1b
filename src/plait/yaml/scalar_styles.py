"""Styles of scalars: plain, quoted, or block.

A string gets the first style that fits. One-line styles do not depend on the position, so they are cached. A literal
block does, because its lines are indented; so does a quoted string with a Unicode line separator.

    >>> FORMS.strings["a: b"], FORMS.strings["yes"], FORMS.strings["a:b"]
    ("'a: b'", '"yes"', 'a:b')
"""

from __future__ import annotations

from plait.base.limits import current_budget, limit_error
from plait.yaml.scalars import needs_quotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.tree.nodes import Scalar

_MEMO_SIZE = 100_000
_LONG = 128
_SIMPLE_KEY_BYTES = 128

_QUOTED_FIRST = frozenset("#,[]{}&*!|>'\"%@`")
_ESCAPES = {
    0x00: "\\0",
    0x07: "\\a",
    0x08: "\\b",
    0x09: "\\t",
    0x0A: "\\n",
    0x0B: "\\v",
    0x0C: "\\f",
    0x0D: "\\r",
    0x1B: "\\e",
    0x22: '\\"',
    0x5C: "\\\\",
    0x85: "\\N",
    0x2028: "\\L",
    0x2029: "\\P",
}
# A string that starts with one of these can only be a string, and only a colon or a comment requires quotes.
_WORD_FIRST = frozenset("abcdeghijklmpqrsuvwxzABCDEGHIJKLMPQRSUVWXZ/_$(")
_WORD_LAST = frozenset(" :")
_SEPARATORS = frozenset("\u2028\u2029")


class _StringForms(dict[str, "str | None"]):
    """The one-line form of each string, or None if it needs several lines or is long.

    misread: returns True for a plain text that a dialect's readers resolve to a different type than go-yaml does.
    blocks: use literal blocks.
    """

    __slots__ = ("blocks", "long", "misread")

    def __init__(self, misread: Callable[[str], bool] | None = None, *, blocks: bool = True) -> None:
        super().__init__()
        self.misread = misread
        self.blocks = blocks
        # The form of each long string, "" if it takes several lines.
        self.long: dict[str, str] = {}

    def __missing__(self, text: str) -> str | None:
        form = text if _is_word(text) else one_line(text)
        if self.misread is not None:
            form = self.safe(text, form)
        if form is None and not self.blocks:
            form = double_quoted(text)
        if len(self) >= _MEMO_SIZE:
            self.clear()
            self.long.clear()
        if form is None or len(form) > _LONG:
            self.long[text] = form or ""
            form = None
        self[text] = form
        return form

    def long_form(self, text: str, pad: str, column: int, fold: int | None) -> str:
        """Writes a string that `self[text]` does not cover: a long or multi-line one.

        Ends with a line break. column: the column where the value starts.
        """
        form = self.long.get(text)
        if form is None:  # another thread has cleared the cache
            form = self.safe(text, one_line(text) if self.blocks else double_quoted(text))
        if not form:
            return many_lines(text, pad, column, fold)
        return (form if fold is None else folded(form, column, fold, pad)) + "\n"

    def safe(self, text: str, form: str | None) -> str | None:
        """The form, or a quoted string if the plain form would be misread."""
        return double_quoted(text) if self.misread is not None and form == text and self.misread(text) else form


class _KeyForms(dict[str, "str | None"]):
    """Maps a string to its form as a simple key with the colon, or None if it has to be written with `? `."""

    __slots__ = ("strings",)

    def __init__(self, strings: _StringForms) -> None:
        super().__init__()
        self.strings = strings

    def __missing__(self, text: str) -> str | None:
        head: str | None = None
        form: str | None
        if len(text) <= _SIMPLE_KEY_BYTES and _is_word(text):
            form = self.strings.safe(text, text)
            head = f"{form}:"
        elif not any(mark in text for mark in "\n\r\x85\u2028\u2029"):
            form = self.strings.safe(text, one_line(text))
            size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
            if form is not None and form.startswith("!!binary "):
                size = len(form) - 1
            if form is not None and size <= _SIMPLE_KEY_BYTES:
                head = form + ":"
        if len(self) >= _MEMO_SIZE:
            self.clear()
        self[text] = head
        return head


def _is_word(text: str) -> bool:
    """True for the common strings that `one_line` returns unchanged. This check takes half the time of `one_line`."""
    return (
        text[:1] in _WORD_FIRST
        and text.isascii()
        and text.isprintable()
        and text[-1] not in _WORD_LAST
        and ": " not in text
        and " #" not in text
    )


class ScalarStyles:
    """The printed forms of strings, as values and as keys, for the readers of a dialect (`misread` as above)."""

    __slots__ = ("keys", "strings")

    def __init__(self, misread: Callable[[str], bool] | None = None, *, blocks: bool = True) -> None:
        self.strings = _StringForms(misread, blocks=blocks)
        self.keys = _KeyForms(self.strings)


FORMS = ScalarStyles()
key_forms = FORMS.keys


def one_line(text: str) -> str | None:
    """The form of a string on one line; None if it needs a literal block or breaks at a Unicode separator."""
    if text.isascii() and text.isprintable():
        # The common case: no line breaks, nothing to escape.
        if needs_quotes(text):
            return double_quoted(text)
        return text if _plain_allowed(text) else "'" + text.replace("'", "''") + "'"
    binary = _binary(text)
    if binary is not None:
        return f"!!binary {binary}" if "\n" not in binary else None
    printable = _printable(text)
    if "\n" in text:
        return None if printable and _block_allowed(text) else double_quoted(text)
    if needs_quotes(text) or not printable:
        return double_quoted(text)
    if "\u2028" in text or "\u2029" in text:
        spaced = any(space + mark in text or mark + space in text for mark in _SEPARATORS for space in " ")
        return double_quoted(text) if spaced else None
    return text if _plain_allowed(text) else "'" + text.replace("'", "''") + "'"


def many_lines(text: str, pad: str, column: int = 0, fold: int | None = None) -> str:
    """The form of a string with several lines, with a final line break. pad: its indentation.

    column, fold: as for `long_form`; a literal block is not folded.
    """
    binary = _binary(text)
    if binary is not None:
        return "!!binary " + many_lines(binary, pad)
    if "\n" not in text:
        quoted = text.replace("'", "''")
        return "'" + (_broken(quoted, pad) if fold is None else _folded_lines(quoted, column + 1, fold, pad)) + "'\n"
    hint = "2" if text[0] == " " or text[0] in _BREAKS else ""
    if text[-1] not in _BREAKS:
        chomp, end = "-", "\n"
    else:
        chomp, end = "+" if len(text) == 1 or text[-2] in _BREAKS else "", ""
    if "\u2028" in text or "\u2029" in text:
        lines = ("" if text[0] in _BREAKS else pad) + _broken(text, pad)
    else:
        lines = _indented(text, pad)
    return f"|{hint}{chomp}\n{lines}{end}"


def _indented(text: str, pad: str) -> str:
    """The text with indentation before each non-empty line. The text has no lines of only spaces."""
    if not pad:
        return text
    lines = text.replace("\n", "\n" + pad)
    # A match may overlap the one before it, so a second pass is needed.
    for _ in range(2):
        lines = lines.replace(f"\n{pad}\n", "\n\n")
    if text[0] != "\n":
        lines = pad + lines
    return lines[: -len(pad)] if text[-1] == "\n" else lines


_BREAKS = "\n\u2028\u2029"


def _broken(text: str, pad: str) -> str:
    """The text with indentation after its line breaks, except between two of them."""
    out: list[str] = []
    broken = False
    for character in text:
        if character in _BREAKS:
            broken = True
        elif broken:
            out.append(pad)
            broken = False
        out.append(character)
    return "".join(out)


def double_quoted(text: str) -> str:
    """A string in double quotes, with escapes."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    if text.startswith("\ufeff"):
        # go-yaml escapes every character of a string that starts with a byte order mark.
        return f'"{"".join([_ESCAPES.get(ord(character)) or _escape(ord(character)) for character in text])}"'
    if len(text) <= _AT_ONCE:
        return f'"{text.translate(_QUOTED)}"'
    run = current_budget()
    most = room = run.most("output")
    parts = []
    for start in range(0, len(text), _AT_ONCE):
        run.check_time()
        parts.append(text[start : start + _AT_ONCE].translate(_QUOTED))
        room -= len(parts[-1])
        if room < 0:  # escapes take up to ten characters
            raise limit_error("the output", "output", most)
    return f'"{"".join(parts)}"'


_AT_ONCE = 1 << 20


class _Quoted(dict[int, str]):
    """The form of each character in double quotes, computed on first use."""

    def __missing__(self, code: int) -> str:
        found = self[code] = chr(code) if _is_printable(code) else _escape(code)
        return found


def _escape(code: int) -> str:
    if code == 0xA0:
        return "\\_"
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


_QUOTED = _Quoted(_ESCAPES)


class StyledScalar:
    """A key with its colon, or a scalar, in its final form."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def leaf(value: Scalar | StyledScalar) -> str:
    """The form of a scalar that is not a string."""
    if value is None:
        return "null"
    kind = type(value)
    if kind is int:
        try:
            return str(value)
        except ValueError:  # Python's limit of 4,300 digits; that of plait is `bits`
            from decimal import Decimal

            return format(Decimal(value), "f")  # type: ignore[arg-type]
    if kind is bool:
        return "true" if value else "false"
    if isinstance(value, float):
        # A float of another dialect has its own form.
        return float_form(value) if kind is float else repr(value)
    if isinstance(value, StyledScalar):
        return value.text
    raise TypeError(f"cannot write {kind.__name__}")


def float_form(value: float) -> str:
    """The fewest digits that read back as the same float, with an exponent below 1e-4 and from 1e6 on."""
    if value - value != 0:  # infinity or NaN
        return ".inf" if value > 0 else "-.inf" if value < 0 else ".nan"
    sign, digits, exponent = decimal(value)
    if exponent < -4 or exponent >= 6:
        point = "." + digits[1:] if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{point}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    return sign + plain_decimal(digits, exponent)


def plain_decimal(digits: str, exponent: int) -> str:
    """The digits with a decimal point. exponent: the exponent of the first digit."""
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    if len(digits) <= exponent + 1:
        return digits + "0" * (exponent + 1 - len(digits))
    return f"{digits[: exponent + 1]}.{digits[exponent + 1 :]}"


def decimal(value: float) -> tuple[str, str, int]:
    """Sign, shortest digits, and the decimal exponent of the first digit of a finite float."""
    text = repr(value)
    sign = "-" if text[0] == "-" else ""
    mantissa, _, written = text.removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    stripped = digits.lstrip("0")
    if not stripped:
        return sign, "0", 0
    exponent = len(whole) - 1 - (len(digits) - len(stripped)) + int(written or 0)
    return sign, stripped.rstrip("0"), exponent


def folded(form: str, column: int, width: int, pad: str) -> str:
    """A one-line form, broken at spaces beyond the width."""
    quote = form[0] if form[0] in "'\"" else ""
    first, last = (1, len(form) - 2) if quote else (-1, len(form))
    return _with_breaks(form, column, width, pad, first, last, doubly=quote == '"')


def _folded_lines(text: str, column: int, width: int, pad: str) -> str:
    """Folds the text of a single-quoted string with Unicode line separators. The column starts again after each."""
    lines = [""]
    for character in text:
        lines[-1] += character
        if character in _SEPARATORS:
            lines.append("")
    out = []
    for number, line in enumerate(lines):
        if number > 0 and line[:1] not in _SEPARATORS and line:
            out.append(pad)
            column = len(pad)
        first, last = 0 if number == 0 else -1, len(line) - 1 if number == len(lines) - 1 else len(line)
        out.append(_with_breaks(line, column, width, pad, first, last, doubly=False))
    return "".join(out)


def _with_breaks(form: str, column: int, width: int, pad: str, first: int, last: int, *, doubly: bool) -> str:
    """The text with breaks at spaces between two indexes. doubly: the string is in double quotes."""
    out: list[str] = []
    spaces = False
    at = 0
    run = current_budget() if len(form) > _AT_ONCE else None
    while (index := form.find(" ", at)) >= 0:
        if run is not None and len(out) & 0xFFFE == 0:
            run.check_time()
        if index > at:
            out.append(form[at:index])
            column += index - at
            spaces = False
        following = form[index + 1 : index + 2]
        if not spaces and column > width and first < index < last and (doubly or following != " "):
            out.append("\n" + pad)
            column = len(pad)
            if following == " ":
                out.append("\\")
                column += 1
        else:
            out.append(" ")
            column += 1
        spaces = True
        at = index + 1
    out.append(form[at:])
    return "".join(out)


def _is_printable(code: int) -> bool:
    return 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xD7FF or (0xE000 <= code <= 0xFFFD and code != 0xFEFF)


def _printable(text: str) -> bool:
    """True if no character needs an escape. Line feeds count as printable."""
    if text.isascii():
        return text.replace("\n", "").isprintable()
    return all(_is_printable(code) or code == 0x0A for code in map(ord, set(text)))


def _block_allowed(text: str) -> bool:
    return text[-1] != " " and not any(" " + mark in text for mark in _BREAKS)


def _plain_allowed(text: str) -> bool:
    """True if the syntax allows a one-line string without quotes."""
    first = text[0]
    if first in _QUOTED_FIRST or first == " " or text[-1] == " " or text[-1] == ":":
        return False
    if first in "-?:." and (text.startswith(("---", "...")) or (first != "." and text[1:2] in {"", " "})):
        return False
    return ": " not in text and " #" not in text


def _binary(text: str) -> str | None:
    """A string that is not valid UTF-8, as base64 of its bytes, in lines of 70 if it is long. Returns None for a valid
    string.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        from binascii import b2a_base64

        code = b2a_base64(text.encode("utf-8", "surrogateescape"), newline=False).decode()
        if len(code) < 70:
            return code
        return "".join([code[at : at + 70] + "\n" for at in range(0, len(code), 70)])
    return None
