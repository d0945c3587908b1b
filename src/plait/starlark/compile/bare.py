"""Which lists nobody but compiled code ever meets: they need no lock, and can be Python's own, which are faster.

`flow` has settled what lists hold and where they go. Here the program is visited once more, with a short list of what
may be done with a bare list: be kept in a variable of a function, be an element of another bare list, be given to or
returned by a function that is called from within, have an item read or set by an int, be appended to, measured, joined.
A list that stands anywhere else, or came from anywhere else than a display, a comprehension, `[x] * n`,
`list(...)` or `s.split(x)`, is no bare list; neither are those that share a shape with it.
"""

from __future__ import annotations

from plait.starlark import syntax
from plait.starlark.compile.kinds import INTS, kind_of
from plait.starlark.compile.shapes import Shape, Shapes, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.starlark.syntax import Expression, Scope, Statement


def find_bare(flow: Shapes, statements: Sequence[Statement]) -> None:
    """Mark the displays and comprehensions that make bare lists."""
    visitor = _Visitor(flow)
    visitor.block(statements)
    visitor.spread(lambda shape: not _is_bare(shape), visitor.met)
    for copy in visitor.copies:
        copy.bare = _is_bare(flow.shape_of(copy))
        if copy.bare:
            visitor.copied(copy)
    visitor.spread(_is_copied, visitor.copied)
    for node in visitor.displays:
        shape = flow.shape_of(node)
        node.bare = 0 if not _is_bare(shape) else 2 if _is_copied(shape) else 1


def _is_bare(shape: Shape | None) -> bool:
    if shape is None:
        return False
    shape = find(shape)
    return not (shape.open or shape.looped or shape.met)


def _is_copied(shape: Shape | None) -> bool:
    return shape is None or find(shape).copied


