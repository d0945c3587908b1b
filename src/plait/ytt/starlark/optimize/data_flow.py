"""Data flow: the arguments and results of functions, and the elements of lists.

`inferred_types` derives the type of an expression from its form alone. This module analyses the whole program, for two
facts:

- *Lists of one type.* All variables and values that may refer to the same list share a `Group`: the type of its elements.
Every stored value raises it. A list that escapes has an open group, about which nothing is known.
- *Functions called internally.* A function that is defined once at the top level, and called with arguments of known
types, is compiled twice: for these calls, and for unknown callers (`Flow.twice`).

All facts start at the bottom of the lattice and only rise, until a round changes nothing.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.optimize.escape_analysis import find_bare
from plait.ytt.starlark.optimize.expression_flow import ExpressionFlow
from plait.ytt.starlark.optimize.groups import Function, find
from plait.ytt.starlark.optimize.inferred_types import BOTTOM, TypeInference, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.ytt.starlark.syntax import Expression, Scope, Statement, Written

# Maximum number of rounds; a program that needs more is not optimized.
_MOST_ROUNDS = 30


def follow(scope: Scope, statements: Sequence[Statement]) -> Flow:
    """The facts about a program, with its internal calls followed."""
    flow = Flow(scope)
    once = syntax.written_once(scope)
    flow.functions = {
        node.name: Function(node)
        for node in statements
        if isinstance(node, syntax.Def) and node.name in once and _is_candidate(node)
    }
    while flow.settle(statements):
        if not flow.call_from_outside():
            flow.bare = find_bare(flow, statements)
            return flow
    return follow_apart(scope, statements)


def follow_apart(scope: Scope, statements: Sequence[Statement], outer: TypeInference | None = None) -> Flow:
    """The facts about a program, or about one of its functions, without following calls."""
    flow = Flow(scope, outer)
    if flow.settle(statements):
        flow.bare = find_bare(flow, statements)
    else:
        flow.forget()
    return flow


def _is_candidate(node: syntax.Def) -> bool:
    return (
        not node.scope.hosts
        and not any(parameter.star or parameter.default is not None for parameter in node.parameters)
        and not any(_defines(statement) for statement in node.body)
    )


def _defines(node: Statement) -> bool:
    if isinstance(node, syntax.Def):
        return True
    if isinstance(node, syntax.If):
        return any(map(_defines, node.yes)) or any(map(_defines, node.no))
    return isinstance(node, (syntax.For, syntax.While)) and any(map(_defines, node.body))


class Flow(ExpressionFlow):
    """One analysis, of a program, or of a function with its inner functions."""

    def __init__(self, scope: Scope, outer: TypeInference | None = None) -> None:
        super().__init__(scope, outer)
        self.function: Function | None = None  # the function whose body is being visited
        self.bare: set[Expression] = set()  # see `escape_analysis`

    def twice(self, function: Function) -> bool:
        """True if internal calls determine the types of a function's arguments."""
        kinds = self.variables[function.scope]
        return function.called and any(kinds[name] not in {"", BOTTOM} for name in function.parameters)

    def settle(self, statements: Sequence[Statement]) -> bool:
        """Analyses the program until nothing changes. Returns False if that takes too many rounds."""
        for _ in range(_MOST_ROUNDS):
            self.changed = False
            self.block(statements)
            self.raise_variables()
            if not self.changed:
                return True
        return False

    def call_from_outside(self) -> bool:
        """Adds calls from unknown callers. Returns True if they add facts.

        Two facts become unknown: the result of a function that has only one compiled version, and a parameter without a
        type, for which no call was reached.
        """
        self.changed = False
        for function in self.functions.values():
            if not self.twice(function):
                self.open(function.result)
            for name in function.parameters:
                if self.variables[function.scope][name] == BOTTOM:
                    self.raise_variable(function.scope, name, "")
        return self.changed

    def forget(self) -> None:
        """Discards all facts."""
        for scope in self.scopes:
            self.variables[scope] = dict.fromkeys(scope.bound, "")
            self.groups[scope] = {}
        self.made.clear()
        self.elements.clear()
        self.results.clear()
        self.functions = {}

    def raise_variables(self) -> None:
        """Raises the types of variables by the values assigned to them."""
        known = {function.scope: function for function in self.functions.values()}
        for scope in self.scopes:
            kinds = self.variables[scope]
            function = known.get(scope)
            # The first writes of a function are its parameters.
            skipped = len(function.parameters) if function is not None and function.called else 0
            for name, value in scope.writes[skipped:]:
                if kinds[name] != "":
                    self.raise_variable(scope, name, self.written(value))

    def written(self, value: Written) -> str:
        """The type of a value assigned to a variable."""
        if isinstance(value, syntax.Each):
            return self.element(value.x)
        return "" if value is None else self.of(value)

    # ---- statements

    def block(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            visit = _STATEMENTS.get(type(statement))
            if visit is not None:
                visit(self, statement)

    def assign(self, node: syntax.Assign) -> None:
        target, value = node.target, node.value
        self.visit(value)
        if node.operator:
            self.augment(target, node.operator, value)
        elif isinstance(target, syntax.Name):
            self.bind(target, value)
        elif isinstance(target, syntax.Index):
            self.visit(target.x)
            self.visit(target.key)
            self.store(self.group_of(target.x), value)
        else:
            self.escape(value)
            self.escape_elements(value)
            self.target(target)

    def bind(self, name: syntax.Name, value: Expression) -> None:
        kind = self.of(name)
        if BOTTOM in {kind, self.of(value)}:
            return
        if name.scope is not None and kind == "list" == self.of(value):
            self.pass_on(self.own_group(name.scope, name.name), value)
        else:
            self.escape(value)

    def augment(self, target: Expression, operator: str, value: Expression) -> None:
        self.visit(target)
        group = self.group_of(target.x if type(target) is syntax.Index else target)
        if type(target) is syntax.Name and self.of(target) == "list":
            if group is not None and operator == "+":
                self.take_elements(group, value)
            return
        self.escape_elements(value)
        if type(target) is syntax.Index and group is not None:
            self.raise_kind(group, self.of(syntax.Binary(operator, target, value, target.line)))
            self.open(find(group).inner)

    def evaluate(self, node: syntax.Evaluate) -> None:
        self.visit(node.value)

    def if_(self, node: syntax.If) -> None:
        self.visit(node.test)
        self.block(node.yes)
        self.block(node.no)

    def while_(self, node: syntax.While) -> None:
        self.visit(node.test)
        self.block(node.body)

    def for_(self, node: syntax.For) -> None:
        self.visit(node.x)
        self.each(node.target, node.x)
        self.block(node.body)

    def def_(self, node: syntax.Def) -> None:
        for parameter in node.parameters:
            if parameter.default is not None:
                self.visit(parameter.default)
                self.escape(parameter.default)
        outer = self.function, self.inside
        function = self.functions.get(node.name)
        self.function = function if function is not None and function.definition is node else None
        self.inside = True
        self.block(node.body)
        if self.function is not None and not (node.body and type(node.body[-1]) is syntax.Return):
            self.raise_result(self.function, "none")
        self.function, self.inside = outer

    def raise_result(self, function: Function, kind: str) -> None:
        new = join(function.kind, kind)
        if new != function.kind:
            function.kind = new
            self.changed = True
            if new != "list":
                self.open(function.result)

    def return_(self, node: syntax.Return) -> None:
        function = self.function
        value = node.value
        if value is not None:
            self.visit(value)
        if function is None:
            if value is not None:
                self.escape(value)
            return
        kind = "none" if value is None else self.of(value)
        self.raise_result(function, kind)
        if value is not None and kind != BOTTOM:
            if function.kind == "list":
                self.pass_on(function.result, value)
            else:
                self.escape(value)

    def host(self, node: syntax.HostStatement) -> None:
        for slot in node.slots:
            if isinstance(slot, list):
                self.arguments(slot)
            else:
                self.visit(slot)
                self.escape(slot)


_STATEMENTS: dict[type, Callable[..., None]] = {
    syntax.Assign: Flow.assign,
    syntax.Def: Flow.def_,
    syntax.Evaluate: Flow.evaluate,
    syntax.For: Flow.for_,
    syntax.HostStatement: Flow.host,
    syntax.If: Flow.if_,
    syntax.Return: Flow.return_,
    syntax.While: Flow.while_,
}
