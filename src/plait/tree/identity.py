"""Equality of values in every property that a program can observe: types, order of keys, sign of zero."""

from __future__ import annotations

from plait.tree.nodes import SCALARS, Array, Map

# Maximum number of compared items of tuples. Nested tuples can share parts, and then have exponentially many items.
MOST_ITEMS = 1_000


def identical_scalars(one: object, other: object) -> bool:
    """True for scalars of the same type and value, down to the sign of zero."""
    kind = type(one)
    if kind is not type(other) or kind not in SCALARS:
        return False
    return repr(one) == repr(other) if kind is float else one == other


def identical(one: object, other: object) -> bool:
    """True for values of the same types and scalars, with the keys in the same order. False for large tuples."""
    pending = [(one, other)]
    items = 0
    while pending:
        left, right = pending.pop()
        if isinstance(left, Map) and isinstance(right, Map):
            if left is right:
                continue
            if len(left.items) != len(right.items):
                return False
            for x, y in zip(left.items, right.items, strict=True):
                pending += ((x.key, y.key), (x.value, y.value))
        elif isinstance(left, Array) and isinstance(right, Array):
            if left is right:
                continue
            if len(left.items) != len(right.items):
                return False
            pending += [(a.value, b.value) for a, b in zip(left.items, right.items, strict=True)]
        elif type(left) is tuple and type(right) is tuple:
            items += len(left)
            if len(left) != len(right) or items > MOST_ITEMS:
                return False
            pending += zip(left, right, strict=True)
        elif not identical_scalars(left, right):
            return False
    return True
