"""The effects of secrets on operations. Imported only for an evaluation with secrets.

An operation finds its target by keys and matches. If it compares a value or key that depends on a secret, or searches
for an item whose existence depends on one, the found target reveals the secret. Then the searched map or array counts
as chosen by the secret, whether the target was found or not.
"""

from __future__ import annotations

from plait.base.errors import OpsError, full
from plait.base.source import Position, Quoted, Wording, public, quotation
from plait.ops.operations import Test
from plait.ops.pointer import IndexToken, KeyToken, MatchingIndexToken
from plait.tree.nodes import Array, Map
from plait.tree.provenance import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.ops.operations import Operation
    from plait.ops.pointer import Pointer, Token
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Control, Origin, Trace
    from plait.tree.provenance.marks import Marks


def decided(operation: Operation, root: Value, trace: Trace) -> tuple[Control, ...]:
    """Marks the collections whose search by an operation reveals a secret. Returns the decisions.

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


class Compared:
    """Operations on a document that may contain secrets, in order.

    An operation that compares values, as a test or to find an item, may fail because of a secret. So may each later
    one, and the kind of failure reveals the secret. An error names the first operation that compares, and withholds the
    rest.

    comparing: the first returned operation that compares.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = operations
        self.comparing: Operation | None = None

    def __iter__(self) -> Iterator[Operation]:
        self.comparing = None
        for operation in self._operations:
            if self.comparing is None and _compares(operation):
                self.comparing = operation
            yield operation

    def told(self, error: OpsError) -> OpsError:
        """The error of an operation, redacted if an earlier one compares."""
        comparing = self.comparing
        return error if comparing is None else _as_of(comparing, error)


def _compares(operation: Operation) -> bool:
    return type(operation) is Test or any(
        type(token) is MatchingIndexToken for one in _pointers(operation) for token in one.tokens
    )


def _as_of(comparing: Operation, error: OpsError) -> OpsError:
    """The redacted error of an operation after a comparison that may involve a secret."""
    number = "" if comparing.number is None else f" [{comparing.number}]"
    words = "" if comparing.words is None else f" ({comparing.words})"
    before = public(f"{comparing.kind} operation{number}{words} or one after it failed: ")
    expected, found, hint = (_quoted(full(error, name)) for name in ("expected", "found", "hint"))
    return OpsError(
        Wording(before, Quoted(full(error, "message") or "")),
        at=None if comparing.source is None else Position(comparing.source, comparing.line),
        expected=expected,
        found=found,
        hint=hint,
        reference=error.reference,
        code="failed-test",
    )


def _quoted(text: str | None) -> Wording | None:
    return None if text is None else quotation(text)


def _pointers(operation: Operation) -> Iterator[Pointer]:
    yield operation.pointer
    start: Pointer | None = getattr(operation, "start", None)  # for a copy or a move
    if start is not None:
        yield start


def _compared(pointer: Pointer, root: Value, marks: Marks) -> Iterator[tuple[Item | None, Map | Array]]:
    """The maps and arrays on a path in which secret-dependent values are compared, each with its item."""
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
    if type(token) is not MatchingIndexToken:
        return False
    compared = (entry.value.peek(token.key) for entry in node.items if isinstance(entry.value, Map))
    return any(one is not None and marks.is_secret(one) for one in compared)


def _within(token: Token, node: Map | Array) -> Iterator[Item]:
    """The items that a part of a path can select: all of them for `*` or a match."""
    if type(node) is Map and type(token) is KeyToken and token.name != "*":
        found = node.find(token.name)
        yield from () if found is None else (found,)
    elif type(token) is IndexToken and type(node) is Array:
        number = token.number + token.shift
        if -len(node.items) <= number < len(node.items):
            yield node.items[number]
    else:
        yield from node.items
