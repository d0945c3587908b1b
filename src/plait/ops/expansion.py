"""Operations that expand to several (`--with operations`): `*` in a path, and the types append, copy and move.

Each is expanded to plain operations for the current document. These are applied, recorded and printed by `--expand`.

    /instance_groups/*/jobs/name=agent/release      the release of this job in each instance group
"""

from __future__ import annotations

from copy import copy
from typing import TypeVar

from plait.base.errors import OpsError
from plait.base.limits import current_budget
from plait.base.similar_names import counted, did_you_mean
from plait.ops.operations import Operation, Remove, Replace
from plait.ops.pointer import AfterLastIndexToken, IndexToken, KeyToken, MatchingIndexToken, Pointer
from plait.ops.walk import check_array, find, matches, text_under
from plait.tree.nodes import Array, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeAlias

    from plait.ops.operations import OperationSource
    from plait.ops.pointer import Token
    from plait.tree.nodes import Value

    Way: TypeAlias = "tuple[Token, ...]"

_W = TypeVar("_W", bound="ExpandingOperation")


def _is_every(token: Token) -> bool:
    return type(token) is KeyToken and token.name == "*" and not token.optional


def has_wildcard(pointer: Pointer) -> bool:
    """True if a part of the path is `*`, so that it can match several values. The key `*` is written `*?`."""
    return any(_is_every(token) for token in pointer.tokens)


class ExpandingOperation(Operation):
    """An operation that expands to plain ones."""

    __slots__ = ()
    is_wide = True

    def plain(self, root: Value) -> list[Operation]:
        """The plain operations for a document. Raises OpsError if the path matches nothing."""
        # From the end of the document to its start, so that an operation does not move the targets of later ones.
        return [one for way in reversed(places(root, self.pointer)) for one in self.at(Pointer(way), root)]

    def at(self, pointer: Pointer, root: Value) -> list[Operation]:
        """The plain operations for one match."""
        raise NotImplementedError

    def replace(self, pointer: Pointer, value: Value, item: MapItem | None) -> Replace:
        """A plain operation that sets a value, with the position of this one. item: the item that contains the value."""
        return Replace(
            pointer, value, source=self.source, line=self.line, number=self.number, words=self.words, item=item
        )

    def remove(self, pointer: Pointer) -> Remove:
        """A plain operation that removes a value."""
        return Remove(pointer, source=self.source, line=self.line, number=self.number, words=self.words)


class WildcardOperation(ExpandingOperation):
    """A plain operation for each match of its path."""

    __slots__ = ("operation",)

    def __init__(self, operation: Operation) -> None:
        super().__init__(
            operation.pointer,
            source=operation.source,
            line=operation.line,
            number=operation.number,
            words=operation.words,
        )
        self.operation = operation

    @property
    def kind(self) -> str:  # type: ignore[override]
        return self.operation.kind

    def at(self, pointer: Pointer, root: Value) -> list[Operation]:  # noqa: ARG002 - one shape for all
        one = copy(self.operation)
        one.pointer = pointer
        return [one]


class AppendAll(ExpandingOperation):
    """`type: append`: appends the items of an array to the array at the path."""

    __slots__ = ("values",)
    kind = "append"
    values: Array

    def at(self, pointer: Pointer, root: Value) -> list[Operation]:
        check_array(find(root, pointer), Pointer((*pointer.tokens, AfterLastIndexToken())), len(pointer.tokens))
        end = Pointer((*pointer.tokens, AfterLastIndexToken()))
        return [
            self.replace(end, item.value, MapItem("value", item.value, item.source, item.line))
            for item in self.values.items
        ]


class Copy(ExpandingOperation):
    """`type: copy`: copies the value at `from` to the path."""

    __slots__ = ("start",)
    kind = "copy"
    start: Pointer

    def at(self, pointer: Pointer, root: Value) -> list[Operation]:
        value, item = _found(root, self.start)
        return [self.replace(pointer, value, item)]


class Move(Copy):
    """`type: move`: moves the value at `from` to the path."""

    __slots__ = ()
    kind = "move"

    def at(self, pointer: Pointer, root: Value) -> list[Operation]:
        return [self.remove(self.start), *super().at(pointer, root)]


def _found(root: Value, pointer: Pointer) -> tuple[Value, MapItem | None]:
    """The value at a path, and its item if the item has a key."""
    value = find(root, pointer)
    last = pointer.tokens[-1] if pointer.tokens else None
    if type(last) is not KeyToken:
        return value, None
    around = find(root, Pointer(pointer.tokens[:-1]))
    return value, around.find(last.name) if type(around) is Map else None


# ---- matches


def places(root: Value, pointer: Pointer) -> list[Way]:
    """The paths that a pattern matches in a document, in order; the path itself if it has no `*`.

    Up to the first `*` everything must exist; after it, missing parts do not match. Raises OpsError if nothing matches.
    """
    tokens = pointer.tokens
    first = next((depth for depth, token in enumerate(tokens) if _is_every(token)), None)
    if first is None:
        return [tokens]
    walk = _Walk(tokens)
    walk.go(find(root, Pointer(tokens[:first])), first, tokens[:first])
    if not walk.found:
        raise walk.nothing(pointer)
    return walk.found


