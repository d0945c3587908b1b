"""Functions that take over the shadows of their arguments; those that only compute, also without a word."""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.compile import Compiler
from plait.starlark.compile.emit import LOAD, variable
from plait.starlark.compile.flow import follow_apart
from plait.starlark.tracing.expressions import TracedExpressions, parameters_of
from plait.starlark.tracing.marks import Ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.starlark.compile.emit import Hooks
    from plait.starlark.compile.shapes import Function
    from plait.starlark.syntax import Expression, Scope
    from plait.starlark.tracing.quiet import Closed

# Where the frame of a call that no program wrote is: no error tells of it (see `faults`).
_NOWHERE = 0


class QuietCompiler(Compiler):
    """Compiles closed functions, which call each other without a word."""

    bare_lists = False

    __slots__ = ("closed", "program")

    def __init__(self, hooks: Hooks | None, closed: Closed, twice: Mapping[str, Function], program: Scope) -> None:
        super().__init__(hooks, twice)
        self.closed = closed
        self.program = program

    def call_(self, node: syntax.Call) -> py.expr:
        name = node.function
        if (
            type(name) is syntax.Name
            and name.scope is self.program
            and name.name in self.closed.functions
            and not self.knows(node)
        ):
            args, keywords = self.arguments(node.arguments)
            twin = ("$q." if name.name in self.twice else "$f.") + name.name
            return py.Call(self.load(twin), args, keywords, **self.at())
        return super().call_(node)


class TracedFunctions(TracedExpressions):
    """Lowers functions."""

    __slots__ = ()

    def traced_def(self, node: syntax.Def, into: list[py.stmt]) -> None:
        found = self.closed.functions.get(node.name)
        if found is not None and found[0] is node:
            assert self.quiet is not None
            self.quiet.line = node.line
            self.quiet.def_(node, into)
            name = "$q." if node.name in self.known else "$f."
            into.append(self.set(name + node.name, self.load(variable(node.name))))
            defining = (name + node.name, found[1], found[2])
        else:
            defining = None
            if node.name in self.known:
                follow_apart(node.scope, node.body)
        parameters = [self.with_default(parameter, node.line, into) for parameter in node.parameters]
        outer = self.controls, self.scope, self.leaves, self.window, self.controlled, self.prelude, self.looping
        self.controls, self.scope, self.leaves, self.window, self.controlled = [], node.scope, False, "", []
        self.prelude, self.looping = [], []
        self.defining = defining
        Compiler.def_(self, syntax.Def(node.name, parameters, node.body, node.scope, node.line), into)
        self.controls, self.scope, self.leaves, self.window, self.controlled, self.prelude, self.looping = outer
        if defining is not None:
            into.append(self.do("$from.closed", self.load(variable(node.name))))

    def with_default(self, parameter: syntax.Parameter, line: int, into: list[py.stmt]) -> syntax.Parameter:
        """A parameter whose default is evaluated before, with a shadow."""
        default = parameter.default
        if default is None or type(default) is syntax.Literal:
            return parameter
        depth, kept, shadow = (self.fresh(kind) for kind in "dvs")
        into.append(self.set(depth, self.call("$from.open", [])))
        into.append(self.set(kept, self.expression(default)))
        closed = self.call("$from.close", [self.load(depth), self.constant(line), *self.under()])
        into.append(self.set(shadow, closed))
        self.defaults[parameter.name] = shadow
        ready: Expression = Ready(kept, line)  # type: ignore[assignment]
        return syntax.Parameter(parameter.name, ready, parameter.star, parameter.line)

    def prologue(self, parameters: list[syntax.Parameter]) -> list[py.stmt]:
        assert self.scope is not None
        defaults, self.defaults = self.defaults, {}
        body: list[py.stmt] = []
        if self.defining is not None:
            body.append(self.quietly(*self.defining, parameters))
            self.defining = None
        self.begins = True
        body += self.shadows(self.scope)
        given: list[py.expr] = [self.constant(part) for part in parameters_of(parameters)]
        entered = self.call("$from.enter", given)
        if parameters:
            arguments, here = self.fresh("a"), self.fresh("h")
            body.append(self.set(arguments, entered))
            body.append(self.set(here, self.call("$from.here", [self.constant(self.line)])))
            for parameter in parameters:
                if parameter.name:
                    other = self.load(defaults.get(parameter.name, here))
                    get = py.Attribute(self.load(arguments), "get", LOAD, **self.at())
                    found = py.Call(get, [self.constant(parameter.name), other], [], **self.at())
                    body.append(self.set(f"$o.{parameter.name}", found))
        else:
            body.append(py.Expr(entered, **self.at()))
        return body + super().prologue(parameters)

    def quietly(
        self, twin: str, constants: list[str], loaded: list[str], parameters: list[syntax.Parameter]
    ) -> py.stmt:
        """`if $from.quiet(...): return $f.name(...)`."""
        shadows = py.Tuple([self.load(f"$o.{name}") for name in (*constants, *loaded)], LOAD, **self.at())
        values = py.Tuple([self.load(variable(name)) for name in constants], LOAD, **self.at())
        others = py.Tuple([self.load(variable(name)) for name in loaded], LOAD, **self.at())
        test = self.call("$from.quiet", [self.constant(self.line), shadows, values, others])
        line, self.line = self.line, _NOWHERE
        args: list[py.expr] = []
        keywords: list[py.keyword] = []
        by_name = False
        for parameter in parameters:
            value = self.load(variable(parameter.name)) if parameter.name else None
            if parameter.star == "*":
                by_name = True
                if value is not None:
                    args.append(py.Starred(value, LOAD, **self.at()))
            elif parameter.star == "**":
                keywords.append(py.keyword(None, value, **self.at()))  # type: ignore[arg-type]
            elif by_name:
                keywords.append(py.keyword(parameter.name, value, **self.at()))  # type: ignore[arg-type]
            else:
                args.append(value)  # type: ignore[arg-type]
        call = py.Return(py.Call(self.load(twin), args, keywords, **self.at()), **self.at())
        self.line = line
        return py.If(test, [call], [], **self.at())

    def traced_return(self, node: syntax.Return, into: list[py.stmt]) -> None:
        if self.window:
            into.append(self.do("$from.shut", self.load(self.window)))
        into.append(self.do("$from.add", self.constant(node.line), *self.under()))
        self.leaves = True
        Compiler.return_(self, node, into)
