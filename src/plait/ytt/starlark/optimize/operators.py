"""Inlined operators: for known types, or after one test of the exact types. All other cases call the helper.

`plait.ytt.starlark.operators` defines the operators; the code here has the same results
(`tests/starlark/test_starlark_optimizer.py` compares them). For `x + y` of two values of unknown types:

    ($1 + y if type($1 := x) is type(y) is int else $+($1, y))
"""

from __future__ import annotations

import _ast as py

from plait.ytt.starlark import syntax
from plait.ytt.starlark.lower.statements import Lowering
from plait.ytt.starlark.optimize.inferred_types import INTS
from plait.ytt.starlark.step_budget import LONG, SMALL, SOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.ytt.starlark.optimize.optimizer import Again, Optimizer
    from plait.ytt.starlark.syntax import Expression

# Lowers a binary operator, from lowered operands and their types.
if TYPE_CHECKING:
    from typing import TypeAlias

    Operation: TypeAlias = Callable[[Optimizer, str, py.expr, str, py.expr, str], py.expr]

# Ints in this range can be multiplied without a check of their size.
_SMALL_INT = 1 << 62
_SHORT = SMALL // 2  # the sum of two such strings is too short to be charged for
_MANY_BITS = frozenset(1 << bits for bits in range(30, 65))
_PYTHON: Mapping[str, Callable[[], py.operator]] = {
    "+": py.Add,
    "-": py.Sub,
    "*": py.Mult,
    "//": py.FloorDiv,
    "%": py.Mod,
    "&": py.BitAnd,
    "|": py.BitOr,
    "^": py.BitXor,
}
_COMPARE: Mapping[str, Callable[[], py.cmpop]] = {
    "==": py.Eq,
    "!=": py.NotEq,
    "<": py.Lt,
    "<=": py.LtE,
    ">": py.Gt,
    ">=": py.GtE,
    "in": py.In,
    "not in": py.NotIn,
}
_UNARY: Mapping[str, Callable[[], py.unaryop]] = {"-": py.USub, "+": py.UAdd, "~": py.Invert}
_NUMBERS = ("int", "small", "float")
_PERHAPS_INT = ("", "int", "small")
_NO_BOOL = frozenset(("int", "small", "float", "str", "list", "dict", "tuple"))


def unary(o: Optimizer, node: syntax.Unary) -> py.expr:
    if node.operator == "not":
        return Lowering.unary(o, node)
    x, kind = o.expression(node.x), o.kind(node.x)
    helper, operator = "$unary" + node.operator, _UNARY[node.operator]
    if kind in INTS or (kind == "float" and node.operator != "~"):
        return py.UnaryOp(operator(), x, **o.at())
    if not o.guards:
        return o.call(helper, [x])
    first, again = o.simple(x)
    own = py.UnaryOp(operator(), again(), **o.at())
    return o.choose(o.is_type(first, o.load("$T.int")), own, o.call(helper, [again()]))


def binary(o: Optimizer, node: syntax.Binary) -> py.expr:
    operator = node.operator
    if operator in {"and", "or"}:
        return o.logical(node, operator)
    x, y = o.expression(node.x), o.expression(node.y)
    if operator in {"==", "!="}:
        if _compare_as_ints(o, node) or o.is_character(node.x) or o.is_character(node.y):
            return o.compare(x, _COMPARE[operator](), y)
        if o.guards and o.kind(node.x) == "str" and not _is_distinct(y):
            return _on_text(o, operator, x, y, node)
    if operator in {"in", "not in"} and o.guards:
        return membership(o, x, y, node)
    return OPERATIONS.get(operator, helper)(o, operator, x, o.kind(node.x), y, o.kind(node.y))


def helper(o: Optimizer, operator: str, x: py.expr, _left: str, y: py.expr, _right: str) -> py.expr:
    """The call of the helper, as in the plain lowering."""
    return o.call("$" + operator, [x, y])


# ---- arithmetic


def native(o: Optimizer, operator: str, x: py.expr, y: py.expr) -> py.expr:
    """Python's own operator on ints."""
    if operator == "%" and isinstance(y, py.Constant) and type(y.value) is int and y.value in _MANY_BITS:
        # A divisor with more than one of Python's internal digits is slow.
        return o.operation(x, py.BitAnd(), o.constant(y.value - 1))
    return o.operation(x, _PYTHON[operator](), y)


