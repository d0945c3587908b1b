"""Records the names bound and used in each scope while a program is parsed. `resolve` derives their meaning."""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.parse.tokens import Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.ytt.starlark.syntax import Expression, Scope, Written

# Minimum number of names whose uses are removed in one pass.
_MANY = 8
# Names of expressions that cannot be assigned to, in ytt's messages.
NOT_ASSIGNABLE = {
    syntax.Literal: "literal",
    syntax.Unary: "unaryexpr",
    syntax.Binary: "binaryexpr",
    syntax.Conditional: "condexpr",
    syntax.Lambda: "lambdaexpr",
    syntax.Slice: "sliceexpr",
    syntax.Call: "callexpr",
    syntax.DictDisplay: "dictexpr",
    syntax.Comprehension: "comprehension",
}


class Binding(Tokens):
    """Records the names of the current scope."""

    __slots__ = ()

    def enter(self, scope: Scope) -> Scope:
        outer = self.scope
        outer.children.append(scope)
        self.scope = scope
        return outer

    def bind_name(self, name: str, line: int, value: Written) -> None:
        scope = self.scope
        scope.bound.setdefault(name, line)
        scope.writes.append((name, value))

    def bind(self, target: Expression, value: Written) -> None:
        """Records the names that an assignment to `target` binds."""
        if isinstance(target, syntax.Name):
            # The parser has recorded the name as a use.
            if target.scope is None:
                self.unuse(target)
            self.bind_name(target.name, target.line, value)
        elif isinstance(target, (syntax.TupleDisplay, syntax.ListDisplay)):
            items = target.items
            if not items:
                empty = "()" if isinstance(target, syntax.TupleDisplay) else "[]"
                self.problem(f"can't assign to {empty}", target.line, "assignment-target")
            values: Sequence[Written] = [None] * len(items)
            if isinstance(value, syntax.TupleDisplay) and len(value.items) == len(items):
                values = value.items
            if len(items) > _MANY:
                self.unuse_all(items)
            for item, part in zip(items, values, strict=True):
                self.bind(item, part)
        elif not isinstance(target, (syntax.Index, syntax.Attribute)):
            self.problem(f"can't assign to {NOT_ASSIGNABLE[type(target)]}", target.line, "assignment-target")

    def bind_augmented(self, target: Expression, operator: str, value: Expression) -> None:
        if isinstance(target, syntax.Name):
            self.bind_name(target.name, target.line, syntax.Binary(operator, target, value, target.line))
        elif isinstance(target, syntax.TupleDisplay):
            self.problem("can't use tuple expression in augmented assignment", target.line, "assignment-target")
        elif isinstance(target, syntax.ListDisplay):
            self.problem("can't use list expression in augmented assignment", target.line, "assignment-target")
        elif not isinstance(target, (syntax.Index, syntax.Attribute)):
            self.problem(f"can't assign to {NOT_ASSIGNABLE[type(target)]}", target.line, "assignment-target")

    def unuse(self, name: syntax.Name) -> None:
        uses = self.scope.uses
        for place in range(len(uses) - 1, -1, -1):
            if uses[place] is name:
                del uses[place]
                break
        name.scope = self.scope

    def unuse_all(self, items: Sequence[Expression]) -> None:
        """As `unuse`, for all names among these items in one pass."""
        uses = self.scope.uses
        names = {item for item in items if isinstance(item, syntax.Name)}
        place, left = len(uses), len(names)
        while left and place:
            place -= 1
            left -= uses[place] in names
        uses[place:] = [name for name in uses[place:] if name not in names]
        for name in names:
            name.scope = self.scope
