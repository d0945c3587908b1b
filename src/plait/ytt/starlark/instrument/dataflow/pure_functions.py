"""Functions that need not report their reads in a traced evaluation.

A function is *pure* if it can access only its arguments, constants, and other pure functions. Called with arguments
that do not depend on data, its result does not depend on data, so it can run untraced. It also runs untraced if tracing
everything would take too long; its result then depends on all its arguments.

    def distance(a, b):              # the version that untraced code calls, "$q.distance"
        ...
    def distance(a, b):
        if $from.quiet(line, ...):
            return $q.distance(a, b)
        ...                          # traced

This module finds such functions; `DataflowRuntime.quiet` decides each call.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.ytt.starlark.syntax import Expression, Scope, Statement

# Modules whose results depend only on their arguments.
_MODULES = frozenset(
    f"@ytt:{name}"
    for name in ("base64", "ip", "json", "math", "md5", "regexp", "sha256", "struct", "toml", "url", "version", "yaml")
)


class PureFunction:
    """A pure function. constants, loaded: the variables of the program that it reads."""

    __slots__ = ("constants", "definition", "loaded")

    def __init__(self, definition: syntax.Def, constants: list[str], loaded: list[str]) -> None:
        self.definition = definition
        self.constants = constants
        self.loaded = loaded


class PureFunctions:
    """The pure functions of a program, by name."""

    __slots__ = ("functions",)

    def __init__(self, scope: Scope, statements: Sequence[Statement]) -> None:
        once = syntax.written_once(scope)
        found = {
            node.name: node
            for node in statements
            if isinstance(node, syntax.Def) and node.name in once and _is_candidate(node)
        }
        constants: set[str] = set()
        modules: set[str] = set()
        loaded: set[str] = set()
        for node in statements:
            if isinstance(node, syntax.Assign) and isinstance(node.target, syntax.Name) and not node.operator:
                if node.target.name in once and _is_constant(node.value):
                    constants.add(node.target.name)
            elif isinstance(node, syntax.Load):
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
            name: PureFunction(node, sorted(uses[name] & constants), sorted(_reached(name, uses, loaded)))
            for name, node in found.items()
        }


def _reached(name: str, uses: Mapping[str, set[str]], loaded: set[str]) -> set[str]:
    """The loaded names that a function reads, directly or through other functions."""
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
        if isinstance(node, syntax.Def):
            yield node.name
        elif isinstance(node, syntax.Load):
            yield from (here for here, _, _ in node.names)
        elif isinstance(node, syntax.Assign) and isinstance(node.target, syntax.Name):
            yield node.target.name


def _is_candidate(node: syntax.Def) -> bool:
    """True if a function builds no nodes, and repeated definitions do not differ."""
    return all(
        parameter.default is None or _is_constant(parameter.default, flat=True) for parameter in node.parameters
    ) and not any(scope.hosts for scope in _scopes(node.scope))


def _scopes(scope: Scope) -> list[Scope]:
    found = [scope]
    for one in found:
        found.extend(one.children)
    return found


def _outer_uses(scope: Scope, program: Scope) -> set[str]:
    """The program's variables that a function, and functions inside it, use."""
    return {name.name for one in _scopes(scope) for name in one.uses if name.scope is program}


def _is_constant(node: Expression, *, flat: bool = False) -> bool:
    """True if an expression is a literal constant. flat: it must also be immutable."""
    if isinstance(node, syntax.Literal):
        return True
    if isinstance(node, syntax.Name):
        return node.scope is None and node.name in ("None", "True", "False")
    if isinstance(node, syntax.Unary):
        return _is_constant(node.x, flat=True)
    if isinstance(node, syntax.TupleDisplay):
        return all(_is_constant(item, flat=flat) for item in node.items)
    if flat:
        return False
    if isinstance(node, syntax.ListDisplay):
        return all(map(_is_constant, node.items))
    return isinstance(node, syntax.DictDisplay) and all(_is_constant(x) and _is_constant(y) for x, y in node.entries)
