"""Defers an expression whose value may not be known yet: it is passed on as a function (see
`plait.tree.deferred_values`).
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.table.universal import UNIVERSAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.ytt.starlark.syntax import Expression, Scope


def deferred(value: Expression, scope: Scope, outer: Scope) -> syntax.Call:
    """`$node.defer(lambda x=x: value)`: variables keep their current values until the function is called.

    scope: in which the expression was parsed, a child of `outer`.
    """
    parameters: list[syntax.Parameter] = []
    for used in _free(scope):
        name = used.name
        if name in scope.bound or (name not in outer.bound and name in UNIVERSAL):
            continue
        now = syntax.Name(name, used.line, early=name not in outer.bound)
        outer.uses.append(now)
        scope.bound[name] = used.line
        scope.writes.append((name, None))
        parameters.append(syntax.Parameter(name, now, "", used.line))
    function = syntax.Lambda(parameters, value, scope, value.line)
    argument = syntax.Argument(function, "", "", value.line)
    return syntax.Call(syntax.Helper("$node.defer", value.line), [argument], value.line)


def _free(scope: Scope) -> Iterator[syntax.Name]:
    """The names that are used in a scope but not bound there."""
    for used in scope.uses:
        if used.name not in scope.bound:
            yield used
    for child in scope.children:
        for used in _free(child):
            if used.name not in scope.bound:
                yield used
