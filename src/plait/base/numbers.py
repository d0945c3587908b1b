"""Numbers in texts that users and files choose, such as the index of an item or the number of a line."""

from __future__ import annotations

# Python converts at most 4,300 digits, and raises ValueError for more. No list or file needs more than these.
_DIGITS = 18


def number_of(text: str) -> int | None:
    """The value of a text of decimal digits; None for any other text, and for more than 18 digits."""
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else None


def file_and_line(text: str) -> tuple[str, int] | None:
    """The file and the number in FILE:LINE; None for any other text."""
    file, _, digits = text.rpartition(":")
    number = number_of(digits)
    return (file, number) if file and number is not None else None
