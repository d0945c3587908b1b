"""The types of plain scalars, and the strings that need quotes to stay strings.

The dialect is YAML 1.1 as go-yaml v2 reads it: many spellings of true and false, octal by a leading zero, timestamps
and base-60 numbers that stay strings but are printed in quotes. The first character decides nearly everything, so a
word is examined only if it starts like a number, a boolean or a null. Results are cached, because values repeat; the
cache is cleared when it grows large.

    >>> resolve_plain("0x1F"), resolve_plain("yes"), resolve_plain("2001-12-14"), resolve_plain("tRue")
    (31, True, '2001-12-14', 'tRue')
    >>> needs_quotes("2001-12-14"), needs_quotes("1:30"), needs_quotes("a:b")
    (True, True, False)
"""

from __future__ import annotations

from plait.base.source import Quoted, Wording, public

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.base.source import Source
    from plait.tree.nodes import Scalar
    from plait.yaml.comments import Comments

NULL = "null"
BOOL = "bool"
INT = "int"
FLOAT = "float"
TIMESTAMP = "timestamp"
STR = "str"
BINARY = "binary"

_TAG_PREFIX = "tag:yaml.org,2002:"

_INF, _NAN = float("inf"), float("nan")
_WORDS: dict[str, tuple[str, Scalar]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), (BOOL, True)),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), (BOOL, False)),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), (NULL, None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), (FLOAT, _NAN)),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), (FLOAT, _INF)),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), (FLOAT, -_INF)),
}

_NUMERIC = frozenset("+-0123456789.")
_SUSPECT = frozenset("+-0123456789.yYnNtTfFoO~")
_DIGITS = {2: frozenset("01"), 8: frozenset("01234567"), 16: frozenset("0123456789abcdefABCDEF")}
_BASES = {"x": 16, "X": 16, "b": 2, "B": 2, "o": 8, "O": 8}
_MEMO_SIZE = 100_000


def classify(text: str) -> tuple[str, Scalar]:
    """The type of a plain scalar (NULL, BOOL, INT, FLOAT, TIMESTAMP or STR) and its value."""
    if text and text[0] not in _SUSPECT:
        return STR, text
    word = _WORDS.get(text)
    if word is not None:
        return word
    first = text[0]
    if first not in _NUMERIC:
        return STR, text
    if first == ".":
        number = _float(_ungrouped(text))
        return (STR, text) if number is None else (FLOAT, number)
    if is_timestamp(text):
        return TIMESTAMP, text
    plain = text.replace("_", "") if "_" in text else text
    integer = _integer(plain)
    if integer is not None:
        return INT, integer
    number = _float(plain)
    if number is not None:
        return FLOAT, number
    if plain.startswith("0b"):
        # A sign may follow the prefix.
        integer = _signed(plain[2:], 2)
        if integer is not None:
            return INT, integer
    return STR, text


class _PlainValues(dict[str, "Scalar"]):
    """Maps plain text to its value, on demand."""

    __slots__ = ()

    def __missing__(self, text: str) -> Scalar:
        value = text if text and text[0] not in _SUSPECT else classify(text)[1]
        if len(self) >= _MEMO_SIZE:
            self.clear()
        self[text] = value
        return value


plain_values = _PlainValues()


def resolve_plain(text: str) -> Scalar:
    """The value of a plain (unquoted, untagged) scalar."""
    return plain_values[text]


def needs_quotes(text: str) -> bool:
    """True if a string needs quotes to be read back as a string. Includes base-60 numbers and dates."""
    if text and text[0] not in _SUSPECT:
        return False
    return classify(text)[0] is not STR or is_base60(text)


