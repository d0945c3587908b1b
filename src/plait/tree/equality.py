"""Equality of values, without regard to the order of keys."""

from __future__ import annotations

from plait.tree.nodes import Array, Map, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.tree.nodes import Value


def same(left: Value, right: Value) -> bool:
    """Equality as in `test` operations: types, values and the order of arrays matter, the order of map keys does not
    (docs/reference/operations.md).
    """
    return _equal(left, right, lambda a, b: type(a) is type(b) and a == b)


def alike(left: Value, right: Value) -> bool:
    """As `same`, but 1.0 equals 1, and .nan equals .nan, because they need no change."""
    return _equal(left, right, _print_alike)


def _print_alike(a: Value, b: Value) -> bool:
    if type(a) is not type(b):
        return {type(a), type(b)} == {int, float} and a == b
    return a is b or a == b or (a != a and b != b)  # noqa: PLR0124 - two .nan are alike


def _equal(left: Value, right: Value, scalars: Callable[[Value, Value], bool]) -> bool:
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, Map) and isinstance(b, Map):
            if a is b:
                continue
            if len(a.items) != len(b.items):
                return False
            others = {key_id(item.key): item.value for item in b.items}
            for item in a.items:
                key = key_id(item.key)
                if key not in others:
                    return False
                stack.append((item.value, others[key]))
        elif isinstance(a, Array) and isinstance(b, Array):
            if a is b:
                continue
            if len(a.items) != len(b.items):
                return False
            stack.extend((x.value, y.value) for x, y in zip(a.items, b.items, strict=True))
        elif not scalars(a, b):
            return False
    return True
