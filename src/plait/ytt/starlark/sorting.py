"""The implementation of `sorted`. Imported when a program sorts.

Values of one plain type sort the same way in Python, and much faster than with comparisons in Starlark. All other
values become `Ordered`.
"""

from __future__ import annotations

from operator import itemgetter

from plait.base.errors import StarlarkError
from plait.ytt.starlark.arguments import unpack
from plait.ytt.starlark.builtins import len_
from plait.ytt.starlark.comparison import compare
from plait.ytt.starlark.containers import Dict, List, Set, iterable_or_none
from plait.ytt.starlark.step_budget import SOME, charge
from plait.ytt.starlark.values import is_callable, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_INTS, _TEXTS, _TUPLES = frozenset((int,)), frozenset((str,)), frozenset((tuple,))
# Types that Python orders as Starlark does. The order of code points equals that of UTF-8 bytes, except for invalid
# UTF-8.
_PLAIN = frozenset((_INTS, _TEXTS, frozenset((bool,)), frozenset((float,)), frozenset((int, float))))
# Python's functions with narrower argument types; the first two raise TypeError for other values.
_is_ascii: Callable[..., bool] = str.isascii
_size: Callable[..., int] = len
_sort: Callable[..., None] = list.sort
_SIZED = frozenset((List, Dict, Set, tuple, range))
_OPTIONS = frozenset(("key", "reverse"))


def sort(args: tuple[object, ...], kwargs: Mapping[str, object]) -> List:
    """`sorted(*args, **kwargs)`. Raises StarlarkError."""
    key, reverse = kwargs.get("key"), kwargs.get("reverse", False)
    if len(args) == 1 and type(args[0]) in _SIZED and kwargs.keys() <= _OPTIONS and type(reverse) is bool:
        values = args[0]
    else:
        parameters = ["iterable:iterable", "key", "reverse:bool"]
        values, key, reverse = unpack("sorted", args, kwargs, parameters, [None, False])
    if key is not None and not is_callable(key):
        shown = "key" if len(args) > 1 else '"key"'
        raise StarlarkError(
            f"sorted: for parameter {shown}: got {type_of(key)}, want callable", code="wrong-argument-type"
        )
    result = List(iterable_or_none(values) or ())
    size = len(result)
    if size > SOME:
        charge(size * size.bit_length() >> 3)
    measured = getattr(key, "builtin", None) is len_ and _measurable(result)
    keys: list[object]
    if key is None:
        keys = result
    elif measured:
        keys = list(map(_size, result))
    else:
        keys = [key(value) for value in result]
    if size > SOME and (key is not None or type(keys[0]) is not int):
        _charge_order(keys)
    elif size and type(keys[0]) is str:
        _charge_strings(keys)
    if measured:
        _sort(result, key=len, reverse=reverse)
        return result
    columns = _columns(keys)
    if columns is None:
        if size == 1:
            return result
        keys = [Ordered(value) for value in keys]
    elif key is None:
        if columns:
            for place in reversed(columns):
                _sort(result, key=itemgetter(place), reverse=reverse)
        else:
            _sort(result, reverse=reverse)
        return result
    places = list(range(size))
    _sort(places, key=keys.__getitem__, reverse=reverse)
    return List([result[place] for place in places])


def _measurable(values: List) -> bool:
    """True if Python's `len` equals Starlark's for all values."""
    try:
        return all(map(_is_ascii, values))
    except TypeError:
        return frozenset(map(type, values)) <= _SIZED


def _charge_order(keys: list[object]) -> None:
    """Charges for keys that take longer to sort than numbers: long strings, nested values."""
    count = len(keys)
    charge(count * 4)
    if type(keys[0]) is str:
        _charge_strings(keys)
    elif type(keys[0]) is not float:
        charge(count * count.bit_length() >> 1)


def _charge_strings(texts: Sequence[object]) -> None:
    charge(sum([len(text) for text in texts if type(text) is str]) * len(texts).bit_length() >> 9)


def _columns(values: list[object]) -> Sequence[int] | None:
    """The columns by which Python sorts tuples as Starlark does: empty for plain values, None if that is not possible.

    Tuples are sorted column by column, the last of the returned indexes first, which is faster than comparing tuples.
    The result is correct because sorting is stable.
    """
    kinds = frozenset(map(type, values))
    if kinds in _PLAIN or not kinds:
        return ()
    if kinds != _TUPLES:
        return None
    try:
        columns = list(zip(*values, strict=True))
    except ValueError:
        return None
    places = []
    told_apart = floats = False
    for place, column in enumerate(columns):
        kinds = frozenset(map(type, column))
        # Python would compare a shared part of nested tuples once for each occurrence.
        if kinds not in _PLAIN:
            return None
        floats = floats or float in kinds
        if kinds == _TEXTS:
            _charge_strings(column)
        if told_apart:
            continue
        places.append(place)
        if place + 1 < len(columns):
            told_apart = len(frozenset(column)) == len(values)
            if told_apart and not floats and all(map(_is_exact, columns[: place + 1])):
                break  # the remaining parts are not compared
    # NaN is not equal to itself, so columns cannot be sorted separately.
    return () if floats else places


def _is_exact(column: Sequence[object]) -> bool:
    """True unless the strings of a column sort differently by their bytes."""
    return type(column[0]) is not str or all(map(_is_ascii, column))


class Ordered:
    """A value with Starlark's order, for values that Python would order differently."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __lt__(self, other: Ordered) -> bool:
        return compare("<", self.value, other.value)
