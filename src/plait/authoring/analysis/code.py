"""The names in the code of a file: their bindings, their uses, and the keys looked up on them."""

from __future__ import annotations

from plait.authoring.analysis.name_positions import Placed, PlacedParser, place_of, plain, with_columns
from plait.base.errors import PlaitError
from plait.ytt.starlark import syntax
from plait.ytt.starlark.parsing import parse_program
from plait.ytt.starlark.syntax import Def, For, If, Load, While

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.base.source import Source
    from plait.ytt.starlark.syntax import Expression, Scope, Statement
    from plait.ytt.templates.recovery import Recovered

# Represents an item of a list among keys.
ITEM = "[]"
# Maximum number of assignments followed from one name to another.
_MOST_STEPS = 8


class Occurrence:
    """An occurrence of a name. line, column: from 1. scope: the scope of the name; None for a universal name.
    is_binding: it binds the name. is_parameter: the caller sets its value.
    """

    __slots__ = ("column", "is_binding", "is_parameter", "line", "name", "scope")

    def __init__(
        self, name: str, line: int, column: int, scope: Scope | None, *, is_binding: bool, is_parameter: bool = False
    ) -> None:
        self.name = name
        self.line = line
        self.column = column
        self.scope = scope
        self.is_binding = is_binding
        self.is_parameter = is_parameter

    @property
    def end(self) -> int:
        """The column after the name."""
        return self.column + len(self.name)


class Chain:
    """A dotted name, such as `data.values.replicas`. parts: (name, line, column) of each."""

    __slots__ = ("parts", "scope")

    def __init__(self, parts: Sequence[tuple[str, int, int]], scope: Scope | None) -> None:
        self.parts = parts
        self.scope = scope

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.parts]


class KeyLookup:
    """A lookup of a key: `x.key`, `x["key"]` or `getattr(x, "key")`.

    path: the origin of `x` if the text determines it: the path of a `load`, the loaded name, and the keys after it,
    including this one; `[]` for an item of a list. None otherwise.
    """

    __slots__ = ("key", "path")

    def __init__(self, key: Placed, path: tuple[str, ...] | None) -> None:
        self.key = key
        self.path = path


class Keyword:
    """The name of a keyword argument in a call. function: the called function."""

    __slots__ = ("function", "name")

    def __init__(self, name: Placed, function: Expression | None) -> None:
        self.name = name
        self.function = function


class FileNames:
    """The names of one file.

    statements: all statements, including nested ones. loads: the `load` statements. functions: the `def` statements.
    lookups: the keys that code looks up. keywords: the names of passed arguments. texts: all strings. callables: the
    functions and lambdas that a name of a scope refers to. told: lines whose number differs in the engine.
    """

    __slots__ = (
        "callables",
        "chains",
        "functions",
        "keywords",
        "loads",
        "lookups",
        "occurrences",
        "program",
        "statements",
        "texts",
        "told",
    )

    def __init__(self, found: Recovered, source: Source) -> None:
        self.program: Scope | None = None
        self.occurrences: list[Occurrence] = []
        self.chains: list[Chain] = []
        self.loads: list[Load] = []
        self.functions: list[Def] = []
        self.statements: list[Statement] = []
        self.lookups: list[KeyLookup] = []
        self.keywords: list[Keyword] = []
        self.texts: list[Placed] = []
        self.told: dict[int, int] = {}
        self.callables: dict[tuple[Scope, str], list[Def | syntax.Lambda]] = {}
        if found.scope is None:
            return
        try:
            pieces, self.told = with_columns(found.pieces, source)
            statements, self.program, _ = parse_program(pieces, source, PlacedParser)
        except PlaitError:  # the recovered text does not form a program
            return
        _Reader(self, self.program).read(statements)
        self.occurrences.sort(key=lambda one: (one.line, one.column))

    def at(self, line: int, column: int) -> Occurrence | None:
        """The name at a position, or directly before it. None if there is none."""
        return next((one for one in self.occurrences if one.line == line and one.column <= column <= one.end), None)

    def chain_at(self, line: int, column: int) -> tuple[Chain, int] | None:
        """The dotted name at a position, and the index of the part there; None if there is none."""
        for chain in self.chains:
            for index, (name, at, start) in enumerate(chain.parts):
                if at == line and start <= column <= start + len(name):
                    return chain, index
        return None

    def lookup_at(self, line: int, column: int) -> KeyLookup | None:
        """The key lookup at a position, or None."""
        return next((one for one in self.lookups if one.key.line == line and _covers(one.key, column)), None)

    def same(self, occurrence: Occurrence) -> list[Occurrence]:
        """All occurrences of the same name, in order."""
        return [
            other for other in self.occurrences if other.name == occurrence.name and other.scope is occurrence.scope
        ]

    def binding(self, occurrence: Occurrence) -> Occurrence | None:
        """The first binding of a name, or None."""
        return next((other for other in self.same(occurrence) if other.is_binding), None)

    def load_of(self, name: str) -> tuple[Load, str] | None:
        """The `load` statement that binds a name, and the loaded name; None if there is none."""
        for load in self.loads:
            for here, there, _ in load.names:
                if here == name:
                    return load, there
        return None

    def function(self, name: str) -> Def | None:
        """The function with this name at the top level, or None."""
        return next((one for one in self.functions if one.name == name), None)

    def visible(self, line: int) -> set[str]:
        """The names that code on a line can use: at the top level, those bound above it; in a function, all."""
        names: set[str] = set()
        for scope, first, last in _ranges(self.functions):
            if first <= line <= last:
                names.update(scope.bound)
        if self.program is not None:
            bindings = (one for one in self.occurrences if one.is_binding and one.scope is self.program)
            above = {one.name for one in bindings if one.line < line}
            is_inside = any(first <= line <= last for _, first, last in _ranges(self.functions))
            names.update(name for name in self.program.bound if is_inside or name in above)
        return {plain(name) for name in names if name.isidentifier()}