class _Visitor:
    def __init__(self, flow: Shapes) -> None:
        self.flow = flow
        # The function at hand; None in the program itself, whose variables others may load.
        self.scope: Scope | None = flow.program if flow.program.parent is not None else None
        self.iterated = False  # in what a comprehension goes through: there compiled code calls helpers
        self.displays: list[syntax.ListDisplay | syntax.Comprehension] = []
        self.copies: list[syntax.Call] = []
        self.products: list[tuple[Expression, Expression]] = []

    def met(self, node: Expression) -> None:
        """Somebody else meets the list, and what it holds."""
        shape: Shape | None = self.flow.shape_of(node)
        while shape is not None:
            shape = find(shape)
            if shape.met:
                return
            shape.met = True
            shape = shape.inner

    def copied(self, node: Expression) -> None:
        """`list(...)` makes lists like this one, and like those in it."""
        shape: Shape | None = self.flow.shape_of(node)
        while shape is not None:
            shape = find(shape)
            shape.copied = True
            shape = shape.inner

    def spread(self, holds: Callable[[Shape | None], bool], mark: Callable[[Expression], None]) -> None:
        """Mark factors as their products, and the other way round: `[0] * n` and the `[0]` in it are of one sort."""
        changed = True
        while changed:
            changed = False
            for product, factor in self.products:
                for node, other in ((product, factor), (factor, product)):
                    if holds(self.flow.shape_of(node)) and not holds(self.flow.shape_of(other)):
                        mark(other)
                        changed = True

    def own(self, node: Expression) -> bool:
        """Whether a name is a variable of the function at hand."""
        if type(node) is not syntax.Name or node.scope is None or self.scope is None:
            return False
        scope: Scope | None = node.scope
        while scope is not None and scope.is_comprehension:
            scope = scope.parent
        return scope is self.scope

    # ---- statements

    def block(self, statements: Sequence[Statement]) -> None:
        for node in statements:
            kind = type(node)
            if kind is syntax.Assign:
                self.assign(node)  # type: ignore[arg-type]
            elif kind is syntax.Evaluate:
                self.evaluate(node)  # type: ignore[arg-type]
            elif kind is syntax.If:
                self.visit(node.test)  # type: ignore[union-attr]
                self.block(node.yes)  # type: ignore[union-attr]
                self.block(node.no)  # type: ignore[union-attr]
            elif kind is syntax.For:
                self.visit(node.x)  # type: ignore[union-attr]
                self.visit(node.target)  # type: ignore[union-attr]
                self.block(node.body)  # type: ignore[union-attr]
            elif kind is syntax.While:
                self.visit(node.test)  # type: ignore[union-attr]
                self.block(node.body)  # type: ignore[union-attr]
            elif kind is syntax.Def:
                self.function(node)  # type: ignore[arg-type]
            elif kind is syntax.Return:
                if node.value is not None:  # type: ignore[union-attr]
                    self.visit(node.value, self.scope is not None)  # type: ignore[union-attr]
            elif kind is syntax.HostStatement:
                for slot in node.slots:  # type: ignore[union-attr]
                    if type(slot) is list:
                        for argument in slot:
                            self.visit(argument.value)
                    else:
                        self.visit(slot)  # type: ignore[arg-type]

    def assign(self, node: syntax.Assign) -> None:
        target, value = node.target, node.value
        if not node.operator and type(target) is syntax.Name:
            self.visit(value, self.own(target))
        elif not node.operator and type(target) is syntax.Index and kind_of(target.key) in INTS:
            self.visit(target.x, self.own(target.x))
            self.visit(target.key)
            self.visit(value, True)
        else:
            if node.operator and type(target) is syntax.Index:
                self.visit(target.x)
            self.visit(target)
            self.visit(value)

    def evaluate(self, node: syntax.Evaluate) -> None:
        call = node.value
        if type(call) is syntax.Call and type(call.function) is syntax.Attribute and call.function.name == "append":
            receiver, arguments = call.function.x, call.arguments
            plain = len(arguments) == 1 and not arguments[0].name and not arguments[0].star
            if plain and type(receiver) is syntax.Name and kind_of(receiver) == "list":
                self.visit(receiver, self.own(receiver))
                self.visit(arguments[0].value, True)
                return
        self.visit(call)

    def function(self, node: syntax.Def) -> None:
        for parameter in node.parameters:
            if parameter.default is not None:
                self.visit(parameter.default)
        outer, self.scope = self.scope, node.scope
        self.block(node.body)
        self.scope = outer

    # ---- expressions

    def visit(self, node: Expression, may_be_bare: bool = False) -> None:
        kind = type(node)
        if kind is syntax.Literal:
            return
        # The program itself runs once, by helpers.
        may_be_bare = may_be_bare and self.scope is not None
        if kind_of(node) == "list" and (not may_be_bare or (kind is syntax.Name and not self.own(node))):
            self.met(node)
        if kind is syntax.Index:
            by_int = not self.iterated and kind_of(node.key) in INTS  # type: ignore[union-attr]
            self.visit(node.x, by_int and kind_of(node.x) == "list")  # type: ignore[union-attr]
            self.visit(node.key)  # type: ignore[union-attr, arg-type]
        elif kind is syntax.Call:
            self.call(node)  # type: ignore[arg-type]
        elif kind is syntax.ListDisplay:
            self.displays.append(node)  # type: ignore[arg-type]
            for item in node.items:  # type: ignore[union-attr]
                self.visit(item, True)
        elif kind is syntax.Comprehension:
            self.comprehension(node)  # type: ignore[arg-type]
        elif kind is syntax.Lambda:
            for parameter in node.parameters:  # type: ignore[union-attr]
                if parameter.default is not None:
                    self.visit(parameter.default)
            outer, self.scope = self.scope, node.scope  # type: ignore[union-attr]
            self.visit(node.body)  # type: ignore[union-attr]
            self.scope = outer
        elif may_be_bare and kind is syntax.Binary and node.operator == "*" and type(node.x) is syntax.ListDisplay:  # type: ignore[union-attr]
            self.products.append((node, node.x))  # type: ignore[union-attr]
            self.visit(node.x, True)  # type: ignore[union-attr]
            self.visit(node.y)  # type: ignore[union-attr]
        elif kind is not syntax.Name:
            if kind_of(node) == "list":
                self.met(node)
            for part in _parts(node):
                self.visit(part)

    def call(self, node: syntax.Call) -> None:
        function, arguments = node.function, node.arguments
        if self.flow.called(node) is not None:
            for argument in arguments:
                self.visit(argument.value, True)
            return
        single = len(arguments) == 1 and not arguments[0].name and not arguments[0].star
        listed = type(function) is syntax.Name and function.scope is None and function.name == "list"
        method = function.name if type(function) is syntax.Attribute and kind_of(function.x) == "str" else ""
        if single and (listed or method == "split"):
            self.copies.append(node)
        else:
            self.met(node)
        measured = type(function) is syntax.Name and function.scope is None and function.name == "len"
        self.visit(function)
        for argument in arguments:
            self.visit(argument.value, single and (measured or method == "join"))

    def comprehension(self, node: syntax.Comprehension) -> None:
        outer = self.iterated
        for clause in node.clauses:
            self.iterated = True
            self.visit(clause.x)
            self.iterated = outer
            self.visit(clause.target)
            for condition in clause.conditions:
                self.visit(condition)
        if node.key is None:
            self.displays.append(node)
            self.visit(node.body, True)
        else:
            self.visit(node.key)
            self.visit(node.body)


def _parts(node: Expression) -> list[Expression]:
    """The expressions that others are made of."""
    kind = type(node)
    if kind is syntax.Binary:
        return [node.x, node.y]  # type: ignore[union-attr]
    if kind is syntax.Unary or kind is syntax.Attribute:
        return [node.x]  # type: ignore[union-attr]
    if kind is syntax.TupleDisplay:
        return node.items  # type: ignore[union-attr]
    if kind is syntax.DictDisplay:
        return [part for entry in node.entries for part in entry]  # type: ignore[union-attr]
    if kind is syntax.Conditional:
        return [node.test, node.yes, node.no]  # type: ignore[union-attr]
    if kind is syntax.Slice:
        return [part for part in (node.x, node.low, node.high, node.step) if part is not None]  # type: ignore[union-attr]
    raise AssertionError(kind)
