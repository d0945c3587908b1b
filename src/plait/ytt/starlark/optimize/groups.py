"""Types of list elements. Variables and values that may refer to the same list share a `Group`, which stores the type.

Every stored value raises the type. A list that leaves the program has an open group, about which nothing is known.
`data_flow` visits the program and reports operations on lists.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.optimize.inferred_types import BOTTOM, TypeInference, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ytt.starlark.syntax import Expression, Scope, Written


class Group:
    """Lists that may replace each other. Groups whose lists meet are merged; `joined` is then the remaining group.

    kind: the element type. inner: the group of the elements that are lists. open: one of the lists escapes.
    looped: a loop may be iterating over one.
    """

    __slots__ = ("inner", "joined", "kind", "looped", "open")

    def __init__(self) -> None:
        self.joined: Group | None = None
        self.kind = BOTTOM
        self.inner: Group | None = None
        self.open = False
        self.looped = False


def find(group: Group) -> Group:
    """The group that this group has been merged into."""
    while group.joined is not None:
        group = group.joined
    return group


class Function:
    """A function whose callers in the program are known. kind, result: for its return value."""

    __slots__ = ("called", "definition", "kind", "parameters", "result", "scope")

    def __init__(self, definition: syntax.Def) -> None:
        self.definition = definition
        self.scope = definition.scope
        self.parameters = [parameter.name for parameter in definition.parameters]
        self.called = False
        self.kind = BOTTOM
        self.result = Group()

    def fits(self, call: syntax.Call) -> bool:
        """True if a call passes every parameter by position."""
        return len(call.arguments) == len(self.parameters) and not any(
            argument.star or argument.name for argument in call.arguments
        )


class Groups(TypeInference):
    """The groups of a program's lists, and the types of its variables. Types only become more general; then `changed`
    is set.
    """

    def __init__(self, scope: Scope, outer: TypeInference | None = None) -> None:
        super().__init__(outer)
        self.program = scope
        self.functions: dict[str, Function] = {}  # functions whose calls are analysed
        self.groups: dict[Scope, dict[str, Group]] = {}
        self.made: dict[Expression, Group] = {}  # groups of the lists that an expression creates
        self.changed = False
        self.scopes = [scope]
        for each in self.scopes:
            self.scopes.extend(each.children)
            self.variables[each] = dict.fromkeys(each.bound, BOTTOM)
            self.groups[each] = {}

    def group_of(self, node: Written) -> Group | None:
        """The group of a list; None for any other value, and for lists of unknown origin."""
        if isinstance(node, syntax.Name):
            if node.scope is None or self.of(node) != "list":
                return None
            return self.variable_group(node.scope, node.name)
        if isinstance(node, syntax.Index):
            if self.elements.get(node) != "list":
                return None
            outer = self.group_of(node.x)
            return None if outer is None else self.inner(outer)
        if isinstance(node, syntax.Call):
            function = self.called(node)
            if function is not None:
                return function.result if function.kind == "list" else None
        return None if node is None or isinstance(node, syntax.Each) else self.made.get(node)

    def variable_group(self, scope: Scope, name: str) -> Group | None:
        known = self.groups.get(scope)
        if known is not None:
            return known.setdefault(name, Group())
        return self.outer.variable_group(scope, name) if isinstance(self.outer, Groups) else None

    def own_group(self, scope: Scope, name: str) -> Group:
        """The group of a variable in a scope that this analysis covers."""
        return self.groups[scope].setdefault(name, Group())

    def make(self, node: Expression) -> Group:
        """The group of the lists that an expression creates."""
        return self.made.setdefault(node, Group())

    def called(self, node: syntax.Call) -> Function | None:
        """The analysed function that is called, or None."""
        name = node.function
        if not isinstance(name, syntax.Name) or name.scope is not self.program:
            return None
        function = self.functions.get(name.name)
        return function if function is not None and function.fits(node) else None

    def element(self, x: Expression) -> str:
        """The type of a loop's element."""
        function = x.function if isinstance(x, syntax.Call) else None
        if isinstance(function, syntax.Name) and function.scope is None and function.name == "range":
            return "small"
        kind = self.of(x)
        if kind == BOTTOM:
            return BOTTOM
        group = self.group_of(x)
        return "" if group is None else find(group).kind

    def inner(self, group: Group) -> Group:
        group = find(group)
        if group.inner is None:
            group.inner = Group()
            if group.open:
                self.open(group.inner)
        return find(group.inner)

    # ---- operations on lists

    def raise_variable(self, scope: Scope, name: str, kind: str) -> None:
        old = self.variables[scope][name]
        new = join(old, kind)
        if new != old:
            self.variables[scope][name] = new
            self.changed = True
            if new != "list" and name in self.groups[scope]:
                self.open(self.groups[scope][name])

    def open(self, group: Group | None) -> None:
        """Marks the lists of a group, and their elements, as escaping."""
        while group is not None:
            group = find(group)
            if group.open:
                return
            group.open = True
            group.kind = ""
            self.changed = True
            group = group.inner

    def unify(self, left: Group, right: Group) -> None:
        left, right = find(left), find(right)
        if left is right:
            return
        self.changed = True
        right.joined = left
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

    def raise_kind(self, group: Group, kind: str) -> None:
        group = find(group)
        new = join(group.kind, kind)
        if new != group.kind:
            group.kind = new
            self.changed = True
        if new not in {"list", BOTTOM}:
            self.open(group.inner)

    def store(self, group: Group | None, value: Expression) -> None:
        """Records that the value becomes an element."""
        kind = self.of(value)
        if group is None:
            self.escape(value)
        elif kind != BOTTOM:
            self.raise_kind(group, kind)
            if find(group).kind == "list":
                self.pass_on(self.inner(group), value)
            else:
                self.escape(value)

    def pass_on(self, group: Group, value: Expression) -> None:
        """Adds a list to a group."""
        found = self.group_of(value)
        if found is None:
            self.open(group)
        else:
            self.unify(group, found)

    def take_elements(self, group: Group, x: Expression) -> None:
        """Records that the elements of x become elements of the group."""
        kind = self.element(x)
        if kind == BOTTOM:
            return
        self.raise_kind(group, kind)
        source = self.group_of(x)
        if source is None:
            self.open(self.inner(group) if kind == "list" else None)
        elif find(group).kind == "list":
            self.unify(self.inner(group), self.inner(source))
        else:
            self.open(find(source).inner)

    def escape(self, node: Expression) -> None:
        """Marks a value as escaping."""
        if isinstance(node, syntax.Conditional):
            self.escape(node.yes)
            self.escape(node.no)
        else:
            self.open(self.group_of(node))

    def escape_elements(self, node: Expression) -> None:
        """Marks the elements of a list as escaping."""
        group = self.group_of(node)
        if group is not None:
            self.open(find(group).inner)
