"""Several arithmetic operators in one expression: one test that all values are ints, then Python's own operators.

a * 2 + b    ->    ($1 * 2 + b if type($1 := a) is type(b) is int and ... else $+($*($1, 2), b))
"""

from __future__ import annotations

import _ast as py

from plait.ytt.starlark import syntax
from plait.ytt.starlark.optimize.operators import is_small, native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.ytt.starlark.optimize.optimizer import Again, Optimizer
    from plait.ytt.starlark.syntax import Expression

_OPERATORS = frozenset(("+", "-", "*", "//", "%"))
_ATOMS = (syntax.Name, syntax.Literal)
_DEEP = 16  # maximum number of nested operators that are combined


def fused(o: Optimizer, node: syntax.Binary, addition: str = "+") -> py.expr | None:
    """The expression with one type test; None if it is not arithmetic, or if separate operators
    are as fast.

    addition: the operator of an enclosing addition, "+" or "+=".
    """
    if node.operator not in _OPERATORS or not o.guards:
        return None
    if not isinstance(node.x, syntax.Binary) and not isinstance(node.y, syntax.Binary):
        return None
    leaves: list[tuple[Expression, str]] = []
    sized: list[int] = []
    if not _flatten(o, node, leaves, sized) or all(kind for _, kind in leaves):
        return None
    unknown = [place for place, (leaf, kind) in enumerate(leaves) if kind == "" or not isinstance(leaf, _ATOMS)]
    heavy = [place for place in unknown if not isinstance(leaves[place][0], _ATOMS)]
    if not unknown or len(heavy) > 2:
        return None
    # `type(a) is type(b) is ... is int` always evaluates the first two operands, so operands with effects come first.
    reads: dict[int, Again] = {}
    tests: list[py.expr] = []
    for place in (*heavy, *(place for place in unknown if place not in heavy)):
        first, reads[place] = o.simple(o.expression(leaves[place][0]))
        tests.append(first)
    for place, (leaf, _) in enumerate(leaves):
        if place not in reads:
            reads[place] = o.simple(o.expression(leaf))[1]
    test = o.is_type(tests[0], *(o.call("$T", [each]) for each in tests[1:]), o.load("$T.int"))
    if sized:
        test = o.both(test, *(is_small(o, reads[place]()) for place in dict.fromkeys(sized)))

    def by_helper(operator: str, x: py.expr, y: py.expr) -> py.expr:
        return o.call("$" + operator, [x, y])

    def by_python(operator: str, x: py.expr, y: py.expr) -> py.expr:
        return native(o, operator, x, y)

    fast = _rebuilt(node, iter([reads[place] for place in range(len(leaves))]), by_python)
    again = iter([reads[place] for place in range(len(leaves))])
    left, right = _rebuilt(node.x, again, by_helper), _rebuilt(node.y, again, by_helper)
    slow = by_helper(addition if node.operator == "+" else node.operator, left, right)
    return o.choose(test, fast, slow)


def _rebuilt(node: Expression, leaves: Iterator[Again], make: Callable[[str, py.expr, py.expr], py.expr]) -> py.expr:
    """The expression over its leaves."""
    if not isinstance(node, syntax.Binary) or node.operator not in _OPERATORS:
        return next(leaves)()
    x = _rebuilt(node.x, leaves, make)
    return make(node.operator, x, _rebuilt(node.y, leaves, make))


def _flatten(
    o: Optimizer, node: Expression, leaves: list[tuple[Expression, str]], sized: list[int], room: int = _DEEP
) -> bool:
    """Collects the operands of arithmetic. sized: receives the operands that must be small to limit the size of
    products.
    """
    if not isinstance(node, syntax.Binary) or node.operator not in _OPERATORS:
        kind = o.kind(node)
        leaves.append((node, kind))
        return kind in {"", "int", "small"}
    operator = node.operator
    divisor = isinstance(node.y, syntax.Literal) and type(node.y.value) is int and node.y.value != 0
    if (operator in {"//", "%"} and not divisor) or not room:
        return False
    before = len(leaves)
    if not _flatten(o, node.x, leaves, sized, room - 1):
        return False
    middle = len(leaves)
    if not _flatten(o, node.y, leaves, sized, room - 1):
        return False
    if operator == "*":
        single = [start for start, end in ((before, middle), (middle, len(leaves))) if end - start == 1]
        if not any(leaves[start][1] == "small" for start in single):
            if not single:
                return False
            sized.append(single[0])
    return True
