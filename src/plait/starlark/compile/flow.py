"""Where values flow: what functions are given and give back, and what lists hold.

`kinds` knows what an expression gives from its form alone. Here the program is followed as a whole, for two things:

- *Lists of one kind.* All places between which a list may pass share a `Shape`: the kind of its elements. Whatever is
  stored raises it; a list that goes where we cannot see has an open shape, of which nothing is known.
- *Functions called from within.* A function defined once at the top level, and called here with arguments of known
  kinds, is compiled twice: for these calls, and for callers we do not see (`Function.twice`).

Everything starts at the bottom and only rises, until a round changes nothing.
"""

from __future__ import annotations

from plait.starlark import syntax
from plait.starlark.compile.bare import find_bare
from plait.starlark.compile.kinds import BOTTOM, join, kind_of
from plait.starlark.compile.shapes import Function, Shape, Shapes, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.starlark.syntax import Expression, Scope, Statement

# A program that has not settled by then is left alone.
_MOST_ROUNDS = 30
# Universal functions that only look at their arguments.
_READERS = frozenset(
    ("len", "str", "repr", "type", "bool", "any", "all", "hash", "print", "fail", "range", "int", "float", "ord", "chr")
)
_COPIES = frozenset(("list", "sorted", "reversed"))
_CUTS = frozenset(("split", "rsplit", "splitlines"))


def follow(scope: Scope, statements: Sequence[Statement]) -> dict[str, Function]:
    """Find the kinds of a whole program; the functions that are to be compiled twice, by name."""
    flow = _Flow(scope)
    flow.functions = {
        node.name: Function(node) for node in statements if type(node) is syntax.Def and _is_candidate(node, scope)
    }
    while flow.settle(statements):
        if not flow.call_from_outside():
            flow.find_bare(statements)
            return {name: function for name, function in flow.functions.items() if function.twice}
    follow_apart(scope, statements)
    return {}


def follow_apart(scope: Scope, statements: Sequence[Statement]) -> None:
    """Find the kinds of a program, or of one function, of whose calls nothing is known."""
    flow = _Flow(scope)
    if flow.settle(statements):
        flow.find_bare(statements)
    else:
        flow.give_up(statements)


def _is_candidate(node: syntax.Def, scope: Scope) -> bool:
    return (
        not node.scope.hosts
        and sum(name == node.name for name, _ in scope.writes) == 1
        and not any(parameter.star or parameter.default is not None for parameter in node.parameters)
        and not any(_defines(statement) for statement in node.body)
    )


def _defines(node: Statement) -> bool:
    kind = type(node)
    if kind is syntax.Def:
        return True
    if kind is syntax.If:
        return any(map(_defines, node.yes)) or any(map(_defines, node.no))  # type: ignore[union-attr]
    return (kind is syntax.For or kind is syntax.While) and any(map(_defines, node.body))  # type: ignore[union-attr]


