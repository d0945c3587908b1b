"""Other secrets in the place of those that are given: the same shape, and nothing in common."""

from __future__ import annotations

from plait.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value


def others(value: Value) -> Value:
    """The value with another one for each scalar: no character of a text is as before, and it is longer by one.

    Names stay, and so does null, which says that there is no secret.
    """
    if type(value) is Map or type(value) is Array:
        return value.with_values(others(item.value) for item in value.items)
    if type(value) is str:
        return "".join(map(_other, value)) + "x"
    if type(value) is bool:
        return not value
    if type(value) is int:
        return value + 1 if value < 2**62 else value - 1
    if type(value) is float:
        return value / 2 + 1.5 if value != 3.0 else 2.5
    return value


def _other(char: str) -> str:
    """Another character of the same kind, where it is a letter or a digit of ASCII."""
    if char.isascii() and char.isalpha():
        last = char in "zZ"
        return chr(ord(char) - 25) if last else chr(ord(char) + 1)
    if char.isascii() and char.isdigit():
        return "0" if char == "9" else chr(ord(char) + 1)
    return "_" if char == "-" else "-"
