"""Dataflow within expressions: values that are stored, only read, or leave the program.

`data_flow` follows the statements of a program and calls this module for their expressions.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.optimize.groups import Groups, find
from plait.ytt.starlark.optimize.inferred_types import BOTTOM
from plait.ytt.starlark.table.methods import METHODS
from plait.ytt.starlark.table.row import COPIES, EXTENDS, GIVES, KEEPS, LOOKS, SHARES, STORES
from plait.ytt.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.ytt.starlark.optimize.groups import Function
    from plait.ytt.starlark.optimize.inferred_types import TypeInference
    from plait.ytt.starlark.syntax import Expression, Scope


class ExpressionFlow(Groups):
    """Analyses expressions. inside: True if they are inside a function."""

    def __init__(self, scope: Scope, outer: TypeInference | None = None) -> None:
        super().__init__(scope, outer)
        self.inside = scope.parent is not None

    def visit(self, node: Expression) -> None:
        visit = _EXPRESSIONS.get(type(node))
        if visit is not None:
            visit(self, node)

    def name(self, node: syntax.Name) -> None:
        if self.inside and node.scope is not None and node.scope.parent is None:
            # Variables of the program that functions use: unknown callers may read them.
            self.open(self.group_of(node))

    def unary(self, node: syntax.Unary) -> None:
        self.visit(node.x)

    def binary(self, node: syntax.Binary) -> None:
        self.visit(node.x)
        self.visit(node.y)
        operator = node.operator
        if operator in {"and", "or"}:
            self.escape(node.x)
            self.escape(node.y)
        elif operator in {"+", "*"} and self.of(node) == "list":
            group = self.make(node)
            for side in (node.x, node.y):
                if self.of(side) not in {"int", "small"}:
                    self.take_elements(group, side)

    def conditional(self, node: syntax.Conditional) -> None:
        self.visit(node.test)
        self.visit(node.yes)
        self.visit(node.no)
        self.escape(node)

    def lambda_(self, node: syntax.Lambda) -> None:
        for parameter in node.parameters:
            if parameter.default is not None:
                self.visit(parameter.default)
                self.escape(parameter.default)
        outer, self.inside = self.inside, True
        self.visit(node.body)
        self.escape(node.body)
        self.inside = outer

    def attribute(self, node: syntax.Attribute) -> None:
        self.visit(node.x)
        self.escape(node.x)

    def index(self, node: syntax.Index) -> None:
        self.visit(node.x)
        self.visit(node.key)
        kind = self.of(node.x)
        group = self.group_of(node.x) if kind == "list" else None
        self.elements[node] = BOTTOM if kind == BOTTOM else "" if group is None else find(group).kind

    def slice(self, node: syntax.Slice) -> None:
        for part in (node.x, node.low, node.high, node.step):
            if part is not None:
                self.visit(part)
        if self.of(node.x) == "list":
            self.take_elements(self.make(node), node.x)

    def items(self, node: syntax.TupleDisplay) -> None:
        for item in node.items:
            self.visit(item)
            self.escape(item)

    def list_display(self, node: syntax.ListDisplay) -> None:
        group = self.make(node)
        for item in node.items:
            self.visit(item)
            self.store(group, item)

    def dict_display(self, node: syntax.DictDisplay) -> None:
        for entry in node.entries:
            for part in entry:
                self.visit(part)
                self.escape(part)

    def comprehension(self, node: syntax.Comprehension) -> None:
        for clause in node.clauses:
            self.visit(clause.x)
            self.each(clause.target, clause.x)
            for condition in clause.conditions:
                self.visit(condition)
        self.visit(node.body)
        if node.key is None:
            self.store(self.make(node), node.body)
        else:
            self.visit(node.key)
            self.escape(node.key)
            self.escape(node.body)

    # ---- calls

    def call(self, node: syntax.Call) -> None:
        callee = node.function
        function = self.called(node)
        if function is not None:
            self.call_known(node, function)
        elif type(callee) is syntax.Name and callee.scope is None:
            self.call_universal(node, callee.name)
        elif type(callee) is syntax.Attribute:
            self.visit(callee.x)
            self.call_method(node, callee)
        else:
            self.visit(callee)
            self.arguments(node.arguments)

    def arguments(self, arguments: Sequence[syntax.Argument]) -> None:
        """Records arguments that are passed to an unknown function."""
        for argument in arguments:
            self.visit(argument.value)
            self.escape(argument.value)
            if argument.star:
                self.escape_elements(argument.value)

    def read(self, arguments: Sequence[syntax.Argument]) -> None:
        """Records arguments that are only read."""
        for argument in arguments:
            self.visit(argument.value)
            if argument.star:
                self.escape_elements(argument.value)

    def call_known(self, node: syntax.Call, function: Function) -> None:
        function.called = True
        scope = function.scope
        for name, argument in zip(function.parameters, node.arguments, strict=True):
            value = argument.value
            self.visit(value)
            kind = self.of(value)
            if kind == BOTTOM:
                continue
            if self.variables[scope][name] != "":
                self.raise_variable(scope, name, kind)
            if self.variables[scope][name] == "list":
                self.pass_on(self.own_group(scope, name), value)
            else:
                self.escape(value)
        self.results[node] = function.kind

    def call_universal(self, node: syntax.Call, name: str) -> None:
        arguments = node.arguments
        row = UNIVERSAL.get(name)
        effect = KEEPS if row is None else row.effect
        if effect == LOOKS:
            self.read(arguments)
            return
        for argument in arguments:
            self.visit(argument.value)
        if effect == COPIES:
            group = self.make(node)
            if not arguments or arguments[0].star or arguments[0].name:
                self.open(group)
            else:
                self.take_elements(group, arguments[0].value)
            arguments = arguments[1:]
            if arguments and node.arguments[0] is not arguments[0]:
                # The key function is called with the elements.
                self.escape_elements(node.arguments[0].value)
        elif effect == SHARES and (name not in {"min", "max"} or len(arguments) == 1):
            for argument in arguments:
                self.escape_elements(argument.value)
            return
        for argument in arguments:
            self.escape(argument.value)
            self.escape_elements(argument.value)

    def call_method(self, node: syntax.Call, method: syntax.Attribute) -> None:
        kind, name = self.of(method.x), method.name
        if kind == "str":
            self.read(node.arguments)
            if self.of(node) == "list":
                self.raise_kind(self.make(node), "str")
            return
        values = [argument.value for argument in node.arguments if not argument.star and not argument.name]
        group = self.group_of(method.x)
        plain = len(values) == len(node.arguments)
        row = METHODS[List].get(name)
        effect = KEEPS if row is None else row.effect
        plain = plain and row is not None and row.fits(len(values))
        if group is not None and plain and effect == STORES:
            for value in values:
                self.visit(value)
            self.store(group, values[-1])
        elif group is not None and plain and effect == EXTENDS:
            self.visit(values[0])
            self.take_elements(group, values[0])
        elif kind == BOTTOM:
            # Not yet known to be a list: a later round finds that, or the call is never reached.
            for argument in node.arguments:
                self.visit(argument.value)
        else:
            self.arguments(node.arguments)
            if effect == GIVES:
                self.escape_elements(method.x)
            else:
                self.escape(method.x)

    # ---- assignments

    def target(self, node: Expression) -> None:
        """Records targets that receive unknown values."""
        if isinstance(node, (syntax.TupleDisplay, syntax.ListDisplay)):
            for item in node.items:
                self.target(item)
        elif isinstance(node, syntax.Index):
            self.visit(node.x)
            self.visit(node.key)
            self.open(self.group_of(node.x))
        elif isinstance(node, syntax.Attribute):
            self.visit(node.x)
        elif isinstance(node, syntax.Name):
            self.open(self.group_of(node))

    def each(self, target: Expression, x: Expression) -> None:
        """Records that the elements of x are assigned to the target in turn."""
        looped = self.group_of(x)
        if looped is not None and not find(looped).looped:
            find(looped).looped = self.changed = True
        if type(target) is not syntax.Name:
            self.escape_elements(x)
            self.target(target)
            return
        group = self.group_of(x)
        scope = target.scope
        if scope is not None and self.of(target) == "list":
            own = self.own_group(scope, target.name)
            if group is None:
                self.open(own)
            else:
                self.unify(own, self.inner(group))
        elif scope is not None and self.of(target) != BOTTOM:
            self.escape_elements(x)


_EXPRESSIONS: dict[type, Callable[..., None]] = {
    syntax.Attribute: ExpressionFlow.attribute,
    syntax.Binary: ExpressionFlow.binary,
    syntax.Call: ExpressionFlow.call,
    syntax.Comprehension: ExpressionFlow.comprehension,
    syntax.Conditional: ExpressionFlow.conditional,
    syntax.DictDisplay: ExpressionFlow.dict_display,
    syntax.Index: ExpressionFlow.index,
    syntax.Lambda: ExpressionFlow.lambda_,
    syntax.ListDisplay: ExpressionFlow.list_display,
    syntax.Name: ExpressionFlow.name,
    syntax.Slice: ExpressionFlow.slice,
    syntax.TupleDisplay: ExpressionFlow.items,
    syntax.Unary: ExpressionFlow.unary,
}
