"""The names in the code of a file: where each is bound, where it is used, and what stands behind its dots.

The parser knows lines; an editor wants columns. So the tokens of the program are matched with the scopes that the parser found.
"""

from __future__ import annotations

from typing import TypeVar

from plait.starlark.pieces import Args, Code, Expr, Host
from plait.starlark.scan import ScanFailure, scan, scan_slot
from plait.starlark.syntax import Def, For, If, Load, While

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.source import Source
    from plait.starlark import Piece
    from plait.starlark.scan import Token
    from plait.starlark.syntax import Scope, Statement
    from plait.templates.recovery import Recovered

_Piece = TypeVar("_Piece", bound="Code | Expr | Args")

_OPEN, _CLOSED = frozenset("([{"), frozenset(")]}")


class Occurrence:
    """A name where it stands. line, column: from 1. scope: the one that it belongs to; None for a universal name.

    is_binding: whether it gets its value here. is_parameter: whether that comes from who calls.
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
        """The column behind it."""
        return self.column + len(self.name)


class Chain:
    """A name with dots behind it, such as `data.values.replicas`. parts: (name, line, column) of each."""

    __slots__ = ("parts", "scope")

    def __init__(self, parts: Sequence[tuple[str, int, int]], scope: Scope | None) -> None:
        self.parts = parts
        self.scope = scope

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.parts]


class Names:
    """The names of one file.

    statements: all of them, those within others included; loads: the `load` statements; functions: the `def` statements.
    """

    __slots__ = ("chains", "functions", "loads", "occurrences", "program", "statements")

    def __init__(self, found: Recovered, source: Source) -> None:
        self.program = found.scope
        self.occurrences: list[Occurrence] = []
        self.chains: list[Chain] = []
        self.loads: list[Load] = []
        self.functions: list[Def] = []
        self.statements: list[Statement] = []
        if found.scope is not None:
            _Reader(self, found.scope, found.statements).read(_tokens(found.pieces, source))

    def at(self, line: int, column: int) -> Occurrence | None:
        """The name at a place, its last column and the one behind it included."""
        return next((one for one in self.occurrences if one.line == line and one.column <= column <= one.end), None)

    def chain_at(self, line: int, column: int) -> tuple[Chain, int] | None:
        """The dotted name at a place, and which of its parts that is."""
        for chain in self.chains:
            for index, (name, at, start) in enumerate(chain.parts):
                if at == line and start <= column <= start + len(name):
                    return chain, index
        return None

    def same(self, one: Occurrence) -> list[Occurrence]:
        """Every place of the same name, in order."""
        return [other for other in self.occurrences if other.name == one.name and other.scope is one.scope]

    def binding(self, one: Occurrence) -> Occurrence | None:
        """Where a name gets its value first."""
        return next((other for other in self.same(one) if other.is_binding), None)

    def load_of(self, name: str) -> tuple[Load, str] | None:
        """The `load` statement that binds a name, and what it is called there."""
        for load in self.loads:
            for here, there, _ in load.names:
                if here == name:
                    return load, there
        return None

    def function(self, name: str) -> Def | None:
        """The function of a name at the top of the file."""
        return next((one for one in self.functions if one.name == name), None)

    def visible(self, line: int) -> set[str]:
        """The names that code on a line can use."""
        names: set[str] = set()
        for scope, first, last in _ranges(self.functions):
            if first <= line <= last:
                names.update(scope.bound)
        if self.program is not None:
            names.update(self.program.bound)
        return {name for name in names if name.isidentifier()}


def _tokens(pieces: Sequence[Piece], source: Source) -> list[Token]:
    """The tokens of a program and its slots, each with its place in the text. Code that cannot be scanned has none."""
    out: list[Token] = []
    run: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Host):
            out += _scanned(run, source)
            run = []
            for slot in piece.slots:
                try:
                    inner = scan_slot(_placed(slot, source), source)[:-1]
                except ScanFailure:
                    continue
                # In parentheses, as it is read: names with an equals sign behind them are those of arguments.
                out += [("(", "(", slot.line, 0), *inner]
        else:
            run.append(_placed(piece, source))
    return out + _scanned(run, source)


def _scanned(pieces: Sequence[Piece], source: Source) -> list[Token]:
    if not pieces:
        return []
    try:
        return scan(pieces, source)[:-1]
    except ScanFailure:
        return []


def _placed(piece: _Piece, source: Source) -> _Piece:
    """The piece with the column that it begins in: what a comment says ends where its line ends."""
    text = source.line(piece.line) or ""
    is_comment = text.rstrip().endswith(piece.text.rstrip()) or "/end" in text
    if piece.column > 1 or "\n" in piece.text or not is_comment or text == piece.text:
        return piece
    return type(piece)(piece.text, piece.line, len(text.rstrip()) - len(piece.text.rstrip()) + 1)


class _Reader:
    """One walk over the tokens of a program, beside the scopes that the parser found."""

    def __init__(self, names: Names, program: Scope, statements: Iterable[Statement]) -> None:
        self.names = names
        self.program = program
        for statement in _within(statements):
            names.statements.append(statement)
            if isinstance(statement, Load):
                names.loads.append(statement)
            elif isinstance(statement, Def):
                names.functions.append(statement)
        self.ranges = _ranges(names.functions)
        self.uses: dict[tuple[str, int], Scope | None] = {}
        self.bound: dict[tuple[str, int], Scope] = {}
        for scope in _scopes(program):
            for use in scope.uses:
                self.uses[use.name, use.line] = use.scope
            for name, line in scope.bound.items():
                self.bound.setdefault((name, line), scope)

    def read(self, tokens: Sequence[Token]) -> None:
        index = 0
        before = ""
        while index < len(tokens):
            kind, value = tokens[index][:2]
            after = tokens[index + 1][0] if index + 1 < len(tokens) else ""
            if kind == "load":
                index = self.load(tokens, index)
            elif kind == "def" and after == "identifier":
                index = self.definition(tokens, index + 1)
            elif kind == "for":
                index = self.targets(tokens, index + 1)
            elif kind == "identifier" and value != "end" and before != ".":
                is_keyword = after == "=" and before in {"(", ","}
                if not is_keyword:
                    index = self.name(tokens, index, is_binding=after == "=" and before in {"", "newline", "host"})
            before = tokens[index][0] if index < len(tokens) else ""
            index += 1

    def name(self, tokens: Sequence[Token], index: int, *, is_binding: bool) -> int:
        """A name, and what stands behind its dots; where that ends."""
        _, value, line, column = tokens[index]
        scope = self.scope_of(str(value), line)
        self.add(str(value), line, column, scope, is_binding=is_binding)
        parts = [(str(value), line, column)]
        while index + 2 < len(tokens) and tokens[index + 1][0] == "." and tokens[index + 2][0] == "identifier":
            index += 2
            parts.append((str(tokens[index][1]), tokens[index][2], tokens[index][3]))
        if len(parts) > 1:
            self.names.chains.append(Chain(parts, scope))
        return index

    def load(self, tokens: Sequence[Token], index: int) -> int:
        """The names of a `load` statement: its path is the first text."""
        seen = 0
        while index + 1 < len(tokens) and tokens[index][0] != ")":
            index += 1
            kind, value, line, column = tokens[index]
            if kind == "string literal":
                seen += 1
                if seen > 1 and tokens[index - 1][0] != "=":
                    self.add(str(value), line, column + 1, self.program, is_binding=True)
            elif kind == "identifier":
                self.add(str(value), line, column, self.program, is_binding=True)
        return index

    def definition(self, tokens: Sequence[Token], index: int) -> int:
        """The name of a function and its parameters; their defaults are read as what they are."""
        _, value, line, column = tokens[index]
        outer = self.scope_of(str(value), line)
        self.add(str(value), line, column, outer or self.program, is_binding=True)
        inner = next((one.scope for one in self.names.functions if one.name == value and one.line == line), None)
        depth = 0
        is_next = False
        while index + 1 < len(tokens):
            index += 1
            kind, value, line, column = tokens[index]
            if kind in _OPEN:
                depth += 1
                is_next = depth == 1
            elif kind in _CLOSED:
                depth -= 1
                if depth == 0:
                    break
            elif kind == "," and depth == 1:
                is_next = True
            elif kind == "identifier":
                if is_next and inner is not None:
                    self.names.occurrences.append(
                        Occurrence(str(value), line, column, inner, is_binding=True, is_parameter=True)
                    )
                elif tokens[index - 1][0] != ".":
                    index = self.name(tokens, index, is_binding=False)
                is_next = False
        return index

    def targets(self, tokens: Sequence[Token], index: int) -> int:
        """What a loop assigns to, up to `in`."""
        while index < len(tokens) and tokens[index][0] not in {"in", "newline"}:
            kind, value, line, column = tokens[index]
            if kind == "identifier":
                self.add(str(value), line, column, self.scope_of(str(value), line), is_binding=True)
            index += 1
        return index

    def add(self, name: str, line: int, column: int, scope: Scope | None, *, is_binding: bool) -> None:
        self.names.occurrences.append(Occurrence(name, line, column, scope, is_binding=is_binding))

    def scope_of(self, name: str, line: int) -> Scope | None:
        """The scope that a name belongs to."""
        if (name, line) in self.uses:
            return self.uses[name, line]
        found = self.bound.get((name, line))
        if found is not None:
            return found
        inner = [scope for scope, first, last in self.ranges if first <= line <= last and name in scope.bound]
        if inner:
            return inner[-1]
        return self.program if name in self.program.bound else None


def _within(statements: Iterable[Statement]) -> Iterator[Statement]:
    """The statements, and those in them."""
    for statement in statements:
        yield statement
        if isinstance(statement, Def | For | While):
            yield from _within(statement.body)
        elif isinstance(statement, If):
            yield from _within(statement.yes)
            yield from _within(statement.no)


def _scopes(scope: Scope) -> Iterator[Scope]:
    yield scope
    for child in scope.children:
        yield from _scopes(child)


def _ranges(functions: Iterable[Def]) -> list[tuple[Scope, int, int]]:
    """The scope of each function with the lines it is on, the outer ones first."""
    found = []
    for function in functions:
        last = max((statement.line for statement in _within(function.body)), default=function.line)
        found.append((function.scope, function.line, last))
    return found