def _covers(text: Placed, column: int) -> bool:
    return text.column > 0 and text.column <= column <= text.end


class _Reader:
    """One walk over the tree of a program."""

    def __init__(self, names: FileNames, program: Scope) -> None:
        self.names = names
        self.program = program
        self.scope = program
        self.loaded: dict[str, tuple[str, str]] = {}

    def read(self, statements: Iterable[Statement]) -> None:
        statements = list(statements)
        for statement in _within(statements):
            self.names.statements.append(statement)
            if isinstance(statement, Load):
                self.names.loads.append(statement)
                self.loaded.update({here: (plain(statement.path), plain(there)) for here, there, _ in statement.names})
        self.block(statements)

    # ---- statements

    def block(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: Statement) -> None:
        if isinstance(node, Load):
            for here, _, _ in node.names:
                self.add(here, self.program, is_binding=True)
        elif isinstance(node, Def):
            self.function(node)
        elif isinstance(node, For):
            self.expression(node.x)
            self.target(node.target)
            self.block(node.body)
        elif isinstance(node, If):
            self.expression(node.test)
            self.block(node.yes)
            self.block(node.no)
        elif isinstance(node, While):
            self.expression(node.test)
            self.block(node.body)
        elif isinstance(node, syntax.Assign):
            self.expression(node.value)
            self.target(node.target)
            if isinstance(node.target, syntax.Name) and isinstance(node.value, syntax.Lambda):
                self.callable(node.target.scope or self.scope, node.target.name, node.value)
        elif isinstance(node, syntax.HostStatement):
            for slot in node.slots:
                if isinstance(slot, list):
                    self.arguments(slot, None)
                else:
                    self.expression(slot)
        elif isinstance(node, syntax.Evaluate | syntax.Return) and node.value is not None:
            self.expression(node.value)

    def function(self, node: Def) -> None:
        self.names.functions.append(node)
        self.add(node.name, self.scope, is_binding=True)
        self.callable(self.scope, node.name, node)
        self.parameters(node.parameters, node.scope)
        outer, self.scope = self.scope, node.scope
        self.block(node.body)
        self.scope = outer

    def callable(self, scope: Scope, name: str, node: Def | syntax.Lambda) -> None:
        self.names.callables.setdefault((scope, plain(name)), []).append(node)

    def parameters(self, parameters: Iterable[syntax.Parameter], scope: Scope) -> None:
        for one in parameters:
            if one.default is not None:
                self.expression(one.default)
            if one.name:
                self.add(one.name, scope, is_binding=True, is_parameter=True)

    def target(self, node: Expression) -> None:
        """Reads the target of an assignment."""
        if isinstance(node, syntax.Name):
            self.add(node.name, node.scope or self.scope, is_binding=True)
        elif isinstance(node, syntax.TupleDisplay | syntax.ListDisplay):
            for item in node.items:
                self.target(item)
        else:
            self.expression(node)

    def add(self, name: str, scope: Scope | None, *, is_binding: bool, is_parameter: bool = False) -> None:
        place = place_of(name)
        if place is not None:
            self.names.occurrences.append(
                Occurrence(plain(name), *place, scope, is_binding=is_binding, is_parameter=is_parameter)
            )

    # ---- expressions

    def expression(self, node: Expression) -> None:
        if isinstance(node, syntax.Name):
            self.add(node.name, node.scope, is_binding=False)
        elif isinstance(node, syntax.Literal):
            if isinstance(node.value, Placed) and node.value.column:
                self.names.texts.append(node.value)
        elif isinstance(node, syntax.Attribute):
            self.attribute(node)
        elif isinstance(node, syntax.Index):
            if isinstance(node.key, syntax.Literal):
                self.look_up(node.key.value, node)
            self.expression(node.x)
            self.expression(node.key)
        elif isinstance(node, syntax.Call):
            self.call(node)
        elif isinstance(node, syntax.Lambda):
            self.parameters(node.parameters, node.scope)
            outer, self.scope = self.scope, node.scope
            self.expression(node.body)
            self.scope = outer
        elif isinstance(node, syntax.Comprehension):
            self.comprehension(node)
        else:
            for inner in _parts(node):
                self.expression(inner)

    def comprehension(self, node: syntax.Comprehension) -> None:
        outer = self.scope
        for number, clause in enumerate(node.clauses):
            self.scope = node.scope if number else outer
            self.expression(clause.x)
            self.scope = node.scope
            self.target(clause.target)
            for condition in clause.conditions:
                self.expression(condition)
        if node.key is not None:
            self.expression(node.key)
        self.expression(node.body)
        self.scope = outer

    def call(self, node: syntax.Call) -> None:
        self.expression(node.function)
        self.arguments(node.arguments, node.function)
        if _is_getattr(node) and isinstance(node.arguments[1].value, syntax.Literal):
            self.look_up(node.arguments[1].value.value, node)

    def arguments(self, arguments: Iterable[syntax.Argument], function: Expression | None) -> None:
        for one in arguments:
            if isinstance(one.name, Placed) and one.name.column:
                self.names.keywords.append(Keyword(one.name, function))
            self.expression(one.value)

    def attribute(self, node: syntax.Attribute) -> None:
        """Reads a value with attributes."""
        members = [node]
        inner = node.x
        while isinstance(inner, syntax.Attribute):
            members.append(inner)
            inner = inner.x
        members.reverse()
        path = self.path(inner, _MOST_STEPS)
        for one in members:
            path = _joined(path, plain(one.name))
            if isinstance(one.name, Placed) and one.name.column:
                self.names.lookups.append(KeyLookup(one.name, path))
        if isinstance(inner, syntax.Name):
            parts = [inner.name, *(one.name for one in members)]
            places = [
                (plain(name), name.line, name.column) for name in parts if isinstance(name, Placed) and name.column
            ]
            if len(places) == len(parts):
                self.names.chains.append(Chain(places, inner.scope))
        self.expression(inner)

    def look_up(self, key: object, node: Expression) -> None:
        if isinstance(key, Placed) and key.column:
            self.names.lookups.append(KeyLookup(key, self.path(node, _MOST_STEPS)))

    def path(self, node: Expression, steps: int) -> tuple[str, ...] | None:
        """The origin of a value: the path of a `load`, the loaded name, and the keys after it. None if the text does
        not determine it.
        """
        if steps <= 0:
            return None
        if isinstance(node, syntax.Name):
            scope = node.scope
            if scope is self.program and node.name in self.loaded:
                return self.loaded[node.name]
            writes = [value for name, value in scope.writes if name == node.name] if scope is not None else []
            if len(writes) != 1 or writes[0] is None:
                return None
            if isinstance(writes[0], syntax.Each):
                return _joined(self.path(writes[0].x, steps - 1), ITEM)
            return self.path(writes[0], steps - 1)
        if isinstance(node, syntax.Attribute):
            return _joined(self.path(node.x, steps), plain(node.name))
        if isinstance(node, syntax.Index):
            return _joined(self.path(node.x, steps), _index(node.key))
        if isinstance(node, syntax.Call) and _is_getattr(node):
            return _joined(self.path(node.arguments[0].value, steps), _index(node.arguments[1].value))
        return None


