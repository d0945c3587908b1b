"""The optional optimizer: faster lowering of a program with resolved names.

`data_flow` analyses the program and records facts in the tables of `inferred_types` and `groups`: exact types of
values, and elements of lists. `Optimizer` is the plain lowering with other rules for some syntax. Each rule has the
same effect as the plain one, without a call:

- where types are known, Python's own operator, method or subscript;
- in code that runs often (functions and loops), the same after a test of the exact types, else the helper;
- a function that is called only with known types is compiled once for these calls, and once for all others.

Code that runs once should be small, so it calls the helpers.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.lower.emit import variable
from plait.ytt.starlark.lower.expressions import EXPRESSIONS
from plait.ytt.starlark.lower.statements import STATEMENTS
from plait.ytt.starlark.optimize import inlined_calls, operators, subscripts
from plait.ytt.starlark.optimize.data_flow import follow
from plait.ytt.starlark.optimize.fused_arithmetic import fused
from plait.ytt.starlark.optimize.optimizer import Optimizer
from plait.ytt.starlark.optimize.string_building import interpolated
from plait.ytt.starlark.optimize.subscripts import SubscriptOptimizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast as py
    from collections.abc import Mapping, Sequence

    from plait.ytt.starlark.lower.expressions import Rule
    from plait.ytt.starlark.lower.statements import Hooks, StatementRule
    from plait.ytt.starlark.syntax import Scope, Statement


def optimizer(hooks: Hooks | None, statements: Sequence[Statement], scope: Scope) -> Optimizer:
    """The optimizer for a program, with all facts about it."""
    return SubscriptOptimizer(hooks, follow(scope, statements), _RULES, _STATEMENT_RULES)


def _binary(o: Optimizer, node: syntax.Binary) -> py.expr:
    return o.own(node, interpolated(o, node) or fused(o, node) or operators.binary(o, node))


def _augment(o: Optimizer, node: syntax.Assign, into: list[py.stmt]) -> None:
    """Lowers an augmented assignment. `x += a * b` is one expression for `fused_arithmetic`."""
    target = node.target
    if node.operator and isinstance(target, syntax.Name):
        operation = syntax.Binary(node.operator, target, node.value, node.line)
        value = fused(o, operation, "+=")
        if value is not None:
            into.append(o.set(variable(target.name), value))
            return
    o.assign(node, into)


_RULES: Mapping[type, Rule] = {
    **EXPRESSIONS,
    syntax.Attribute: subscripts.attribute,
    syntax.Binary: _binary,
    syntax.Call: inlined_calls.call,
    syntax.Comprehension: Optimizer.comprehension,
    syntax.Index: subscripts.index,
    syntax.ListDisplay: Optimizer.list_display,
    syntax.Unary: operators.unary,
}
_STATEMENT_RULES: Mapping[type, StatementRule] = {
    **STATEMENTS,
    syntax.Assign: _augment,
    syntax.Def: Optimizer.def_,
    syntax.Evaluate: inlined_calls.evaluate,
    syntax.For: Optimizer.for_,
    syntax.While: Optimizer.while_,
}


__all__ = ["Optimizer", "optimizer"]
