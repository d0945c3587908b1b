"""Inlined `x.name` and `x[key]`, as values and as targets of assignments.

A fast subscript has no helper that could report an error. Its column in Python's tree is the number of its row in
"$sites", from which `exceptions` finds the variables.
"""

from __future__ import annotations

import _ast as py

from plait.ytt.starlark import syntax
from plait.ytt.starlark.lower.emit import STORE
from plait.ytt.starlark.lower.statements import Lowering
from plait.ytt.starlark.optimize.inferred_types import INTS
from plait.ytt.starlark.optimize.operators import OPERATIONS, helper
from plait.ytt.starlark.optimize.optimizer import Optimizer
from plait.ytt.starlark.step_budget import LONG


def attribute(o: Optimizer, node: syntax.Attribute) -> py.expr:
    """`x.name`. Members of a struct are looked up without a call."""
    if not o.guards or o.kind(node.x) != "":
        return Lowering.attribute(o, node)
    first, again = o.simple(o.expression(node.x))
    test = o.compare(o.call("$T", [first]), py.In(), o.load("$structs"))
    name = o.constant(node.name)
    return o.choose(test, o.subscript(o.field(again(), "members"), name), o.call("$attribute", [again(), name]))


def index(o: Optimizer, node: syntax.Index) -> py.expr:
    x, key = o.expression(node.x), o.expression(node.key)
    if not o.guards:
        return o.call("$index", [x, key])
    kind, key_kind = o.kind(node.x), o.kind(node.key)
    if key_kind == "str":
        return _by_text(o, node, x, key)
    if key_kind in INTS:
        return _by_int(o, x, kind, key)
    if key_kind == "":
        return _by_unknown(o, x, kind, key)
    return o.call("$index", [x, key])


def _by_text(o: Optimizer, node: syntax.Index, x: py.expr, key: py.expr) -> py.expr:
    kind = o.kind(node.x)
    if kind not in {"", "dict"} or not isinstance(x if kind else key, (py.Name, py.Constant)):
        return o.call("$index", [x, key])
    first, again = o.simple(x)
    first_key, again_key = o.simple(key)
    tests = [] if kind else [o.is_type(first, o.load("$Dict"))]
    tests += o.is_short(first_key, node.key)
    if not tests:
        return o.subscript(x, key)
    own = o.subscript(again(), again_key())
    return o.choose(o.every(tests), own, o.call("$index", [again(), again_key()]))


def _by_int(o: Optimizer, x: py.expr, kind: str, key: py.expr) -> py.expr:
    if kind in {"list", "tuple"} or _is_ascii(x):
        return o.item(x, key)
    if isinstance(key, (py.Name, py.Constant)):
        _, again_key = o.simple(key)
        if kind == "str" and isinstance(x, py.Name):
            # In such a string, a character is a byte.
            return o.choose(o.method(x, "isascii"), o.item(x, key), o.call("$item", [x, again_key()]))
        if kind == "":
            first, again = o.simple(x)
            test = o.is_type(first, o.load("$List"))
            return o.choose(test, o.item(again(), key), o.call("$item", [again(), again_key()]))
    return o.call("$item", [x, key])


def _by_unknown(o: Optimizer, x: py.expr, kind: str, key: py.expr) -> py.expr:
    first, again = o.simple(key)
    if _is_ascii(x):
        return o.choose(o.is_type(first, o.load("$T.int")), o.item(x, again()), o.call("$item", [x, again()]))
    if kind == "dict" and isinstance(x, py.Name):
        _, again_x = o.simple(x)
        own = o.subscript(again_x(), again())
        test = o.both(o.is_type(first, o.load("$T.str")), o.is_smaller(again(), LONG + 1))
        return o.choose(test, own, o.call("$index", [again_x(), again()]))
    return o.call("$index", [x, key])


def _is_ascii(x: py.expr) -> bool:
    """True if a constant string is ASCII."""
    return isinstance(x, py.Constant) and type(x.value) is str and x.value.isascii()


# ---- assignments


