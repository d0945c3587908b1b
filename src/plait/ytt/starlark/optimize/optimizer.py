"""The lowering that inlines common cases, and the helpers that its rules share."""

from __future__ import annotations

import _ast as py

from plait.ytt.starlark import syntax
from plait.ytt.starlark.lower.emit import LOAD, variable
from plait.ytt.starlark.lower.statements import Lowering
from plait.ytt.starlark.optimize.data_flow import follow_apart
from plait.ytt.starlark.optimize.groups import find
from plait.ytt.starlark.step_budget import LONG
from plait.ytt.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from plait.ytt.starlark.lower.expressions import Rule
    from plait.ytt.starlark.lower.statements import Hooks, StatementRule
    from plait.ytt.starlark.optimize.data_flow import Flow
    from plait.ytt.starlark.syntax import Expression

    # The operands of a fast subscript: for x and for the key the name of a variable, or None and a constant.
    Site: TypeAlias = tuple[str | None, object, str | None, object]
    # Returns an expression that reads a value again.
    Again: TypeAlias = Callable[[], py.expr]


class Optimizer(Lowering):
    """Lowers a syntax tree to faster code than `Lowering` does in many common cases.

    flow: the inferred types and escapes.
    """

    __slots__ = ("facts", "flow", "hot", "sites", "walrus")

    def __init__(
        self,
        hooks: Hooks | None,
        flow: Flow,
        rules: Mapping[type, Rule],
        statement_rules: Mapping[type, StatementRule],
    ) -> None:
        super().__init__(hooks, rules=rules, statement_rules=statement_rules)
        self.flow = flow
        self.facts = flow  # of the current function
        self.hot = False  # code here runs often, so it may be longer
        self.walrus = True  # Python allows `:=` here
        self.sites: list[Site] = []

    @property
    def guards(self) -> bool:
        """True if an expression may assign a value to a variable and test its type."""
        return self.hot and self.walrus

    def kind(self, node: Expression) -> str:
        """The type of an expression (see `inferred_types`)."""
        return self.facts.of(node)

    def tables(self) -> list[py.stmt]:
        return [self.set("$sites", self.constant(tuple(self.sites)))]

    # ---- code that runs often, and positions where Python allows `:=`

    def while_(self, node: syntax.While, into: list[py.stmt]) -> None:
        outer, self.hot = self.hot, True
        super().while_(node, into)
        self.hot = outer

    def for_(self, node: syntax.For, into: list[py.stmt]) -> None:
        outer = self.hot
        super().for_(node, into)
        self.hot = outer

    def iterated(self, x: Expression) -> tuple[py.expr, bool]:
        name = range_in_loop(x)
        made = super().iterated(x) if name is None else (self.range(name, x), False)
        self.hot = True  # the body is lowered next
        return made

    def comprehension(self, node: syntax.Comprehension) -> py.expr:
        outer = self.hot, self.prefix
        self.hot = True
        if self.walrus:
            # `:=` binds in the enclosing function. Distinct names keep the function's own variables fast.
            self.prefix += "c"
        made = super().comprehension(node)
        self.hot, self.prefix = outer
        return made

    def iterable(self, x: Expression, node: syntax.Comprehension, *, first: bool) -> py.expr:
        outer, self.walrus = self.walrus, False
        name = range_in_loop(x)
        if name is not None:
            made = self.range(name, x)
        elif _may_change(node, first=first):
            made = super().iterable(x, node, first=first)
        else:
            made = self.call("$each", [self.expression(x)])
        self.walrus = outer
        return made

    def unpacked(self, value: py.expr, count: int) -> py.expr:
        if not self.guards:
            return super().unpacked(value, count)
        first, again = self.simple(value)
        length = self.compare(self.call("$L", [again()]), py.Eq(), self.constant(count))
        test = self.both(self.is_type(first, self.load("$T.tuple")), length)
        return self.choose(test, again(), super().unpacked(again(), count))

    def list_display(self, node: syntax.ListDisplay) -> py.expr:
        if node not in self.facts.bare:
            return super().list_display(node)
        return py.List([self.expression(item) for item in node.items], LOAD, lineno=self.line, col_offset=0)

    def list_of(self, node: Expression, made: py.expr) -> py.expr:
        return made if node in self.facts.bare else super().list_of(node, made)

    def own(self, node: Expression, made: py.expr) -> py.expr:
        """A Python list, instead of a Starlark list that only compiled code would see."""
        if node not in self.facts.bare:
            return made
        items = py.Starred(made, LOAD, lineno=self.line, col_offset=0)
        return py.List([items], LOAD, lineno=self.line, col_offset=0)

    def dict_of(self, node: Expression, key: py.expr, value: py.expr, generators: list[py.comprehension]) -> py.expr:
        if self.kind(node) != "str" or not self.walrus:
            return super().dict_of(node, key, value, generators)
        first, again = self.simple(key)
        tests = self.is_short(first, node)
        if tests:
            key = self.choose(self.every(tests), again(), self.call("$key", [again()]))
        return self.call("$make_dict", [py.DictComp(key, value, generators, **self.at())])

    def range(self, name: str, x: Expression) -> py.expr:
        """A `range(...)` in a loop."""
        assert isinstance(x, syntax.Call)
        outer, self.line = self.line, x.line
        made = self.call(name, [self.expression(argument.value) for argument in x.arguments])
        self.line = outer
        return made

    def lambda_body(self, node: Expression) -> py.expr:
        # Python forbids `:=` anywhere in the iterable of a comprehension.
        outer = self.hot, self.temps, self.prefix
        self.hot, self.temps, self.prefix = True, 0, "$"
        made = super().lambda_body(node)
        self.hot, self.temps, self.prefix = outer
        return made

    def function_body(self, node: syntax.Def) -> list[py.stmt]:
        outer = self.hot, self.walrus
        self.hot = self.walrus = True
        body = super().function_body(node)
        self.hot, self.walrus = outer
        return body

    # ---- functions whose calls are followed

    def def_(self, node: syntax.Def, into: list[py.stmt]) -> None:
        super().def_(node, into)
        function = self.flow.functions.get(node.name)
        if function is not None and function.definition is node and self.flow.twice(function):
            # The version for internal calls, under its own name, is complete; the next one is for all other calls.
            into.append(self.set(f"$f.{node.name}", self.load(variable(node.name))))
            self.facts = follow_apart(node.scope, node.body, self.flow)
            super().def_(node, into)
            self.facts = self.flow

    def knows(self, node: syntax.Call) -> bool:
        """True if a call is of a function that is compiled twice."""
        name = node.function
        if self.facts is not self.flow or not isinstance(name, syntax.Name):
            return False
        function = self.flow.called(node)
        return function is not None and self.flow.twice(function)

    # ---- pieces of fast code

    def both(self, *tests: py.expr) -> py.expr:
        return py.BoolOp(py.And(), list(tests), lineno=self.line, col_offset=0)

    def every(self, tests: Sequence[py.expr]) -> py.expr:
        """The conjunction of one or more tests."""
        return tests[0] if len(tests) == 1 else self.both(*tests)

    def is_type(self, operand: py.expr, *others: py.expr) -> py.expr:
        """`type(operand) is other is ...`."""
        operators: list[py.cmpop] = [py.Is() for _ in others]
        return py.Compare(self.call("$T", [operand]), operators, list(others), lineno=self.line, col_offset=0)

    def is_smaller(self, x: py.expr, size: int) -> py.expr:
        """`len(x) < size`, with Python's `len`."""
        return self.compare(self.call("$L", [x]), py.Lt(), self.constant(size))

    def is_character(self, node: Expression) -> bool:
        """True if the expression is one byte of a string."""
        return isinstance(node, syntax.Index) and self.kind(node.x) == "str"

    def is_short(self, x: py.expr, node: Expression) -> list[py.expr]:
        """The test that a string is too short to be charged for, or an empty list if none is needed."""
        if self.is_character(node) or (
            isinstance(x, py.Constant) and (type(x.value) is not str or len(x.value) <= LONG)
        ):
            return []
        return [self.is_smaller(x, LONG + 1)]

    def operation(self, x: py.expr, operator: py.operator, y: py.expr) -> py.expr:
        return py.BinOp(x, operator, y, lineno=self.line, col_offset=0)

    def simple(self, value: py.expr) -> tuple[py.expr, Again]:
        """An expression, and a function that returns expressions to read its value again."""
        if isinstance(value, py.Name):
            name = value.id
            return value, lambda: self.load(name)
        if isinstance(value, py.Constant):
            return value, lambda: value
        name = self.temp()
        return py.NamedExpr(self.store(name), value, **self.at()), lambda: self.load(name)

    def kept(self, value: py.expr, into: list[py.stmt]) -> Again:
        """Evaluates an expression now. Returns a function that creates expressions which read the value, even after
        variables have changed.
        """
        if isinstance(value, py.Constant):
            return lambda: value
        name = self.temp()
        into.append(self.set(name, value))
        return lambda: self.load(name)

    def held(self, value: py.expr, into: list[py.stmt]) -> Again:
        """As `kept`, for values used before any variable is assigned."""
        if isinstance(value, py.Name):
            name = value.id
            return lambda: self.load(name)
        return self.kept(value, into)

    def unlocked(self, x: py.expr) -> py.expr:
        """A test that a list or dict may be changed."""
        return self.negated(self.field(x, "lock"))

    def unshared(self, node: Expression) -> bool:
        """True if a list can be neither frozen nor iterated here, because all its uses are known (see `flow`)."""
        if not isinstance(node, syntax.Name) or node.scope is None or self.kind(node) != "list":
            return False
        if node.scope.is_comprehension or node.scope not in self.facts.groups:
            return False
        group = find(self.facts.own_group(node.scope, node.name))
        return not group.open and not group.looped

    def place(self, x: py.expr, key: py.expr) -> tuple[py.expr, py.expr]:
        """The operands of a subscript. Its column identifies it, for the message about an invalid index."""
        first_x, again_x = self.simple(x)
        first_key, again_key = self.simple(key)
        self.sites.append((*_site(again_x()), *_site(again_key())))
        return first_x, first_key

    def item(self, x: py.expr, key: py.expr) -> py.expr:
        """`x[key]` of a sequence and an int with known types."""
        first_x, first_key = self.place(x, key)
        return py.Subscript(first_x, first_key, LOAD, lineno=self.line, col_offset=len(self.sites))


