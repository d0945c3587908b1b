"""Expressions that say what they read."""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.compile import EXPRESSIONS, Compiler
from plait.starlark.compile.emit import LOAD
from plait.starlark.compile.kinds import kind_of
from plait.starlark.tracing.marks import Clause, Iterated, Key, Part, Passed, Ready, Tested, Unwatched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.starlark.compile.emit import Hooks
    from plait.starlark.compile.shapes import Function
    from plait.starlark.syntax import Expression, Scope
    from plait.starlark.tracing.functions import QuietCompiler
    from plait.starlark.tracing.quiet import Closed

# Functions and methods that put items of their arguments together anew.
_SEQUENCES = frozenset({"enumerate", "list", "reversed", "tuple", "zip"})
_ENTRIES = frozenset({"items", "values"})


class TracedExpressions(Compiler):
    """What a traced program is compiled with, and its expressions."""

    bare_lists = False

    __slots__ = (
        "begins",
        "closed",
        "controlled",
        "controls",
        "count",
        "defaults",
        "defining",
        "known",
        "leaves",
        "looping",
        "prelude",
        "quiet",
        "scope",
        "started",
        "window",
    )

    def __init__(self, hooks: Hooks | None, closed: Closed, twice: Mapping[str, Function]) -> None:
        self.closed = closed
        self.known = twice
        self.quiet: QuietCompiler | None = None
        self.defining: tuple[str, list[str], list[str]] | None = None  # the closed function whose body begins
        self.defaults: dict[str, str] = {}  # parameter -> the variable with its default's shadow
        self.begins = False  # the next block is a function's
        self.window = ""  # the variable with the window of the function's host statements
        # What the last host statement ran under; None: that depends on the way here.
        self.controlled: list[str] | None = []
        self.controls: list[str] = []
        self.count = 0
        self.started = False
        self.scope: Scope | None = None
        self.leaves = False
        self.prelude: list[py.stmt] = []  # goes before the body of the loop at hand
        self.looping: list[str] = []
        super().__init__(hooks)

    @property
    def hot(self) -> bool:
        """Never: every step is to go through a helper, or at least through `expression`."""
        return False

    @hot.setter
    def hot(self, value: bool) -> None:
        pass

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"${kind}{self.count}"

    def do(self, name: str, *args: py.expr) -> py.stmt:
        return py.Expr(self.call(name, list(args)), **self.at())

    def set(self, target: str, value: py.expr) -> py.stmt:
        return py.Assign([self.store(target)], value, **self.at())

    def under(self) -> list[py.expr]:
        return [self.load(name) for name in self.controls]

    def nothing(self) -> py.expr:
        return py.Tuple([], LOAD, **self.at())

    def shadows(self, scope: Scope) -> list[py.stmt]:
        """Shadows for all variables of a function, so that each use finds one."""
        return [self.set(f"$o.{name}", self.nothing()) for name in scope.bound]

    def condition(self, test: Expression) -> py.expr:
        return self.call("$from.test", [self.call("$from.open", []), self.expression(test)])

    def expression(self, node: Expression) -> py.expr:
        kind: object = type(node)
        if kind is syntax.Name and node.scope is not None:  # type: ignore[union-attr]
            return self.traced_name(node)  # type: ignore[arg-type]
        if kind is syntax.Call:
            outer, self.line = self.line, node.line
            made = self.traced_call(node)  # type: ignore[arg-type]
            self.line = outer
            return made
        if kind is syntax.Attribute and type(node.x) is syntax.Name and node.x.scope is not None:  # type: ignore[union-attr]
            name: syntax.Name = node.x  # type: ignore[union-attr]
            if self.has_shadow(name):
                shadow = self.load(f"$o.{name.name}")
                return self.call("$from.field", [Compiler.name(self, name), shadow, self.constant(node.name)])  # type: ignore[union-attr]
        if kind is syntax.Lambda:
            return self.lambda_(node)  # type: ignore[arg-type]
        if kind is Passed:
            return self.passed(node)  # type: ignore[arg-type]
        if kind is Ready:
            return self.load(node.name)  # type: ignore[union-attr]
        if kind is syntax.Index:
            outer, self.line = self.line, node.line
            parts = [self.call("$from.open", []), self.expression(node.x), self.expression(node.key)]  # type: ignore[union-attr, arg-type]
            made = self.call("$from.index", parts)
            self.line = outer
            return made
        if kind is Part:
            return self.call("$from.part", [self.call("$from.open", []), self.expression(node.x)])  # type: ignore[union-attr]
        if kind is Key:
            return self.call("$from.keyed", [self.call("$from.open", []), self.expression(node.x)])  # type: ignore[union-attr]
        if kind is Clause:
            number = self.constant(node.number)  # type: ignore[union-attr]
            return self.call("$from.clause", [number, self.expression(node.x)])  # type: ignore[union-attr]
        if kind is syntax.ListDisplay or kind is syntax.DictDisplay or kind is syntax.Comprehension:
            outer, self.line = self.line, node.line
            made = self.call("$from.listed", [self.call("$from.open", []), self.display(node)])
            self.line = outer
            return made
        if kind is Tested:
            return self.condition(node.x)  # type: ignore[union-attr]
        if kind is Iterated:
            return self.iterated(node)  # type: ignore[arg-type]
        outer, self.line = self.line, node.line
        result = EXPRESSIONS[type(node)](self, node)
        self.line = outer
        return result

    def traced_call(self, node: syntax.Call) -> py.expr:
        """A call, with a window for its arguments unless they all go into the result."""
        function, arguments = node.function, node.arguments
        plain = not any(argument.star or argument.name for argument in arguments)
        unwatched = syntax.Call(function, Unwatched(arguments), node.line)
        if type(function) is syntax.Name and function.scope is None:
            if function.name in _SEQUENCES and plain and arguments:
                return self.sequence(function.name, self.load("$" + function.name), [one.value for one in arguments])
            if function.name == "len" and plain and len(arguments) == 1:
                x = arguments[0].value
                if type(x) is syntax.Name and x.scope is not None and self.has_shadow(x):
                    value = self.call("$from.length", [Compiler.name(self, x), self.load(f"$o.{x.name}")])
                    return self.call("$len", [value])
            return Compiler.call_(self, unwatched)
        if type(function) is syntax.Attribute:
            if kind_of(function.x) == "str":
                return Compiler.call_(self, unwatched)
            if function.name == "get" and plain and 1 <= len(arguments) <= 2:
                parts = [self.expression(one) for one in (function.x, *(argument.value for argument in arguments))]
                return self.call("$from.get", [self.call("$from.open", []), *parts])
            if function.name in _ENTRIES and not arguments:
                return self.sequence(function.name, self.load(f"$late.{function.name}"), [function.x])
        return self.call("$from.result", [self.call("$from.open", []), Compiler.call_(self, node)])

    def native_method(self, method: syntax.Attribute, node: syntax.Call) -> py.expr | None:
        """None where what is given goes with its shadow, or the receiver may be anything."""
        return super().native_method(method, node) if kind_of(method.x) == "str" else None

    def lambda_(self, node: syntax.Lambda) -> py.expr:
        """A lambda whose parameters have shadows: `(..., body)[-1]`."""
        if not self.walrus:
            return super().lambda_(node)  # Python allows no `:=` here
        outer, self.scope = self.scope, node.scope
        made = super().lambda_(node)
        self.scope = outer
        assert type(made) is py.Lambda
        names, count, star, double = parameters_of(node.parameters)
        given = [self.constant(part) for part in (names, count, star, double)]
        entered = py.NamedExpr(self.store("$a"), self.call("$from.enter", [*given]), **self.at())
        parts: list[py.expr] = [entered]
        for parameter in node.parameters:
            if parameter.name:
                get = py.Attribute(self.load("$a"), "get", LOAD, **self.at())
                found = py.Call(get, [self.constant(parameter.name), self.nothing()], [], **self.at())
                parts.append(py.NamedExpr(self.store(f"$o.{parameter.name}"), found, **self.at()))
        last = self.constant(len(parts))
        made.body = py.Subscript(py.Tuple([*parts, made.body], LOAD, **self.at()), last, LOAD, **self.at())
        return made

    def sequence(self, name: str, function: py.expr, parts: list[Expression]) -> py.expr:
        given = [self.call("$from.open", []), self.constant(name), function, *map(self.expression, parts)]
        return self.call("$from.sequence", given)

    def passed(self, node: Passed) -> py.expr:
        """An argument, which the call's window keeps with its shadow."""
        x, name = node.x, self.constant(node.name)
        if type(x) is syntax.Literal:
            return self.call("$from.passed", [self.expression(x), self.nothing(), name])
        if type(x) is syntax.Name and x.scope is not None and self.has_shadow(x):
            return self.call("$from.passed", [Compiler.name(self, x), self.load(f"$o.{x.name}"), name])
        return self.call("$from.argument", [self.call("$from.open", []), self.expression(x), name])

    def display(self, node: Expression) -> py.expr:
        """A list or dict whose items say what they are made of."""
        if type(node) is syntax.ListDisplay:
            return Compiler.list_display(self, syntax.ListDisplay([Part(item) for item in node.items], node.line))  # type: ignore[misc]
        if type(node) is syntax.DictDisplay:
            entries = [(key if type(key) is syntax.Literal else Key(key), Part(value)) for key, value in node.entries]
            return Compiler.dict_display(self, syntax.DictDisplay(entries, node.line))  # type: ignore[arg-type]
        assert type(node) is syntax.Comprehension
        clauses: list[syntax.Clause] = []
        for number, clause in enumerate(node.clauses):
            clauses.append(syntax.Clause(clause.target, Clause(clause.x, number), clause.line))  # type: ignore[arg-type]
            clauses[-1].conditions = clause.conditions
        body: Expression = Part(node.body)  # type: ignore[assignment]
        key: Expression | None = None if node.key is None else Key(node.key)  # type: ignore[assignment]
        return Compiler.comprehension(self, syntax.Comprehension(key, body, clauses, node.scope, node.line))

    def call(self, name: str, args: list[py.expr]) -> py.expr:
        made = super().call(name, args)
        first = args[0] if args else None
        if name in ("$hold", "$each") and type(first) is py.Call and getattr(first.func, "id", "") == "$from.clause":
            return super().call("$from.stepped", [first.args[0], made])
        return made

    def iterated(self, node: Iterated) -> py.expr:
        arguments = [self.load(node.depth), self.expression(node.x), self.constant(node.line), *self.under()]
        loop = py.NamedExpr(self.store(node.loop), self.call("$from.loop", arguments), **self.at())
        return py.Attribute(loop, "iterated", LOAD, **self.at())

    def traced_name(self, node: syntax.Name) -> py.expr:
        value = Compiler.name(self, node)
        if not self.has_shadow(node):
            return self.call("$from.see", [value])
        return self.call("$from.use", [value, self.load(f"$o.{node.name}")])

    def has_shadow(self, node: syntax.Name) -> bool:
        """Whether a variable has a shadow beside it: those of comprehensions and lambdas have none."""
        scope = node.scope
        assert scope is not None
        return not scope.is_comprehension and (scope is self.scope or _has_shadows(scope, self.scope))

    def arguments(self, arguments: list[syntax.Argument]) -> tuple[list[py.expr], list[py.keyword]]:
        if type(arguments) is Unwatched:
            return super().arguments(arguments)
        passed: list[syntax.Argument] = []
        for argument in arguments:
            value: Expression = Passed(argument.value, argument.star or argument.name or None)  # type: ignore[assignment]
            passed.append(syntax.Argument(value, argument.name, argument.star, argument.line))
        return super().arguments(passed)


def _has_shadows(scope: Scope, inner: Scope | None) -> bool:
    """Whether a scope is one of the functions around, not a lambda."""
    while inner is not None:
        if inner is scope:
            return True
        inner = inner.parent
    return False


def parameters_of(parameters: list[syntax.Parameter]) -> tuple[tuple[str, ...], int, str, str]:
    """What `enter` needs to know: names, how many of them can be given by position, and those with `*` and `**`."""
    names = tuple(parameter.name for parameter in parameters if not parameter.star)
    after = next((place for place, parameter in enumerate(parameters) if parameter.star == "*"), len(parameters))
    count = sum(not parameter.star for parameter in parameters[:after])
    star = next((parameter.name for parameter in parameters if parameter.star == "*"), "")
    double = next((parameter.name for parameter in parameters if parameter.star == "**"), "")
    return names, count, star, double
