"""Functions that compiled code calls by names starting with "$", except operators.

Subscripts, slices, loops, unpacking, calls with `*` and `**`, loading. `GLOBALS` is the table of all these names.
Together with the names of an execution, it replaces Python's builtins: programs can name nothing else, and share the
table. Compiled code has no instruction that could change it.
"""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.ytt.starlark import builtins, loops, operators
from plait.ytt.starlark.attributes import attribute
from plait.ytt.starlark.containers import Dict, List, insert, iterable_or_none, key_of, weigh
from plait.ytt.starlark.methods import out_of_range
from plait.ytt.starlark.operators import check_mutable, check_table
from plait.ytt.starlark.runtime_core import COMMON
from plait.ytt.starlark.step_budget import (
    A_CALL,
    LONG,
    SMALL,
    SOME,
    charge,
    charge_for,
    check_headroom,
    check_items,
    check_string,
)
from plait.ytt.starlark.table.methods import LIKELY, METHODS
from plait.ytt.starlark.table.universal import UNIVERSAL
from plait.ytt.starlark.value_text import int_text, repr_of
from plait.ytt.starlark.values import Value, from_bytes, is_int32, to_bytes, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plait.ytt.starlark.table.row import Row

_get = dict.get
_ABSENT = object()


# ---- subscripts


def index(x: object, key: object) -> object:
    """`x[key]`."""
    if type(x) is Dict:
        if type(key) is str and len(key) <= LONG:
            return x[key]
        found = _get(x, key_of(key), _ABSENT)
        if found is _ABSENT:
            raise StarlarkError(f"key {repr_of(key)} not in dict", code="key-not-found")
        return found
    if isinstance(x, (List, str, tuple, range)):
        return item(x, key)
    if isinstance(x, Value):
        weigh(key)
        return x.index(key)
    hint = "use getattr(...) to access struct field programmatically" if type_of(x) == "struct" else None
    message = f"unhandled index operation {type_of(x)}[{type_of(key)}]"
    raise StarlarkError(message, hint=hint, code="unknown-operation").about(type_of(x), "[")


def item(x: object, place: object) -> object:
    """`x[place]`, where x is usually a sequence."""
    if type(x) is str:
        if not x.isascii():
            return _byte(x, place)
    elif not isinstance(x, (List, tuple, range)):
        return index(x, place)
    if type(place) is int:
        try:
            return x[place]
        except IndexError:
            pass
    raise bad_place(place, len(x), type_of(x))


def _byte(string: str, place: object) -> str:
    """The byte at an index of a string that is not ASCII."""
    if len(string) > SOME:
        charge_for(len(string))
    data = to_bytes(string)
    if type(place) is int and -len(data) <= place < len(data):
        return from_bytes(data[place : place + 1 or None])
    raise bad_place(place, len(data), "string")


def bad_place(place: object, size: int, name: str) -> StarlarkError:
    """The error for an invalid index. name: the sequence's name in the message."""
    if type(place) is not int:
        return StarlarkError(f"{name} index: got {type_of(place)}, want int", code="wrong-argument-type")
    if not is_int32(place):
        return StarlarkError(f"{name} index: {place} out of range", code="index-range")
    return out_of_range(place, size, name)


def set_index(x: object, key: object, value: object) -> None:
    """`x[key] = value`."""
    if type(x) is Dict:
        if x.lock:
            check_table(x, "insert into")
        insert(x, key, value)
    elif type(x) is List:
        size = len(x)
        if type(key) is not int:
            raise StarlarkError(f"got {type_of(key)}, want int", code="wrong-argument-type")
        if not -size <= key < size:
            raise out_of_range(key, size, "list")
        if x.lock:
            check_mutable(x, "assign to element of")
        x[key] = value
    else:
        told = f"{type_of(x)} value does not support item assignment"
        raise StarlarkError(told, code="not-assignable").about(type_of(x), "[")


def set_attribute(x: object, name: str, _value: object) -> None:
    """`x.name = value`. No value supports it."""
    raise StarlarkError(f"can't assign to .{name} field of {type_of(x)}", code="not-assignable")


def cut(x: object, low: object, high: object, step: object) -> object:
    """`x[low:high:step]`."""
    if not isinstance(x, (str, List, tuple, range)):
        raise StarlarkError(f"invalid slice operand {type_of(x)}", code="wrong-argument-type")
    by = _bound(step, "got {} for slice step, want int")
    if by == 0:
        raise StarlarkError("zero is not a valid slice step", code="argument-range")
    first = _bound(low, "invalid start index: got {}, want int")
    end = _bound(high, "invalid end index: got {}, want int")
    if isinstance(x, range):
        return _part_of_range(x, slice(first, end, by))
    if isinstance(x, str) and not x.isascii():
        if len(x) > SMALL:
            charge_for(len(x))
            check_headroom(len(x) * 6)
        return from_bytes(to_bytes(x)[first:end:by])
    part = x[first:end:by]
    if len(part) > SOME:
        if isinstance(part, str):
            check_string(len(part))
        else:
            check_items(len(part))
    return List(part) if isinstance(x, List) else part