def _site(node: py.expr) -> tuple[str | None, object]:
    if isinstance(node, py.Name):
        return node.id, None
    assert isinstance(node, py.Constant)
    return None, node.value


def range_in_loop(node: Expression) -> str | None:
    """The name by which a loop calls `range` (see `loops`), or None for another expression."""
    if not isinstance(node, syntax.Call) or not isinstance(node.function, syntax.Name):
        return None
    if node.function.name != "range" or node.function.scope is not None:
        return None
    if not 1 <= len(node.arguments) <= 3 or any(argument.star or argument.name for argument in node.arguments):
        return None
    return ("$to", "$from_to", "$from_to_by")[len(node.arguments) - 1]


def _may_change(node: syntax.Comprehension, *, first: bool) -> bool:
    """True if a comprehension may change its iterable, which must then be locked."""
    parts = [node.body, *(condition for clause in node.clauses for condition in clause.conditions)]
    parts += [clause.x for clause in node.clauses[1:]]
    if node.key is not None:
        parts.append(node.key)
    return any(map(_calls, parts)) or (not first and _calls(node.clauses[0].x))


def _calls(node: Expression) -> bool:
    """True if evaluating an expression may call a function, which could change the value being iterated."""
    if isinstance(node, (syntax.Name, syntax.Literal, syntax.Lambda)):
        return False
    if isinstance(node, syntax.Binary):
        return _calls(node.x) or _calls(node.y)
    if isinstance(node, syntax.Index):
        return _calls(node.x) or _calls(node.key)
    if isinstance(node, (syntax.Unary, syntax.Attribute)):
        return _calls(node.x)
    if isinstance(node, (syntax.TupleDisplay, syntax.ListDisplay)):
        return any(map(_calls, node.items))
    if isinstance(node, syntax.DictDisplay):
        return any(_calls(part) for entry in node.entries for part in entry)
    if isinstance(node, syntax.Conditional):
        return _calls(node.test) or _calls(node.yes) or _calls(node.no)
    if isinstance(node, syntax.Call):
        function = node.function
        row = UNIVERSAL.get(function.name) if isinstance(function, syntax.Name) and function.scope is None else None
        if row is not None and not row.calls:
            return any(_calls(argument.value) for argument in node.arguments)
    return True
