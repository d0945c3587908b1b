"""Conversions of numbers, shared by all callers.

Integers of any size are converted to decimal text and back. Python rejects more than a few thousand digits.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.starlark.values import type_of

_CHUNK = 4000
_CHUNK_BITS = 13_288  # larger integers have more digits than a chunk


def digits(value: int) -> str:
    """The decimal digits of an integer."""
    if value < 0:
        return "-" + digits(-value)
    if value.bit_length() <= _CHUNK_BITS:
        return str(value)
    power = 1
    base = 10**_CHUNK
    while base * base <= value:
        base *= base
        power *= 2
    high, low = divmod(value, base)
    return digits(high) + digits(low).rjust(power * _CHUNK, "0")


def parse(text: str, base: int = 10) -> int:
    """The integer for a string that contains only digits. Raises ValueError."""
    if len(text) <= _CHUNK or base & (base - 1) == 0:
        return int(text, base)
    half = len(text) // 2
    power: int = base ** (len(text) - half)
    return parse(text[:half], base) * power + parse(text[half:], base)


def as_float(x: float) -> float:
    try:
        return float(x)
    except OverflowError:
        return float("inf" if x > 0 else "-inf")


def number_to_int(value: object) -> int:
    """An int, or a float truncated towards zero. Raises StarlarkError."""
    if type(value) is int:
        return value
    if type(value) is float:
        if value != value:  # noqa: PLR0124
            raise StarlarkError("cannot convert float NaN to integer", code="invalid-conversion")
        if value in (float("inf"), float("-inf")):
            raise StarlarkError("cannot convert float infinity to integer", code="invalid-conversion")
        return int(value)
    raise StarlarkError(f"cannot convert {type_of(value)} to int", code="invalid-conversion")
