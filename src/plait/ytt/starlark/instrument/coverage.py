"""Instruments programs to report executed statements and branches.

Used only for evaluations with a listener (see `plait.base.events`). The pass adds a call of `$ran` for each branch of
each point:

    x = a and b           ->    $ran(0)
                                x = a and ($ran(1) or b)
    if x:                 ->    $ran(2)
        y()                     if x:
                                    $ran(3)
                                    $ran(5)
                                    y()
                                else:
                                    $ran(4)

A statement counts as executed once it starts. `$ran` returns None, hence the `or`.
"""

from __future__ import annotations

from plait.base.events import DONE
from plait.ytt.starlark import syntax
from plait.ytt.starlark.lower.emit import Emitter
from plait.ytt.starlark.parsing import parse_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast as py
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from plait.base.events import Point
    from plait.base.source import Source
    from plait.ytt.starlark.program_parts import Piece, TemplateStatement
    from plait.ytt.starlark.syntax import Expression, Scope, Statement

    # Returns the lines that a template statement covers; none if it is not reported.
    LinesOf: TypeAlias = Callable[[TemplateStatement], Iterable[int]]

# The types of points. A part is a subexpression that a statement does not always evaluate.
STATEMENT, NODES, PART, CONDITION, LOOP, FUNCTION = "statement", "nodes", "part", "condition", "loop", "function"
_TESTED = ("true", "false")
_LOOPED = ("runs", "is skipped")
_CALLED = ("called",)


def mark(statements: list[Statement], scope: Scope, lines_of: LinesOf) -> list[py.stmt]:
    """Inserts the reporting calls into a program, in place. Returns definitions that must be executed first."""
    marker = _Marker(scope, lines_of)
    marker.block(statements)
    emit = Emitter()
    return [emit.set("$ran", emit.call("$listen", [emit.load("$source"), emit.constant(tuple(marker.points))]))]


def points_in(pieces: Sequence[Piece], source: Source, lines_of: LinesOf) -> list[Point]:
    """Returns the coverage points of a program without running it.

    Raises StarlarkError or LimitError if it cannot be parsed.
    """
    statements, scope, _ = parse_program(pieces, source)
    marker = _Marker(scope, lines_of)
    marker.block(statements)
    return marker.points


