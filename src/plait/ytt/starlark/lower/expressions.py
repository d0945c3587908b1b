"""Lowers expressions: one rule per type of syntax returns Python's expression for it.

The helpers (`operators`, `runtime`, `table`) define the *meaning* of an operator, subscript or call. A rule only
selects the helper and its arguments.
"""

from __future__ import annotations

import _ast as py

from plait.ytt.starlark import syntax
from plait.ytt.starlark.lower.emit import LOAD, NOT_VARIABLES, STORE, Emitter, variable
from plait.ytt.starlark.table.methods import LIKELY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from plait.ytt.starlark.syntax import Expression

    Rule: TypeAlias = Callable[..., py.expr]

_CONSTANTS = {"None": None, "True": True, "False": False}
# A call on this line adds no frame to the stack of an error (see `exceptions`).
NOWHERE = 0


class ExpressionLowering(Emitter):
    """Lowers expressions. rules: the function for each type of syntax."""

    __slots__ = ("instead", "rules")

    def __init__(self, rules: Mapping[type, Rule]) -> None:
        super().__init__()
        self.rules = rules
        # Functions of the program that are called by another name; see `instrument.dataflow`.
        self.instead: Mapping[str, str] = {}

    def expression(self, node: Expression) -> py.expr:
        outer, self.line = self.line, node.line
        made = self.rules[type(node)](self, node)
        self.line = outer
        return made

    # ---- names and constants

    def name(self, node: syntax.Name) -> py.expr:
        if node.scope is None:
            if node.name in _CONSTANTS:
                return self.constant(_CONSTANTS[node.name])
            return self.load("$" + node.name)
        return self.load(variable(node.name))

    def helper(self, node: syntax.Helper) -> py.expr:
        return self.load(node.name)

    def literal(self, node: syntax.Literal) -> py.expr:
        return self.constant(node.value)

    # ---- operators

    def unary(self, node: syntax.Unary) -> py.expr:
        x = self.expression(node.x)
        return self.negated(x) if node.operator == "not" else self.call("$unary" + node.operator, [x])

    def binary(self, node: syntax.Binary) -> py.expr:
        if node.operator in {"and", "or"}:
            return self.logical(node, node.operator)
        return self.call("$" + node.operator, [self.expression(node.x), self.expression(node.y)])

    def logical(self, node: syntax.Binary, operator: str) -> py.expr:
        # `a or b or c` is one list for Python.
        chain: list[Expression] = []
        left: Expression = node
        while isinstance(left, syntax.Binary) and left.operator == operator:
            chain.append(left.y)
            left = left.x
        values = [self.expression(part) for part in (left, *reversed(chain))]
        operation = py.Or() if operator == "or" else py.And()
        return py.BoolOp(operation, values, lineno=self.line, col_offset=0)

    def conditional(self, node: syntax.Conditional) -> py.expr:
        return self.choose(self.expression(node.test), self.expression(node.yes), self.expression(node.no))

    # ---- parts of values

    def attribute(self, node: syntax.Attribute) -> py.expr:
        return self.call("$attribute", [self.expression(node.x), self.constant(node.name)])

    def index(self, node: syntax.Index) -> py.expr:
        return self.call("$index", [self.expression(node.x), self.expression(node.key)])

    def slice(self, node: syntax.Slice) -> py.expr:
        parts = [self.constant(None) if p is None else self.expression(p) for p in (node.low, node.high, node.step)]
        return self.call("$cut", [self.expression(node.x), *parts])

    # ---- calls

    def call_(self, node: syntax.Call) -> py.expr:
        function = node.function
        if isinstance(function, syntax.Attribute):
            callee, receiver = self.method_of(function)
            args, keywords = self.arguments(node.arguments)
            return py.Call(callee, [*receiver, *args], keywords, lineno=self.line, col_offset=0)
        callee = self.callee(function)
        args, keywords = self.arguments(node.arguments)
        return py.Call(callee, args, keywords, lineno=self.line, col_offset=0)

    def method_of(self, node: syntax.Attribute) -> tuple[py.expr, list[py.expr]]:
        """The function to call for `x.name(...)`, and its leading arguments: x if `name` is a method."""
        x = self.expression(node.x)
        if node.name in LIKELY:
            return self.load("$late." + node.name), [x]
        return self.call("$attribute", [x, self.constant(node.name)]), []

    def callee(self, function: Expression) -> py.expr:
        scope = function.scope if isinstance(function, syntax.Name) else None
        if isinstance(function, syntax.Name) and scope is not None and scope.parent is None:
            instead = self.instead.get(function.name)
            if instead is not None:
                return self.load(instead)
        callee = self.expression(function)
        if isinstance(callee, (py.Constant, py.Tuple)):
            # Python would warn about such a call.
            return self.call("$same", [callee])
        return callee

    def arguments(self, arguments: Sequence[syntax.Argument]) -> tuple[list[py.expr], list[py.keyword]]:
        args: list[py.expr] = []
        keywords: list[py.keyword] = []
        for argument in arguments:
            value = self.expression(argument.value)
            if argument.star == "*":
                spread = self.call("$spread", [value])
                args.append(py.Starred(spread, LOAD, lineno=self.line, col_offset=0))
            elif argument.star == "**":
                keywords.append(self.keyword(None, self.call("$keywords", [value])))
            elif argument.name in NOT_VARIABLES:
                named = py.Dict([self.constant(argument.name)], [value], lineno=self.line, col_offset=0)
                keywords.append(self.keyword(None, named))
            elif argument.name:
                keywords.append(self.keyword(argument.name, value))
            else:
                args.append(value)
        return args, keywords

    def keyword(self, name: str | None, value: py.expr) -> py.keyword:
        return py.keyword(name, value, lineno=self.line, col_offset=0)

    def parameters(self, parameters: Sequence[syntax.Parameter]) -> py.arguments:
        args: list[py.arg] = []
        defaults: list[py.expr] = []
        named: list[py.arg] = []
        named_defaults: list[py.expr | None] = []
        star: py.arg | None = None
        double: py.arg | None = None
        after_star = False
        for parameter in parameters:
            arg = py.arg(parameter.name, lineno=self.line, col_offset=0)
            if parameter.star == "*":
                after_star = True
                if parameter.name:
                    star = arg
            elif parameter.star == "**":
                double = arg
            elif after_star:
                named.append(arg)
                named_defaults.append(None if parameter.default is None else self.expression(parameter.default))
            else:
                args.append(arg)
                if parameter.default is not None:
                    defaults.append(self.expression(parameter.default))
        return py.arguments([], args, star, named, named_defaults, double, defaults)

    def lambda_(self, node: syntax.Lambda) -> py.expr:
        arguments = self.parameters(node.parameters)
        body = self.lambda_body(node.body)
        for parameter in node.parameters:
            if parameter.star == "**":
                # A `def` does this in a statement: create a dict of the language, passed to an inner lambda.
                inner = py.arguments([], [py.arg(parameter.name, **self.at())], None, [], [], None, [])
                within = py.Lambda(inner, body, **self.at())
                made = self.call("$make_dict", [self.load(parameter.name)])
                body = py.Call(within, [made], [], lineno=NOWHERE, col_offset=0)
        return py.Lambda(arguments, body, **self.at())

    def lambda_body(self, node: Expression) -> py.expr:
        return self.expression(node)

    # ---- list and dict literals

    def tuple_display(self, node: syntax.TupleDisplay) -> py.expr:
        return self.tuple([self.expression(item) for item in node.items])

    def list_display(self, node: syntax.ListDisplay) -> py.expr:
        items = [self.expression(item) for item in node.items]
        return self.list_of(node, self.tuple(items)) if items else self.call("$List", [])

    def dict_display(self, node: syntax.DictDisplay) -> py.expr:
        if not node.entries:
            return self.call("$Dict", [])
        keys: list[py.expr | None] = []
        values: list[py.expr] = []
        for key, value in node.entries:
            keys.append(self.expression(key))
            values.append(self.expression(value))
        texts = {key.value for key in keys if isinstance(key, py.Constant) and type(key.value) is str}
        if len(texts) == len(keys):
            # No key is a bool, and keys are distinct.
            return self.call("$make_dict", [py.Dict(keys, values, lineno=self.line, col_offset=0)])
        return self.call("$pairs_dict", [part for pair in zip(keys, values, strict=True) for part in pair if part])

    def comprehension(self, node: syntax.Comprehension) -> py.expr:
        generators: list[py.comprehension] = []
        for place, clause in enumerate(node.clauses):
            self.generators(clause.target, self.iterable(clause.x, node, first=place == 0), generators)
            generators[-1].ifs = [self.expression(condition) for condition in clause.conditions]
        body = self.expression(node.body)
        if node.key is None:
            return self.list_of(node, py.ListComp(body, generators, lineno=self.line, col_offset=0))
        return self.dict_of(node.key, self.expression(node.key), body, generators)

    def list_of(self, _node: Expression, made: py.expr) -> py.expr:
        """The list of a literal or comprehension. made: Python's list, or a tuple of its items."""
        return self.call("$List", [made])

    def dict_of(self, _node: Expression, key: py.expr, value: py.expr, generators: list[py.comprehension]) -> py.expr:
        """The dict of a comprehension. Its keys may be bools."""
        made = py.ListComp(self.tuple([key, value]), generators, lineno=self.line, col_offset=0)
        return self.call("$Dict", [made])

    def iterable(self, x: Expression, _node: syntax.Comprehension, *, first: bool) -> py.expr:  # noqa: ARG002 - the optimizer asks
        """The iterable of a comprehension. The result of an inserted helper call is used directly."""
        iterated = self.expression(x)
        if isinstance(x, syntax.Call) and isinstance(x.function, syntax.Helper):
            return iterated
        return self.call("$hold", [iterated])

    def generators(self, target: Expression, x: py.expr, into: list[py.comprehension]) -> None:
        """The loops for `for target in x`. Nested targets become further loops, over one value each."""
        if isinstance(target, (syntax.TupleDisplay, syntax.ListDisplay)):
            whole = self.temp()
            into.append(py.comprehension(self.store(whole), x, [], 0))
            names = [variable(item.name) if isinstance(item, syntax.Name) else self.temp() for item in target.items]
            parts = self.unpacked(self.load(whole), len(names))
            single = py.List([parts], LOAD, lineno=self.line, col_offset=0)
            stored = py.Tuple([self.store(name) for name in names], STORE, lineno=self.line, col_offset=0)
            into.append(py.comprehension(stored, single, [], 0))
            for item, name in zip(target.items, names, strict=True):
                if not isinstance(item, syntax.Name):
                    one = py.List([self.load(name)], LOAD, lineno=self.line, col_offset=0)
                    self.generators(item, one, into)
        else:
            # An element or field as the variable of a comprehension, which cannot be used afterwards.
            name = variable(target.name) if isinstance(target, syntax.Name) else "$unused"
            into.append(py.comprehension(self.store(name), x, [], 0))

    def unpacked(self, value: py.expr, count: int) -> py.expr:
        """The elements of a value, for `count` variables."""
        return self.call("$unpack", [value, self.constant(count)])


EXPRESSIONS: Mapping[type, Rule] = {
    syntax.Attribute: ExpressionLowering.attribute,
    syntax.Binary: ExpressionLowering.binary,
    syntax.Call: ExpressionLowering.call_,
    syntax.Comprehension: ExpressionLowering.comprehension,
    syntax.Conditional: ExpressionLowering.conditional,
    syntax.DictDisplay: ExpressionLowering.dict_display,
    syntax.Helper: ExpressionLowering.helper,
    syntax.Index: ExpressionLowering.index,
    syntax.Lambda: ExpressionLowering.lambda_,
    syntax.ListDisplay: ExpressionLowering.list_display,
    syntax.Literal: ExpressionLowering.literal,
    syntax.Name: ExpressionLowering.name,
    syntax.Slice: ExpressionLowering.slice,
    syntax.TupleDisplay: ExpressionLowering.tuple_display,
    syntax.Unary: ExpressionLowering.unary,
}