def _bound(value: object, message: str) -> int | None:
    """A bound of a slice, or None if it is omitted."""
    if value is not None and type(value) is not int:
        raise StarlarkError(message.format(type_of(value)), code="wrong-argument-type")
    return value


def _part_of_range(whole: range, part: slice) -> range:
    """A part of a range. An empty part ends at its start, which its text shows."""
    low, high, step = part.indices(len(whole))
    high = max(low, high) if step > 0 else min(low, high)
    return range(whole.start + whole.step * low, whole.start + whole.step * high, whole.step * step)


# ---- unpacking


def unpack(x: object, count: int) -> object:
    """Exactly `count` elements of x, for an assignment to several variables."""
    source = iterable_or_none(x)
    if source is None:
        kind = type_of(x)
        raise StarlarkError(f"got {kind} in sequence assignment", code="unpacking").about(kind)
    parts = list(source)
    if len(parts) > count:
        raise StarlarkError(f"too many values to unpack (got {len(parts)}, want {count})", code="unpacking")
    if len(parts) < count:
        raise StarlarkError(f"too few values to unpack (got {len(parts)}, want {count})", code="unpacking")
    return parts


# ---- dict literals


def text_key(key: str) -> str:
    """A string used as a key."""
    weigh(key)
    return key


def pairs_dict(*parts: object) -> Dict:
    """The value of a dict literal. parts: key, value, key, value; keys must be unique."""
    result = Dict()
    for place in range(0, len(parts), 2):
        size = len(result)
        insert(result, parts[place], parts[place + 1])
        if len(result) == size:
            raise StarlarkError(f"duplicate key: {repr_of(parts[place])}", code="duplicate-key")
    return result


# ---- calls


def spread(x: object) -> object:
    """The operand of `*` in a call."""
    source = iterable_or_none(x)
    if source is None:
        raise StarlarkError(f"argument after * must be iterable, not {type_of(x)}", code="not-iterable")
    return source


def keywords(x: object) -> Mapping[str, object]:
    """The operand of `**` in a call."""
    pairs: Iterable[tuple[object, object]] | None = None
    if type(x) is Dict:
        pairs = x.items()
    elif isinstance(x, Value):
        pairs = x.mapping()
    if pairs is None:
        raise StarlarkError(f"argument after ** must be a mapping, not {type_of(x)}", code="spread-arguments")
    result: dict[str, object] = {}
    for key, value in pairs:
        if type(key) is not str:
            raise StarlarkError(f"keywords must be strings, not {type_of(key)}", code="spread-arguments")
        result[key] = value
    return result


def as_decimal(x: object) -> str:
    """The text of `%d` for a value."""
    if type(x) is int:
        return int_text(x)
    from plait.ytt.starlark.string_formatting import as_decimal

    return as_decimal(x)


def _late(row: Row) -> Callable[..., object]:
    """`x.name(...)`, if `name` is a method of some type, for any x.

    If x.name is not a method, it may be a function of the program, so the call counts as a step (see `metering`).
    """
    function, name = row.function, row.name
    kind = _LIKELY_TYPES[row.kind]

    def late(x: object, /, *args: object, **kwargs: object) -> object:
        if type(x) is kind and not kwargs and row.fits(len(args)):
            return function(x, *args)
        method = attribute(x, name)
        if type(x) not in METHODS:
            charge(A_CALL)
        return method(*args, **kwargs)  # type: ignore[operator]

    return late


_LIKELY_TYPES: Mapping[str, type] = {"str": str, "list": List, "dict": Dict}

GLOBALS: dict[str, object] = {
    **COMMON,
    # Functions as values, which check their calls, and functions for calls that are known to be correct.
    **{f"${name}": row.checked() for name, row in UNIVERSAL.items()},
    **{f"$direct.{name}": row.function for name, row in UNIVERSAL.items()},
    # The same for methods: for any receiver, and for the most likely type of receiver.
    **{f"$late.{name}": _late(row) for name, row in LIKELY.items()},
    **{f"$m.{name}": row.function for name, row in LIKELY.items()},
    **{f"${operator}": function for operator, function in operators.BINARY.items()},
    **{f"$unary{operator}": function for operator, function in operators.UNARY.items()},
    "$index": index,
    "$item": item,
    "$set_index": set_index,
    "$set_attribute": set_attribute,
    "$cut": cut,
    "$unpack": unpack,
    "$pairs_dict": pairs_dict,
    "$spread": spread,
    "$keywords": keywords,
    "$range1": loops.range_to,
    "$range2": loops.range_from_to,
    "$range3": loops.range_,
    "$max_of": builtins.max_of,
    "$min_of": builtins.min_of,
    "$%d": as_decimal,
    "$key": text_key,
}
