"""Lowers statements: one rule per type of syntax adds Python's statements to a list."""

from __future__ import annotations

import _ast as py

from plait.ytt.starlark import syntax
from plait.ytt.starlark.lower.emit import STORE, variable
from plait.ytt.starlark.lower.expressions import EXPRESSIONS, ExpressionLowering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol, TypeAlias

    from plait.ytt.starlark.lower.expressions import Rule
    from plait.ytt.starlark.program_parts import Slots, TemplateStatement
    from plait.ytt.starlark.syntax import Expression, Scope, Statement

    StatementRule: TypeAlias = Callable[..., None]

    class Hooks(Protocol):
        """Statements added to the module body and to every function that directly contains template statements.

        hosts: these template statements, in order. `returned` converts the value of a `return`, or None; before: the
        template statements above it. `dropped` handles a call whose result is unused.
        unused: as in the syntax tree.
        """

        def enter(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[py.stmt]: ...

        def leave(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[py.stmt]: ...

        def returned(
            self, value: py.expr | None, before: Sequence[TemplateStatement], hosts: Sequence[TemplateStatement]
        ) -> py.expr | None: ...

        def dropped(self, value: py.expr, line: int, unused: str) -> py.expr: ...


class Lowering(ExpressionLowering):
    """Lowers one program."""

    __slots__ = ("hooks", "hosts", "loops", "lowered", "statement_rules")

    def __init__(
        self,
        hooks: Hooks | None,
        *,
        rules: Mapping[type, Rule] = EXPRESSIONS,
        statement_rules: Mapping[type, StatementRule] | None = None,
    ) -> None:
        super().__init__(rules)
        self.statement_rules = STATEMENTS if statement_rules is None else statement_rules
        self.hooks = hooks
        self.loops = 0  # the loops that enclose the current statement
        # The template statements of the current function: all, and those so far.
        self.hosts: Sequence[TemplateStatement] = []
        self.lowered: list[TemplateStatement] = []

    def module(self, statements: Sequence[Statement], scope: Scope, tables: Sequence[py.stmt] = ()) -> py.Module:
        """A module that defines the function "<toplevel>", which returns the variables of the program.

        tables: definitions that must be executed first.
        """
        body: list[py.stmt] = []
        if self.hooks is not None:
            body += self.located(self.hooks.enter(scope.hosts, module=True), 1)
        self.block(statements, body)
        if self.hooks is not None:
            body += self.located(self.hooks.leave(scope.hosts, module=True), self.line)
        body.append(py.Return(self.call("$locals", []), **self.at()))
        self.line = 1
        function = py.FunctionDef("<toplevel>", py.arguments([], [], None, [], [], None, []), body, [], **self.at())
        names = self.set("$globals", self.constant(tuple(sorted(scope.bound))))
        return py.Module([*tables, *self.tables(), names, function], [])

    def tables(self) -> list[py.stmt]:
        """Statements that must be executed before the lowered code."""
        return []

    # ---- blocks

    def block(self, statements: Sequence[Statement], into: list[py.stmt]) -> None:
        for statement in statements:
            self.line = statement.line
            self.temps = 0
            self.statement_rules[type(statement)](self, statement, into)

    def suite(self, statements: Sequence[Statement]) -> list[py.stmt]:
        body: list[py.stmt] = []
        self.block(statements, body)
        return body or [py.Pass(**self.at())]

    def evaluate(self, node: syntax.Evaluate, into: list[py.stmt]) -> None:
        value = self.expression(node.value)
        if self.hooks is not None and (node.unused or node.calls or syntax.calls_program(node.value)):
            # The host may handle the unused result.
            value = self.hooks.dropped(value, node.line, node.unused)
        into += self.located([py.Expr(value)], self.line)

    def ready(self, node: syntax.Ready, into: list[py.stmt]) -> None:
        into += node.statements

    def if_(self, node: syntax.If, into: list[py.stmt]) -> None:
        at = self.at()
        test = self.expression(node.test)
        yes = self.suite(node.yes)
        no: list[py.stmt] = []
        self.block(node.no, no)
        into.append(py.If(test, yes, no, **at))

    def while_(self, node: syntax.While, into: list[py.stmt]) -> None:
        at = self.at()
        test = self.expression(node.test)
        into.append(py.While(test, self.suite(node.body), [], **at))

    def for_(self, node: syntax.For, into: list[py.stmt]) -> None:
        at = self.at()
        self.loops += 1
        number = self.loops
        iterated, locks = self.iterated(node.x)
        body: list[py.stmt] = []
        if isinstance(node.target, syntax.Name):
            target = self.store(variable(node.target.name))
        else:
            target = self.store(f"$each{number}")
            self.assign_to(node.target, self.load(f"$each{number}"), body)
        body += self.suite(node.body)
        self.line = node.line
        done: list[py.stmt] = []
        if locks:
            into.append(self.set(f"$loop{number}", iterated))
            iterated = self.load(f"$loop{number}")
            done.append(self.do(self.call("$finish", [iterated])))
        if _leaves(node.body):
            # Refunds the iterations that did not run.
            into.append(self.set(f"$rest{number}", self.call("$iter", [iterated])))
            iterated = self.load(f"$rest{number}")
            done.append(self.do(self.call("$refund", [iterated])))
        loop = py.For(target, iterated, body, [], **at)
        into.append(py.Try([loop], [], [], done, **at) if done else loop)
        self.loops -= 1

    def iterated(self, x: Expression) -> tuple[py.expr, bool]:
        """The iterable of a loop, and True if it is locked during the loop."""
        return self.call("$begin", [self.expression(x)]), True

    def branch(self, node: syntax.Branch, into: list[py.stmt]) -> None:
        into.append(py.Break(**self.at()) if node.word == "break" else py.Continue(**self.at()))

    # ---- assignments

    def assign(self, node: syntax.Assign, into: list[py.stmt]) -> None:
        if node.operator:
            self.augment(node, into)
        else:
            self.assign_to(node.target, self.expression(node.value), into)

    def augment(self, node: syntax.Assign, into: list[py.stmt]) -> None:
        """`target operator= value`."""
        target, line = node.target, node.line
        if isinstance(target, syntax.Name):
            into.append(self.set(variable(target.name), self.augmented(self.name(target), node)))
        elif isinstance(target, syntax.Index):
            x = self.evaluated(self.expression(target.x), into)
            key = self.evaluated(self.expression(target.key), into)
            value = self.augmented(self.call("$index", [x, key]), node)
            into.append(self.do(self.call("$set_index", [x, key, value])))
        elif isinstance(target, syntax.Attribute):
            x = self.evaluated(self.expression(target.x), into)
            value = self.augmented(self.call("$attribute", [x, self.constant(target.name)]), node)
            into.append(self.do(self.call("$set_attribute", [x, self.constant(target.name), value])))
        self.line = line

    def augmented(self, old: py.expr, node: syntax.Assign) -> py.expr:
        """`old operator value`. Only `+=` differs from its plain operator."""
        helper = "$+=" if node.operator == "+" else "$" + node.operator
        return self.call(helper, [old, self.expression(node.value)])

    def assign_to(self, target: Expression, value: py.expr, into: list[py.stmt]) -> None:
        """Assigns a value to a target of any type."""
        if isinstance(target, syntax.Name):
            into.append(self.set(variable(target.name), value))
        elif isinstance(target, syntax.Index):
            self.assign_item(target, value, into)
        elif isinstance(target, syntax.Attribute):
            x = self.expression(target.x)
            into.append(self.do(self.call("$set_attribute", [x, self.constant(target.name), value])))
        elif isinstance(target, (syntax.TupleDisplay, syntax.ListDisplay)):
            self.assign_each(target.items, value, into)

    def assign_item(self, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
        """`x[key] = value`. The value is evaluated first, as in ytt."""
        value = self.evaluated(value, into)
        x, key = self.expression(target.x), self.expression(target.key)
        into.append(self.do(self.call("$set_index", [x, key, value])))

    def assign_each(self, items: Sequence[Expression], value: py.expr, into: list[py.stmt]) -> None:
        """`a, b = value`: all parts are evaluated before the first target is assigned."""
        at = self.at()
        if not isinstance(value, py.Tuple) or len(value.elts) != len(items):
            value = self.unpacked(value, len(items))
        parts: list[py.expr] = []
        later: list[tuple[Expression, str]] = []
        for item in items:
            if isinstance(item, syntax.Name):
                parts.append(self.store(variable(item.name)))
            else:
                name = self.temp()
                parts.append(self.store(name))
                later.append((item, name))
        into.append(py.Assign([py.Tuple(parts, STORE, **at)], value, **at))
        for item, name in later:
            self.assign_to(item, self.load(name), into)

    # ---- functions

    def def_(self, node: syntax.Def, into: list[py.stmt]) -> None:
        at = self.at()
        arguments = self.parameters(node.parameters)
        outer = self.temps, self.loops, self.prefix, self.hosts, self.lowered
        self.temps, self.loops, self.prefix, self.hosts, self.lowered = 0, 0, "$", node.scope.hosts, []
        body = self.function_body(node)
        self.temps, self.loops, self.prefix, self.hosts, self.lowered = outer
        self.line = node.line
        into.append(py.FunctionDef(variable(node.name), arguments, body or [py.Pass(**at)], [], **at))

    def function_body(self, node: syntax.Def) -> list[py.stmt]:
        body: list[py.stmt] = []
        for parameter in node.parameters:
            if parameter.star == "**":
                body.append(self.set(parameter.name, self.call("$make_dict", [self.load(parameter.name)])))
        hosts = node.scope.hosts
        hooks = self.hooks if hosts else None
        if hooks is not None:
            body += self.located(hooks.enter(hosts, module=False), node.line)
        self.block(node.body, body)
        if hooks is not None:
            body += self.located(hooks.leave(hosts, module=False), self.line)
        return body

    def return_(self, node: syntax.Return, into: list[py.stmt]) -> None:
        value = None if node.value is None else self.expression(node.value)
        if self.hooks is not None and self.hosts:
            value = self.hooks.returned(value, self.lowered, self.hosts)
        into += self.located([py.Return(value)], self.line)

    # ---- other files, and the template layer

    def load_(self, node: syntax.Load, into: list[py.stmt]) -> None:
        path = self.constant(node.path)
        into.append(self.set("$module", self.call("$load", [path, self.constant(node.line)])))
        for here, there, line in node.names:
            self.line = line
            value = self.call("$pick", [self.load("$module"), self.constant(there), path])
            into.append(self.set(variable(here), value))

    def host(self, node: syntax.HostStatement, into: list[py.stmt]) -> None:
        values: Slots = []
        for slot in node.slots:
            values.append(self.arguments(slot) if isinstance(slot, list) else self.expression(slot))
        into += self.located(node.host.lower(values), node.line)
        self.lowered.append(node.host)


def _leaves(body: Sequence[Statement], *, inner: bool = False) -> bool:
    """True if a loop's body can leave the loop. inner: the statements are in a nested loop."""
    for node in body:
        if isinstance(node, syntax.Return) or (isinstance(node, syntax.Branch) and node.word == "break" and not inner):
            return True
        if isinstance(node, syntax.If):
            if _leaves(node.yes, inner=inner) or _leaves(node.no, inner=inner):
                return True
        elif isinstance(node, (syntax.For, syntax.While)) and _leaves(node.body, inner=True):
            return True
    return False


STATEMENTS: Mapping[type, StatementRule] = {
    syntax.Assign: Lowering.assign,
    syntax.Branch: Lowering.branch,
    syntax.Def: Lowering.def_,
    syntax.Evaluate: Lowering.evaluate,
    syntax.For: Lowering.for_,
    syntax.HostStatement: Lowering.host,
    syntax.If: Lowering.if_,
    syntax.Load: Lowering.load_,
    syntax.Ready: Lowering.ready,
    syntax.Return: Lowering.return_,
    syntax.While: Lowering.while_,
}
