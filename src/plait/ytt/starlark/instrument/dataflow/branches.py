"""The variables that statements assign and use: a skipped branch could have changed them."""

from __future__ import annotations

from plait.ytt.starlark import syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.ytt.starlark.syntax import Scope

# Attributes of syntax nodes that are not visited: scopes refer to other functions, hosts to the template.
_SKIPPED = frozenset({"scope", "host", "line", "source"})


def _nodes(statements: Iterable[object]) -> Iterator[object]:
    """All syntax nodes inside some statements, including those in functions."""
    todo = list(statements)
    while todo:
        node = todo.pop()
        yield node
        for name in getattr(type(node), "__slots__", ()):
            if name not in _SKIPPED:
                _push(getattr(node, name, None), todo)


def _push(value: object, todo: list[object]) -> None:
    if isinstance(value, (list, tuple)):
        for one in value:
            _push(one, todo)
    elif type(value).__module__ == syntax.__name__:
        todo.append(value)


def assigned(statements: Sequence[object], scope: Scope) -> list[str]:
    """The variables of a function that the statements assign, without duplicates."""
    names: dict[str, None] = {}
    for node in _nodes(statements):
        if isinstance(node, syntax.Def):
            names[node.name] = None
        elif isinstance(node, syntax.Load):
            names.update((here, None) for here, _, _ in node.names)
        elif isinstance(node, (syntax.Assign, syntax.For)):
            names.update((one.name, None) for one in _nodes([node.target]) if isinstance(one, syntax.Name))
    return [name for name in names if name in scope.bound]


def mentioned(statements: Sequence[object]) -> tuple[str, ...]:
    """The names that occur in the statements, without duplicates."""
    return tuple(dict.fromkeys(node.name for node in _nodes(statements) if isinstance(node, syntax.Name)))


def may_leave(statements: Sequence[object], *, in_loop: bool = False) -> bool:
    """True if the statements may return, break or continue. in_loop: a break only ends the loop that contains them."""
    todo = [(node, in_loop) for node in statements]
    for node, inside in todo:
        if isinstance(node, syntax.Return) or (isinstance(node, syntax.Branch) and not inside):
            return True
        if isinstance(node, syntax.If):
            todo += [(one, inside) for one in (*node.yes, *node.no)]
        elif isinstance(node, (syntax.For, syntax.While)):
            todo += [(one, True) for one in node.body]
    return False


def has_leaving(statements: Sequence[object]) -> bool:
    """True if statements contain a return, break or continue, nested ones included.

    Such a statement depends on every condition around it, because each may keep it from running.
    """
    return any(isinstance(node, (syntax.Return, syntax.Branch)) for node in _nodes(statements))


def has_hosts(statements: Sequence[object]) -> bool:
    """True if the statements, or blocks in them, build nodes."""
    todo = [*statements]
    for node in todo:
        if isinstance(node, syntax.HostStatement):
            return True
        if isinstance(node, syntax.If):
            todo += [*node.yes, *node.no]
        elif isinstance(node, (syntax.For, syntax.While)):
            todo += node.body
    return False
