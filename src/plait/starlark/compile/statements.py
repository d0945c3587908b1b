"""Statements: blocks, loops, functions, loading, and the statements of the template layer."""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.compile.assignments import Assignments
from plait.starlark.compile.calls import calls_out
from plait.starlark.compile.displays import range_in_loop
from plait.starlark.compile.emit import AN_UNKNOWN_METHOD, LOAD, variable
from plait.starlark.compile.flow import follow_apart
from plait.starlark.compile.kinds import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.starlark.syntax import Expression, Statement


# The body of a loop is one step if it has no more than so many names, constants and calls; else so many are a step.
_MUCH = 160
_A_STEP = 6
_A_HOST_STATEMENT = 8  # steps


class Statements(Assignments):
    """Lowers statements; each method adds Python's to a list."""

    def block(self, statements: list[Statement], into: list[py.stmt]) -> None:
        for statement in statements:
            self.line = statement.line
            self.temps = 0
            STATEMENTS[type(statement)](self, statement, into)

    def suite(self, statements: list[Statement]) -> list[py.stmt]:
        body: list[py.stmt] = []
        self.block(statements, body)
        return body or [py.Pass(**self.at())]

    def evaluate(self, node: syntax.Evaluate, into: list[py.stmt]) -> None:
        value = node.value
        if self.hot and type(value) is syntax.Call and type(value.function) is syntax.Attribute:
            receiver, arguments = value.function.x, value.arguments
            plain = len(arguments) == 1 and not arguments[0].name and not arguments[0].star
            if value.function.name == "append" and plain:
                kind = kind_of(receiver)
                if kind == "list" and type(receiver) is syntax.Name:
                    self.append(receiver, arguments[0].value, into)
                    return
                if kind == "":
                    self.line = value.line
                    self.append_to_unknown(receiver, arguments[0].value, into)
                    return
        into.append(self.dropped(node))

    def dropped(self, node: syntax.Evaluate) -> py.stmt:
        """An expression whose value nobody takes; of a function of the program, the host may want to see it."""
        value, call = self.expression(node.value), node.value
        function = call.function if type(call) is syntax.Call else None
        if self.hooks is not None and type(function) is syntax.Name and function.scope is not None:
            value = self.hooks.dropped(value, node.line)
        return self.located([py.Expr(value)], self.line)[0]

    def append(self, receiver: syntax.Name, item: Expression, into: list[py.stmt]) -> None:
        """`x.append(item)` of a list of the program's own."""
        at = self.at()
        _, x = self.simple(self.name(receiver))
        value = self.kept(self.expression(item), into)
        method = py.Attribute(x(), "append", LOAD, **at)
        fast = py.Expr(py.Call(method, [value()], [], **at), **at)
        if self.unshared(receiver):
            into.append(fast)
            return
        slow = py.Expr(self.call("$m.append", [x(), value()]), **at)
        into.append(py.If(self.unlocked(x()), [fast], [slow], **at))

    def append_to_unknown(self, receiver: Expression, item: Expression, into: list[py.stmt]) -> None:
        """`x.append(item)` of what is a list more often than not."""
        at = self.at()
        first, second = self.expression(receiver), self.expression(item)
        made = self.made + AN_UNKNOWN_METHOD
        keep = self.held if type(second) in {py.Name, py.Constant} else self.kept
        x, value = keep(first, into), keep(second, into)
        test = self.both(self.is_type(x(), self.load("$List")), self.unlocked(x()))
        fast = py.Expr(py.Call(py.Attribute(x(), "append", LOAD, **at), [value()], [], **at), **at)
        slow = py.Expr(self.call("$late.append", [x(), value()]), **at)
        self.made = made
        into.append(py.If(test, [fast], [slow], **at))

    def if_(self, node: syntax.If, into: list[py.stmt]) -> None:
        at = self.at()
        test = self.expression(node.test)
        yes = self.suite(node.yes)
        no: list[py.stmt] = []
        self.block(node.no, no)
        into.append(py.If(test, yes, no, **at))

    def while_(self, node: syntax.While, into: list[py.stmt]) -> None:
        at = self.at()
        outer, self.hot = self.hot, True
        test = self.expression(node.test)
        before = self.made, self.hosts
        body = self.suite(node.body)
        self.line = node.line
        into.append(py.While(test, [self.step(), *self.more_steps(before), *body], [], **at))
        self.hot = outer

    def step(self) -> py.stmt:
        """What counts a step (see `budget`)."""
        return py.Expr(self.call("$turn", []), **self.at())

    def more_steps(self, before: tuple[int, int]) -> list[py.stmt]:
        """What counts further steps where much is done in one: `before` is what had been made before its body."""
        more = self.further(before)
        return [py.Expr(self.call("$spend", [self.constant(more)]), **self.at())] if more else []

    def further(self, before: tuple[int, int]) -> int:
        made, hosts = before
        size = self.made - made
        return (self.hosts - hosts) * _A_HOST_STATEMENT + (size // _A_STEP if size > _MUCH else 0)

    def for_(self, node: syntax.For, into: list[py.stmt]) -> None:
        at = self.at()
        x = node.x
        self.loops += 1
        name = f"$loop{self.loops}"
        over_range = range_in_loop(x)
        iterated = self.expression(x) if over_range is None else self.loop_range(over_range, x)
        outer, self.hot = self.hot, True
        body: list[py.stmt] = []
        if type(node.target) is syntax.Name:
            target = self.store(variable(node.target.name))
        else:
            target = self.store(f"$each{self.loops}")
            self.assign_to(node.target, self.load(f"$each{self.loops}"), body)
        before = self.made, self.hosts
        body += self.suite(node.body)
        self.hot = outer
        self.line = node.line
        left = _leaves(node.body)
        more = self.further(before)
        if more and left:
            body[:0] = self.more_steps(before)
        elif more and over_range is not None:
            iterated = self.call("$costly", [iterated, self.constant(more)])
        if over_range is not None and not left:
            into.append(py.For(target, iterated, body, [], **at))
            self.loops -= 1
            return
        done: list[py.stmt] = []
        if over_range is None:
            into.append(py.Assign([self.store(name)], self.call("$begin", [iterated]), **at))
            done.append(py.Expr(self.call("$finish", [self.load(name)]), **at))
            iterated = self.load(name)
            if more and not left:
                iterated = self.call("$costly", [iterated, self.constant(more)])
        if left:
            # What the loop paid for and does not iterate is given back.
            rest = f"$rest{self.loops}"
            into.append(py.Assign([self.store(rest)], self.call("$iter", [iterated]), **at))
            done.append(py.Expr(self.call("$refund", [self.load(rest)]), **at))
            iterated = self.load(rest)
        into.append(py.Try([py.For(target, iterated, body, [], **at)], [], [], done, **at))
        self.loops -= 1

    def def_(self, node: syntax.Def, into: list[py.stmt]) -> None:
        function = self.twice.get(node.name)
        if function is not None and function.definition is node:
            # First for calls from within, under a name of its own; then for all others.
            self.define(node, into)
            known = self.store(f"$f.{node.name}")
            into.append(py.Assign([known], self.load(variable(node.name)), **self.at()))
            follow_apart(node.scope, node.body)
            self.apart = True
            self.define(node, into)
            self.apart = False
        else:
            self.define(node, into)

    def define(self, node: syntax.Def, into: list[py.stmt]) -> None:
        at = self.at()
        arguments = self.parameters(node.parameters)
        outer = self.hot, self.walrus, self.temps, self.loops, self.prefix
        self.hot = self.walrus = True
        self.temps = self.loops = 0
        self.prefix = "$"
        body = self.prologue(node.parameters)
        if calls_out(node.scope):
            body.append(py.Expr(self.call("$begun", []), **self.at()))
        outer_scope, self.scope = self.scope, node.scope
        hosts = node.scope.hosts
        before = self.made, self.hosts
        start = len(body)
        hooks = self.hooks if hosts else None
        outer_hosts, self.lowered = self.lowered, []
        if hooks is not None:
            body += self.located(hooks.enter(hosts, module=False), node.line)
        self.block(node.body, body)
        if hooks is not None:
            body += self.located(hooks.leave(hosts, module=False), self.line)
        self.line = node.line
        body[start:start] = self.more_steps(before)
        self.hot, self.walrus, self.temps, self.loops, self.prefix = outer
        self.lowered = outer_hosts
        self.scope = outer_scope
        self.line = node.line
        into.append(py.FunctionDef(variable(node.name), arguments, body or [py.Pass(**at)], [], **at))

    def prologue(self, parameters: list[syntax.Parameter]) -> list[py.stmt]:
        body: list[py.stmt] = []
        for parameter in parameters:
            if parameter.star == "**":
                value = self.call("$make_dict", [self.load(parameter.name)])
                body.append(py.Assign([self.store(parameter.name)], value, **self.at()))
        return body

    def return_(self, node: syntax.Return, into: list[py.stmt]) -> None:
        value = None if node.value is None else self.expression(node.value)
        if self.hooks is not None and self.scope is not None and self.scope.hosts:
            value = self.hooks.returned(value, self.lowered, self.scope.hosts)
        into += self.located([py.Return(value)], self.line)

    def branch(self, node: syntax.Branch, into: list[py.stmt]) -> None:
        into.append(py.Break(**self.at()) if node.word == "break" else py.Continue(**self.at()))

    def load_(self, node: syntax.Load, into: list[py.stmt]) -> None:
        path = self.constant(node.path)
        module = self.call("$load", [path, self.constant(node.line)])
        into.append(py.Assign([self.store("$module")], module, **self.at()))
        for here, there, line in node.names:
            self.line = line
            value = self.call("$pick", [self.load("$module"), self.constant(there), path])
            into.append(py.Assign([self.store(variable(here))], value, **self.at()))

    def host(self, node: syntax.HostStatement, into: list[py.stmt]) -> None:
        values: list[py.expr | tuple[list[py.expr], list[py.keyword]]] = []
        for slot in node.slots:
            if type(slot) is list:
                values.append(self.arguments(slot))
            else:
                values.append(self.expression(slot))  # type: ignore[arg-type]
        into += self.located(node.host.lower(values), node.line)
        self.hosts += 1
        self.lowered.append(node.host)


def _leaves(body: list[Statement], inner: bool = False) -> bool:
    """Whether the body of a loop can leave it; `inner`: the statements stand in a loop within it."""
    for node in body:
        kind = type(node)
        if kind is syntax.Return or (kind is syntax.Branch and node.word == "break" and not inner):  # type: ignore[union-attr]
            return True
        if kind is syntax.If:
            if _leaves(node.yes, inner) or _leaves(node.no, inner):  # type: ignore[union-attr]
                return True
        elif (kind is syntax.For or kind is syntax.While) and _leaves(node.body, inner=True):  # type: ignore[union-attr]
            return True
    return False


STATEMENTS: dict[type, Callable[..., None]] = {
    syntax.Assign: Statements.assign,
    syntax.Branch: Statements.branch,
    syntax.Def: Statements.def_,
    syntax.Evaluate: Statements.evaluate,
    syntax.For: Statements.for_,
    syntax.HostStatement: Statements.host,
    syntax.If: Statements.if_,
    syntax.Load: Statements.load_,
    syntax.Return: Statements.return_,
    syntax.While: Statements.while_,
}
