"""Comparing values that hold others, and order. Imported when the first are compared."""

from __future__ import annotations

from plait.errors import StarlarkError
from plait.starlark.budget import spend
from plait.starlark.values import Dict, List, Set, Value, ordered, to_bytes, type_of

_DEEPEST = 500
_LONG = 1 << 4
_PLAIN = frozenset((str, int, float, type(None)))
_get, _contains, _keys = dict.get, dict.__contains__, dict.__iter__
_ABSENT = object()


def equals(left: object, right: object, depth: int = _DEEPEST, known: set[tuple[int, int]] | None = None) -> bool:
    """Whether `left == right`. Raises StarlarkError where the values refuse to be compared.

    known: pairs that are known to be equal; it keeps lists that hold each other many times over from costing time
    without end.
    """
    kind, other = type(left), type(right)
    if kind is str or other is str:
        return left == right
    if kind in _PLAIN and other in _PLAIN:
        return left == right
    if kind is bool or other is bool:
        return left is right
    if known is None:
        return _alike(left, right, depth, set())
    if depth < 1:
        raise StarlarkError("comparison exceeded maximum recursion depth")
    pair = (id(left), id(right))
    if pair in known:
        return True
    spend(24)
    if not _alike(left, right, depth, known):
        return False
    known.add(pair)
    return True


def _alike(left: object, right: object, depth: int, known: set[tuple[int, int]]) -> bool:
    kind = type(left)
    if kind is not type(right):
        if isinstance(left, Value) and isinstance(right, Value) and left.type_name == right.type_name:
            return left.same(right)
        return False
    if kind is List or kind is tuple:
        if len(left) != len(right):  # type: ignore[arg-type]
            return False
        if len(left) > _LONG:  # type: ignore[arg-type]
            spend(len(left) * 3)  # type: ignore[arg-type]
        return all(equals(x, y, depth - 1, known) for x, y in zip(left, right, strict=True))  # type: ignore[call-overload]
    if kind is Dict or kind is Set:
        return _equal_dicts(left, right, depth, known)  # type: ignore[arg-type]
    if kind is range:
        return left == right
    if isinstance(left, Value):
        return left.same(right)
    return left is right


def _equal_dicts(left: Dict, right: Dict, depth: int, known: set[tuple[int, int]]) -> bool:
    if len(left) != len(right):
        return False
    if len(left) > _LONG:
        spend(len(left) * 3)
    if type(left) is Set:
        return all(_contains(right, key) for key in _keys(left))
    for key in _keys(left):
        other = _get(right, key, _ABSENT)
        if other is _ABSENT or not equals(_get(left, key), other, depth - 1, known):
            return False
    return True


def compare(operator: str, left: object, right: object, depth: int = _DEEPEST) -> bool:
    """Whether `left operator right` for `<`, `<=`, `>`, `>=`. Raises StarlarkError for types without an order."""
    kind, other = type(left), type(right)
    if (kind is int or kind is float) and (other is int or other is float):
        return ordered(operator, left, right)
    if kind is other:
        if kind is str:
            if left.isascii() and right.isascii():  # type: ignore[attr-defined]
                return ordered(operator, left, right)
            return ordered(operator, to_bytes(left), to_bytes(right))  # type: ignore[arg-type]
        if kind is bool:
            return ordered(operator, left, right)
        if left is None:
            return operator in ("<=", ">=")
        if kind is List or kind is tuple:
            if depth < 1:
                raise StarlarkError("comparison exceeded maximum recursion depth")
            for x, y in zip(left, right, strict=False):  # type: ignore[call-overload]
                if not equals(x, y, depth - 1):
                    return compare(operator, x, y, depth - 1)
            return ordered(operator, len(left), len(right))  # type: ignore[arg-type]
    if isinstance(left, Value) and left.type_name == type_of(right):
        left.same(right)  # A value that refuses comparison says so itself.
    raise StarlarkError(f"{type_of(left)} {operator} {type_of(right)} not implemented")
