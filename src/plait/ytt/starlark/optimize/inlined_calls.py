"""Inlined calls: methods of receivers with a known type, or after one test of the exact type; some universal
functions.
"""

from __future__ import annotations

import _ast as py

from plait.ytt.starlark import syntax
from plait.ytt.starlark.lower.emit import variable
from plait.ytt.starlark.lower.statements import Lowering
from plait.ytt.starlark.optimize.groups import find
from plait.ytt.starlark.optimize.inferred_types import INTS
from plait.ytt.starlark.optimize.string_building import formatted
from plait.ytt.starlark.step_budget import FEW, SMALL
from plait.ytt.starlark.table.methods import LIKELY
from plait.ytt.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.ytt.starlark.optimize.optimizer import Optimizer
    from plait.ytt.starlark.syntax import Expression

# The language's ASCII white space; Python strips more characters.
_SPACES = " \t\n\v\f\r"
_TYPES = {"str": "$T.str", "list": "$List", "dict": "$Dict"}


def call(o: Optimizer, node: syntax.Call) -> py.expr:
    function, arguments = node.function, node.arguments
    plain = not any(argument.star or argument.name for argument in arguments)
    values = [argument.value for argument in arguments]
    made: py.expr | None = None
    if isinstance(function, syntax.Attribute):
        made = formatted(o, node)
        if made is None and plain:
            made = _method(o, function, values, bare=node in o.facts.bare)
    elif isinstance(function, syntax.Name) and plain:
        if function.scope is None and function.name != "print":
            made = _universal(o, function.name, values)
        elif o.knows(node):
            made = py.Call(o.load(f"$f.{function.name}"), [o.expression(value) for value in values], [], **o.at())
    return o.own(node, Lowering.call_(o, node) if made is None else made)


# ---- methods


def _method(o: Optimizer, method: syntax.Attribute, values: Sequence[Expression], *, bare: bool) -> py.expr | None:
    """`x.name(...)` of strings, lists and dicts; None for other names. bare: the result may be any list."""
    row = LIKELY.get(method.name)
    if row is None or not row.fits(len(values)):
        return None
    kind = o.kind(method.x)
    if o.guards:
        made = _own_method(o, method, kind, values, bare=bare)
        if made is not None:
            return made
    if kind == row.kind:
        return o.call("$m." + method.name, [o.expression(method.x), *map(o.expression, values)])
    if kind != "" or not o.guards:
        return None
    first, again = o.simple(o.expression(method.x))
    test = o.is_type(first, o.load(_TYPES[row.kind]))
    callee = o.choose(test, o.load("$m." + method.name), o.load("$late." + method.name))
    return py.Call(callee, [again(), *map(o.expression, values)], [], **o.at())


def _own_method(
    o: Optimizer, method: syntax.Attribute, kind: str, values: Sequence[Expression], *, bare: bool
) -> py.expr | None:
    """Methods of strings and dicts that Python can execute for the known types; None for all others."""
    name = method.name
    if kind in {"", "str"}:
        own = _short_text_arguments(name, values)
        if own is not None:
            return _short_text_method(o, method, values, *own, bare=bare)
    if kind == "dict" and name == "setdefault" and isinstance(method.x, syntax.Name):
        return _set_default(o, method.x, values)
    if kind == "str" and len(values) == 1:
        [value] = values
        if name in {"startswith", "endswith"} and isinstance(value, syntax.Literal) and o.kind(value) == "str":
            return o.method(o.expression(method.x), name, o.expression(value))
        if name == "join" and isinstance(method.x, syntax.Literal) and _holds_texts(o, value):
            return _join(o, str(method.x.value), value)
    return None


def _short_text_arguments(name: str, values: Sequence[Expression]) -> tuple[int, tuple[str, ...]] | None:
    """The Python form of a string method: the maximum length of the strings, and its arguments; None if there is none.

    Only for ASCII strings, by their known types.
    """
    if name in {"upper", "lower", "strip"}:
        return None if values else (SMALL, (_SPACES,) if name == "strip" else ())
    texts: list[str] = []
    for value in values:
        if not isinstance(value, syntax.Literal) or type(value.value) is not str or not value.value.isascii():
            return None
        texts.append(value.value)
    if name == "replace" and len(texts) == 2:
        return SMALL // (len(texts[1]) or 1), tuple(texts)
    return (SMALL, tuple(texts)) if name in {"find", "split"} and len(texts) == 1 and texts[0] else None


def _short_text_method(
    o: Optimizer,
    method: syntax.Attribute,
    values: Sequence[Expression],
    shortest: int,
    given: tuple[str, ...],
    *,
    bare: bool,
) -> py.expr:
    """`x.name(...)` where x is usually a short ASCII string: Python's own method.

    given: the arguments of Python's method. shortest: strings of this length or more are not short.
    """
    name, kind = method.name, o.kind(method.x)
    first, again = o.simple(o.expression(method.x))
    tests = [] if kind == "str" else [o.is_type(first, o.load("$T.str"))]
    tests.append(o.method(again() if tests else first, "isascii"))
    tests.append(o.is_smaller(again(), shortest))
    fast = o.method(again(), name, *map(o.constant, given))
    if name == "split" and not bare:
        fast = o.call("$List", [fast])
    slow = o.call(("$m." if kind == "str" else "$late.") + name, [again(), *map(o.expression, values)])
    return o.choose(o.both(*tests), fast, slow)


def _holds_texts(o: Optimizer, node: Expression) -> bool:
    """True if a list is known to contain only strings."""
    if o.kind(node) != "list":
        return False
    group = o.facts.group_of(node)
    return group is not None and find(group).kind == "str"


