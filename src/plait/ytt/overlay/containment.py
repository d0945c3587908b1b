"""Containment of a right value in a left one, as checked by `assert` and `subset`. See docs/reference/overlays.md.

A map contains the keys of the right map, with values that contain theirs. An array begins with the items of the right
array. A scalar is equal in type and value. ytt calls this "equal", but the left value may have more.
"""

from __future__ import annotations

from plait.tree.nodes import Array, Map, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value


def contains(left: Value, right: Value) -> bool:
    """True if the left value contains the right one."""
    kind = type(right)
    if kind is str:
        return left == right
    if type(right) is Map:
        if type(left) is not Map:
            return False
        find = left.find
        for item in right.items:
            found = find(item.key)
            if found is None:
                return False
            expected = item.value
            if type(expected) is str:
                if found.value != expected:
                    return False
            elif not contains(found.value, expected):
                return False
        return True
    if type(right) is Array:
        if type(left) is not Array or len(left.items) < len(right.items):
            return False
        pairs = zip(left.items, right.items, strict=False)
        return all(contains(inner.value, item.value) for inner, item in pairs)
    return type(left) is kind and left == right


class Mismatch:
    """The first difference between two values: its path, ytt's sentence, and both values."""

    __slots__ = ("left", "missing", "path", "right", "sentence")

    def __init__(self, path: list[str], sentence: str, left: Value, right: Value, *, missing: bool = False) -> None:
        self.path = path
        self.sentence = sentence
        self.left = left
        self.right = right
        self.missing = missing


def differences(left: Value, right: Value, path: tuple[str, ...] = ()) -> list[Mismatch]:
    """All differences that prevent left from containing right, in the order of right; empty if left contains right."""
    kind = type(right)
    if type(right) is Map:
        if type(left) is not Map:
            return [Mismatch([*path], f"Expected map, but was {kind_name(left)}", left, right)]
        out = []
        for item in right.items:
            found = left.find(item.key)
            step = (*path, str(item.key))
            if found is None:
                sentence = "Expected at least one map item to match by key"
                out.append(Mismatch([*step], sentence, None, item.value, missing=True))
            else:
                out += differences(found.value, item.value, step)
        return out
    if type(right) is Array:
        if type(left) is not Array:
            return [Mismatch([*path], f"Expected array, but was {kind_name(left)}", left, right)]
        out = []
        for place, part in enumerate(right.items):
            step = (*path, f"[{place}]")
            if place >= len(left.items):
                sentence = "Expected to have matching number of array items"
                out.append(Mismatch([*step], sentence, None, part.value, missing=True))
                break
            out += differences(left.items[place].value, part.value, step)
        return out
    if type(left) is kind and left == right:
        return []
    sentence = f"Expected leaf values to match {kind_name(left)} {kind_name(right)}"
    return [Mismatch([*path], sentence, left, right)]
