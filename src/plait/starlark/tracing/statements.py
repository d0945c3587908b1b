"""Statements that give shadows to variables, and count for what happens under them."""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.compile import Compiler
from plait.starlark.compile.emit import LOAD, variable
from plait.starlark.compile.statements import STATEMENTS
from plait.starlark.tracing.functions import QuietCompiler, TracedFunctions
from plait.starlark.tracing.marks import Iterated, Tested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.starlark.syntax import Expression, Scope, Statement

_BRANCHING = frozenset({syntax.If, syntax.For, syntax.While})


class TracedCompiler(TracedFunctions):
    """A compiler whose programs say what they read."""

    __slots__ = ()

    def module(self, statements: list[Statement], scope: Scope) -> py.Module:
        self.scope = scope
        if self.closed.functions:
            self.quiet = QuietCompiler(self.hooks, self.closed, self.known, scope)
            self.quiet.sites = self.sites
        self.begins = True
        return super().module(statements, scope)

    def block(self, statements: list[Statement], into: list[py.stmt]) -> None:
        assert self.scope is not None
        outermost = not self.started
        begins, self.begins = self.begins, False
        if outermost:
            self.started = True
            into += self.shadows(self.scope)
        if begins and self.scope.hosts:
            self.window = self.fresh("w")
            into.append(self.set(self.window, self.call("$from.host", [])))
        for statement in statements:
            self.line = statement.line
            self.temps = 0
            kind = type(statement)
            own = _TRACED.get(kind)
            if kind in _BRANCHING:
                self.controlled = None
            if own is not None:
                own(self, statement, into)
            else:
                STATEMENTS[kind](self, statement, into)
            if kind in _BRANCHING:
                self.controlled = None
        if begins and self.scope.hosts:
            into.append(self.do("$from.shut", self.load(self.window)))
        if outermost:
            into.append(self.do("$from.exports", self.call("$locals", [])))

    def traced_assign(self, node: syntax.Assign, into: list[py.stmt]) -> None:
        target, value = node.target, node.value
        if not node.operator and type(target) is syntax.TupleDisplay and type(value) is syntax.TupleDisplay:
            names_only = all(type(item) is syntax.Name for item in target.items)
            if names_only and len(target.items) == len(value.items):
                self.assign_each(target.items, value.items, node.line, into)
                return
        if (
            not node.operator
            and type(target) is syntax.Index
            and type(target.x) is syntax.Name
            and target.x.scope is not None
        ):
            self.assign_item(target.x, target.key, value, node.line, into)
            return
        depth = self.fresh("d")
        into.append(self.set(depth, self.call("$from.open", [])))
        names: list[str] = []
        changed: list[syntax.Name] = []
        _targets(node.target, names, changed)
        if node.operator and type(node.target) is syntax.Name:
            into.append(py.Expr(self.expression(node.target), **self.at()))
        Compiler.assign(self, node, into)
        closed = self.call("$from.close", [self.load(depth), self.constant(node.line), *self.under()])
        made = self.fresh("s")
        into.append(self.set(made, closed))
        into += [self.set(f"$o.{name}", self.load(made)) for name in names]
        into += [self.do("$from.changed", Compiler.name(self, name), self.load(made)) for name in changed]

    def assign_item(
        self, name: syntax.Name, key: Expression | None, value: Expression, line: int, into: list[py.stmt]
    ) -> None:
        """`x[key] = value`, and `x.append(value)`, for which key is None: the other items have no part in it."""
        depth, kept, place, shadow = (self.fresh(kind) for kind in "dvps")
        x = Compiler.name(self, name)
        if key is None:
            into.append(py.Expr(x, **self.at()))  # it comes first: there may be no such variable yet
        into.append(self.set(depth, self.call("$from.open", [])))
        into.append(self.set(kept, self.expression(value)))
        into.append(self.set(place, self.constant(None) if key is None else self.expression(key)))
        closed = self.call("$from.close", [self.load(depth), self.constant(line), *self.under()])
        into.append(self.set(shadow, closed))
        if key is None:
            into.append(self.do("$late.append", x, self.load(kept)))
        else:
            into.append(self.do("$set_index", x, self.load(place), self.load(kept)))
        into.append(self.do("$from.stored", x, self.load(place), self.load(shadow)))

    def assign_each(self, targets: list[Expression], values: list[Expression], line: int, into: list[py.stmt]) -> None:
        """`x, y = a, b`: each variable has a shadow of its own."""
        made: list[tuple[str, str, str]] = []
        for target, value in zip(targets, values, strict=True):
            depth, kept, shadow = (self.fresh(kind) for kind in "dvs")
            into.append(self.set(depth, self.call("$from.open", [])))
            into.append(self.set(kept, self.expression(value)))
            closed = self.call("$from.close", [self.load(depth), self.constant(line), *self.under()])
            into.append(self.set(shadow, closed))
            made.append((target.name, kept, shadow))  # type: ignore[union-attr]
        for name, kept, shadow in made:
            into.append(self.set(variable(name), self.load(kept)))
            into.append(self.set(f"$o.{name}", self.load(shadow)))

    def traced_evaluate(self, node: syntax.Evaluate, into: list[py.stmt]) -> None:
        call = node.value
        if type(call) is syntax.Call and type(call.function) is syntax.Attribute and call.function.name == "append":
            name, arguments = call.function.x, call.arguments
            plain = len(arguments) == 1 and not arguments[0].name and not arguments[0].star
            if plain and type(name) is syntax.Name and name.scope is not None:
                self.assign_item(name, None, arguments[0].value, node.line, into)
                return
        if self.scope is not None and self.scope.hosts:
            self.say_controls(into)  # the call may act on a node
        depth = self.fresh("d")
        into.append(self.set(depth, self.call("$from.open", [])))
        into.append(self.dropped(node))
        closed = self.call("$from.close", [self.load(depth), self.constant(node.line), *self.under()])
        root = _receiver(node.value)
        if root is None:
            into.append(py.Expr(closed, **self.at()))
        else:
            into.append(self.do("$from.changed", Compiler.name(self, root), closed))

    def traced_if(self, node: syntax.If, into: list[py.stmt]) -> None:
        at = self.at()
        control = self.fresh("k")
        test = self.condition(node.test)
        noted = self.call("$from.tested", [self.constant(node.line)])
        outer_leaves, self.leaves = self.leaves, False
        self.controls.append(control)
        yes: list[py.stmt] = [py.Assign([self.store(control)], noted, **at)]
        self.block(node.yes, yes)
        self.controlled = None
        no: list[py.stmt] = [py.Assign([self.store(control)], noted, **at)]
        self.block(node.no, no)
        into.append(py.If(test, yes, no, **at))
        if not self.leaves:
            self.controls.remove(control)
        self.leaves = self.leaves or outer_leaves
        self.line = node.line

    def traced_while(self, node: syntax.While, into: list[py.stmt]) -> None:
        control = self.fresh("k")
        into.append(self.set(control, self.nothing()))
        self.prelude = [self.set(control, self.call("$from.tested", [self.constant(node.line)]))]
        self.controls.append(control)
        Compiler.while_(self, syntax.While(Tested(node.test), node.body, node.line), into)  # type: ignore[arg-type]

    def traced_for(self, node: syntax.For, into: list[py.stmt]) -> None:
        at = self.at()
        depth, control, loop = (self.fresh(kind) for kind in "dki")
        into.append(self.set(depth, self.call("$from.open", [])))
        names: list[str] = []
        changed: list[syntax.Name] = []
        _targets(node.target, names, changed)
        made = self.fresh("s")
        step = py.Call(py.Attribute(self.load(loop), "step", LOAD, **at), [], [], **at)
        self.prelude = [
            self.set(control, py.Attribute(self.load(loop), "control", LOAD, **at)),
            self.set(made, step),
            *(self.set(f"$o.{name}", shadow) for name, shadow in self.element_shadows(node.target, names, loop, made)),
        ]
        iterated = Iterated(node.x, depth, loop)
        self.looping.append(control)
        Compiler.for_(self, syntax.For(node.target, iterated, node.body, node.line), into)  # type: ignore[arg-type]

    def element_shadows(self, target: Expression, names: list[str], loop: str, made: str) -> list[tuple[str, py.expr]]:
        """The variables of a loop, each with the shadow of its part of the element."""
        if type(target) is not syntax.TupleDisplay or not all(type(item) is syntax.Name for item in target.items):
            return [(name, self.load(made)) for name in names]
        found: list[tuple[str, py.expr]] = []
        for number, name in enumerate(names):
            method = py.Attribute(self.load(loop), "part", LOAD, **self.at())
            found.append((name, py.Call(method, [self.constant(number), self.load(made)], [], **self.at())))
        return found

    def suite(self, statements: list[Statement]) -> list[py.stmt]:
        prelude, self.prelude = self.prelude, []
        if self.looping:
            control = self.looping.pop()
            self.controls.append(control)
            body = super().suite(statements)
            self.controls.remove(control)
        else:
            body = super().suite(statements)
        return prelude + body

    def traced_branch(self, node: syntax.Branch, into: list[py.stmt]) -> None:
        self.leaves = True
        Compiler.branch(self, node, into)

    def traced_load(self, node: syntax.Load, into: list[py.stmt]) -> None:
        Compiler.load_(self, node, into)
        for here, there, _ in node.names:
            value = self.call("$from.loaded", [self.constant(there), self.load(variable(here))])
            into.append(self.set(f"$o.{here}", value))

    def say_controls(self, into: list[py.stmt]) -> None:
        """Have the window of the function's host statements know what the next statement runs under."""
        if self.controlled != self.controls:
            into.append(self.do("$from.under", *self.under()))
            self.controlled = [*self.controls]

    def traced_host(self, node: syntax.HostStatement, into: list[py.stmt]) -> None:
        self.say_controls(into)
        values: list[py.expr | tuple[list[py.expr], list[py.keyword]]] = []
        for slot in node.slots:
            if type(slot) is list:
                values.append(self.arguments(slot))
            else:
                self.line = slot.line  # type: ignore[union-attr]
                values.append(self.call("$from.hole", [self.expression(slot)]))  # type: ignore[arg-type]
                self.line = node.line
        into += self.located(node.host.lower(values), node.line)
        self.lowered.append(node.host)


