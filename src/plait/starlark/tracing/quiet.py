"""Functions that need not say what they read, in a run that is traced (see `tracing`).

A function is *closed* when all that it can get at are its arguments, constants, and other closed functions: it computes.
Called with arguments that no data had a part in, it gives nothing that data had a part in, and can run as it would
untraced. So it does when so much was traced already that saying everything would take too long; its result is then said
to depend on all of its arguments.

    def distance(a, b):              # the version that other quiet code calls, "$q.distance"
        ...
    def distance(a, b):
        if $from.quiet(line, ...):
            return $q.distance(a, b)
        ...                          # traced
"""

from __future__ import annotations

import sys

from plait.provenance import Cause
from plait.starlark import syntax
from plait.starlark.values import Dict, List, Set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from plait.provenance import Origin
    from plait.starlark.syntax import Expression, Scope, Statement
    from plait.starlark.tracing.shadows import Shadow
    from plait.starlark.tracing.windows import Windows

# After so many steps of loops and calls, closed functions run untraced whatever they are given.
BUSY = 50_000
# Modules that give nothing but what they are given.
_MODULES = frozenset(
    f"@ytt:{name}"
    for name in ("base64", "ip", "json", "math", "md5", "regexp", "sha256", "struct", "toml", "url", "version", "yaml")
)
# Values that bring no reads of their own along.
PLAIN = frozenset({bool, int, float, str, type(None), tuple, range, List, Dict, Set})
_CODE = frozenset({"", "code", "condition", "text"})


class Closed:
    """The closed functions of a program, by name; for each, the variables of the program that it reads.

    functions: name -> (definition, names of constants, names of functions that were loaded).
    """

    __slots__ = ("functions",)

    def __init__(self, scope: Scope, statements: Sequence[Statement]) -> None:
        once = _written_once(scope)
        found = {
            node.name: node
            for node in statements
            if type(node) is syntax.Def and node.name in once and _is_candidate(node)
        }
        constants: set[str] = set()
        modules: set[str] = set()
        loaded: set[str] = set()
        for node in statements:
            if type(node) is syntax.Assign and type(node.target) is syntax.Name and not node.operator:
                if node.target.name in once and _is_constant(node.value):
                    constants.add(node.target.name)
            elif type(node) is syntax.Load:
                for here, _, _ in node.names:
                    (modules if node.path in _MODULES else loaded).add(here)
        first = {name: place for place, name in reversed([*enumerate(_bound_in_order(statements))])}
        uses = {name: _outer_uses(node.scope, scope) for name, node in found.items()}
        known = constants | modules | loaded
        changed = True
        while changed:
            gone = [
                name
                for name in found
                if not all(use in found or (use in known and first[use] < first[name]) for use in uses[name])
            ]
            changed = bool(gone)
            for name in gone:
                del found[name]
        self.functions = {
            name: (node, sorted(uses[name] & constants), sorted(self._reached(name, uses, loaded)))
            for name, node in found.items()
        }

    def _reached(self, name: str, uses: Mapping[str, set[str]], loaded: set[str]) -> set[str]:
        """The loaded names that a function reads, or one that it reads."""
        todo, seen = [name], {name}
        for one in todo:
            for other in uses.get(one, ()):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen & loaded


def _bound_in_order(statements: Sequence[Statement]) -> Iterator[str]:
    """The variables of a program, as its statements bind them."""
    for node in statements:
        if type(node) is syntax.Def:
            yield node.name
        elif type(node) is syntax.Load:
            yield from (here for here, _, _ in node.names)
        elif type(node) is syntax.Assign and type(node.target) is syntax.Name:
            yield node.target.name


def _written_once(scope: Scope) -> set[str]:
    """The names that a scope binds in one place only."""
    seen: set[str] = set()
    again: set[str] = set()
    for name, _ in scope.writes:
        (again if name in seen else seen).add(name)
    return seen - again


def _is_candidate(node: syntax.Def) -> bool:
    """Whether a function makes no nodes, and can be defined several times without a difference."""
    return all(
        parameter.default is None or _is_constant(parameter.default, flat=True) for parameter in node.parameters
    ) and not any(scope.hosts for scope in _scopes(node.scope))


def _scopes(scope: Scope) -> list[Scope]:
    found = [scope]
    for one in found:
        found.extend(one.children)
    return found


def _outer_uses(scope: Scope, program: Scope) -> set[str]:
    """The program's variables that a function and all that is in it use."""
    return {name.name for one in _scopes(scope) for name in one.uses if name.scope is program}


def _is_constant(node: Expression | None, *, flat: bool = False) -> bool:
    """Whether an expression is written out; flat: and cannot be changed."""
    kind = type(node)
    if kind is syntax.Literal:
        return True
    if kind is syntax.Name:
        return node.scope is None and node.name in ("None", "True", "False")  # type: ignore[union-attr]
    if kind is syntax.Unary:
        return _is_constant(node.x, flat=True)  # type: ignore[union-attr]
    if kind is syntax.TupleDisplay:
        return all(_is_constant(item, flat=flat) for item in node.items)  # type: ignore[union-attr]
    if flat:
        return False
    if kind is syntax.ListDisplay:
        return all(map(_is_constant, node.items))  # type: ignore[union-attr]
    return kind is syntax.DictDisplay and all(_is_constant(x) and _is_constant(y) for x, y in node.entries)  # type: ignore[union-attr]


def closed_names(windows: Windows, here: Callable[[int], Shadow]) -> Mapping[str, Callable[..., object]]:
    """What traced code calls to find out whether it may be quiet."""
    stack, closed = windows.stack, windows.closed

    def quiet(line: int, shadows: Sequence[Shadow], values: Sequence[object], loaded: Sequence[object]) -> bool:
        """Whether the function being called may run untraced.

        shadows, values: of the constants that it reads; loaded: the functions it may call.
        """
        window = stack[-1]
        if window.quiet:
            return True
        windows.steps += 1
        direct = window.called or "$source" in sys._getframe(2).f_globals
        arguments = window.arguments if direct else ()
        if windows.steps < BUSY:
            if not all(type(value) in PLAIN for value, _, _ in arguments):
                return False
            if loaded and not all(value in closed if callable(value) else type(value) in PLAIN for value in loaded):
                return False
            if any(map(_has_data, (*(shadow for _, shadow, _ in arguments), *shadows))):
                return False
        if direct:
            window.quiet = True
        for shadow in (here(line), *shadows):
            for origin in shadow:
                window[origin] = None
        made_of = tuple(dict.fromkeys([origin for _, shadow, _ in arguments for origin in shadow]))
        for value in (*(value for value, _, _ in arguments), *values):
            kind = type(value)
            if kind is List or kind is Dict or kind is Set:
                windows.mark(value, (*made_of, *here(line)))
        return True

    return {"$from.quiet": quiet, "$from.closed": closed.add}


def _has_data(shadow: Iterable[Origin]) -> bool:
    """Whether a shadow leads to more than code."""
    todo = [*shadow]
    seen: set[int] = set()
    while todo:
        origin = todo.pop()
        if type(origin) is not Cause or origin.action not in _CODE:
            return True
        if origin.because and id(origin) not in seen:
            seen.add(id(origin))
            todo.extend(origin.because)
    return False


__all__ = ["BUSY", "PLAIN", "Closed", "closed_names"]