def on_ints(o: Optimizer, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
    """Operators for which Python and Starlark agree on ints, and whose results are not enormous."""
    if left in INTS and right in INTS:
        return native(o, operator, x, y)
    if not o.guards or left not in _PERHAPS_INT or right not in _PERHAPS_INT:
        return helper(o, operator, x, left, y, right)
    test, again_x, again_y = both_ints(o, x, left, y, right)
    return o.choose(test, native(o, operator, again_x(), again_y()), o.call("$" + operator, [again_x(), again_y()]))


def both_ints(o: Optimizer, x: py.expr, left: str, y: py.expr, right: str) -> tuple[py.expr, Again, Again]:
    """A test that both operands are ints, which evaluates them in order, and expressions that use them again."""
    first_x, again_x = o.simple(x)
    first_y, again_y = o.simple(y)
    number = o.load("$T.int")
    if right in INTS and first_y is y:
        test = o.is_type(first_x, number)
    elif left in INTS and first_x is x:
        test = o.is_type(first_y, number)
    else:
        test = o.is_type(first_x, o.call("$T", [first_y]), number)
    return test, again_x, again_y


def add(o: Optimizer, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
    """`x + y`, and `x += y` for a variable that is not a list (operator "+=")."""
    if o.guards and _is_short_text(y) and left in {"", "str"}:
        return _extended(o, operator, x, left, y, before=False)
    if o.guards and _is_short_text(x) and right in {"", "str"}:
        return _extended(o, operator, y, right, x, before=True)
    if left == right == "float" or (left in INTS and right in INTS):
        return o.operation(x, py.Add(), y)
    if not o.guards or left not in _PERHAPS_INT or right not in _PERHAPS_INT:
        return helper(o, operator, x, left, y, right)
    test, again_x, again_y = both_ints(o, x, left, y, right)
    return o.choose(test, o.operation(again_x(), py.Add(), again_y()), o.call("$" + operator, [again_x(), again_y()]))


def _is_short_text(node: py.expr) -> bool:
    """True if a node is a constant ASCII text that cannot complete a multi-byte character of another string."""
    return (
        isinstance(node, py.Constant) and type(node.value) is str and node.value.isascii() and len(node.value) < _SHORT
    )


def _extended(o: Optimizer, operator: str, x: py.expr, kind: str, text: py.expr, *, before: bool) -> py.expr:
    """`x + text`, or `text + x`, of a value that is usually a short string, and a constant."""
    first, again = o.simple(x)
    test = o.is_smaller(again() if kind == "" else first, _SHORT)
    if kind == "":
        test = o.both(o.is_type(first, o.load("$T.str")), test)
    parts = [text, again()] if before else [again(), text]
    return o.choose(test, o.operation(parts[0], py.Add(), parts[1]), o.call("$" + operator, parts))


def subtract(o: Optimizer, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
    if left == right == "float":
        return o.operation(x, py.Sub(), y)
    return on_ints(o, operator, x, left, y, right)


def multiply(o: Optimizer, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
    """A multiplication. One of the factors must have a limited size, because the product could be enormous."""
    if left in INTS and right in INTS:
        if "small" in (left, right):
            return o.operation(x, py.Mult(), y)
        return helper(o, operator, x, left, y, right)
    if not o.guards or left not in _PERHAPS_INT or right not in _PERHAPS_INT:
        return helper(o, operator, x, left, y, right)
    test, again_x, again_y = both_ints(o, x, left, y, right)
    if "small" not in (left, right):
        test = o.both(test, is_small(o, again_x()))
    own = o.operation(again_x(), py.Mult(), again_y())
    return o.choose(test, own, o.call("$" + operator, [again_x(), again_y()]))


def is_small(o: Optimizer, x: py.expr) -> py.expr:
    """A test that an int is small enough to be multiplied by any other."""
    low, high = o.constant(-_SMALL_INT), o.constant(_SMALL_INT)
    return py.Compare(low, [py.Lt(), py.Lt()], [x, high], **o.at())


def divide(o: Optimizer, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
    """`//` and `%`. Python's message about a division by zero differs from Starlark's."""
    if isinstance(y, py.Constant) and type(y.value) is int and y.value:
        return on_ints(o, operator, x, left, y, right)
    if left in INTS and right in INTS and o.guards and isinstance(x, (py.Name, py.Constant)):
        _, again_x = o.simple(x)
        first_y, again_y = o.simple(y)
        own = native(o, operator, x, again_y())
        return o.choose(first_y, own, o.call("$" + operator, [again_x(), again_y()]))
    return helper(o, operator, x, left, y, right)


# ---- comparison


def equality(o: Optimizer, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
    compare = _COMPARE[operator]
    if _is_distinct(x) or _is_distinct(y) or (left in INTS and right in INTS):
        return o.compare(x, compare(), y)
    if not o.guards:
        return helper(o, operator, x, left, y, right)
    first_x, again_x = o.simple(x)
    first_y, again_y = o.simple(y)
    # The helper charges for comparing strings.
    others = [o.call("$T", [first_y]), o.load("$scalars")]
    scalar = py.Compare(o.call("$T", [first_x]), [py.Is(), py.In()], others, **o.at())
    own = o.compare(again_x(), compare(), again_y())
    return o.choose(scalar, own, o.call("$" + operator, [again_x(), again_y()]))


def _on_text(o: Optimizer, operator: str, x: py.expr, y: py.expr, node: syntax.Binary) -> py.expr:
    """`x operator y` of a string x: Python's operator, or for long strings the helper, which charges for them."""
    if not isinstance(y, (py.Name, py.Constant)):
        return o.call("$" + operator, [x, y])
    first, again = o.simple(x)
    tests = o.is_short(first, node.x)
    if not tests:
        return o.compare(x, _COMPARE[operator](), y)
    own = o.compare(again(), _COMPARE[operator](), y)
    return o.choose(o.every(tests), own, o.call("$" + operator, [again(), y]))


def _compare_as_ints(o: Optimizer, node: syntax.Binary) -> bool:
    """True if one side is an int and neither is a bool. In Python, unlike Starlark, True and False equal ints."""
    return _is_no_bool(o, node.x) and _is_no_bool(o, node.y) and (o.kind(node.x) in INTS or o.kind(node.y) in INTS)


def _is_no_bool(o: Optimizer, node: Expression) -> bool:
    """True if the value cannot be a bool. Arithmetic never returns one."""
    if isinstance(node, syntax.Binary):
        return node.operator in _PYTHON or node.operator in {"/", "<<", ">>"}
    return o.kind(node) in _NO_BOOL


def _is_distinct(node: py.expr) -> bool:
    """True if Python compares this constant with every value as Starlark does. In Python, True equals 1."""
    if not isinstance(node, py.Constant):
        return False
    value = node.value
    if type(value) is str:
        return len(value) <= LONG
    return value is None or ((type(value) is int or type(value) is float) and value not in (0, 1))


def order(o: Optimizer, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
    compare = _COMPARE[operator]
    if left in _NUMBERS and right in _NUMBERS:
        return o.compare(x, compare(), y)
    if not o.guards or left not in _PERHAPS_INT or right not in _PERHAPS_INT:
        return helper(o, operator, x, left, y, right)
    test, again_x, again_y = both_ints(o, x, left, y, right)
    own = o.compare(again_x(), compare(), again_y())
    return o.choose(test, own, o.call("$" + operator, [again_x(), again_y()]))


def membership(o: Optimizer, x: py.expr, y: py.expr, node: syntax.Binary) -> py.expr:
    """Compiles `x in y` for a string x and a dict, or a list of a few items."""
    operator, left, right = node.operator, o.kind(node.x), o.kind(node.y)
    if right not in ("dict", "list", "tuple") or left not in ("", "str") or not isinstance(y, py.Name):
        return helper(o, operator, x, left, y, right)
    first, again = o.simple(x)
    _, again_y = o.simple(y)
    tests = [] if left == "str" else [o.is_type(first, o.load("$T.str"))]
    tests += o.is_short(again() if tests else first, node.x)
    if right != "dict":
        tests.append(o.is_smaller(again_y(), SOME + 1))
    if not tests:
        return o.compare(x, _COMPARE[operator](), y)
    own = o.compare(again(), _COMPARE[operator](), again_y())
    return o.choose(o.every(tests), own, o.call("$" + operator, [again(), again_y()]))


OPERATIONS: Mapping[str, Operation] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "//": divide,
    "%": divide,
    "&": on_ints,
    "|": on_ints,
    "^": on_ints,
    "==": equality,
    "!=": equality,
    "<": order,
    "<=": order,
    ">": order,
    ">=": order,
}
