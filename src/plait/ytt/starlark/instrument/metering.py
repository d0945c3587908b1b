"""Inserts the counting of steps into a program's syntax tree (see `step_budget`): calls of `$turn`, `$begun` and
`$spend` at the beginning of loops and functions.

A step is an iteration. `for` and comprehensions charge for the size of their iterable. This pass adds:

- an iteration of `while`;
- a call of a function that may call other functions of the program, because recursion could otherwise run forever
without being counted;
- one step per fixed number of names, constants and operators of a long body.

The count depends only on the source, so a program takes the same steps however it is compiled.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.table.methods import LIKELY
from plait.ytt.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plait.ytt.starlark.syntax import Expression, Scope, Statement

# Weight of a body that counts as one step.
_MUCH = 160
_A_STEP = 6
_AN_OPERATOR = 7  # number of names and constants that take as long as one step
_A_HOST_STATEMENT = 8 * _A_STEP


def count_steps(statements: Sequence[Statement]) -> None:
    """Inserts the counting of steps into a program, in place."""
    _block(statements)


def _helper(name: str, *arguments: object, line: int) -> syntax.Call:
    values = [syntax.Argument(syntax.Literal(value, line), "", "", line) for value in arguments]
    return syntax.Call(syntax.Helper(name, line), values, line)


def _begin(body: list[Statement], weight: int, line: int) -> None:
    """Inserts the charge for a long body at its start."""
    if weight > _MUCH:
        body.insert(0, syntax.Evaluate(_helper("$spend", weight // _A_STEP, line=line), line))


def _block(statements: Iterable[Statement]) -> int:
    """The weight of statements."""
    return sum([_STATEMENTS[type(statement)](statement) for statement in statements])


def _all(expressions: Iterable[Expression]) -> int:
    """The weight of expressions."""
    return sum([_EXPRESSIONS[type(node)](node) for node in expressions])


# ---- statements


def _assign(node: syntax.Assign) -> int:
    operator = _AN_OPERATOR if node.operator else 0
    return operator + _all((node.target, node.value))


def _evaluate(node: syntax.Evaluate) -> int:
    return _all((node.value,))


def _if(node: syntax.If) -> int:
    return _all((node.test,)) + _block(node.yes) + _block(node.no)


def _for(node: syntax.For) -> int:
    weight = _block(node.body)
    _begin(node.body, weight, node.line)
    return weight + _all((node.target, node.x))


def _while(node: syntax.While) -> int:
    weight = _block(node.body)
    _begin(node.body, weight, node.line)
    node.body.insert(0, syntax.Evaluate(_helper("$turn", line=node.line), node.line))
    return weight + _all((node.test,))


def _def(node: syntax.Def) -> int:
    weight = _block(node.body)
    _begin(node.body, weight, node.line)
    if _may_call(node.scope):
        node.body.insert(0, syntax.Evaluate(_helper("$begun", line=node.line), node.line))
    return weight + _all(_defaults(node.parameters))


def _return(node: syntax.Return) -> int:
    return 0 if node.value is None else _all((node.value,))


def _host(node: syntax.HostStatement) -> int:
    weight = _A_HOST_STATEMENT
    for slot in node.slots:
        weight += _all([argument.value for argument in slot] if isinstance(slot, list) else (slot,))
    return weight


# ---- expressions


def _atom(_node: object) -> int:
    return 1


def _unary(node: syntax.Unary) -> int:
    return 1 + _all((node.x,))


def _binary(node: syntax.Binary) -> int:
    # `a + b + c` is left-recursive, as deep as it is long.
    weight = 0
    left: Expression = node
    while isinstance(left, syntax.Binary):
        weight += _AN_OPERATOR + _all((left.y,))
        left = left.x
    return weight + _all((left,))


def _conditional(node: syntax.Conditional) -> int:
    return _all((node.test, node.yes, node.no))


def _attribute(node: syntax.Attribute) -> int:
    return 2 + _all((node.x,))


def _index(node: syntax.Index) -> int:
    return 1 + _all((node.x, node.key))


def _slice(node: syntax.Slice) -> int:
    return 1 + _all([part for part in (node.x, node.low, node.high, node.step) if part is not None])


def _call(node: syntax.Call) -> int:
    return 1 + _all((node.function, *(argument.value for argument in node.arguments)))


def _items(node: syntax.TupleDisplay | syntax.ListDisplay) -> int:
    return 1 + _all(node.items)


def _dict(node: syntax.DictDisplay) -> int:
    return 1 + _all([part for entry in node.entries for part in entry])


def _lambda(node: syntax.Lambda) -> int:
    weight = _all((node.body, *_defaults(node.parameters)))
    if _may_call(node.scope):
        # The counting call returns None.
        node.body = syntax.Binary("or", _helper("$begun", line=node.line), node.body, node.line)
    return weight


def _comprehension(node: syntax.Comprehension) -> int:
    weight = _all((node.body,) if node.key is None else (node.key, node.body))
    for clause in node.clauses:
        weight += _all((clause.target, clause.x, *clause.conditions))
    return 1 + weight


def _defaults(parameters: Iterable[syntax.Parameter]) -> list[Expression]:
    return [parameter.default for parameter in parameters if parameter.default is not None]


# ---- calls


def _may_call(scope: Scope) -> bool:
    """True if a function may call other functions of the program.

    A method with the name of a builtin method counts as the builtin; if it is not one, the call itself is charged (see
    `runtime`).
    """
    return any(map(_is_open, scope.calls)) or any(
        child.is_comprehension and _may_call(child) for child in scope.children
    )


def _is_open(call: syntax.Call) -> bool:
    function = call.function
    if isinstance(function, syntax.Name) and function.scope is None:
        row = UNIVERSAL.get(function.name)
        return row is not None and row.calls and any(argument.name or argument.star for argument in call.arguments)
    return not (isinstance(function, syntax.Attribute) and function.name in LIKELY)


def _nothing(_node: object) -> int:
    return 0


_STATEMENTS: dict[type, Callable[..., int]] = {
    syntax.Assign: _assign,
    syntax.Branch: _nothing,
    syntax.Def: _def,
    syntax.Evaluate: _evaluate,
    syntax.For: _for,
    syntax.HostStatement: _host,
    syntax.If: _if,
    syntax.Load: _nothing,
    syntax.Return: _return,
    syntax.While: _while,
}
_EXPRESSIONS: dict[type, Callable[..., int]] = {
    syntax.Attribute: _attribute,
    syntax.Binary: _binary,
    syntax.Call: _call,
    syntax.Comprehension: _comprehension,
    syntax.Conditional: _conditional,
    syntax.DictDisplay: _dict,
    syntax.Helper: _nothing,
    syntax.Index: _index,
    syntax.Lambda: _lambda,
    syntax.ListDisplay: _items,
    syntax.Literal: _atom,
    syntax.Name: _atom,
    syntax.Slice: _slice,
    syntax.TupleDisplay: _items,
    syntax.Unary: _unary,
}