def resolve_tagged(tag: str, text: str) -> Scalar:
    """The value of a scalar with a tag. Raises ValueError with a Wording."""
    kind = tag.removeprefix(_TAG_PREFIX) if tag.startswith(_TAG_PREFIX) else ""
    if kind == BINARY:
        return _from_base64(text)
    if kind not in {BOOL, INT, FLOAT, NULL, TIMESTAMP}:
        return text
    found, value = classify(text)
    if kind == FLOAT and found == INT and type(value) is int and value < 1 << 63:
        return float(value)
    if found == TIMESTAMP and kind != TIMESTAMP:
        found = STR
    if found != kind:
        raise ValueError(Wording("cannot decode !!", public(found), " `", Quoted(text), "` as a !!", public(kind)))
    return value


def resolve_strict(text: str) -> Scalar:
    """The value of a plain scalar in strict mode (docs/reference/templates.md). Raises ValueError with a Wording."""
    if text == "null":
        return None
    found, value = classify(text)
    if text in {"", "true", "false"}:
        return value
    expected = STR
    body = text.removeprefix("-")
    whole, exponent_mark, exponent = body.replace("E", "e").partition("e")
    integral, point, fraction = whole.partition(".")
    if (
        _is_digits(integral)
        and (integral == "0" or integral[0] != "0")
        and (not point or _is_digits(fraction))
        and (not exponent_mark or _is_digits(exponent[1:] if exponent[:1] in {"+", "-"} else exponent))
    ):
        expected = FLOAT if point or exponent_mark else INT
        if expected == INT and found == FLOAT:
            raise ValueError(Wording("Strict parsing: Parsing int '", Quoted(text), "': value out of range"))
        if expected == FLOAT and found == STR:
            raise ValueError(Wording("Strict parsing: Parsing float '", Quoted(text), "': value out of range"))
    elif any(map(str.isspace, text)):
        raise ValueError(_must_be_quoted("whitespace", text))
    elif ":" in text:
        raise ValueError(_must_be_quoted("colon", text))
    elif "---" in text:
        raise ValueError(_must_be_quoted("triple-dash", text))
    if found != expected:
        either = Wording("(could be !!", public(expected), " or !!", public(found), ")")
        raise ValueError(Wording("Strict parsing: Found '", Quoted(text), "' ambigious ", either))
    return value


def _must_be_quoted(what: str, text: str) -> Wording:
    return Wording("Strict parsing: Strings with ", public(what), " must be explicitly quoted: '", Quoted(text), "'")


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _signed(text: str, base: int) -> int | None:
    body = text[1:] if text[:1] in {"+", "-"} else text
    if not body or not _DIGITS[base].issuperset(body):
        return None
    number = int(text, base)
    return number if -(1 << 63) <= number < 1 << (64 if body is text else 63) else None


def _integer(text: str) -> int | None:
    """A 64-bit integer, signed, or unsigned if it is written without a sign. None if it is not one."""
    first = text[:1]
    body = text[1:] if first in {"-", "+"} else text
    if not body.isascii():
        return None
    if body[:1] == "0" and len(body) > 1:
        base = _BASES.get(body[1])
        digits = body[2:] if base is not None else body[1:]
        if base is None:
            base = 8
        if not digits or not _DIGITS[base].issuperset(digits):
            return None
        number = int(digits, base)
    elif body.isdigit():
        if len(body) > 20:
            return None
        number = int(body)
    else:
        return None
    if first == "-":
        return -number if number <= 1 << 63 else None
    return number if number < 1 << (63 if first == "+" else 64) else None


def _float(text: str) -> float | None:
    """A decimal number with an optional point and exponent; None if it is not one, or too large for a float."""
    body = text[1:] if text[:1] in {"+", "-"} else text
    mantissa, mark, exponent = body.replace("E", "e").partition("e")
    if mark and not _is_digits(exponent[1:] if exponent[:1] in {"+", "-"} else exponent):
        return None
    whole, point, fraction = mantissa.partition(".")
    if not whole and not fraction:
        return None
    if (whole and not _is_digits(whole)) or (fraction and not _is_digits(fraction)):
        return None
    if not whole and not point:
        return None
    number = float(text)
    return None if abs(number) == _INF else number


