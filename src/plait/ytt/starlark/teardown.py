"""Frees deep trees and long tracebacks link by link.

Freeing a chain of thousands of objects frees each one inside the previous one, which takes stack space. Python 3.13
limits this only on stacks of the usual size.
"""

from __future__ import annotations

import _ast
from _operator import attrgetter  # avoids loading all of `operator`, which takes time
from itertools import islice

from plait.ytt.starlark import syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A tree with fewer levels can be freed on any stack. Lists count as levels.
_DEEP = 400

# Attributes that are not parts of the tree.
_NO_PARTS = frozenset({"calls", "early", "host", "line", "name", "names", "operator", "path", "scope", "word"})


def _getter(kind: type) -> Callable[[object], tuple[object, ...]]:
    """A function that returns the child nodes of a node, and None for missing ones."""
    names = [name for name in kind.__slots__ if name not in _NO_PARTS]  # type: ignore[attr-defined]
    return attrgetter(*names, "__class__") if names else lambda _: ()


_PARTS = {
    kind: _getter(kind)
    for kind in vars(syntax).values()
    if isinstance(kind, type) and kind is not syntax.Scope and "__slots__" in vars(kind)
}


def dismantle(statements: list[syntax.Statement], made: _ast.AST | None) -> None:
    """Empties the nodes of a deep syntax tree, and of trees built from it. They must not be used afterwards."""
    if next(islice(_levels(statements), _DEEP, None), None) is None:
        return
    for nodes in [*_levels(statements)]:
        for node in nodes:
            if type(node) in _PARTS:
                for name in type(node).__slots__:  # type: ignore[attr-defined]
                    setattr(node, name, None)
    for tree in [] if made is None else [*_walk(made)]:
        vars(tree).clear()


def _levels(statements: list[syntax.Statement]) -> Iterator[list[object]]:
    """The nodes of a tree, one level at a time."""
    nodes: list[object] = [*statements]
    while nodes:
        yield nodes
        below: list[object] = []
        for node in nodes:
            kind = type(node)
            if kind in _PARTS:
                below += _PARTS[kind](node)
            elif kind is list or kind is tuple:
                below += node  # type: ignore[arg-type]
        nodes = below


def _walk(tree: _ast.AST) -> Iterator[_ast.AST]:
    """The nodes of a Python syntax tree."""
    todo: list[object] = [tree]
    while todo:
        one = todo.pop()
        if isinstance(one, list):
            todo += one
        elif isinstance(one, _ast.AST):
            yield one
            todo += vars(one).values()


def unwind(error: BaseException) -> None:
    """Empties the traceback of an error, its last entry first.

    After a recursion it has thousands of entries, each of which refers to the next, and frames that refer to their
    callers. Freed all at once, each is freed inside another, which takes more stack than a browser has.
    """
    entries = []
    entry, error.__traceback__ = error.__traceback__, None
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    while entries:
        entries.pop().tb_next = None
