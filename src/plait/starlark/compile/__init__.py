"""The syntax tree to Python's tree, and that to a code object (design 4).

The program becomes one Python function, called "<toplevel>", whose local variables are the program's globals; it ends
by handing them back. Functions are functions, closures read the variables of the outer ones, and since neither
language lets a function assign an outer variable, scoping is the same in both.

What the code can name are its own variables and helpers whose names begin with "$" (`runtime.GLOBALS`). Every line
number is the source's own, so Python's traceback is the program's stack. Columns carry no columns: a fast subscript
has there the number of its row in "$sites", from which `faults` learns which variables took part.

Speed. Where code runs often (in functions and loops), common cases are done in place and guarded by exact types, and
what `kinds` knows makes guards go away: for `x + y`

    ($1 + y if type($1 := x) is type(y) is int else $+($1, y))

Elsewhere helpers are called, because code that runs once is better small.
"""

from __future__ import annotations

import _ast as py

from plait.starlark import syntax
from plait.starlark.compile.statements import Statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.starlark.compile.emit import Hooks as Hooks
    from plait.starlark.syntax import Expression, Scope, Statement

__all__ = ["Compiler"]


class Compiler(Statements):
    """Lowers one program."""

    __slots__ = ()

    def module(self, statements: list[Statement], scope: Scope) -> py.Module:
        """A module that defines the function "<toplevel>"."""
        body: list[py.stmt] = []
        if self.hooks is not None:
            body += self.located(self.hooks.enter(scope.hosts, module=True), 1)
        self.block(statements, body)
        if self.hooks is not None:
            body += self.located(self.hooks.leave(scope.hosts, module=True), self.line)
        body.append(py.Return(self.call("$locals", []), **self.at()))
        self.line = 1
        function = py.FunctionDef("<toplevel>", _no_arguments(), body, [], **self.at())
        sites = py.Assign([self.store("$sites")], self.constant(tuple(self.sites)), **self.at())
        names = tuple(sorted(scope.bound))
        names_ = py.Assign([self.store("$globals")], self.constant(names), **self.at())
        return py.Module([sites, names_, function], [])

    def expression(self, node: Expression) -> py.expr:
        outer, self.line = self.line, node.line
        result = EXPRESSIONS[type(node)](self, node)
        self.line = outer
        return result


def _no_arguments() -> py.arguments:
    return py.arguments([], [], None, [], [], None, [])


EXPRESSIONS: dict[type, Callable[..., py.expr]] = {
    syntax.Attribute: Compiler.attribute,
    syntax.Binary: Compiler.binary,
    syntax.Call: Compiler.call_,
    syntax.Comprehension: Compiler.comprehension,
    syntax.Conditional: Compiler.conditional,
    syntax.DictDisplay: Compiler.dict_display,
    syntax.Index: Compiler.index,
    syntax.Lambda: Compiler.lambda_,
    syntax.ListDisplay: Compiler.list_display,
    syntax.Literal: Compiler.literal,
    syntax.Name: Compiler.name,
    syntax.Slice: Compiler.slice,
    syntax.TupleDisplay: Compiler.tuple_display,
    syntax.Unary: Compiler.unary,
}