def _ungrouped(text: str) -> str:
    """The text without the underscores between digits of a float that starts with a point."""
    if "_" not in text:
        return text
    parts = text.split("_")
    grouped = all(_is_digits(part[-1:]) for part in parts[:-1]) and all(_is_digits(part[:1]) for part in parts[1:])
    return "".join(parts) if grouped else text


def is_base60(text: str) -> bool:
    """True if a text is a base-60 number of YAML 1.1, such as `190:20:30`."""
    if ":" not in text:
        return False
    body = text[1:] if text[:1] in {"+", "-"} else text
    first, *rest = body.split(":")
    if not _is_digits(first.replace("_", "")) or first[0] == "_":
        return False
    last, _, fraction = rest[-1].partition(".")
    rest[-1] = last
    if fraction.strip("_") and not _is_digits(fraction.replace("_", "")):
        return False
    return all(len(part) <= 2 and _is_digits(part) and (len(part) == 1 or part[0] < "6") for part in rest)


_DAYS = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_timestamp(text: str) -> bool:
    """True if a text is a date, or a date and time, in a form that go-yaml accepts."""
    if text[4:5] != "-" or not _is_digits(text[:4]):
        return False
    month, at = _short_number(text, 5)
    if not 1 <= month <= 12 or text[at : at + 1] != "-":
        return False
    day, at = _short_number(text, at + 1)
    year = int(text[:4])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _DAYS[month] or (month == 2 and day == 29 and not leap):
        return False
    if at == len(text):
        return True
    mark = text[at]
    if mark == " ":
        at = len(text) - len(text[at:].lstrip(" "))
    elif mark in {"T", "t"}:
        at += 1
    else:
        return False
    hour, at = _short_number(text, at)
    minute, end = _short_number(text, at + 1)
    second, last = _short_number(text, end + 1)
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and text[at] == ":" and text[end] == ":"):
        return False
    at = last
    if text[at : at + 1] in {".", ","} and _is_digits(text[at + 1 : at + 2]):
        at += 1
        while _is_digits(text[at : at + 1]):
            at += 1
    if mark == " ":
        return at == len(text)
    zone = text[at:]
    if zone == "Z":
        return True
    return (
        len(zone) == 6
        and zone[0] in {"+", "-"}
        and zone[3] == ":"
        and _is_digits(zone[1:3] + zone[4:6])
        and int(zone[1:3]) <= 24
        and int(zone[4:6]) <= 60
    )


def _short_number(text: str, at: int) -> tuple[int, int]:
    """A number of one or two digits, and its end. The number is -1 if there is none."""
    if not _is_digits(text[at : at + 1]):
        return -1, at
    end = at + 2 if _is_digits(text[at + 1 : at + 2]) else at + 1
    return int(text[at:end]), end


def _from_base64(text: str) -> str:
    from binascii import Error, a2b_base64

    code = text.replace("\n", "").replace("\r", "")
    try:
        if len(code) % 4:
            raise Error
        data = a2b_base64(code.encode(), strict_mode=True)
    except (Error, UnicodeEncodeError):
        raise ValueError(public("!!binary value contains invalid base64 data")) from None
    return data.decode("utf-8", "surrogateescape")


# Quotes of texts, which YAML reads as letters.
TYPOGRAPHIC_QUOTES = "“”„‟‘’‚‛"


def has_typographic_quotes(text: str) -> bool:
    """True if a text contains a typographic quote."""
    return not text.isascii() and any(mark in text for mark in TYPOGRAPHIC_QUOTES)


class ReaderSettings:
    """Options of reading a text; see `read`."""

    __slots__ = (
        "begins_document",
        "comments",
        "depth",
        "explicit_keys_win",
        "first",
        "merge_lists",
        "plain",
        "scalar_keys",
        "source",
        "strict",
        "tags",
        "text_keys",
    )

    source: Source
    begins_document: bool
    strict: bool
    comments: Comments | None
    explicit_keys_win: bool | None
    merge_lists: bool
    plain: Mapping[str, Scalar]
    first: bool
    scalar_keys: bool
    tags: bool
    text_keys: bool
    depth: int