class _Walk:
    """Visits all matches of a path. near: the values found at a part that matches nothing, by depth."""

    def __init__(self, tokens: Way) -> None:
        self.tokens = tokens
        self.found: list[Way] = []
        self.reached = [0] * (len(tokens) + 1)
        self.near: dict[int, list[str]] = {}

    def go(self, node: Value, depth: int, path: Way) -> None:
        """Continues from a node at `path`."""
        current_budget().check_time()
        self.reached[depth] += 1
        if depth == len(self.tokens):
            self.found.append(path)
            return
        token = self.tokens[depth]
        if _is_every(token):
            for step, inner in _below(node):
                self.go(inner, depth + 1, (*path, step))
        elif token.optional or type(token) is AfterLastIndexToken:
            # Missing parts are created as by a plain operation.
            if type(node) is (Map if type(token) is KeyToken else Array):
                self.found.append((*path, *self.tokens[depth:]))
        elif type(token) is KeyToken:
            item = node.find(token.name) if type(node) is Map else None
            if item is not None:
                self.go(item.value, depth + 1, (*path, token))
            elif type(node) is Map:
                self.near.setdefault(depth, []).extend(one.key for one in node.items if type(one.key) is str)
        elif type(node) is Array and isinstance(token, (IndexToken, MatchingIndexToken)):
            self._items(node, token, depth, path)

    def _items(self, array: Array, token: IndexToken | MatchingIndexToken, depth: int, path: Way) -> None:
        if type(token) is MatchingIndexToken:
            chosen = matches(array, token)
            if not chosen:
                texts = (text_under(item, token.key) for item in array.items)
                self.near.setdefault(depth, []).extend(text for text in texts if text is not None)
        else:
            assert type(token) is IndexToken
            chosen = [token.number + len(array.items) if token.number < 0 else token.number]
        for number in chosen:
            if depth == len(self.tokens) - 1 and token.modifiers:
                self.found.append((*path, IndexToken(number, token.modifiers)))
            elif 0 <= number + token.shift < len(array.items):
                self.go(array.items[number + token.shift].value, depth + 1, (*path, IndexToken(number + token.shift)))

    def nothing(self, pointer: Pointer) -> OpsError:
        """The error for a path without a match, which names the part that exists and the value there."""
        depth = max(depth for depth, count in enumerate(self.reached) if count)
        token = self.tokens[depth]
        wanted = token.value if type(token) is MatchingIndexToken else token.text(mark=False)

        return OpsError(
            f"nothing matches {pointer}",
            expected="at least one place",
            found=f"{counted(self.reached[depth], 'place')} at {pointer.until(depth)}, none with {token.text(mark=False)}"
            if depth
            else None,
            hint=did_you_mean(wanted, list(dict.fromkeys(self.near.get(depth, [])))[:1000]),
            code="path-not-found",
        )


def _below(node: Value) -> Iterator[tuple[Token, Value]]:
    """The parts that `*` matches: the items of an array, the text keys of a map."""
    if type(node) is Array:
        for number, item in enumerate(node.items):
            yield IndexToken(number), item.value
    elif type(node) is Map:
        for entry in node.items:
            if type(entry.key) is str:
                yield KeyToken(entry.key), entry.value


# ---- reading


def widened(operation: Operation) -> Operation:
    """The operation, expanded if its path has a `*`."""
    return WildcardOperation(operation) if has_wildcard(operation.pointer) and not operation.is_wide else operation


def _append(definition: OperationSource, null_values: bool) -> Operation:  # noqa: ARG001 - one shape for the table
    item = definition.fields.get("value")
    if item is None or type(item.value) is not Array:
        raise definition.refuse(
            f'append operation [{definition.number}]: "value" is missing or not an array',
            hint="each item of the array is appended; for one value, use type replace and a path that ends in /-",
        )
    made = _at(AppendAll, definition)
    made.values = item.value
    return made


def _copy(definition: OperationSource, null_values: bool) -> Operation:  # noqa: ARG001
    return _from(Copy, definition)


def _move(definition: OperationSource, null_values: bool) -> Operation:  # noqa: ARG001
    return _from(Move, definition)


def _from(kind: type[Copy], definition: OperationSource) -> Copy:
    if definition.value("value") is not None:
        raise definition.refuse(f'{kind.kind} operation [{definition.number}]: takes no "value"')
    made = _at(kind, definition)
    made.start = definition.pointer("from")
    if has_wildcard(made.start):
        raise definition.refuse(f'{kind.kind} operation [{definition.number}]: "from" must be one path, without *')
    return made


def _at(kind: type[_W], definition: OperationSource) -> _W:
    source, line, number, words = definition.at
    return kind(definition.pointer(), source=source, line=line, number=number, words=words)


OPERATIONS: Mapping[str, Callable[[OperationSource, bool], Operation]] = {
    "append": _append,
    "copy": _copy,
    "move": _move,
}
