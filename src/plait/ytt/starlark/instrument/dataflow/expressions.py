"""Instruments expressions to report their reads, with calls of `DataflowRuntime`."""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.instrument.dataflow.branches import mentioned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.ytt.starlark.syntax import Expression, Scope

# Functions and methods that build a new sequence from items of their arguments.
_SEQUENCES = frozenset({"enumerate", "list", "reversed", "tuple", "zip"})
_ENTRIES = frozenset({"items", "values"})
# Methods that change their receiver.
_CHANGING = frozenset(
    {"add", "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}
)
# Universal functions that call a function argument, once for each element of another argument.
_CALLING_BACK = frozenset({"max", "min", "sorted"})
# Universal functions whose arguments select the items, keys or shape of the result.
_CHOOSING = frozenset({"dict", "getattr", "max", "min", "set"})
# Operators whose operands decide which of their items are in the result.
SELECTING = frozenset({"*"})
# Reports the branch that a program takes (see `plait.ytt.starlark.instrument.coverage`).
RAN = "$ran"
# A call on this line adds no frame to the stack of an error (see `exceptions`).
NOWHERE = 0


class ExpressionInstrumenter:
    """Rewrites expressions of one program."""

    __slots__ = ("count", "line", "scope")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope  # of the current function
        self.line = 1  # of the current statement
        self.count = 0

    # ---- pieces of syntax

    def fresh(self, kind: str) -> syntax.Name:
        """A new internal variable in the current function."""
        self.count += 1
        return self.variable(f"${kind}.{self.count}")

    def variable(self, name: str) -> syntax.Name:
        made = syntax.Name(name, self.line)
        made.scope = self.scope
        return made

    def shadow(self, name: str) -> syntax.Name:
        """The variable that contains the shadow of another one."""
        return self.variable(f"$o.{name}")

    def constant(self, value: object) -> syntax.Literal:
        return syntax.Literal(value, self.line)

    def call(self, name: str, *arguments: Expression) -> syntax.Call:
        """A call of a helper."""
        given = [syntax.Argument(value, "", "", self.line) for value in arguments]
        return syntax.Call(syntax.Helper(name, self.line), given, self.line)

    def open(self) -> syntax.Call:
        return self.call("$from.open")

    def tuple(self, items: Sequence[Expression] = ()) -> syntax.TupleDisplay:
        return syntax.TupleDisplay(list(items), self.line)

    # ---- expressions

    def expression(self, node: Expression) -> Expression:
        """The expression with the same value that reports its reads."""
        outer, self.line = self.line, node.line
        made: Expression = _RULES[type(node)](self, node)
        self.line = outer
        return made

    def all(self, nodes: Sequence[Expression]) -> list[Expression]:
        return [self.expression(node) for node in nodes]

    def same(self, node: Expression) -> Expression:
        return node

    def name(self, node: syntax.Name) -> Expression:
        if node.scope is None:
            return node
        if has_shadow(node):
            # In an evaluation traced only for secrets most shadows are empty; then nothing is called.
            noted = syntax.Binary("or", self.shadow(node.name), syntax.Helper("$from.aside", self.line), self.line)
            return syntax.Conditional(noted, self.call("$from.use", node, self.shadow(node.name)), node, self.line)
        return self.call("$from.see", node)

    def unary(self, node: syntax.Unary) -> Expression:
        return syntax.Unary(node.operator, self.expression(node.x), node.line)

    def deciding(self, x: Expression, *others: object) -> Expression:
        """An expression whose value decides if others are evaluated."""
        return self.call("$from.chosen", self.open(), self.expression(x), self.constant(mentioned(others)))

    def binary(self, node: syntax.Binary) -> Expression:
        if node.operator in SELECTING and not any(isinstance(one, syntax.Literal) for one in (node.x, node.y)):
            made = syntax.Binary(node.operator, self.weighed(node.x), self.weighed(node.y), node.line)
            return self.call("$from.selected", self.open(), made)
        x = self.deciding(node.x, node.y) if node.operator in ("and", "or") else self.expression(node.x)
        return syntax.Binary(node.operator, x, self.expression(node.y), node.line)

    def conditional(self, node: syntax.Conditional) -> Expression:
        test = self.deciding(node.test, node.yes, node.no)
        yes, no = self.all((node.yes, node.no))
        return syntax.Conditional(test, yes, no, node.line)

    def attribute(self, node: syntax.Attribute) -> Expression:
        x = node.x
        if node.name in _CHANGING:
            # A method that is not called here may be called later.
            return syntax.Attribute(self.call("$from.held", self.expression(x)), node.name, node.line)
        if isinstance(x, syntax.Name) and x.scope is not None and has_shadow(x):
            return self.call("$from.field", x, self.shadow(x.name), self.constant(node.name))
        return self.call("$from.found", syntax.Attribute(self.expression(x), node.name, node.line))

    def index(self, node: syntax.Index) -> Expression:
        parts = self.open(), self.expression(node.x), self.open(), self.expression(node.key)
        return self.call("$from.index", *parts)

    def slice(self, node: syntax.Slice) -> Expression:
        bounds = node.low, node.high, node.step
        if all(part is None or isinstance(part, syntax.Literal) for part in bounds):
            return syntax.Slice(self.expression(node.x), *bounds, node.line)
        x = self.weighed(node.x)
        low, high, step = (None if part is None else self.weighed(part) for part in bounds)
        return self.call("$from.selected", self.open(), syntax.Slice(x, low, high, step, node.line))

    def weighed(self, x: Expression) -> Expression:
        """An operand of an operation whose operands decide which of their parts are in its value."""
        return self.call("$from.weighed", self.open(), self.expression(x))

    # ---- calls

    def said(self, node: syntax.Call, name: str = "$from.ran") -> syntax.Call:
        """A call that another pass inserted. A call that reports executed branches also reports the conditions.

        name: the name of the helper. A statement does not depend on the expressions before it.
        """
        function = node.function
        if not isinstance(function, syntax.Helper) or function.name != RAN:
            return node
        return self.call(name, function, *(one.value for one in node.arguments), self.variable("$pc"))

    def call_(self, node: syntax.Call) -> Expression:
        """A call. It gets a scope for its arguments, unless the result contains all of them."""
        function, arguments = node.function, node.arguments
        if isinstance(function, syntax.Helper):
            return self.said(node)
        plain = not any(argument.star or argument.name for argument in arguments)
        values = [argument.value for argument in arguments]
        if isinstance(function, syntax.Name) and function.scope is None:
            if function.name in _SEQUENCES and plain and arguments:
                return self.sequence(function.name, function, values)
            if function.name == "len" and plain and len(arguments) == 1:
                [x] = values
                if isinstance(x, syntax.Name) and x.scope is not None and has_shadow(x):
                    length = self.call("$from.length", x, self.shadow(x.name))
                    return syntax.Call(function, [syntax.Argument(length, "", "", node.line)], node.line)
            if function.name not in _CALLING_BACK or (plain and len(arguments) == 1):
                given = self.unwatched(arguments)
                if function.name in ("dict", "getattr"):
                    for place, one in enumerate(arguments):
                        if not one.name and not one.star:
                            given[place].value = self.weighed(one.value)
                    if function.name == "getattr" and given:
                        given[0].value = self.call("$from.held", given[0].value)
                    name = "$from.selected" if function.name == "getattr" else "$from.chose"
                    made = self.call(name, self.open(), syntax.Call(function, given, node.line))
                elif function.name in _CALLING_BACK:
                    given = self.passed(arguments)
                    made = self.call("$from.chose", self.open(), syntax.Call(function, given, node.line))
                else:
                    made = syntax.Call(function, given, node.line)
                # The window opens before the arguments are evaluated.
                return self.call("$from.gathered", self.open(), made) if function.name in _CHOOSING and given else made
            callee: Expression = function
            result = self.call("$from.chose", self.open(), syntax.Call(callee, self.passed(arguments), node.line))
            return self.call("$from.gathered", self.open(), result) if function.name in _CHOOSING else result
        if isinstance(function, syntax.Attribute):
            if isinstance(function.x, syntax.Literal):
                return syntax.Call(function, self.unwatched(arguments), node.line)
            if function.name == "get" and plain and 1 <= len(arguments) <= 2:
                x, key, *other = function.x, *values
                parts = self.open(), self.expression(x), self.open(), self.expression(key)
                return self.call("$from.get", *parts, *self.all(other))
            if function.name in _ENTRIES and not arguments:
                return self.sequence(function.name, syntax.Helper(f"$late.{function.name}", node.line), [function.x])
            x = self.expression(function.x)
            if function.name in _CHANGING:
                x = self.call("$from.changing", x)
            callee = syntax.Attribute(x, function.name, function.line)
        else:
            callee = self.expression(function)
        callee = self.call("$from.calling", callee)
        return self.call("$from.result", self.open(), syntax.Call(callee, self.passed(arguments), node.line))

    def sequence(self, name: str, function: Expression, values: Sequence[Expression]) -> Expression:
        return self.call("$from.sequence", self.open(), self.constant(name), function, *self.all(values))

    def unwatched(self, arguments: Sequence[syntax.Argument]) -> list[syntax.Argument]:
        return [syntax.Argument(self.expression(one.value), one.name, one.star, one.line) for one in arguments]

    def passed(self, arguments: Sequence[syntax.Argument]) -> list[syntax.Argument]:
        """The arguments with their shadows, for the scope of the call."""
        made: list[syntax.Argument] = []
        for one in arguments:
            x, name = one.value, self.constant(one.star or one.name or None)
            if isinstance(x, syntax.Literal):
                value = self.call("$from.passed", x, self.tuple(), name)
            elif isinstance(x, syntax.Name) and x.scope is not None and has_shadow(x):
                value = self.call("$from.passed", x, self.shadow(x.name), name)
            else:
                value = self.call("$from.argument", self.open(), self.expression(x), name)
            made.append(syntax.Argument(value, one.name, one.star, one.line))
        return made

    def lambda_(self, node: syntax.Lambda) -> Expression:
        """A lambda that reads the shadows of its arguments from the scope of the call.

        lambda x: ...    ->    lambda x: (lambda $o.x: ...)(*$from.shadows(...))
        """
        parameters = [
            syntax.Parameter(
                one.name, None if one.default is None else self.expression(one.default), one.star, one.line
            )
            for one in node.parameters
        ]
        outer, self.scope = self.scope, node.scope
        body = self.expression(node.body)
        names, count, star, double = parameters_of(parameters)
        given = [self.constant(part) for part in (names, count, star, double)]
        shadows = self.call("$from.shadows", *given)
        taken = [syntax.Parameter(f"$o.{name}", None, "", node.line) for name in (*names, star, double) if name]
        if taken:
            inner = syntax.Lambda(taken, body, node.scope, node.line)
            body = syntax.Call(inner, [syntax.Argument(shadows, "", "*", NOWHERE)], NOWHERE)
        else:
            body = syntax.Binary("or", shadows, body, node.line)
        self.scope = outer
        return syntax.Lambda(parameters, body, node.scope, node.line)

    # ---- list and dict literals

    def tuple_display(self, node: syntax.TupleDisplay) -> Expression:
        return self.tuple(self.all(node.items))

    def listed(self, made: Expression) -> Expression:
        """A list or dict whose items have shadows."""
        return self.call("$from.listed", self.open(), made)

    def part(self, x: Expression) -> Expression:
        return self.call("$from.part", self.open(), self.expression(x))

    def key(self, x: Expression) -> Expression:
        return x if isinstance(x, syntax.Literal) else self.call("$from.keyed", self.open(), self.expression(x))

    def list_display(self, node: syntax.ListDisplay) -> Expression:
        return self.listed(syntax.ListDisplay([self.part(item) for item in node.items], node.line))

    def dict_display(self, node: syntax.DictDisplay) -> Expression:
        entries = [(self.key(key), self.part(value)) for key, value in node.entries]
        return self.listed(syntax.DictDisplay(entries, node.line))

    def comprehension(self, node: syntax.Comprehension) -> Expression:
        clauses: list[syntax.Clause] = []
        for number, clause in enumerate(node.clauses):
            place = self.constant(number)
            inner = self.constant(mentioned([node]))
            iterated = self.call("$hold", self.call("$from.clause", place, self.expression(clause.x), inner))
            made = syntax.Clause(clause.target, self.call("$from.stepped", place, iterated), clause.line)
            made.conditions = [self.deciding(condition, node) for condition in clause.conditions]
            clauses.append(made)
        key = None if node.key is None else self.key(node.key)
        return self.listed(syntax.Comprehension(key, self.part(node.body), clauses, node.scope, node.line))


def has_shadow(node: syntax.Name) -> bool:
    """True if a variable has a shadow. Variables of comprehensions have none."""
    return node.scope is not None and not node.scope.is_comprehension


def parameters_of(parameters: Sequence[syntax.Parameter]) -> tuple[tuple[str, ...], int, str, str]:
    """The parameters for the runtime: names, the number of positional ones, and the names of `*` and `**`."""
    names = tuple(parameter.name for parameter in parameters if not parameter.star)
    after = next((place for place, parameter in enumerate(parameters) if parameter.star == "*"), len(parameters))
    count = sum(not parameter.star for parameter in parameters[:after])
    star = next((parameter.name for parameter in parameters if parameter.star == "*"), "")
    double = next((parameter.name for parameter in parameters if parameter.star == "**"), "")
    return names, count, star, double


_RULES: dict[type, Callable[..., Expression]] = {
    syntax.Attribute: ExpressionInstrumenter.attribute,
    syntax.Binary: ExpressionInstrumenter.binary,
    syntax.Call: ExpressionInstrumenter.call_,
    syntax.Comprehension: ExpressionInstrumenter.comprehension,
    syntax.Conditional: ExpressionInstrumenter.conditional,
    syntax.DictDisplay: ExpressionInstrumenter.dict_display,
    syntax.Helper: ExpressionInstrumenter.same,
    syntax.Index: ExpressionInstrumenter.index,
    syntax.Lambda: ExpressionInstrumenter.lambda_,
    syntax.ListDisplay: ExpressionInstrumenter.list_display,
    syntax.Literal: ExpressionInstrumenter.same,
    syntax.Name: ExpressionInstrumenter.name,
    syntax.Slice: ExpressionInstrumenter.slice,
    syntax.TupleDisplay: ExpressionInstrumenter.tuple_display,
    syntax.Unary: ExpressionInstrumenter.unary,
}
