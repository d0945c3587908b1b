"""Hints for a path that exists elsewhere in the document, or that an earlier operation removed."""

from __future__ import annotations

from plait.base.errors import OpsError
from plait.ops.pointer import IndexToken, KeyToken, MatchingIndexToken, Pointer
from plait.ops.walk import find, text_under
from plait.ops.working_copy import WorkingCopy
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.ops.operations import Operation
    from plait.ops.pointer import Token
    from plait.tree.nodes import Value

# Maximum numbers of nodes and operations examined.
_MOST = 20_000
_MOST_OPERATIONS = 2_000


def failing_depth(root: Value, pointer: Pointer) -> int | None:
    """The index of the first token that selects nothing in a document; None if all select something."""
    tokens = pointer.tokens
    return next((depth for depth in range(len(tokens)) if not exists(root, tokens[: depth + 1])), None)


def found_elsewhere(root: Value, pointer: Pointer) -> str | None:
    """The path to the only other match for the part of `pointer` that fails, or None. None also for several matches.

    Searches below the last value that the pointer finds, then below each of its ancestors.
    """
    failing = failing_depth(root, pointer)
    if failing is None or type(pointer.tokens[failing]) not in (KeyToken, MatchingIndexToken):
        return None
    token = pointer.tokens[failing]
    if (type(token) is KeyToken and not token.name) or (type(token) is MatchingIndexToken and token.modifiers):
        return None
    rest = (required(token), *pointer.tokens[failing + 1 :])
    for depth in range(failing, -1, -1):
        start = Pointer(pointer.tokens[:depth])
        found = [way for way in _places(find(root, start, slash=False), rest[0]) if _leads(root, start, way, rest)]
        if len(found) > 1:
            return None
        if found:
            return str(Pointer((*start.tokens, *found[0], *rest)))
    return None


def _leads(root: Value, start: Pointer, way: tuple[Token, ...], rest: tuple[Token, ...]) -> bool:
    """True if the rest of a path is found in the document at another place."""
    end = rest[:-1] if type(rest[-1]) not in (KeyToken, MatchingIndexToken) else rest
    return exists(root, (*start.tokens, *way, *end))


def _places(root: Value, token: Token) -> Iterator[tuple[Token, ...]]:
    """The paths to the maps with a key, or the arrays with an item, nearest first. Not of the value itself."""
    todo: list[tuple[Value, tuple[Token, ...]]] = [(root, ())]
    for node, way in todo:  # the list grows during the iteration
        if way and _selects(node, token):
            yield way
        if type(node) is Map:
            todo += [
                (item.value, (*way, KeyToken(item.key)))
                for item in node.items
                if type(item.key) is str and type(item.value) in (Map, Array)
            ]
        elif type(node) is Array:
            todo += [
                (item.value, (*way, _naming(node, place)))
                for place, item in enumerate(node.items)
                if type(item.value) in (Map, Array)
            ]
        if len(todo) > _MOST:
            return


def _selects(node: Value, token: Token) -> bool:
    if type(token) is KeyToken:
        return type(node) is Map and node.find(token.name) is not None
    return (
        type(token) is MatchingIndexToken
        and type(node) is Array
        and any(text_under(item, token.key) == token.value for item in node.items)
    )


def _naming(array: Array, place: int) -> Token:
    """The token that selects an item: its name if no other item has it, else its index."""
    name = text_under(array.items[place], "name")
    if name is None or sum(text_under(item, "name") == name for item in array.items) > 1:
        return IndexToken(place)
    return MatchingIndexToken("name", name)


def required(token: Token) -> Token:
    """The token without the mark of an optional part."""
    if type(token) is KeyToken:
        return KeyToken(token.name)
    if type(token) is MatchingIndexToken:
        return MatchingIndexToken(token.key, token.value, modifiers=token.modifiers)
    return token


def exists(root: Value, tokens: Iterable[Token]) -> bool:
    """True if a path selects a value of the document."""
    try:
        find(root, Pointer(tuple(tokens)), slash=False)
    except OpsError:
        return False
    return True


def removed_by(base: Value, operations: Iterable[Operation], failed: Operation) -> Operation | None:
    """The operation before a failed one without which its path would be found; None if there is none.

    base: the document before all operations. They are applied again, one after the other.
    """
    before: list[Operation] = []
    for operation in operations:
        if operation is failed:
            break
        before.append(operation)
        if operation.is_wide or len(before) > _MOST_OPERATIONS:
            return None
    else:
        return None
    draft = WorkingCopy(base)
    for operation in before:
        operation.apply(draft)
    depth = failing_depth(draft.result(), failed.pointer)
    if depth is None:
        return None
    failing = failed.pointer.tokens[: depth + 1]
    draft, was, last = WorkingCopy(base), exists(base, failing), None
    for operation in before:
        operation.apply(draft)
        now = exists(draft.result(), failing)
        if was and not now:
            last = operation
        was = now
    return last


def made_later(base: Value, operations: Iterable[Operation], failed: Operation) -> Operation | None:
    """A later operation that creates the path that a failed one needs; None if the failed operation, or its file,
    cannot be moved after it.

    base: the document before all operations. The new order is applied to it.
    """
    everything = [*operations]
    if len(everything) > _MOST_OPERATIONS or any(one.is_wide for one in everything) or failed not in everything:
        return None
    at = everything.index(failed)
    draft = WorkingCopy(base)
    for operation in everything[:at]:
        operation.apply(draft)
    for operation in everything[at + 1 :]:
        if not _applies(operation, draft) or not _applies(failed, WorkingCopy(draft.result())):
            continue
        rest = [one for one in everything if one is not failed]
        place = rest.index(operation) + 1
        order = [*rest[:place], failed, *rest[place:]]
        if operation.source is not failed.source:
            rest = [one for one in everything if one.source is not operation.source]
            place = next(place for place, one in enumerate(rest) if one.source is failed.source)
            order = [*rest[:place], *(one for one in everything if one.source is operation.source), *rest[place:]]
        result = WorkingCopy(base)
        return operation if all(_applies(one, result) for one in order) else None
    return None


def _applies(operation: Operation, draft: WorkingCopy) -> bool:
    try:
        operation.apply(draft)
    except OpsError:
        return False
    return True
