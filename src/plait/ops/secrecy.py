"""Operations in a run that uses secrets: what a secret decided about them.

An operation finds its place by keys and matches. Where it compares a value or a key that depends on a secret, or looks for
what a secret decides to be there, the place that it finds tells of the secret. Then the map or list in which it looked
counts as chosen by the secret, whatever was found. Only imported when such a run is traced.
"""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.ops.operations import Test
from plait.ops.pointer import Index, Key, Match
from plait.provenance import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.nodes import Item, Value
    from plait.ops.operations import Operation
    from plait.ops.pointer import Pointer, Token
    from plait.provenance import Control, Origin, Trace
    from plait.provenance.marks import Marks


def decided(operation: Operation, root: Value, trace: Trace) -> tuple[Control, ...]:
    """Mark what tells of a secret where an operation finds its places in a document; gives the decisions.

    root: before the operation.
    """
    marks = trace.marks
    found: list[Control] = []
    if marks is None or marks.shows_all or type(operation) is Test:  # a test changes nothing
        return ()
    for pointer in _pointers(operation):
        for around, node in _compared(pointer, root, marks):
            control = marks.control(f"{operation.kind} {pointer}", operation.source, operation.line)
            found.append(control)
            held: list[Item] = [*node.items] if around is None else [around]
            (trace.there if around is None else trace.chosen).update(held)
            for item in held:
                before: tuple[Origin, ...] = trace.presence.get(item, ())
                trace.presence[item] = (*before, control)
            if around is None:
                known = trace.whole.get("document")
                trace.whole["document"] = Change(
                    operation.kind,
                    operation.source,
                    operation.line,
                    because=(*(() if known is None else known.because), control),
                )
    return tuple(found)


def _pointers(operation: Operation) -> Iterator[Pointer]:
    yield operation.pointer
    start: Pointer | None = getattr(operation, "start", None)  # of a copy and a move
    if start is not None:
        yield start


def _compared(pointer: Pointer, root: Value, marks: Marks) -> Iterator[tuple[Item | None, Map | Array]]:
    """The maps and lists on the way of a path in which it compares what depends on a secret, each with its item."""
    found: list[tuple[Item | None, Value]] = [(None, root)]
    for token in pointer.tokens:
        inner: list[tuple[Item | None, Value]] = []
        for around, node in found:
            if type(node) is not Map and type(node) is not Array:
                continue
            if _tells(token, node, marks):
                yield around, node
                continue
            inner += [(item, item.value) for item in _within(token, node)]
        found = inner


def _tells(token: Token, node: Map | Array, marks: Marks) -> bool:
    if any(map(marks.is_there_by_secret, node.items)) or node.source in marks.shaped:
        return True
    if type(node) is Map:
        return any(map(marks.has_secret_key, node.items))
    if type(token) is not Match:
        return False
    compared = (entry.value.peek(token.key) for entry in node.items if isinstance(entry.value, Map))
    return any(one is not None and marks.is_secret(one) for one in compared)


def _within(token: Token, node: Map | Array) -> Iterator[Item]:
    """The items that a part of a path can mean: all of them where it is `*`, or a match."""
    if type(node) is Map and type(token) is Key and token.name != "*":
        found = node.find(token.name)
        yield from () if found is None else (found,)
    elif type(token) is Index and type(node) is Array:
        number = token.number + token.shift
        if -len(node.items) <= number < len(node.items):
            yield node.items[number]
    else:
        yield from node.items
