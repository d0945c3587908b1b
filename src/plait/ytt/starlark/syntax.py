"""The syntax tree, and the scopes that the parser records.

Nodes are small classes with the syntax and its line, without results of passes. `resolve` sets the scopes of names, the
passes of `instrument` change the tree, `lower` translates it to Python's.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast

    from plait.ytt.starlark.program_parts import TemplateStatement


class Scope:
    """A function, lambda, comprehension, or the program itself: the names bound in it and the names used in it.

    bound: name -> line of the first binding. writes: the values assigned to each name, in source order; None for a
    value that is not an expression of its own. hosts, calls: the template statements and calls directly in the scope.
    """

    __slots__ = (
        "bound",
        "calls",
        "children",
        "hosts",
        "is_comprehension",
        "parent",
        "uses",
        "writes",
    )

    def __init__(self, parent: Scope | None, is_comprehension: bool = False) -> None:
        self.parent = parent
        self.is_comprehension = is_comprehension
        self.bound: dict[str, int] = {}
        self.uses: list[Name] = []
        self.children: list[Scope] = []
        self.writes: list[tuple[str, Written]] = []
        self.hosts: list[TemplateStatement] = []
        self.calls: list[Call] = []


class Name:
    """A use of a name. early: the name was not bound yet at this point of the text."""

    __slots__ = ("early", "line", "name", "scope")

    def __init__(self, name: str, line: int, early: bool = False) -> None:
        self.early = early
        self.name = name
        self.line = line
        self.scope: Scope | None = None  # None after resolving: a universal name


class Helper:
    """A helper function that programs cannot name. Passes insert calls of it."""

    __slots__ = ("line", "name")

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line


class Each:
    """The assignment of each element of x to a loop's target."""

    __slots__ = ("x",)

    def __init__(self, x: Expression) -> None:
        self.x = x


class Literal:
    """A string, int or float of the program. Passes also create other constants."""

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
    """A parameter. star: "", "*" or "**"; a bare `*` has no name."""

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
    __slots__ = ("key", "line", "x")

    def __init__(self, x: Expression, key: Expression, line: int) -> None:
        self.x = x
        self.key = key
        self.line = line


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
    """An argument. star: "", "*" or "**". name: "" for a positional argument."""

    __slots__ = ("line", "name", "star", "value")

    def __init__(self, value: Expression, name: str, star: str, line: int) -> None:
        self.value = value
        self.name = name
        self.star = star
        self.line = line


class Call:
    __slots__ = ("arguments", "function", "line")

    def __init__(self, function: Expression, arguments: list[Argument], line: int) -> None:
        self.function = function
        self.arguments = arguments
        self.line = line


class TupleDisplay:
    __slots__ = ("items", "line")

    def __init__(self, items: list[Expression], line: int) -> None:
        self.items = items
        self.line = line


class ListDisplay:
    __slots__ = ("items", "line")

    def __init__(self, items: list[Expression], line: int) -> None:
        self.items = items
        self.line = line


class DictDisplay:
    __slots__ = ("entries", "line")

    def __init__(self, entries: list[tuple[Expression, Expression]], line: int) -> None:
        self.entries = entries
        self.line = line


class Clause:
    """`for target in x` in a comprehension, with the following conditions."""

    __slots__ = ("conditions", "line", "target", "x")

    def __init__(self, target: Expression, x: Expression, line: int) -> None:
        self.target = target
        self.x = x
        self.conditions: list[Expression] = []
        self.line = line


class Comprehension:
    """A comprehension. `key` is None in a list comprehension."""

    __slots__ = ("body", "clauses", "key", "line", "scope")

    def __init__(
        self,
        key: Expression | None,
        body: Expression,
        clauses: list[Clause],
        scope: Scope,
        line: int,
    ) -> None:
        self.key = key
        self.body = body
        self.clauses = clauses
        self.scope = scope
        self.line = line


class Assign:
    """An assignment. operator: "" for `=`, else the operator before the `=`."""

    __slots__ = ("line", "operator", "target", "value")

    def __init__(self, target: Expression, operator: str, value: Expression, line: int) -> None:
        self.target = target
        self.operator = operator
        self.value = value
        self.line = line


class Evaluate:
    """An expression statement. calls: the value is the result of a function of the program, even if a pass wrapped the
    call. unused: as of `unused_call`, from before the passes.
    """

    __slots__ = ("calls", "line", "unused", "value")

    def __init__(self, value: Expression, line: int, *, calls: bool = False, unused: str = "") -> None:
        self.calls = calls
        self.unused = unused
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
    """A `load` statement. names: (name in the module, name in the program, line)."""

    __slots__ = ("line", "names", "path")

    def __init__(self, path: str, names: list[tuple[str, str, int]], line: int) -> None:
        self.path = path
        self.names = names
        self.line = line


class HostStatement:
    """A statement of the template layer; each slot contains an expression or a list of arguments."""

    __slots__ = ("host", "line", "slots")

    def __init__(self, host: TemplateStatement, slots: list[Expression | list[Argument]], line: int) -> None:
        self.host = host
        self.slots = slots
        self.line = line


class Ready:
    """Python statements created by a pass."""

    __slots__ = ("line", "statements")

    def __init__(self, statements: list[_ast.stmt], line: int) -> None:
        self.statements = statements
        self.line = line


def written_once(scope: Scope) -> set[str]:
    """The names that a scope binds exactly once."""
    seen: set[str] = set()
    again: set[str] = set()
    for name, _ in scope.writes:
        (again if name in seen else seen).add(name)
    return seen - again


def calls_program(node: Expression) -> bool:
    """True if an expression calls a function of the program by its name."""
    return isinstance(node, Call) and isinstance(node.function, Name) and node.function.scope is not None


# Methods and functions that change nothing, and return a new value that users take for a changed one.
NEW_VALUE = frozenset(
    [
        "capitalize",
        "format",
        "join",
        "lower",
        "lstrip",
        "replace",
        "rstrip",
        "strip",
        "title",
        "upper",
        "with_data_values",
        "with_data_values_schema",
    ]
)
NEW_LIST = frozenset(("reversed", "sorted"))


def unused_call(node: Expression) -> str:
    """The call, if it probably changes nothing: `name.replace`, or `sorted`; else "". The name may be one of the program."""
    function = node.function if isinstance(node, Call) else None
    if isinstance(function, Name):
        return function.name if function.name in NEW_LIST else ""
    if not isinstance(function, Attribute) or function.name not in NEW_VALUE:
        return ""
    return f"{function.x.name}.{function.name}" if isinstance(function.x, Name) else function.name


if TYPE_CHECKING:
    from typing import TypeAlias

    Expression: TypeAlias = (
        Name
        | Helper
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
    Statement: TypeAlias = Assign | Evaluate | If | For | While | Def | Return | Branch | Load | HostStatement | Ready
    # The value assigned to a name.
    Written: TypeAlias = Expression | Each | None
