"""Finds lists that do not escape from compiled code. They need no lock and can be Python lists, which are faster.

`data_flow` has determined how lists are passed. This module visits the program once more with the operations that need
no helper: storing a list in a variable of a function or in another bare list, passing it to or returning it from an
internally called function, reading or setting an item by an int, appending, measuring, joining. A list used in any
other way is not bare, nor are lists of its group. A bare list is created by a literal, a comprehension, `x * n`,
`list(x)` or `x.split(y)`.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.optimize.groups import find
from plait.ytt.starlark.optimize.inferred_types import INTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.ytt.starlark.optimize.groups import Group, Groups
    from plait.ytt.starlark.syntax import Expression, Scope, Statement


def find_bare(flow: Groups, statements: Sequence[Statement]) -> set[Expression]:
    """The expressions that create bare lists. statements: the analysed ones."""
    visitor = _Visitor(flow)
    visitor.visit(statements)
    return {node for node in visitor.makers if visitor.is_bare(flow.group_of(node))}


class _Visitor:
    """Records the expressions that create lists, and the groups of lists (see `groups`) that leave compiled code."""

    def __init__(self, flow: Groups) -> None:
        self.flow = flow
        self.makers: list[Expression] = []
        self.met: set[Group] = set()
        # The current function; None in the program itself, which runs once and uses helpers.
        self.function: Scope | None = flow.program if flow.program.parent is not None else None
        self.iterated = False  # in the iterable of a comprehension, where no statements can be inserted

    def is_bare(self, group: Group | None) -> bool:
        if group is None:
            return False
        group = find(group)
        return not group.open and not group.looped and group not in self.met

    def visit(self, node: object, *, alone: bool = False) -> None:
        """Visits one or several nodes. alone: the value is used without helpers."""
        if isinstance(node, (list, tuple)):
            for part in node:
                self.visit(part)
            return
        if type(node) not in _NODES:
            return
        if self.flow.of(node) == "list" and not (alone and self.function is not None and self.is_ours(node)):  # type: ignore[arg-type]
            self.meet(node)  # type: ignore[arg-type]
        rule = _RULES.get(type(node))
        if rule is not None:
            rule(self, node)
            return
        for name in type(node).__slots__:  # type: ignore[attr-defined]
            self.visit(getattr(node, name))

    def meet(self, node: Expression) -> None:
        """Records that a list and its elements leave compiled code."""
        group = self.flow.group_of(node)
        while group is not None and (group := find(group)) not in self.met:
            self.met.add(group)
            group = group.inner

    def is_ours(self, node: Expression) -> bool:
        """True if a list expression can return a bare list."""
        if isinstance(node, syntax.Name):
            return self.owns(node)
        if isinstance(node, syntax.Call):
            return self.flow.called(node) is not None or self.copies(node)
        if isinstance(node, syntax.Binary):
            return node.operator == "*"
        return isinstance(node, (syntax.Index, syntax.ListDisplay, syntax.Comprehension))

    def owns(self, name: syntax.Name) -> bool:
        """True if a name is a variable of the current function."""
        scope = name.scope
        while scope is not None and scope.is_comprehension:
            scope = scope.parent
        return scope is not None and scope is self.function

    def copies(self, node: syntax.Call) -> bool:
        """True if a call is `list(x)`, or `x.split(y)` of a string."""
        function = node.function
        if isinstance(function, syntax.Attribute):
            return function.name == "split" and self.flow.of(function.x) == "str" and _is_plain(node)
        return (
            isinstance(function, syntax.Name) and function.scope is None and function.name == "list" and _is_plain(node)
        )

    # ---- statements

    def assign(self, node: syntax.Assign) -> None:
        target, value = node.target, node.value
        if not node.operator and isinstance(target, syntax.Name):
            self.visit(value, alone=self.owns(target))
        elif not node.operator and isinstance(target, syntax.Index) and isinstance(target.x, syntax.Name):
            by_int = self.flow.of(target.key) in INTS
            self.visit(target.x, alone=by_int)
            self.visit(target.key)
            self.visit(value, alone=by_int)
        else:
            self.visit(target)
            self.visit(value)

    def evaluate(self, node: syntax.Evaluate) -> None:
        call = node.value
        if isinstance(call, syntax.Call) and isinstance(call.function, syntax.Attribute) and _is_plain(call):
            method, [argument] = call.function, call.arguments
            if method.name == "append" and isinstance(method.x, syntax.Name) and self.flow.of(method.x) == "list":
                self.visit(method.x, alone=True)
                self.visit(argument.value, alone=True)
                return
        self.visit(call)

    def return_(self, node: syntax.Return) -> None:
        self.visit(node.value, alone=True)

    def function_(self, node: syntax.Def | syntax.Lambda) -> None:
        self.visit(node.parameters)
        outer, self.function = self.function, node.scope
        self.visit(node.body)
        self.function = outer

    # ---- expressions

    def index(self, node: syntax.Index) -> None:
        self.visit(node.x, alone=not self.iterated and self.flow.of(node.key) in INTS)
        self.visit(node.key)

    def binary(self, node: syntax.Binary) -> None:
        if node.operator == "*":
            self.makers.append(node)
        self.visit(node.x)
        self.visit(node.y)

    def call(self, node: syntax.Call) -> None:
        if self.copies(node):
            self.makers.append(node)
        self.visit(node.function)
        alone = self.flow.called(node) is not None or _measures(node)
        for argument in node.arguments:
            self.visit(argument.value, alone=alone)

    def display(self, node: syntax.ListDisplay) -> None:
        self.makers.append(node)
        for item in node.items:
            self.visit(item, alone=True)

    def comprehension(self, node: syntax.Comprehension) -> None:
        self.makers.append(node)
        for clause in node.clauses:
            outer, self.iterated = self.iterated, True
            self.visit(clause.x)
            self.iterated = outer
            self.visit(clause.target)
            self.visit(clause.conditions)
        self.visit(node.key)
        self.visit(node.body, alone=node.key is None)


def _is_plain(call: syntax.Call) -> bool:
    """True if a call has exactly one argument, by position."""
    return len(call.arguments) == 1 and not call.arguments[0].name and not call.arguments[0].star


def _measures(node: syntax.Call) -> bool:
    """True if a call only reads its argument: `len(x)`, `"-".join(x)`."""
    function = node.function
    if isinstance(function, syntax.Attribute):
        known = function.name == "join" and isinstance(function.x, syntax.Literal)
    else:
        known = isinstance(function, syntax.Name) and function.scope is None and function.name == "len"
    return known and _is_plain(node)


_RULES: dict[type, Callable[..., None]] = {
    syntax.Assign: _Visitor.assign,
    syntax.Binary: _Visitor.binary,
    syntax.Call: _Visitor.call,
    syntax.Comprehension: _Visitor.comprehension,
    syntax.Def: _Visitor.function_,
    syntax.Evaluate: _Visitor.evaluate,
    syntax.Index: _Visitor.index,
    syntax.Lambda: _Visitor.function_,
    syntax.ListDisplay: _Visitor.display,
    syntax.Return: _Visitor.return_,
}
# Nodes whose parts are expressions; other nodes need no rule.
_NODES = frozenset(_RULES) | {
    syntax.Argument,
    syntax.Attribute,
    syntax.Conditional,
    syntax.DictDisplay,
    syntax.For,
    syntax.HostStatement,
    syntax.If,
    syntax.Name,
    syntax.Parameter,
    syntax.Slice,
    syntax.TupleDisplay,
    syntax.Unary,
    syntax.While,
}
