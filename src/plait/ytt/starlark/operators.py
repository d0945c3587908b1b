"""The operators of the language: `BINARY` and `UNARY` map each operator to a function. See docs/reference/language.md.

Compiled code handles the common cases (two ints, a list of known type) itself and calls these functions for the rest.
True is not 1: arithmetic rejects bools. Sizes are bounded: a result beyond the limit is a LimitError.
"""

from __future__ import annotations

from plait.base.errors import LimitError, StarlarkError
from plait.ytt.starlark.comparison import compare, equals
from plait.ytt.starlark.containers import FROZEN, Dict, List, Set, has, insert, iterable_or_none, key_of, weigh
from plait.ytt.starlark.numbers import as_float
from plait.ytt.starlark.step_budget import (
    LONG,
    SMALL,
    SOME,
    charge,
    charge_for,
    check_bits,
    check_items,
    check_string,
    paced,
)
from plait.ytt.starlark.values import Value, is_int32, joined, to_bytes, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_WITH_KEYS = {"dict", "struct", "yamlfragment"}
_FEW_ITEMS = 16  # comparing this number of items costs no more than the step itself


def unknown(operator: str, x: object, y: object) -> StarlarkError:
    """The error for operands that an operator does not accept."""
    hint, kinds = None, {type_of(x), type_of(y)}
    if operator == "|" and not kinds <= _WITH_KEYS:
        hint = "use 'or' instead of '|' for logical-or"
    elif operator == "&":
        hint = "use 'and' instead of '&' for logical-and"
    elif kinds & {"function", "builtin_function_or_method"}:
        hint = "a call has parentheses: f(), x.upper()"
    elif operator == "+" and kinds == {"string", "float"}:
        hint = "put the number in quotes where it is defined: str(...) turns 1.20 into 1.2"
    elif operator == "+" and kinds == {"string", "int"}:
        hint = "convert the number to a string first: str(...)"
        is_number = str(x if type(x) is str else y).isdecimal()
        if is_number:
            hint = "str(...) of the number joins the digits; int(...) of the string adds the numbers"
    elif operator == "+" and kinds == {"string", "yamlfragment"}:
        hint = "a function with YAML returns nodes; return or yaml.encode(...) returns a string"
    elif operator == "+" and kinds == {"list", "yamlfragment"}:
        hint = "list(...) converts such nodes to a list: list(f()) + [...]"
    elif operator in ("+", "|") and kinds <= _WITH_KEYS:
        hint = "dict(a, **b) has the keys of two dicts"
        if "struct" in kinds:
            hint = f"struct.decode(...) converts a struct to a dict; {hint}"
        if "yamlfragment" in kinds:
            hint = (
                'to add nodes next to other keys, use template.replace of @ytt:template: "_: #@ template.replace(f())"'
            )
        if operator == "+" and kinds == {"yamlfragment"}:
            hint = f"list(f()) + list(g()) joins two arrays; {hint}"
    message = f"unknown binary op: {type_of(x)} {operator} {type_of(y)}"
    error = StarlarkError(message, hint=hint, code="unknown-operation")
    if x is None or y is None:
        return error.about("NoneType")
    # The number is named, not the string: it is what has the unexpected type.
    other = y if type(x) is str else x if type(y) is str else None
    return error.about(type_of(other)) if type(other) in (int, float, bool) else error


def add(x: object, y: object) -> object:
    if type(x) is str:
        if type(y) is str:
            if len(x) + len(y) > SMALL:
                check_string(len(x) + len(y))
            if x and "\udc80" <= x[-1] <= "\udcff" and "\udc80" <= y[:1] <= "\udcff":
                return joined(x + y)
            return x + y
    elif type(x) is int:
        if type(y) is int:
            return x + y
        if type(y) is float:
            return as_float(x) + y
    elif type(x) is float:
        if type(y) is float:
            return x + y
        if type(y) is int:
            return x + as_float(y)
    elif type(x) is List:
        if type(y) is List:
            if len(x) + len(y) > SOME:
                check_items(len(x) + len(y))
            result = List(x)
            result += y
            return result
    elif type(x) is tuple and type(y) is tuple:
        if len(x) + len(y) > SOME:
            check_items(len(x) + len(y), "tuple")
        return x + y
    raise unknown("+", x, y)


def inplace_add(x: object, y: object) -> object:
    """`x += y`. A list is extended in place by any iterable."""
    if type(x) is List:
        items = iterable_or_none(y)
        if items is not None:
            check_mutable(x, "apply += to")
            extend(x, items)
            return x
    return add(x, y)


