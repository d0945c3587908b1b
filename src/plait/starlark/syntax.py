"""The syntax tree, and the scopes that the parser notes while it builds it.

Nodes are small classes that hold what was written and the line it was written on. `kind_of` and the resolver work on
them; `compile` turns them into Python's tree.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.starlark.compile.shapes import Shape
    from plait.starlark.pieces import Host


class Scope:
    """A function, lambda, comprehension, or the program itself: the names bound in it and the names used in it.

    bound: name -> line of the first binding. calls: what stands directly in it. kinds: what is known of the values of a name (see `kinds`); shapes: of its lists (see `flow`).
    """

    __slots__ = (
        "bound",
        "calls",
        "children",
        "hosts",
        "is_comprehension",
        "kinds",
        "parent",
        "shapes",
        "uses",
        "writes",
    )

    def __init__(self, parent: Scope | None, is_comprehension: bool = False) -> None:
        self.parent = parent
        self.is_comprehension = is_comprehension
        self.bound: dict[str, int] = {}
        self.uses: list[Name] = []
        self.children: list[Scope] = []
        self.writes: list[tuple[str, object]] = []
        self.kinds: dict[str, str] = {}
        self.hosts: list[Host] = []
        self.calls: list[Call] = []
        self.shapes: dict[str, Shape] = {}


class Name:
    """early: nothing of this name was bound yet where the parser met it."""

    __slots__ = ("early", "line", "name", "scope")

    def __init__(self, name: str, line: int, early: bool = False) -> None:
        self.early = early
        self.name = name
        self.line = line
        self.scope: Scope | None = None  # None after resolving: a universal name


class Literal:
    __slots__ = ("line", "value")

    def __init__(self, value: object, line: int) -> None:
        self.value = value
        self.line = line


class Unary:
    __slots__ = ("line", "operator", "x")

    def __init__(self, operator: str, x: Expression, line: int) -> None:
        self.operator = operator
        self.x = x
        self.line = line


class Binary:
    __slots__ = ("line", "operator", "x", "y")

    def __init__(self, operator: str, x: Expression, y: Expression, line: int) -> None:
        self.operator = operator
        self.x = x
        self.y = y
        self.line = line


class Conditional:
    __slots__ = ("line", "no", "test", "yes")

    def __init__(self, test: Expression, yes: Expression, no: Expression, line: int) -> None:
        self.test = test
        self.yes = yes
        self.no = no
        self.line = line


class Parameter:
    """star is "", "*" or "**"; a bare `*` has no name."""

    __slots__ = ("default", "line", "name", "star")

    def __init__(self, name: str, default: Expression | None, star: str, line: int) -> None:
        self.name = name
        self.default = default
        self.star = star
        self.line = line


class Lambda:
    __slots__ = ("body", "line", "parameters", "scope")

    def __init__(self, parameters: list[Parameter], body: Expression, scope: Scope, line: int) -> None:
        self.parameters = parameters
        self.body = body
        self.scope = scope
        self.line = line


class Attribute:
    __slots__ = ("line", "name", "x")

    def __init__(self, x: Expression, name: str, line: int) -> None:
        self.x = x
        self.name = name
        self.line = line


class Index:
    """kind: of the element of a list (see `flow`)."""

    __slots__ = ("key", "kind", "line", "x")

    def __init__(self, x: Expression, key: Expression, line: int) -> None:
        self.x = x
        self.key = key
        self.line = line
        self.kind = ""


class Slice:
    __slots__ = ("high", "line", "low", "step", "x")

    def __init__(
        self,
        x: Expression,
        low: Expression | None,
        high: Expression | None,
        step: Expression | None,
        line: int,
    ) -> None:
        self.x = x
        self.low = low
        self.high = high
        self.step = step
        self.line = line


class Argument:
    """star is "", "*" or "**"; name is "" for an argument given by position."""

    __slots__ = ("line", "name", "star", "value")

    def __init__(self, value: Expression, name: str, star: str, line: int) -> None:
        self.value = value
        self.name = name
        self.star = star
        self.line = line


class Call:
    """kind: of the result of a function of the program (see `flow`). bare: only compiled code meets the list."""

    __slots__ = ("arguments", "bare", "function", "kind", "line")

    def __init__(self, function: Expression, arguments: list[Argument], line: int) -> None:
        self.function = function
        self.arguments = arguments
        self.line = line
        self.kind = ""
        self.bare = False


class TupleDisplay:
    __slots__ = ("items", "line")

    def __init__(self, items: list[Expression], line: int) -> None:
        self.items = items
        self.line = line


class ListDisplay:
    """bare: 0, or, if only compiled code meets the list (see `compile.bare`), one more than it counts for."""

    __slots__ = ("bare", "items", "line")

    def __init__(self, items: list[Expression], line: int) -> None:
        self.bare = 0
        self.items = items
        self.line = line


class DictDisplay:
    __slots__ = ("entries", "line")

    def __init__(self, entries: list[tuple[Expression, Expression]], line: int) -> None:
        self.entries = entries
        self.line = line


class Clause:
    """`for target in x` of a comprehension, with the conditions that follow it."""

    __slots__ = ("conditions", "line", "target", "x")

    def __init__(self, target: Expression, x: Expression, line: int) -> None:
        self.target = target
        self.x = x
        self.conditions: list[Expression] = []
        self.line = line


class Comprehension:
    """`key` is None in a list comprehension. bare: as for a `ListDisplay`."""

    __slots__ = ("bare", "body", "clauses", "key", "line", "scope")

    def __init__(
        self,
        key: Expression | None,
        body: Expression,
        clauses: list[Clause],
        scope: Scope,
        line: int,
    ) -> None:
        self.bare = 0
        self.key = key
        self.body = body
        self.clauses = clauses
        self.scope = scope
        self.line = line


class Assign:
    """operator is "" for `=`, else what stands before the `=`."""

    __slots__ = ("line", "operator", "target", "value")

    def __init__(self, target: Expression, operator: str, value: Expression, line: int) -> None:
        self.target = target
        self.operator = operator
        self.value = value
        self.line = line


class Evaluate:
    __slots__ = ("line", "value")

    def __init__(self, value: Expression, line: int) -> None:
        self.value = value
        self.line = line


class If:
    __slots__ = ("line", "no", "test", "yes")

    def __init__(self, test: Expression, yes: list[Statement], no: list[Statement], line: int) -> None:
        self.test = test
        self.yes = yes
        self.no = no
        self.line = line


class For:
    __slots__ = ("body", "line", "target", "x")

    def __init__(self, target: Expression, x: Expression, body: list[Statement], line: int) -> None:
        self.target = target
        self.x = x
        self.body = body
        self.line = line


class While:
    __slots__ = ("body", "line", "test")

    def __init__(self, test: Expression, body: list[Statement], line: int) -> None:
        self.test = test
        self.body = body
        self.line = line


class Def:
    __slots__ = ("body", "line", "name", "parameters", "scope")

    def __init__(
        self,
        name: str,
        parameters: list[Parameter],
        body: list[Statement],
        scope: Scope,
        line: int,
    ) -> None:
        self.name = name
        self.parameters = parameters
        self.body = body
        self.scope = scope
        self.line = line


class Return:
    __slots__ = ("line", "value")

    def __init__(self, value: Expression | None, line: int) -> None:
        self.value = value
        self.line = line


class Branch:
    __slots__ = ("line", "word")

    def __init__(self, word: str, line: int) -> None:
        self.word = word
        self.line = line


class Load:
    """names: (name here, name there, line)."""

    __slots__ = ("line", "names", "path")

    def __init__(self, path: str, names: list[tuple[str, str, int]], line: int) -> None:
        self.path = path
        self.names = names
        self.line = line


class HostStatement:
    """A statement of the template layer; slots hold an expression or a list of arguments each."""

    __slots__ = ("host", "line", "slots")

    def __init__(self, host: Host, slots: list[Expression | list[Argument]], line: int) -> None:
        self.host = host
        self.slots = slots
        self.line = line


if TYPE_CHECKING:
    from typing import TypeAlias

    Expression: TypeAlias = (
        Name
        | Literal
        | Unary
        | Binary
        | Conditional
        | Lambda
        | Attribute
        | Index
        | Slice
        | Call
        | TupleDisplay
        | ListDisplay
        | DictDisplay
        | Comprehension
    )
    Statement: TypeAlias = Assign | Evaluate | If | For | While | Def | Return | Branch | Load | HostStatement