class _Marker:
    """One walk over a program. scope: the scope of the current function. lines: the lines of the current statement or
    part, so far.
    """

    def __init__(self, scope: Scope, lines_of: LinesOf) -> None:
        self.points: list[Point] = []
        self.scope = scope
        self.lines_of = lines_of
        self.lines: set[int] = set()
        self.ways = 0
        self.loops = 0

    # ---- points

    def add(self, kind: str, line: int, name: str, ways: tuple[str, ...] = DONE) -> int:
        """Adds a point. Returns the number of its first branch."""
        self.points.append((kind, (line,), name, ways))
        self.ways += len(ways)
        return self.ways - len(ways)

    def has_lines(self, index: int, lines: Iterable[int]) -> None:
        """Adds lines to a point."""
        kind, (first, *_), name, ways = self.points[index]
        self.points[index] = kind, (first, *sorted({*lines} - {first, 0})), name, ways

    def say(self, way: int, line: int) -> Statement:
        return syntax.Evaluate(_ran(way, line), line)

    # ---- statements

    def block(self, statements: list[Statement]) -> None:
        made: list[Statement] = []
        for node in statements:
            self.statement(node, made)
        statements[:] = made

    def statement(self, node: Statement, into: list[Statement]) -> None:
        if isinstance(node, syntax.Evaluate) and _is_ours(node.value):
            into.append(node)
            return
        kind, lines = STATEMENT, {node.line}
        if isinstance(node, syntax.HostStatement):
            kind, lines = NODES, set(self.lines_of(node.host))
        self.lines = lines
        if lines:
            place = len(self.points)
            into.append(self.say(self.add(kind, min(lines), ""), node.line))
            self.expressions_of(node)
            self.has_lines(place, self.lines)
        if isinstance(node, (syntax.For, syntax.While)):
            self.loop(node, into)
            return
        into.append(node)
        if isinstance(node, syntax.If):
            way = self.add(CONDITION, node.line, "", _TESTED)
            self.block(node.yes)
            self.block(node.no)
            node.yes.insert(0, self.say(way, node.line))
            node.no.insert(0, self.say(way + 1, node.line))
        elif isinstance(node, syntax.Def):
            way = self.add(FUNCTION, node.line, node.name, _CALLED)
            outer, self.scope = self.scope, node.scope
            self.block(node.body)
            self.scope = outer
            node.body.insert(0, self.say(way, node.line))

    def loop(self, node: syntax.For | syntax.While, into: list[Statement]) -> None:
        """Instruments a loop, with a variable that is true after the loop if its body ran."""
        way = self.add(LOOP, node.line, "", _LOOPED)
        self.loops += 1
        name = f"$skipped.{self.loops}"
        self.scope.bound[name] = node.line
        self.scope.writes += [(name, None), (name, None)]
        line = node.line

        def skipped() -> syntax.Name:
            made = syntax.Name(name, line)
            made.scope = self.scope
            return made

        into.append(syntax.Assign(skipped(), "", syntax.Literal(True, line), line))
        self.block(node.body)
        node.body[:0] = [self.say(way, line), syntax.Assign(skipped(), "", syntax.Literal(False, line), line)]
        into.append(node)
        into.append(syntax.If(skipped(), [self.say(way + 1, line)], [], line))

    def expressions_of(self, node: Statement) -> None:
        """Instruments the expressions directly in a statement."""
        if isinstance(node, (syntax.Assign, syntax.Evaluate)):
            if isinstance(node, syntax.Assign):
                self.expression(node.target)
            self.expression(node.value)
        elif isinstance(node, (syntax.If, syntax.While)):
            self.expression(node.test)
        elif isinstance(node, syntax.For):
            self.expression(node.target)
            self.expression(node.x)
        elif isinstance(node, syntax.Def):
            self.defaults(node.parameters)
        elif isinstance(node, syntax.Return) and node.value is not None:
            self.expression(node.value)
        elif isinstance(node, syntax.Load):
            self.lines.update(line for _, _, line in node.names)
        elif isinstance(node, syntax.HostStatement):
            for slot in node.slots:
                self.all([one.value for one in slot] if isinstance(slot, list) else [slot])

    # ---- expressions: each records its lines, and reports the parts that are not always evaluated

    def expression(self, node: Expression) -> None:
        rule = _RULES.get(type(node))
        self.lines.add(node.line)
        if rule is not None:
            rule(self, node)

    def all(self, nodes: Iterable[Expression | None]) -> None:
        for node in nodes:
            if node is not None:
                self.expression(node)

    def part(self, node: Expression, name: str, *others: Expression) -> Expression:
        """Instruments a part that is not always evaluated. name: the name of its owner. others: evaluated with it."""
        outer, self.lines = self.lines, set()
        place = len(self.points)
        way = self.add(PART, node.line, name)
        self.all((node, *others))
        self.has_lines(place, self.lines)
        self.lines = outer
        return syntax.Binary("or", _ran(way, node.line), node, node.line)

    def binary(self, node: syntax.Binary) -> None:
        # `a + b + c` is left-recursive, as deep as it is long.
        chain = [node]
        while isinstance(node.x, syntax.Binary):
            node = node.x
            self.lines.add(node.line)
            chain.append(node)
        if not _is_ours(node.x):
            self.expression(node.x)
        for one in reversed(chain):
            if one.operator in ("and", "or") and not _is_ours(one.x):
                one.y = self.part(one.y, one.operator)
            else:
                self.expression(one.y)

    def conditional(self, node: syntax.Conditional) -> None:
        self.expression(node.test)
        node.yes = self.part(node.yes, "if")
        node.no = self.part(node.no, "else")

    def lambda_(self, node: syntax.Lambda) -> None:
        self.defaults(node.parameters)
        node.body = self.part(node.body, "lambda")

    def comprehension(self, node: syntax.Comprehension) -> None:
        for number, clause in enumerate(node.clauses):
            if number:
                clause.x = self.part(clause.x, "for")
            else:
                self.expression(clause.x)
            self.expression(clause.target)
            clause.conditions = [self.part(condition, "if") for condition in clause.conditions]
        if node.key is None:
            node.body = self.part(node.body, "for")
        else:
            node.key = self.part(node.key, "for", node.body)

    def defaults(self, parameters: Sequence[syntax.Parameter]) -> None:
        self.lines.update(parameter.line for parameter in parameters)
        self.all(parameter.default for parameter in parameters)

    def call(self, node: syntax.Call) -> None:
        self.all((node.function, *(argument.value for argument in node.arguments)))

    def items(self, node: syntax.TupleDisplay | syntax.ListDisplay) -> None:
        self.all(node.items)

    def dict_display(self, node: syntax.DictDisplay) -> None:
        self.all(part for entry in node.entries for part in entry)

    def slice(self, node: syntax.Slice) -> None:
        self.all((node.x, node.low, node.high, node.step))

    def index(self, node: syntax.Index) -> None:
        self.all((node.x, node.key))

    def x(self, node: syntax.Attribute | syntax.Unary) -> None:
        self.expression(node.x)


def _ran(way: int, line: int) -> syntax.Call:
    return syntax.Call(syntax.Helper("$ran", line), [syntax.Argument(syntax.Literal(way, line), "", "", line)], line)


def _is_ours(node: Expression) -> bool:
    """True if a pass inserted the call."""
    return isinstance(node, syntax.Call) and isinstance(node.function, syntax.Helper)


_RULES: dict[type, Callable[..., None]] = {
    syntax.Attribute: _Marker.x,
    syntax.Binary: _Marker.binary,
    syntax.Call: _Marker.call,
    syntax.Comprehension: _Marker.comprehension,
    syntax.Conditional: _Marker.conditional,
    syntax.DictDisplay: _Marker.dict_display,
    syntax.Index: _Marker.index,
    syntax.Lambda: _Marker.lambda_,
    syntax.ListDisplay: _Marker.items,
    syntax.Slice: _Marker.slice,
    syntax.TupleDisplay: _Marker.items,
    syntax.Unary: _Marker.x,
}