def _joined(path: tuple[str, ...] | None, key: str | None) -> tuple[str, ...] | None:
    return None if path is None or key is None else (*path, key)


def _index(node: Expression) -> str | None:
    """The key of an index; None for a computed one."""
    if not isinstance(node, syntax.Literal):
        return None
    return plain(node.value) if isinstance(node.value, str) else ITEM


def _is_getattr(node: syntax.Call) -> bool:
    function = node.function
    return (
        isinstance(function, syntax.Name)
        and function.scope is None
        and function.name == "getattr"
        and len(node.arguments) > 1
        and not node.arguments[0].star
        and not node.arguments[1].star
    )


def _parts(node: Expression) -> Iterator[Expression]:
    """The subexpressions of an expression that binds no names."""
    if isinstance(node, syntax.Unary):
        yield node.x
    elif isinstance(node, syntax.Binary):
        yield node.x
        yield node.y
    elif isinstance(node, syntax.Conditional):
        yield from (node.yes, node.test, node.no)
    elif isinstance(node, syntax.Slice):
        yield from (one for one in (node.x, node.low, node.high, node.step) if one is not None)
    elif isinstance(node, syntax.TupleDisplay | syntax.ListDisplay):
        yield from node.items
    elif isinstance(node, syntax.DictDisplay):
        for key, value in node.entries:
            yield key
            yield value


def _within(statements: Iterable[Statement]) -> Iterator[Statement]:
    """The statements, including nested ones."""
    for statement in statements:
        yield statement
        if isinstance(statement, Def | For | While):
            yield from _within(statement.body)
        elif isinstance(statement, If):
            yield from _within(statement.yes)
            yield from _within(statement.no)


def _ranges(functions: Iterable[Def]) -> list[tuple[Scope, int, int]]:
    """The scope of each function with its lines, outer functions first."""
    found = []
    for function in functions:
        last = max((statement.line for statement in _within(function.body)), default=function.line)
        found.append((function.scope, function.line, last))
    return found
