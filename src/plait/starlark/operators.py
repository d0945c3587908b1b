"""What the operators do when compiled code does not know its operands (spec ytt 5, operators).

Compiled code does the common cases itself (two ints, a known list) and comes here for the rest. True is not 1: a bool
takes part in no arithmetic. Sizes are bounded: a result that would grow past the limit is a LimitError.
"""

from __future__ import annotations

from plait.errors import LimitError, StarlarkError
from plait.starlark.budget import SMALL, SOME, check_bits, check_items, check_string, pay, spend
from plait.starlark.values import (
    FROZEN,
    Dict,
    List,
    Set,
    Value,
    compare,
    equals,
    from_bytes,
    has,
    insert,
    key_of,
    to_bytes,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_FEW_ITEMS = 16  # comparing so many with a value costs no more than the step that asks for it
_SMALLEST, _LARGEST = -(1 << 31), (1 << 31) - 1


def unknown(operator: str, x: object, y: object) -> StarlarkError:
    """The error for operands that an operator does not take."""
    hint = None
    if operator == "|":
        hint = "use 'or' instead of '|' for logical-or"
    elif operator == "&":
        hint = "use 'and' instead of '&' for logical-and"
    elif operator == "+" and {type(x), type(y)} in ({str, int}, {str, float}):
        hint = "make a string of the number first: str(...)"
    return StarlarkError(f"unknown binary op: {type_of(x)} {operator} {type_of(y)}", hint=hint)


def as_float(x: float) -> float:
    try:
        return float(x)
    except OverflowError:
        return float("inf" if x > 0 else "-inf")


def number_to_int(value: object) -> int:
    """An int, or a float cut towards zero; raises StarlarkError."""
    if type(value) is int:
        return value
    if type(value) is float:
        if value != value:  # noqa: PLR0124
            raise StarlarkError("cannot convert float NaN to integer")
        if value in (float("inf"), float("-inf")):
            raise StarlarkError("cannot convert float infinity to integer")
        return int(value)
    raise StarlarkError(f"cannot convert {type_of(value)} to int")


def joined(text: str) -> str:
    """Text put together from parts: bytes that now make a character become that character."""
    if text.isascii():
        return text
    return from_bytes(to_bytes(text))


def text(made: str) -> str:
    """Text that was put together from a few parts."""
    if len(made) > SMALL:
        check_string(len(made))
    return joined(made)


def add(x: object, y: object) -> object:
    kind, other = type(x), type(y)
    if kind is other:
        if kind is str:
            if len(x) + len(y) > SMALL:  # type: ignore[arg-type]
                check_string(len(x) + len(y))  # type: ignore[arg-type]
            if y.isascii():  # type: ignore[attr-defined]
                return x + y  # type: ignore[operator]
            if x and "\udc80" <= x[-1] <= "\udcff" and "\udc80" <= y[0] <= "\udcff":  # type: ignore[index]
                return joined(x + y)  # type: ignore[operator]
            return x + y  # type: ignore[operator]
        if kind is int or kind is float:
            return x + y  # type: ignore[operator]
        if kind is List:
            if len(x) + len(y) > SOME:  # type: ignore[arg-type]
                check_items(len(x) + len(y))  # type: ignore[arg-type]
            result = List(x)  # type: ignore[arg-type]
            result += y  # type: ignore[arg-type]
            return result
        if kind is tuple:
            if len(x) + len(y) > SOME:  # type: ignore[arg-type]
                check_items(len(x) + len(y), "tuple")  # type: ignore[arg-type]
            return x + y  # type: ignore[operator]
    elif kind is int and other is float:
        return as_float(x) + y  # type: ignore[arg-type, operator]
    elif kind is float and other is int:
        return x + as_float(y)  # type: ignore[arg-type, operator]
    raise unknown("+", x, y)


def inplace_add(x: object, y: object) -> object:
    """`x += y`: a list is extended in place by anything that iterates."""
    if type(x) is List:
        items = iterable_or_none(y)
        if items is not None:
            check_mutable(x, "apply += to")
            extend(x, items)
            return x
    return add(x, y)


def subtract(x: object, y: object) -> object:
    kind, other = type(x), type(y)
    if kind is int:
        if other is int:
            return x - y  # type: ignore[operator]
        if other is float:
            return as_float(x) - y  # type: ignore[arg-type, operator]
    elif kind is float:
        if other is float:
            return x - y  # type: ignore[operator]
        if other is int:
            return x - as_float(y)  # type: ignore[arg-type, operator]
    raise unknown("-", x, y)


def multiply(x: object, y: object) -> object:
    kind, other = type(x), type(y)
    if kind is int:
        if other is int:
            if x.bit_length() + y.bit_length() > SMALL:  # type: ignore[attr-defined]
                check_bits(x.bit_length() + y.bit_length())  # type: ignore[attr-defined]
            return x * y  # type: ignore[operator]
        if other is float:
            return as_float(x) * y  # type: ignore[arg-type, operator]
        if other is str or other is List or other is tuple:
            return repeat(y, x)  # type: ignore[arg-type]
    elif kind is float:
        if other is float:
            return x * y  # type: ignore[operator]
        if other is int:
            return x * as_float(y)  # type: ignore[arg-type, operator]
    elif other is int and (kind is str or kind is List or kind is tuple):
        return repeat(x, y)  # type: ignore[arg-type]
    raise unknown("*", x, y)


def repeat(sequence: str | List | tuple[object, ...], count: int) -> object:
    kind = type(sequence)
    size = len(sequence)
    if size == 0 or count < 1:
        return "" if kind is str else () if kind is tuple else List()
    if count > _LARGEST:
        raise StarlarkError(f"repeat count {count} too large")
    if size * count > (SMALL if kind is str else SOME):
        if size * count >= 1 << 30:
            raise LimitError(f"excessive repeat ({size * count} elements)")
        if kind is str:
            check_string(size * count)
        else:
            check_items(size * count, type_of(sequence))
    if kind is List:
        return List(list(sequence) * count)
    return sequence * count


def divide(x: object, y: object) -> object:
    if (type(x) is int or type(x) is float) and (type(y) is int or type(y) is float):
        if y == 0:
            raise StarlarkError("real division by zero")
        return as_float(x) / as_float(y)
    raise unknown("/", x, y)


def floor_divide(x: object, y: object) -> object:
    if (type(x) is int or type(x) is float) and (type(y) is int or type(y) is float):
        if y == 0:
            raise StarlarkError("floored division by zero")
        if type(x) is int and type(y) is int:
            if x.bit_length() > SMALL:
                _pay_for_division(x, y)
            return x // y
        import math

        quotient = as_float(x) / as_float(y)
        # What rounds to zero keeps its sign.
        return math.copysign(math.floor(quotient), quotient) if math.isfinite(quotient) else quotient
    raise unknown("//", x, y)


def modulo(x: object, y: object) -> object:
    kind, other = type(x), type(y)
    if kind is str:
        from plait.starlark.formats import interpolate

        return interpolate(x, y)  # type: ignore[arg-type]
    if kind is int and other is int:
        if y == 0:
            raise StarlarkError("integer modulo by zero")
        if x.bit_length() > SMALL:  # type: ignore[attr-defined]
            _pay_for_division(x, y)  # type: ignore[arg-type]
        return x % y  # type: ignore[operator]
    if (kind is int or kind is float) and (other is int or other is float):
        if y == 0:
            raise StarlarkError("float modulo by zero")
        import math

        left, right = as_float(x), as_float(y)  # type: ignore[arg-type]
        # The reference takes the sign of the dividend here, other than for ints.
        return math.nan if math.isinf(left) else math.fmod(left, right)
    raise unknown("%", x, y)


def _pay_for_division(x: int, y: int) -> None:
    spend((x.bit_length() >> 10) + (x.bit_length() * y.bit_length() >> 16))


def bit_or(x: object, y: object) -> object:
    if type(x) is int and type(y) is int:
        return x | y
    if type(x) is Set and type(y) is Set:
        return union(x, y)
    raise unknown("|", x, y)


def union(x: Set, items: object) -> Set:
    if len(x) > SOME:
        spend(len(x) * 4)
    result = Set(x)
    for key in items:  # type: ignore[attr-defined]
        insert(result, key, None)
    return result


def bit_and(x: object, y: object) -> object:
    if type(x) is int and type(y) is int:
        return x & y
    if type(x) is Set and type(y) is Set:
        if len(x) > len(y):
            x, y = y, x
        if len(x) > SOME:
            spend(len(x) * 4)
        return Set(key for key in x if has(y, key))
    raise unknown("&", x, y)


def bit_xor(x: object, y: object) -> object:
    if type(x) is int and type(y) is int:
        return x ^ y
    if type(x) is Set and type(y) is Set:
        if len(x) + len(y) > SOME:
            spend(len(x) + len(y) << 2)
        return Set([*(key for key in x if not has(y, key)), *(key for key in y if not has(x, key))])
    raise unknown("^", x, y)


def shift_left(x: object, y: object) -> object:
    if type(x) is not int:
        raise unknown("<<", x, y)
    count = _shift_count(y)
    if count >= 512:
        raise StarlarkError(f"shift count too large: {count}")
    if x.bit_length() > SMALL:
        check_bits(x.bit_length() + count)
    return x << count


def shift_right(x: object, y: object) -> object:
    if type(x) is not int:
        raise unknown(">>", x, y)
    return x >> _shift_count(y)


def _shift_count(y: object) -> int:
    if type(y) is not int:
        raise StarlarkError(f"got {type_of(y)}, want int")
    if not _SMALLEST <= y <= _LARGEST:
        raise StarlarkError(f"{y} out of range")
    if y < 0:
        raise StarlarkError(f"negative shift count: {y}")
    return y


def negate(x: object) -> object:
    if type(x) is int or type(x) is float:
        return -x
    raise StarlarkError(f"unknown unary op: - {type_of(x)}")


def plus(x: object) -> object:
    if type(x) is int or type(x) is float:
        return x
    raise StarlarkError(f"unknown unary op: + {type_of(x)}")


def invert(x: object) -> object:
    if type(x) is int:
        return ~x
    raise StarlarkError(f"unknown unary op: ~ {type_of(x)}")


# ---- comparison


def equal(x: object, y: object) -> bool:
    return equals(x, y)


def unequal(x: object, y: object) -> bool:
    return not equals(x, y)


def less(x: object, y: object) -> bool:
    if type(x) is type(y) is int:
        return x < y
    return compare("<", x, y)


def less_equal(x: object, y: object) -> bool:
    if type(x) is type(y) is int:
        return x <= y
    return compare("<=", x, y)


def greater(x: object, y: object) -> bool:
    if type(x) is type(y) is int:
        return x > y
    return compare(">", x, y)


def greater_equal(x: object, y: object) -> bool:
    if type(x) is type(y) is int:
        return x >= y
    return compare(">=", x, y)


def contains(x: object, y: object) -> bool:
    """`x in y`."""
    kind = type(y)
    if kind is Dict:
        if type(x) is str:
            return x in y  # type: ignore[operator]
        try:
            return key_of(x) in y  # type: ignore[operator]
        except StarlarkError:
            return False  # an unhashable value is in no dict
    if kind is List or kind is tuple:
        if type(x) is str:
            if len(y) > SOME:  # type: ignore[arg-type]
                pay(len(y))  # type: ignore[arg-type]
            return x in y  # type: ignore[operator]
        if len(y) > _FEW_ITEMS:  # type: ignore[arg-type]
            spend(len(y) * 4)  # type: ignore[arg-type]
        return any(equals(item, x) for item in y)  # type: ignore[attr-defined]
    if kind is str:
        if type(x) is not str:
            raise StarlarkError(f"'in <string>' requires string as left operand, not {type_of(x)}")
        if len(y) > SMALL:  # type: ignore[arg-type]
            pay(len(y))  # type: ignore[arg-type]
        return to_bytes(x) in to_bytes(y) if not x.isascii() else x in y  # type: ignore[operator, arg-type]
    if kind is Set:
        return has(y, x)  # type: ignore[arg-type]
    if kind is range:
        if type(x) is float and x - x == 0:
            x = int(x)
        if type(x) is not int:
            raise StarlarkError(f"'in <range>' requires integer as left operand, not {type_of(x)}")
        return x in y  # type: ignore[operator]
    if isinstance(y, Value):
        return y.contains(x)
    raise unknown("in", x, y)


def lacks(x: object, y: object) -> bool:
    return not contains(x, y)


# ---- changing lists, and what iterates


def check_mutable(value: List, verb: str) -> None:
    if value.lock:
        raise StarlarkError(f"cannot {verb} {'frozen list' if value.lock == FROZEN else 'list during iteration'}")


def check_table(value: Dict, verb: str) -> None:
    if value.lock:
        if value.lock == FROZEN:
            raise StarlarkError(f"cannot {verb} frozen hash table")
        raise StarlarkError(f"cannot {verb} hash table during iteration")


def extend(into: List, items: object) -> None:
    list.extend(into, items)  # type: ignore[arg-type]
    if len(into) > SOME:
        check_items(len(into), made=0)


def iterable_or_none(value: object) -> Iterable[object] | None:
    """What Python iterates for a value, all of it; None if the value does not iterate. Raises LimitError."""
    kind = type(value)
    if kind is List or kind is tuple or kind is Dict or kind is range or kind is Set:
        if len(value) > SOME:  # type: ignore[arg-type]
            spend(len(value) >> 1)  # type: ignore[arg-type]
            check_items(len(value), type_of(value))  # type: ignore[arg-type]
        return value  # type: ignore[return-value]
    return value.iterate() if isinstance(value, Value) else None