def _join(o: Optimizer, separator: str, value: Expression) -> py.expr | None:
    """Joins a few strings without a check of the size, or returns None."""
    if len(separator) > FEW:
        return None
    first, again = o.simple(o.expression(value))
    between, name = o.constant(separator), o.temp()
    made = py.NamedExpr(o.store(name), o.method(between, "join", again()), **o.at())
    few = o.compare(o.call("$L", [first]), py.LtE(), o.constant(FEW))
    test = o.both(few, o.method(made, "isascii"), o.is_smaller(o.load(name), SMALL))
    return o.choose(test, o.load(name), o.call("$m.join", [between, again()]))


def _set_default(o: Optimizer, x: syntax.Name, values: Sequence[Expression]) -> py.expr | None:
    """`x.setdefault(key, value)` of a dict. The value is not created if the key exists."""
    if len(values) != 2 or not _is_fresh(values[1]):
        return None
    table, again_table = o.simple(o.expression(x))
    first, again = o.simple(o.expression(values[0]))
    # Evaluate x first, because it may be unset.
    bound = o.compare(table, py.IsNot(), o.constant(None))
    there = o.compare(again(), py.In(), again_table())
    test = o.both(bound, o.is_type(first, o.load("$T.str")), *o.is_short(again(), values[0]), there)
    slow = o.call("$m.setdefault", [again_table(), again(), o.expression(values[1])])
    return o.choose(test, o.subscript(again_table(), again()), slow)


def _is_fresh(node: Expression) -> bool:
    """True if the identity of the value does not matter: an empty list or dict, or a literal."""
    if isinstance(node, syntax.ListDisplay):
        return not node.items
    return isinstance(node, syntax.Literal) or (isinstance(node, syntax.DictDisplay) and not node.entries)


# ---- `x.append(item)` as a statement


def evaluate(o: Optimizer, node: syntax.Evaluate, into: list[py.stmt]) -> None:
    value = node.value
    if o.hot and isinstance(value, syntax.Call) and isinstance(value.function, syntax.Attribute):
        receiver, arguments = value.function.x, value.arguments
        plain = len(arguments) == 1 and not arguments[0].name and not arguments[0].star
        if value.function.name == "append" and plain:
            kind = o.kind(receiver)
            if kind == "list" and isinstance(receiver, syntax.Name):
                _append(o, receiver, arguments[0].value, into)
                return
            if kind == "":
                o.line = value.line
                _append_to_unknown(o, receiver, arguments[0].value, into)
                return
    Lowering.evaluate(o, node, into)


def _append(o: Optimizer, receiver: syntax.Name, item: Expression, into: list[py.stmt]) -> None:
    """Appends to a list created by the program."""
    name = variable(receiver.name)
    value = o.kept(o.expression(item), into)
    own = o.do(o.method(o.load(name), "append", value()))
    if o.unshared(receiver):
        into.append(own)
        return
    slow = o.do(o.call("$m.append", [o.load(name), value()]))
    into.append(o.if_else(o.unlocked(o.load(name)), [own], [slow]))


def _append_to_unknown(o: Optimizer, receiver: Expression, item: Expression, into: list[py.stmt]) -> None:
    """Appends to a value that is usually a list."""
    first, second = o.expression(receiver), o.expression(item)
    keep = o.held if isinstance(second, (py.Name, py.Constant)) else o.kept
    x, value = keep(first, into), keep(second, into)
    test = o.both(o.is_type(x(), o.load("$List")), o.unlocked(x()))
    own = o.do(o.method(x(), "append", value()))
    into.append(o.if_else(test, [own], [o.do(o.call("$late.append", [x(), value()]))]))


# ---- universal functions


def _universal(o: Optimizer, name: str, values: Sequence[Expression]) -> py.expr | None:
    """Inlines a call of a universal function. Returns None if it cannot be inlined."""
    row = UNIVERSAL.get(name)
    if row is None or not row.fits(len(values)):
        return None
    if name == "len" and len(values) == 1:
        return _len(o, values[0])
    if name == "range" and 1 <= len(values) <= 3:
        return o.call(f"$range{len(values)}", [*map(o.expression, values)])
    if name in {"min", "max"} and len(values) > 1:
        if o.guards and len(values) <= 4 and all(o.kind(value) in INTS for value in values):
            return _extreme(o, name, [*map(o.expression, values)])
        return o.call(f"${name}_of", [*map(o.expression, values)])
    return o.call("$direct." + name, [*map(o.expression, values)])


def _len(o: Optimizer, x: Expression) -> py.expr:
    kind, value = o.kind(x), o.expression(x)
    if kind in {"list", "dict", "tuple"}:
        return o.call("$L", [value])
    if kind == "str" and isinstance(value, py.Name) and o.hot:
        return o.choose(o.method(value, "isascii"), o.call("$L", [value]), o.call("$direct.len", [value]))
    if kind == "" and o.guards:
        first, again = o.simple(value)
        test = o.compare(o.call("$T", [first]), py.In(), o.load("$sized"))
        return o.choose(test, o.call("$L", [again()]), o.call("$direct.len", [again()]))
    return o.call("$direct.len", [value])


def _extreme(o: Optimizer, name: str, values: Sequence[py.expr]) -> py.expr:
    """`min` or `max` of ints, as a sequence of comparisons."""
    best, *others = values
    for value in others:
        first, again = o.simple(best)
        other, other_again = o.simple(value)
        # The first of equal values is the result; all are evaluated in order.
        operator: py.cmpop = py.LtE() if name == "min" else py.GtE()
        best = o.choose(o.compare(first, operator, other), again(), other_again())
    return best