class _Flow(Shapes):
    """One analysis, of a program or of a function with all that is in it."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.function: Function | None = None  # the one whose body is being visited
        self.inside = scope.parent is not None  # in any function

    def settle(self, statements: Sequence[Statement]) -> bool:
        for _ in range(_MOST_ROUNDS):
            self.changed = False
            self.block(statements)
            self.variables()
            if not self.changed:
                return True
        return False

    def call_from_outside(self) -> bool:
        """Let callers whom we do not see at what they reach; whether that tells anything new.

        That is the results of functions that are compiled once, and parameters of which nothing came out because the
        calls within are never reached from within.
        """
        self.changed = False
        for function in self.functions.values():
            if not function.twice:
                self.open(function.result)
            for name in function.parameters:
                if function.scope.kinds[name] == BOTTOM:
                    self.raise_variable(function.scope, name, "")
        return self.changed

    def find_bare(self, statements: Sequence[Statement]) -> None:
        """Say which lists are bare (see `bare`)."""
        if self.made:
            find_bare(self, statements)

    def give_up(self, statements: Sequence[Statement]) -> None:
        """Nothing is known of anything."""
        for each in self.scopes:
            each.kinds = dict.fromkeys(each.bound, "")
            each.shapes = {}
        self.made.clear()
        self.given_up = True
        self.block(statements)
        self.find_bare(statements)

    def variables(self) -> None:
        """Raise the kinds of variables by what is assigned to them."""
        known = {id(function.scope): function for function in self.functions.values()}
        for scope in self.scopes:
            kinds = scope.kinds
            function = known.get(id(scope))
            # The first writes of a function are its parameters.
            skipped = len(function.parameters) if function is not None and function.called else 0
            for name, value in scope.writes[skipped:]:
                if kinds[name] != "":
                    self.raise_variable(scope, name, "" if value is None else self.value_kind(value))

    def value_kind(self, value: object) -> str:
        if type(value) is syntax.Call and type(value.function) is syntax.Name and value.function.name == "$each":
            return self.element(value.arguments[0].value)
        return kind_of(value)

    # ---- statements

    def block(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            visit = _STATEMENTS.get(type(statement))
            if visit is not None:
                visit(self, statement)

    def assign(self, node: syntax.Assign) -> None:
        target, value = node.target, node.value
        self.visit(value)
        kind = type(target)
        if node.operator:
            self.augment(target, node.operator, value)
        elif kind is syntax.Name:
            self.bind(target, value)  # type: ignore[arg-type]
        elif kind is syntax.Index:
            self.visit(target.x)  # type: ignore[union-attr]
            self.visit(target.key)  # type: ignore[arg-type, union-attr]
            self.store(self.shape_of(target.x), value)  # type: ignore[union-attr]
        else:
            self.escape(value)
            self.scatter(value)
            self.target(target)

    def target(self, node: Expression) -> None:
        """Places that get values of which nothing is known."""
        kind = type(node)
        if kind is syntax.TupleDisplay or kind is syntax.ListDisplay:
            for item in node.items:  # type: ignore[union-attr]
                self.target(item)
        elif kind is syntax.Index:
            self.visit(node.x)  # type: ignore[union-attr]
            self.visit(node.key)  # type: ignore[arg-type, union-attr]
            self.open(self.shape_of(node.x))  # type: ignore[union-attr]
        elif kind is syntax.Attribute:
            self.visit(node.x)  # type: ignore[union-attr]
        elif kind is syntax.Name:
            self.open(self.shape_of(node))

    def bind(self, name: syntax.Name, value: Expression) -> None:
        scope = name.scope
        mine = "" if scope is None else scope.kinds.get(name.name, "")
        if BOTTOM in {mine, kind_of(value)}:
            return
        if scope is not None and mine == "list" == kind_of(value):
            self.pass_on(scope.shapes.setdefault(name.name, Shape()), value)
        else:
            self.escape(value)

    def augment(self, target: Expression, operator: str, value: Expression) -> None:
        self.visit(target)
        shape = self.shape_of(target.x if type(target) is syntax.Index else target)
        if type(target) is syntax.Name and kind_of(target) == "list":
            if shape is not None and operator == "+":
                self.take_elements(shape, value)
            return
        self.scatter(value)
        if type(target) is syntax.Index and shape is not None:
            self.raise_kind(shape, kind_of(syntax.Binary(operator, target, value, target.line)))
            self.open(find(shape).inner)

    def evaluate(self, node: syntax.Evaluate) -> None:
        self.visit(node.value)

    def if_(self, node: syntax.If) -> None:
        self.visit(node.test)
        self.block(node.yes)
        self.block(node.no)

    def while_(self, node: syntax.While) -> None:
        self.visit(node.test)
        self.block(node.body)

    def for_(self, node: syntax.For) -> None:
        self.visit(node.x)
        self.each(node.target, node.x)
        self.block(node.body)

    def each(self, target: Expression, x: Expression) -> None:
        """The target gets the elements of x in turn."""
        looped = self.shape_of(x)
        if looped is not None and not find(looped).looped:
            find(looped).looped = self.changed = True
        if type(target) is not syntax.Name:
            self.scatter(x)
            self.target(target)
            return
        shape = self.shape_of(x)
        scope = target.scope
        if scope is not None and scope.kinds.get(target.name) == "list":
            mine = scope.shapes.setdefault(target.name, Shape())
            if shape is None:
                self.open(mine)
            else:
                self.unify(mine, self.inner(shape))
        elif scope is not None and scope.kinds.get(target.name) != BOTTOM:
            self.scatter(x)

    def def_(self, node: syntax.Def) -> None:
        for parameter in node.parameters:
            if parameter.default is not None:
                self.visit(parameter.default)
                self.escape(parameter.default)
        outer = self.function, self.inside
        function = self.functions.get(node.name)
        self.function = function if function is not None and function.definition is node else None
        self.inside = True
        self.block(node.body)
        if self.function is not None and not (node.body and type(node.body[-1]) is syntax.Return):
            self.raise_result(self.function, "none")
        self.function, self.inside = outer

    def raise_result(self, function: Function, kind: str) -> None:
        new = join(function.kind, kind)
        if new != function.kind:
            function.kind = new
            self.changed = True
            if new != "list":
                self.open(function.result)

    def return_(self, node: syntax.Return) -> None:
        function = self.function
        value = node.value
        if value is not None:
            self.visit(value)
        if function is None:
            if value is not None:
                self.escape(value)
            return
        kind = "none" if value is None else kind_of(value)
        self.raise_result(function, kind)
        if value is not None and kind != BOTTOM:
            if function.kind == "list":
                self.pass_on(function.result, value)
            else:
                self.escape(value)

    def host(self, node: syntax.HostStatement) -> None:
        for slot in node.slots:
            if type(slot) is list:
                self.arguments(slot)
            else:
                self.visit(slot)  # type: ignore[arg-type]
                self.escape(slot)

    # ---- expressions

    def visit(self, node: Expression) -> None:
        visit = _EXPRESSIONS.get(type(node))
        if visit is not None:
            visit(self, node)

    def name(self, node: syntax.Name) -> None:
        if self.inside and node.scope is not None and node.scope.parent is None:
            # Variables of the program that functions use: they may be seen by callers whom we do not.
            self.open(self.shape_of(node))

    def unary(self, node: syntax.Unary) -> None:
        self.visit(node.x)

    def binary(self, node: syntax.Binary) -> None:
        self.visit(node.x)
        self.visit(node.y)
        operator = node.operator
        if operator in {"and", "or"}:
            self.escape(node.x)
            self.escape(node.y)
        elif operator in {"+", "*"} and kind_of(node) == "list":
            shape = self.make(node)
            for side in (node.x, node.y):
                if kind_of(side) not in {"int", "small"}:
                    self.take_elements(shape, side)

    def conditional(self, node: syntax.Conditional) -> None:
        self.visit(node.test)
        self.visit(node.yes)
        self.visit(node.no)
        self.escape(node)

    def lambda_(self, node: syntax.Lambda) -> None:
        for parameter in node.parameters:
            if parameter.default is not None:
                self.visit(parameter.default)
                self.escape(parameter.default)
        outer, self.inside = self.inside, True
        self.visit(node.body)
        self.escape(node.body)
        self.inside = outer

    def attribute(self, node: syntax.Attribute) -> None:
        self.visit(node.x)
        self.escape(node.x)

    def index(self, node: syntax.Index) -> None:
        self.visit(node.x)
        self.visit(node.key)
        kind = kind_of(node.x)
        shape = self.shape_of(node.x) if kind == "list" else None
        node.kind = BOTTOM if kind == BOTTOM else "" if shape is None else find(shape).kind

    def slice(self, node: syntax.Slice) -> None:
        for part in (node.x, node.low, node.high, node.step):
            if part is not None:
                self.visit(part)
        if kind_of(node.x) == "list":
            self.take_elements(self.make(node), node.x)

    def items(self, node: syntax.TupleDisplay) -> None:
        for item in node.items:
            self.visit(item)
            self.escape(item)

    def list_display(self, node: syntax.ListDisplay) -> None:
        shape = self.make(node)
        for item in node.items:
            self.visit(item)
            self.store(shape, item)

    def dict_display(self, node: syntax.DictDisplay) -> None:
        for entry in node.entries:
            for part in entry:
                self.visit(part)
                self.escape(part)

    def comprehension(self, node: syntax.Comprehension) -> None:
        for clause in node.clauses:
            self.visit(clause.x)
            self.each(clause.target, clause.x)
            for condition in clause.conditions:
                self.visit(condition)
        self.visit(node.body)
        if node.key is None:
            self.store(self.make(node), node.body)
        else:
            self.visit(node.key)
            self.escape(node.key)
            self.escape(node.body)

    def call(self, node: syntax.Call) -> None:
        callee = node.function
        node.kind, node.bare = "", False  # whatever they were for other callers
        function = self.called(node)
        if function is not None:
            self.call_known(node, function)
        elif type(callee) is syntax.Name and callee.scope is None:
            self.call_universal(node, callee.name)
        elif type(callee) is syntax.Attribute:
            self.visit(callee.x)
            self.call_method(node, callee)
        else:
            self.visit(callee)
            self.arguments(node.arguments)

    def arguments(self, arguments: Sequence[syntax.Argument]) -> None:
        """Arguments for somebody unknown."""
        for argument in arguments:
            self.visit(argument.value)
            self.escape(argument.value)
            if argument.star:
                self.scatter(argument.value)

    def read(self, arguments: Sequence[syntax.Argument]) -> None:
        """Arguments that are only looked at."""
        for argument in arguments:
            self.visit(argument.value)
            if argument.star:
                self.scatter(argument.value)

    def call_known(self, node: syntax.Call, function: Function) -> None:
        function.called = True
        scope = function.scope
        for name, argument in zip(function.parameters, node.arguments, strict=True):
            value = argument.value
            self.visit(value)
            kind = kind_of(value)
            if kind == BOTTOM:
                continue
            if scope.kinds[name] != "":
                self.raise_variable(scope, name, kind)
            if scope.kinds[name] == "list":
                self.pass_on(scope.shapes.setdefault(name, Shape()), value)
            else:
                self.escape(value)
        node.kind = function.kind

    def call_universal(self, node: syntax.Call, name: str) -> None:
        arguments = node.arguments
        if name in _READERS:
            self.read(arguments)
            return
        for argument in arguments:
            self.visit(argument.value)
        if name in _COPIES:
            shape = self.make(node)
            if not arguments or arguments[0].star or arguments[0].name:
                self.open(shape)
            else:
                self.take_elements(shape, arguments[0].value)
            arguments = arguments[1:]
            if arguments and node.arguments[0] is not arguments[0]:
                # A key gets the elements.
                self.scatter(node.arguments[0].value)
        elif name in {"enumerate", "zip", "tuple", "set", "min", "max"} and (
            name not in {"min", "max"} or len(arguments) == 1
        ):
            for argument in arguments:
                self.scatter(argument.value)
            return
        for argument in arguments:
            self.escape(argument.value)
            self.scatter(argument.value)

    def call_method(self, node: syntax.Call, method: syntax.Attribute) -> None:
        kind, name = kind_of(method.x), method.name
        if kind == "str":
            self.read(node.arguments)
            if name in _CUTS:
                self.raise_kind(self.make(node), "str")
            return
        values = [argument.value for argument in node.arguments if not argument.star and not argument.name]
        shape = self.shape_of(method.x)
        plain = shape is not None and len(values) == len(node.arguments)
        if plain and ((name == "append" and len(values) == 1) or (name == "insert" and len(values) == 2)):
            for value in values:
                self.visit(value)
            self.store(shape, values[-1])
        elif plain and name == "extend" and len(values) == 1:
            self.visit(values[0])
            self.take_elements(shape, values[0])  # type: ignore[arg-type]
        elif kind == BOTTOM:
            # Not yet known to be a list: it will be, or the call is never reached.
            for argument in node.arguments:
                self.visit(argument.value)
        else:
            self.arguments(node.arguments)
            if name in {"pop", "index", "remove", "clear"}:
                self.scatter(method.x)
            else:
                self.escape(method.x)


_STATEMENTS: dict[type, Callable[..., None]] = {
    syntax.Assign: _Flow.assign,
    syntax.Def: _Flow.def_,
    syntax.Evaluate: _Flow.evaluate,
    syntax.For: _Flow.for_,
    syntax.HostStatement: _Flow.host,
    syntax.If: _Flow.if_,
    syntax.Return: _Flow.return_,
    syntax.While: _Flow.while_,
}
_EXPRESSIONS: dict[type, Callable[..., None]] = {
    syntax.Attribute: _Flow.attribute,
    syntax.Binary: _Flow.binary,
    syntax.Call: _Flow.call,
    syntax.Comprehension: _Flow.comprehension,
    syntax.Conditional: _Flow.conditional,
    syntax.DictDisplay: _Flow.dict_display,
    syntax.Index: _Flow.index,
    syntax.Lambda: _Flow.lambda_,
    syntax.ListDisplay: _Flow.list_display,
    syntax.Name: _Flow.name,
    syntax.Slice: _Flow.slice,
    syntax.TupleDisplay: _Flow.items,
    syntax.Unary: _Flow.unary,
}