def _targets(target: Expression, names: list[str], changed: list[syntax.Name]) -> None:
    """The variables that an assignment sets, and those whose values it changes."""
    if type(target) is syntax.Name:
        names.append(target.name)
    elif type(target) is syntax.TupleDisplay or type(target) is syntax.ListDisplay:
        for item in target.items:
            _targets(item, names, changed)
    else:
        root = _root(target)
        if root is not None:
            changed.append(root)


def _root(node: object) -> syntax.Name | None:
    """The variable that `x.a[0].b` begins with."""
    while type(node) is syntax.Index or type(node) is syntax.Attribute:
        node = node.x
    return node if type(node) is syntax.Name and node.scope is not None else None


def _receiver(node: Expression) -> syntax.Name | None:
    """The variable that `x.append(...)` changes, as far as one can tell."""
    if type(node) is syntax.Call and type(node.function) is syntax.Attribute:
        return _root(node.function.x)
    return None


_TRACED: dict[type, Callable[..., None]] = {
    syntax.Assign: TracedCompiler.traced_assign,
    syntax.Branch: TracedCompiler.traced_branch,
    syntax.Def: TracedCompiler.traced_def,
    syntax.Evaluate: TracedCompiler.traced_evaluate,
    syntax.For: TracedCompiler.traced_for,
    syntax.HostStatement: TracedCompiler.traced_host,
    syntax.If: TracedCompiler.traced_if,
    syntax.Load: TracedCompiler.traced_load,
    syntax.Return: TracedCompiler.traced_return,
    syntax.While: TracedCompiler.traced_while,
}
