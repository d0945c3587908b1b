"""The order in which BOSH prints keys (docs/reference/operations.md).

Numbers and booleans come first, by value, then null, then strings. Strings are compared at their first difference: two
letters by code point, letters come after all other characters, and digits are compared as numbers.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.tree.nodes import MapItem, Value


def sort_items(items: Iterable[MapItem]) -> list[MapItem]:
    """The map items in the order of their keys."""
    # Nearly all keys have a text that Python compares as BOSH compares keys, much faster than `compare_keys`.
    forms = _comparable
    items = list(items)
    if len(items) < 2:
        return items
    try:
        return sorted(items, key=lambda item: forms[item.key])  # type: ignore[index,return-value,arg-type]
    except TypeError:
        pass  # at least one key has no such text
    from functools import cmp_to_key

    compare = cmp_to_key(compare_keys)
    return sorted(items, key=lambda item: compare(item.key))


class _Comparable(dict[str, "str | None"]):
    """Maps a key to a text that compares as the key does, or None.

    Such a text exists for an ASCII key with at most one run of digits, at its end and without a leading zero: between
    such keys other characters precede digits, digits compare by value, and letters come last.
    """

    def __missing__(self, key: str) -> str | None:
        if type(key) is not str:
            return None
        if len(self) > _MEMO_SIZE:
            self.clear()
        head = key.rstrip("0123456789")
        digits = key[len(head) :]
        form: str | None = None
        plain = key.isascii() and not any("0" <= char <= "9" for char in head)
        # 18 digits: larger numbers overflow in the reference program.
        if plain and len(digits) <= 18 and (digits[:1] != "0" or digits == "0"):
            form = head.translate(_LETTERS_LAST)
            if digits:
                form += chr(0x100 + len(digits)) + digits
        self[key] = form
        return form


_MEMO_SIZE = 100_000
_LETTERS_LAST = {code: 0x200 + code for code in (*range(0x41, 0x5B), *range(0x61, 0x7B))}
_comparable = _Comparable()


def compare_keys(left: Value, right: Value) -> int:
    """Negative if the left key comes first, positive if the right one does."""
    if type(left) is str and type(right) is str:
        return _compare_strings(left, right)
    left_rank, right_rank = _rank(left), _rank(right)
    if left_rank != right_rank:
        return left_rank - right_rank
    if left_rank != 0 or left == right:
        # Equal numbers are ordered by type: boolean, integer, float.
        return _KINDS.get(type(left), 0) - _KINDS.get(type(right), 0)
    return -1 if left < right else 1  # type: ignore[operator]


_KINDS: dict[type, int] = {bool: 1, int: 2, float: 3}


def _rank(key: Value) -> int:
    if type(key) in _KINDS:
        return 0
    return 3 if type(key) is str else 1 if key is None else 2


def _compare_strings(left: str, right: str) -> int:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b:
            continue
        a_letter, b_letter = a.isalpha(), b.isalpha()
        if a_letter and b_letter:
            return -1 if a < b else 1
        if a_letter or b_letter:
            return -1 if b_letter else 1
        start = 0
        if a == "0" or b == "0":
            at = index - 1
            while at >= 0 and _is_digit(left[at]):
                if left[at] != "0":
                    start = 1
                    break
                at -= 1
        a_number, a_end = _number(left, index, start)
        b_number, b_end = _number(right, index, start)
        if a_number != b_number:
            return -1 if a_number < b_number else 1
        if a_end != b_end:
            return a_end - b_end
        return -1 if a < b else 1
    return len(left) - len(right)


def _number(text: str, at: int, start: int) -> tuple[int, int]:
    number = start
    while at < len(text) and _is_digit(text[at]):
        # 64 bits with overflow, as in the reference program.
        number = number * 10 + ord(text[at]) - ord("0")
        at += 1
    number &= (1 << 64) - 1
    return (number - (1 << 64) if number >> 63 else number), at


def _is_digit(character: str) -> bool:
    if character <= "\x7f":
        return "0" <= character <= "9"
    from unicodedata import category

    return category(character) == "Nd"
