"""Operations: one class per type of entry in an ops file (docs/reference/operations.md).

To add a type: a class with `apply`, and a row in `files.OPERATIONS` that builds it.
"""

from __future__ import annotations

from plait.base.errors import OpsError
from plait.ops.pointer import KeyToken, Pointer
from plait.ops.walk import PathNotFoundError, known
from plait.tree.equality import same
from plait.tree.nodes import Array, ArrayItem, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.source import Position, Source
    from plait.ops.working_copy import WorkingCopy
    from plait.tree.nodes import Value


class Operation:
    """Base class of operations. It has a pointer, a position, the number in its file, and the user's text for failures."""

    __slots__ = ("line", "number", "pointer", "source", "words")
    kind = ""
    is_wide = False
    is_partial = False  # True if the new value is derived from the old one

    def __init__(
        self,
        pointer: Pointer,
        *,
        source: Source | None = None,
        line: int = 0,
        number: int | None = None,
        words: str | None = None,
    ) -> None:
        self.pointer = pointer
        self.source = source
        self.line = line
        self.number = number
        self.words = words

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.pointer)!r})"

    def apply(self, draft: WorkingCopy) -> None:
        """Changes the draft. Raises OpsError."""
        raise NotImplementedError

    def plain(self, root: Value) -> Sequence[Operation]:  # noqa: ARG002 - what is wide looks at the document
        """The plain operations that are applied to a document (see `ops.expansion`). Raises OpsError."""
        return (self,)

    def fields(self) -> list[MapItem]:
        """The fields of the operation in an ops file."""
        return [MapItem("type", self.kind), MapItem("path", str(self.pointer))]


class Replace(Operation):
    """`type: replace`: sets, inserts or creates a value."""

    __slots__ = ("item", "value")
    kind = "replace"

    def __init__(
        self,
        pointer: Pointer,
        value: Value,
        *,
        source: Source | None = None,
        line: int = 0,
        number: int | None = None,
        words: str | None = None,
        item: MapItem | None = None,
    ) -> None:
        super().__init__(pointer, source=source, line=line, number=number, words=words)
        self.value = value
        self.item = item  # item that contains the value

    def apply(self, draft: WorkingCopy) -> None:
        draft.replace(self.pointer, self.value, self.source, self.line)

    def fields(self) -> list[MapItem]:
        return [*super().fields(), MapItem("value", self.value)]


class Remove(Operation):
    """`type: remove`: removes the item at the path."""

    __slots__ = ()
    kind = "remove"

    def apply(self, draft: WorkingCopy) -> None:
        draft.remove(self.pointer)


class Test(Operation):
    """`type: test`: checks a value, or its absence. Changes nothing."""

    __slots__ = ("absent", "value")
    kind = "test"

    def __init__(
        self,
        pointer: Pointer,
        value: Value = None,
        *,
        absent: bool = False,
        source: Source | None = None,
        line: int = 0,
        number: int | None = None,
        words: str | None = None,
    ) -> None:
        super().__init__(pointer, source=source, line=line, number=number, words=words)
        self.value = value
        self.absent = absent

    def apply(self, draft: WorkingCopy) -> None:
        if self.absent:
            self._check_absent(draft)
        elif not same(found := draft.find(self.pointer), self.value):
            from plait.ops.mismatch import mismatch

            way, wanted, there, also = mismatch(found, self.value, str(self.pointer), self._position(draft))
            raise OpsError(
                f"the value at {self._where()} is not the expected one",
                also=also,
                expected=wanted if way == str(self.pointer) else f"{wanted} at {way}",
                found=there,
                reference="Found value does not match expected value",
                code="failed-test",
            )

    def _position(self, draft: WorkingCopy) -> Position | None:
        """The position of the tested value, or None."""
        tokens = self.pointer.tokens
        last = tokens[-1] if tokens else None
        if not isinstance(last, KeyToken):
            return None
        parent = draft.find(Pointer(tokens[:-1]))
        item = parent.find(last.name) if type(parent) is Map else None
        return None if item is None else item.position

    def _check_absent(self, draft: WorkingCopy) -> None:
        pointer = self.pointer
        root = draft.root
        if pointer.is_slash and type(root) is Map and root.find("") is None:
            return  # the empty key does not exist, even if "/" matches something else
        try:
            draft.find(pointer)
        except PathNotFoundError as error:
            if error.depth == len(pointer.tokens):
                return
            raise
        at = self._position(draft)
        also = known([at.labelled("the value")]) if at is not None else []
        raise OpsError(
            f"there is a value at {self._where()}",
            also=also,
            expected="none",
            reference=f"Expected to not find '{self.pointer}'",
            code="failed-test",
        )

    def _where(self) -> str:
        return str(self.pointer) or "the root"

    def fields(self) -> list[MapItem]:
        return [*super().fields(), MapItem("absent", True) if self.absent else MapItem("value", self.value)]


def to_nodes(operations: Iterable[Operation]) -> Array:
    """The operations as the array of an operations file."""
    return Array([ArrayItem(Map(operation.fields())) for operation in operations])