def assign_item(o: Optimizer, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
    """`x[key] = value` without a call, for a list and an int, or a dict and a string."""
    kind, key_kind = o.kind(target.x), o.kind(target.key)
    if o.hot and kind == "list" and key_kind in INTS and isinstance(target.x, syntax.Name):
        _store_in_list(o, target, value, into)
    elif o.hot and ((kind == "dict" and key_kind in {"str", ""}) or (kind == "" and key_kind not in INTS)):
        _store_in_dict(o, target, value, into)
    else:
        Lowering.assign_item(o, target, value, into)


def _store_in_list(o: Optimizer, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
    again = o.kept(value, into)
    x, key = o.expression(target.x), o.held(o.expression(target.key), into)
    _, again_x = o.simple(x)
    place_x, place_key = o.place(x, key())
    place = py.Subscript(place_x, place_key, STORE, lineno=o.line, col_offset=len(o.sites))
    own: py.stmt = py.Assign([place], again(), **o.at())
    if not o.unshared(target.x):
        other = o.do(o.call("$set_index", [again_x(), key(), again()]))
        own = o.if_else(o.unlocked(again_x()), [own], [other])
    into.append(own)


def _store_in_dict(o: Optimizer, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
    again = o.kept(value, into)
    x = o.kept(o.expression(target.x), into)
    key = o.kept(o.expression(target.key), into)
    tests: list[py.expr] = []
    if o.kind(target.x) != "dict":
        tests.append(o.is_type(x(), o.load("$Dict")))
    if o.kind(target.key) != "str":
        tests.append(o.is_type(key(), o.load("$T.str")))
    tests += o.is_short(key(), target.key)
    tests.append(o.unlocked(x()))
    other = o.do(o.call("$set_index", [x(), key(), again()]))
    into.append(o.if_else(o.every(tests), [o.set_item(x(), key(), again())], [other]))


def augment(o: Optimizer, node: syntax.Assign, into: list[py.stmt]) -> None:
    """`x[key] operator= value` without calls, for a dict and a string as key."""
    target = node.target
    if not o.hot or not isinstance(target, syntax.Index) or o.kind(target.x) != "dict":
        Lowering.augment(o, node, into)
        return
    line = node.line
    x = o.held(o.expression(target.x), into)
    key = o.held(o.expression(target.key), into)
    value = _augmented(o, o.call("$index", [x(), key()]), "", node)
    other = o.do(o.call("$set_index", [x(), key(), value]))
    tests = [] if o.kind(target.key) == "str" else [o.is_type(key(), o.load("$T.str"))]
    tests += o.is_short(key(), target.key)
    tests.append(o.unlocked(x()))
    value = _augmented(o, o.subscript(x(), key()), "", node)
    into.append(o.if_else(o.every(tests), [o.set_item(x(), key(), value)], [other]))
    o.line = line


def augmented(o: Optimizer, old: py.expr, node: syntax.Assign) -> py.expr:
    """`old operator value` for a target. Only a variable may have a known type."""
    kind = o.kind(node.target) if isinstance(node.target, syntax.Name) else ""
    return _augmented(o, old, kind, node)


def _augmented(o: Optimizer, old: py.expr, kind: str, node: syntax.Assign) -> py.expr:
    operator, other = node.operator, o.kind(node.value)
    value = o.expression(node.value)
    if operator != "+" or kind in {"int", "small", "float", "str", "tuple"}:
        return OPERATIONS.get(operator, helper)(o, operator, old, kind, value, other)
    # Only lists are extended in place.
    if not o.hot or kind == "list" or other in {"list", "dict", "tuple"}:
        return o.call("$+=", [old, value])
    return OPERATIONS["+"](o, "+=", old, kind, value, other)


class SubscriptOptimizer(Optimizer):
    """Lowers like `Optimizer`, and assignments to items by the rules of this module."""

    __slots__ = ()

    def augment(self, node: syntax.Assign, into: list[py.stmt]) -> None:
        augment(self, node, into)

    def augmented(self, old: py.expr, node: syntax.Assign) -> py.expr:
        return augmented(self, old, node)

    def assign_item(self, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
        assign_item(self, target, value, into)
