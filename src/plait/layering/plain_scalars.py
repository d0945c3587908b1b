"""The types of plain scalars in layered documents: YAML 1.1 as PyYAML reads it.

Deckhand reads with PyYAML, whose rules differ from those of `render` and `patch`: `y` and `n` are strings, `1e3` and
`0o17` are strings (a float needs a point and a signed exponent), and `1:30` is the number 90. Dates stay text. Floats
print as in PyYAML, `1.0` and not `1`, so that a float is read as a float again.

The rules do not use regular expressions, because loading `re` would take half of the start-up time.
"""

from __future__ import annotations

from math import inf, isinf, isnan, nan

from plait.tree.nodes import Array, Map
from plait.yaml.scalar_styles import ScalarStyles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Scalar, Value

_WORDS: dict[str, Scalar] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
for _word in ("true", "yes", "on"):
    _WORDS |= {_word: True, _word.capitalize(): True, _word.upper(): True}
for _word in ("false", "no", "off"):
    _WORDS |= {_word: False, _word.capitalize(): False, _word.upper(): False}

_NUMERIC = frozenset("+-.0123456789")
_DIGITS = frozenset("0123456789")
_MEMO_SIZE = 100_000


class Float(float):
    """A float that prints as PyYAML prints it."""

    __slots__ = ()

    def __repr__(self) -> str:
        if isnan(self):
            return ".nan"
        if isinf(self):
            return ".inf" if self > 0 else "-.inf"
        text = float.__repr__(self)
        # YAML 1.1 reads 1e+20 as a string: a float has a point.
        return text.replace("e", ".0e", 1) if "." not in text and "e" in text else text

    def __str__(self) -> str:
        return float.__repr__(self)


def with_floats(value: Value) -> Value:
    """The value, with floats of the type used in documents."""
    if type(value) is float:
        return Float(value)
    if type(value) is Map:
        return value.with_values(with_floats(item.value) for item in value.items)
    if type(value) is Array:
        return value.with_values(with_floats(item.value) for item in value.items)
    return value


class _PlainValues(dict[str, "Scalar"]):
    """Maps plain text to its value, on demand. Values repeat often."""

    __slots__ = ()

    def __missing__(self, text: str) -> Scalar:
        value = _WORDS[text] if text in _WORDS else text if text[0] not in _NUMERIC else _number(text)
        if len(self) >= _MEMO_SIZE:
            self.clear()
        self[text] = value
        return value


plain_values = _PlainValues()


def misread(text: str) -> bool:
    """True if PyYAML reads the plain text as another type, or rejects it."""
    return text in _MARKS or type(plain_values[text]) is not str or (text[0] in _NUMERIC and not text.strip("+-0bx_"))


_MARKS = frozenset({"<<", "="})


def _number(text: str) -> Scalar:
    integer = _integer(text)
    if integer is not None:
        return integer
    number = _float(text)
    return text if number is None else Float(number)


def _integer(text: str) -> int | None:
    """The integer that PyYAML reads. None for other text, and for more digits than Python can print."""
    found = _any_integer(text) if len(text) <= _MOST_TEXT else None
    return None if found is None or found.bit_length() > _MOST_BITS else found


# Python reads and prints at most 4,300 decimal digits. In binary such a number has more than three times as many
# digits.
_MOST_BITS = 14_280
_MOST_TEXT = 20_000


def _any_integer(text: str) -> int | None:
    sign = -1 if text[0] == "-" else 1
    body = text[1:] if text[0] in "+-" else text
    if not body or body[0] not in _DIGITS:
        return None
    try:
        if body[0] == "0" and len(body) > 1:
            digits = body.replace("_", "")
            if body[1] == "b":
                return sign * int(digits, 0) if set(body[2:]) <= set("01_") else None
            if body[1] == "x":
                return sign * int(digits, 0) if body.isascii() and body[2:].replace("_", "").isalnum() else None
            return sign * int(digits, 8) if set(body) <= set("01234567_") else None
        if ":" in body:
            return sign * _base60(body) if "." not in body else None
        return sign * int(body.replace("_", "")) if set(body) <= _DIGITS | {"_"} else None
    except ValueError:
        return None


def _base60(body: str, *, zero: bool = False) -> int:
    """The value of a base-60 number: `1:30` is 90. zero: it may start with 0. Raises ValueError for any other text."""
    first, *rest = body.split(":")
    if not first or first[0] not in _DIGITS or (first[0] == "0" and not zero) or not set(first) <= _DIGITS | {"_"}:
        raise ValueError(body)
    total = int(first.replace("_", ""))
    for part in rest:
        if not (0 < len(part) <= 2 and set(part) <= _DIGITS and (len(part) == 1 or part[0] in "012345")):
            raise ValueError(body)
        total = total * 60 + int(part)
    return total


def _float(text: str) -> float | None:
    sign = -1.0 if text[0] == "-" else 1.0
    body = text[1:] if text[0] in "+-" else text
    if body in (".inf", ".Inf", ".INF"):
        return sign * inf
    if text in (".nan", ".NaN", ".NAN"):
        return nan
    whole, point, rest = body.partition(".")
    if not point or (not whole and (body is not text or rest[:1] not in _DIGITS)):
        return None
    if ":" in whole:
        return _base60_float(sign, whole, rest)
    if whole and (whole[0] not in _DIGITS or not set(whole) <= _DIGITS | {"_"}):
        return None
    lowered = rest.replace("E", "e")
    fraction, exponent_mark, exponent = lowered.partition("e")
    if not set(fraction) <= _DIGITS | {"_"}:
        return None
    if exponent_mark and not (exponent[:1] in ("+", "-") and exponent[1:] and set(exponent[1:]) <= _DIGITS):
        return None
    try:
        return sign * float(f"{whole}.{lowered}".replace("_", ""))
    except ValueError:
        return None


def _base60_float(sign: float, whole: str, rest: str) -> float | None:
    if not set(rest) <= _DIGITS | {"_"}:
        return None
    try:
        total = _base60(whole, zero=True)
    except ValueError:
        return None
    return sign * (total + float("0." + (rest.replace("_", "") or "0")))


# Styles of strings for readers of YAML 1.1, such as Deckhand.
STRINGS = ScalarStyles(misread)
