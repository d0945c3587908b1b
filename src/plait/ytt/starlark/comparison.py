"""Equality and order of values: `==` and `<` of the language (docs/reference/language.md).

True is not equal to 1, strings are ordered by their bytes, and collections are compared element by element.
"""

from __future__ import annotations

from _operator import ge, gt, le, lt

from plait.base.errors import StarlarkError
from plait.ytt.starlark.containers import Dict, List, Set, weigh
from plait.ytt.starlark.step_budget import LONG, charge, charge_for, check_headroom, compared, paced
from plait.ytt.starlark.values import Value, to_bytes, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DEEPEST = 500
_LONG = 1 << 4
_PLAIN = frozenset((str, int, float, type(None)))
_get, _contains, _keys = dict.get, dict.__contains__, dict.__iter__
_ABSENT = object()
_ORDER: Mapping[str, Callable[..., bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def equals(left: object, right: object, depth: int = _DEEPEST, known: set[tuple[int, int]] | None = None) -> bool:
    """The result of `left == right`. Raises StarlarkError if the values cannot be compared.

    depth: remaining levels of nesting. known: pairs known to be equal, so that lists that contain each other many times
    are compared once.
    """
    kind, other = type(left), type(right)
    if type(left) is str or type(right) is str:
        if type(left) is type(right) is str and LONG < len(left) == len(right):
            compared(left)
        return left == right
    if kind in _PLAIN and other in _PLAIN:
        return left == right
    if kind is bool or other is bool:
        return left is right
    if known is None:
        return _alike(left, right, depth, set())
    if depth < 1:
        raise StarlarkError("comparison exceeded maximum recursion depth", code="incomparable")
    pair = (id(left), id(right))
    if pair in known:
        return True
    charge(24)
    if not _alike(left, right, depth, known):
        return False
    known.add(pair)
    return True


def _alike(left: object, right: object, depth: int, known: set[tuple[int, int]]) -> bool:
    if isinstance(left, Value):
        if type(left) is not type(right) and not (isinstance(right, Value) and left.type_name == right.type_name):
            return False
        return left.same(right)
    if type(left) is not type(right):
        return False
    if isinstance(left, (List, tuple)) and isinstance(right, (List, tuple)):
        if len(left) != len(right):
            return False
        if len(left) > _LONG:
            charge(len(left) * 3)
        return all(equals(x, y, depth - 1, known) for x, y in zip(paced(left), right, strict=True))
    if isinstance(left, Dict) and isinstance(right, Dict):
        return _equal_dicts(left, right, depth, known)
    return left == right if type(left) is range else left is right


def _equal_dicts(left: Dict, right: Dict, depth: int, known: set[tuple[int, int]]) -> bool:
    if len(left) != len(right):
        return False
    if len(left) > _LONG:
        charge(len(left) * 3)
    for key in _keys(left):
        weigh(key)
        if type(left) is Set:
            if not _contains(right, key):
                return False
            continue
        other = _get(right, key, _ABSENT)
        if other is _ABSENT or not equals(_get(left, key), other, depth - 1, known):
            return False
    return True


def compare(operator: str, left: object, right: object, depth: int = _DEEPEST) -> bool:
    """The result of `left operator right` for `<`, `<=`, `>`, `>=`. Raises StarlarkError for types without an order."""
    kind, other = type(left), type(right)
    if (kind is int or kind is float) and (other is int or other is float):
        return _ORDER[operator](left, right)
    if kind is other:
        if type(left) is str and type(right) is str:
            if left.isascii() and right.isascii():
                if len(left) > LONG:
                    compared(left)
                return _ORDER[operator](left, right)
            if len(left) + len(right) > LONG:
                charge_for(len(left) + len(right))
                check_headroom(len(left) + len(right) << 2)
            return _ORDER[operator](to_bytes(left), to_bytes(right))
        if kind is bool:
            return _ORDER[operator](left, right)
        if left is None:
            return operator in ("<=", ">=")
        if isinstance(left, (List, tuple)) and isinstance(right, (List, tuple)):
            if depth < 1:
                raise StarlarkError("comparison exceeded maximum recursion depth", code="incomparable")
            for x, y in zip(left, right, strict=False):
                if not equals(x, y, depth - 1):
                    return compare(operator, x, y, depth - 1)
            return _ORDER[operator](len(left), len(right))
    if isinstance(left, Value) and left.type_name == type_of(right):
        left.same(right)  # A value that cannot be compared raises its own error.
    raise StarlarkError(f"{type_of(left)} {operator} {type_of(right)} not implemented", code="incomparable")