def subtract(x: object, y: object) -> object:
    if type(x) is int:
        if type(y) is int:
            return x - y
        if type(y) is float:
            return as_float(x) - y
    elif type(x) is float:
        if type(y) is float:
            return x - y
        if type(y) is int:
            return x - as_float(y)
    raise unknown("-", x, y)


def multiply(x: object, y: object) -> object:
    if type(x) is int:
        if type(y) is int:
            if x.bit_length() + y.bit_length() > SMALL:
                check_bits(x.bit_length() + y.bit_length())
            return x * y
        if type(y) is float:
            return as_float(x) * y
        if isinstance(y, (str, List, tuple)):
            return repeat(y, x)
    elif type(x) is float:
        if type(y) is float:
            return x * y
        if type(y) is int:
            return x * as_float(y)
    elif type(y) is int and isinstance(x, (str, List, tuple)):
        return repeat(x, y)
    raise unknown("*", x, y)


def repeat(sequence: str | List | tuple[object, ...], count: int) -> object:
    size = len(sequence)
    if size == 0 or count < 1:
        return List() if isinstance(sequence, List) else sequence[:0]
    if not is_int32(count):
        raise StarlarkError(f"repeat count {count} too large", code="too-large")
    if size * count > (SMALL if isinstance(sequence, str) else SOME):
        if size * count >= 1 << 30:
            raise LimitError(f"excessive repeat ({size * count} elements)", code="too-large")
        if isinstance(sequence, str):
            check_string(size * count)
        else:
            check_items(size * count, type_of(sequence))
    return List(list(sequence) * count) if isinstance(sequence, List) else sequence * count


def divide(x: object, y: object) -> object:
    if (type(x) is int or type(x) is float) and (type(y) is int or type(y) is float):
        if y == 0:
            raise StarlarkError("real division by zero", code="division-by-zero")
        return as_float(x) / as_float(y)
    raise unknown("/", x, y)


def floor_divide(x: object, y: object) -> object:
    if (type(x) is int or type(x) is float) and (type(y) is int or type(y) is float):
        if y == 0:
            raise StarlarkError("floored division by zero", code="division-by-zero")
        if type(x) is int and type(y) is int:
            if x.bit_length() > SMALL:
                _charge_division(x, y)
            return x // y
        import math

        quotient = as_float(x) / as_float(y)
        # A result that rounds to zero keeps its sign.
        return math.copysign(math.floor(quotient), quotient) if math.isfinite(quotient) else quotient
    raise unknown("//", x, y)


def modulo(x: object, y: object) -> object:
    if type(x) is str:
        from plait.ytt.starlark.string_formatting import interpolate

        return interpolate(x, y)
    if type(x) is int and type(y) is int:
        if y == 0:
            raise StarlarkError("integer modulo by zero", code="division-by-zero")
        if x.bit_length() > SMALL:
            _charge_division(x, y)
        return x % y
    if (type(x) is int or type(x) is float) and (type(y) is int or type(y) is float):
        if y == 0:
            raise StarlarkError("float modulo by zero", code="division-by-zero")
        import math

        left, right = as_float(x), as_float(y)
        # The reference program uses the sign of the dividend here, unlike for ints.
        return math.nan if math.isinf(left) else math.fmod(left, right)
    raise unknown("%", x, y)


def _charge_division(x: int, y: int) -> None:
    charge((x.bit_length() >> 10) + (x.bit_length() * y.bit_length() >> 16))


def bit_or(x: object, y: object) -> object:
    if type(x) is int and type(y) is int:
        return x | y
    if type(x) is Set and type(y) is Set:
        return union(x, y)
    raise unknown("|", x, y)


def union(x: Set, items: Iterable[object]) -> Set:
    if len(x) > SOME:
        charge(len(x) * 4)
    result = Set(x)
    for key in items:
        insert(result, key, None)
    return result


def bit_and(x: object, y: object) -> object:
    if type(x) is int and type(y) is int:
        return x & y
    if type(x) is Set and type(y) is Set:
        if len(x) > len(y):
            x, y = y, x
        if len(x) > SOME:
            charge(len(x) * 4)
        return Set(key for key in x if has(y, key))
    raise unknown("&", x, y)


def bit_xor(x: object, y: object) -> object:
    if type(x) is int and type(y) is int:
        return x ^ y
    if type(x) is Set and type(y) is Set:
        if len(x) + len(y) > SOME:
            charge(len(x) + len(y) << 2)
        return Set([*(key for key in x if not has(y, key)), *(key for key in y if not has(x, key))])
    raise unknown("^", x, y)


