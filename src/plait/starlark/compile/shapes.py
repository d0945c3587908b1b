"""What lists hold: the places between which a list may pass share a `Shape`, which is the kind of its elements.

Whatever is stored raises it; a list that goes where nobody can see has an open shape, of which nothing is known. `flow`
visits the program and says what happens to its lists.
"""

from __future__ import annotations

from plait.starlark import syntax
from plait.starlark.compile.kinds import BOTTOM, join, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.syntax import Expression, Scope


class Shape:
    """What the lists of one group hold; groups that meet become one (`up`)."""

    __slots__ = ("copied", "inner", "kind", "looped", "met", "open", "up")

    def __init__(self) -> None:
        self.up: Shape | None = None
        self.kind = BOTTOM
        self.inner: Shape | None = None  # of lists among the elements
        self.open = False
        self.looped = False  # a loop may be going over one of the lists
        self.copied = False  # `list(...)` makes some of them, and only compiled code meets them
        self.met = False  # others than compiled code meet them (see `bare`)


def find(shape: Shape) -> Shape:
    while shape.up is not None:
        shape = shape.up
    return shape


class Function:
    """A function whose callers within the program are known. kind, result: of what it returns."""

    __slots__ = ("called", "definition", "kind", "parameters", "result", "scope")

    def __init__(self, definition: syntax.Def) -> None:
        self.definition = definition
        self.scope = definition.scope
        self.parameters = [parameter.name for parameter in definition.parameters]
        self.called = False
        self.kind = BOTTOM
        self.result = Shape()

    def fits(self, call: syntax.Call) -> bool:
        """Whether a call gives every parameter its argument, by position."""
        return len(call.arguments) == len(self.parameters) and not any(
            argument.star or argument.name for argument in call.arguments
        )

    @property
    def twice(self) -> bool:
        """Whether calls from within tell something about the arguments."""
        return self.called and any(self.scope.kinds[name] not in {"", BOTTOM} for name in self.parameters)


class Shapes:
    """The shapes of the lists of a program, and the kinds of its variables; they only rise."""

    def __init__(self, scope: Scope) -> None:
        self.program = scope
        self.functions: dict[str, Function] = {}
        self.made: dict[int, Shape] = {}
        self.changed = False
        self.given_up = False
        self.scopes = [scope]
        for each in self.scopes:
            self.scopes.extend(each.children)
            each.kinds = dict.fromkeys(each.bound, BOTTOM)
            each.shapes = {}

    def raise_variable(self, scope: Scope, name: str, kind: str) -> None:
        old = scope.kinds[name]
        new = join(old, kind)
        if new != old:
            scope.kinds[name] = new
            self.changed = True
            if new != "list" and name in scope.shapes:
                self.open(scope.shapes[name])

    def element(self, x: Expression) -> str:
        """The kind of what a loop over x gives."""
        function = x.function if type(x) is syntax.Call else None
        if type(function) is syntax.Name and function.scope is None and function.name == "range":
            return "small"
        kind = kind_of(x)
        if kind == BOTTOM:
            return BOTTOM
        shape = self.shape_of(x)
        return "" if shape is None else find(shape).kind

    def open(self, shape: Shape | None) -> None:
        while shape is not None:
            shape = find(shape)
            if shape.open:
                return
            shape.open = True
            shape.kind = ""
            self.changed = True
            shape = shape.inner

    def inner(self, shape: Shape) -> Shape:
        shape = find(shape)
        if shape.inner is None:
            shape.inner = Shape()
            if shape.open:
                self.open(shape.inner)
        return find(shape.inner)

    def unify(self, left: Shape, right: Shape) -> None:
        left, right = find(left), find(right)
        if left is right:
            return
        self.changed = True
        right.up = left
        left.looped = left.looped or right.looped
        inner, other = left.inner, right.inner
        left.inner = other if inner is None else inner
        if left.open or right.open:
            left.open = False
            self.open(left)
            self.open(other)
        else:
            self.raise_kind(left, right.kind)
        if inner is not None and other is not None:
            self.unify(inner, other)

    def raise_kind(self, shape: Shape, kind: str) -> None:
        shape = find(shape)
        new = join(shape.kind, kind)
        if new != shape.kind:
            shape.kind = new
            self.changed = True
        if new not in {"list", BOTTOM}:
            self.open(shape.inner)

    def store(self, shape: Shape | None, value: Expression) -> None:
        """The value becomes an element."""
        kind = kind_of(value)
        if shape is None:
            self.escape(value)
        elif kind != BOTTOM:
            self.raise_kind(shape, kind)
            if find(shape).kind == "list":
                self.pass_on(self.inner(shape), value)
            else:
                self.escape(value)

    def pass_on(self, shape: Shape, value: Expression) -> None:
        """A list goes where lists of a shape are."""
        found = self.shape_of(value)
        if found is None:
            self.open(shape)
        else:
            self.unify(shape, found)

    def take_elements(self, shape: Shape, x: Expression) -> None:
        """The elements of x become elements."""
        kind = self.element(x)
        if kind == BOTTOM:
            return
        self.raise_kind(shape, kind)
        source = self.shape_of(x)
        if source is None:
            self.open(self.inner(shape) if kind == "list" else None)
        elif find(shape).kind == "list":
            self.unify(self.inner(shape), self.inner(source))
        else:
            self.open(find(source).inner)

    def escape(self, node: object) -> None:
        """A value goes where we cannot see."""
        kind = type(node)
        if kind is syntax.Conditional:
            self.escape(node.yes)  # type: ignore[attr-defined]
            self.escape(node.no)  # type: ignore[attr-defined]
        else:
            self.open(self.shape_of(node))

    def scatter(self, node: Expression) -> None:
        """The elements of a list go where we cannot see."""
        shape = self.shape_of(node)
        if shape is not None:
            self.open(find(shape).inner)

    def shape_of(self, node: object) -> Shape | None:
        """The shape of a list; None for anything else, and for lists from elsewhere."""
        kind = type(node)
        if kind is syntax.Name:
            scope = node.scope  # type: ignore[attr-defined]
            if scope is None or scope.kinds.get(node.name) != "list":  # type: ignore[attr-defined]
                return None
            return scope.shapes.setdefault(node.name, Shape())  # type: ignore[attr-defined, no-any-return]
        if kind is syntax.Index:
            if node.kind != "list":  # type: ignore[attr-defined]
                return None
            outer = self.shape_of(node.x)  # type: ignore[attr-defined]
            return None if outer is None else self.inner(outer)
        if kind is syntax.Call:
            function = self.called(node)  # type: ignore[arg-type]
            if function is not None:
                return function.result if function.kind == "list" else None
        return self.made.get(id(node))

    def make(self, node: object) -> Shape:
        shape = self.made.get(id(node))
        if shape is None:
            shape = self.made[id(node)] = Shape()
            if self.given_up:
                self.open(shape)
        return shape

    def called(self, node: syntax.Call) -> Function | None:
        """The function of the program that is called in a way we follow."""
        name = node.function
        if type(name) is not syntax.Name or name.scope is not self.program:
            return None
        function = self.functions.get(name.name)
        return function if function is not None and function.fits(node) else None