def shift_left(x: object, y: object) -> object:
    if type(x) is not int:
        raise unknown("<<", x, y)
    count = _shift_count(y)
    if count >= 512:
        raise StarlarkError(f"shift count too large: {count}", code="argument-range")
    if x.bit_length() > SMALL:
        check_bits(x.bit_length() + count)
    return x << count


def shift_right(x: object, y: object) -> object:
    if type(x) is not int:
        raise unknown(">>", x, y)
    return x >> _shift_count(y)


def _shift_count(y: object) -> int:
    if type(y) is not int:
        raise StarlarkError(f"got {type_of(y)}, want int", code="argument-range")
    if not is_int32(y):
        raise StarlarkError(f"{y} out of range", code="argument-range")
    if y < 0:
        raise StarlarkError(f"negative shift count: {y}", code="argument-range")
    return y


def negate(x: object) -> object:
    if type(x) is int or type(x) is float:
        return -x
    raise StarlarkError(f"unknown unary op: - {type_of(x)}", code="unknown-operation")


def plus(x: object) -> object:
    if type(x) is int or type(x) is float:
        return x
    raise StarlarkError(f"unknown unary op: + {type_of(x)}", code="unknown-operation")


def invert(x: object) -> object:
    if type(x) is int:
        return ~x
    raise StarlarkError(f"unknown unary op: ~ {type_of(x)}", code="unknown-operation")


# ---- changing lists and dicts


def check_mutable(value: List, verb: str) -> None:
    if value.lock:
        raise StarlarkError(
            f"cannot {verb} {'frozen list' if value.lock == FROZEN else 'list during iteration'}", code="frozen-value"
        )


def check_table(value: Dict, verb: str) -> None:
    if value.lock:
        if value.lock == FROZEN:
            raise StarlarkError(f"cannot {verb} frozen hash table", code="frozen-value")
        raise StarlarkError(f"cannot {verb} hash table during iteration", code="frozen-value")


def extend(into: List, items: Iterable[object]) -> None:
    list.extend(into, items)
    if len(into) > SOME:
        check_items(len(into), made=0)


# ---- comparison


def unequal(x: object, y: object) -> bool:
    return not equals(x, y)


def _order(operator: str) -> Callable[[object, object], bool]:
    def ordered(x: object, y: object) -> bool:
        return compare(operator, x, y)

    return ordered


def contains(x: object, y: object) -> bool:
    """`x in y`."""
    if type(y) is Dict:
        if type(x) is str and len(x) <= LONG:
            return x in y
        try:
            return key_of(x) in y
        except StarlarkError:
            return False  # an unhashable value is in no dict
    if isinstance(y, (List, tuple)):
        if type(x) is str:
            if len(y) > SOME:
                charge_for(len(y))
            if len(x) > LONG:
                size = len(x)
                charge(size * sum([len(item) == size for item in y if type(item) is str]) >> 10)
            return x in y
        if len(y) > _FEW_ITEMS:
            charge(len(y) * 4)
        return any(equals(item, x) for item in paced(y))
    if type(y) is str:
        if type(x) is not str:
            raise StarlarkError(
                f"'in <string>' requires string as left operand, not {type_of(x)}", code="wrong-argument-type"
            )
        if len(y) > SMALL:
            charge_for(len(y))
        return x in y if x.isascii() else to_bytes(x) in to_bytes(y)
    if type(y) is Set:
        return has(y, x)
    if type(y) is range:
        if type(x) is float and x - x == 0:
            x = int(x)
        if type(x) is not int:
            raise StarlarkError(
                f"'in <range>' requires integer as left operand, not {type_of(x)}", code="wrong-argument-type"
            )
        return x in y
    if isinstance(y, Value):
        weigh(x)
        return y.contains(x)
    raise unknown("in", x, y)


def lacks(x: object, y: object) -> bool:
    return not contains(x, y)


# ---- the table


# "+=" is `x += y` of a variable; every other `x operator= y` is `x = x operator y`.
BINARY: Mapping[str, Callable[[object, object], object]] = {
    "+": add,
    "+=": inplace_add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "//": floor_divide,
    "%": modulo,
    "|": bit_or,
    "&": bit_and,
    "^": bit_xor,
    "<<": shift_left,
    ">>": shift_right,
    "==": equals,
    "!=": unequal,
    **{operator: _order(operator) for operator in ("<", "<=", ">", ">=")},
    "in": contains,
    "not in": lacks,
}
UNARY: Mapping[str, Callable[[object], object]] = {"-": negate, "+": plus, "~": invert}
