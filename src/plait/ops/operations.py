"""Operations: one class per type of entry in an ops file (docs/reference/operations.md).

To add a type: a class with `apply`, and a row in `files.OPERATIONS` that builds it.
"""

from __future__ import annotations

from plait.base.errors import OpsError, replacing
from plait.base.source import Position
from plait.ops.pointer import KeyToken, Pointer, parse
from plait.ops.scalar_text import scalar_text
from plait.ops.walk import PathNotFoundError, known
from plait.tree.equality import same
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.source import Source
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


class OperationSource:
    """An entry of an ops file with its position."""

    __slots__ = ("fields", "line", "number", "source")

    def __init__(self, fields: dict[str, MapItem], source: Source, line: int, number: int) -> None:
        self.fields = fields
        self.source = source
        self.line = line
        self.number = number

    def value(self, name: str) -> Value:
        item = self.fields.get(name)
        return None if item is None else item.value

    def text(self, name: str) -> str | None:
        """A field as text; other scalars as written. Raises OpsError for a collection."""
        value = self.value(name)
        if isinstance(value, (Map, Array)):
            raise self.wrong_type(name, "a string")
        return None if value is None else scalar_text(value)

    def wrong_type(self, name: str, expected: str) -> OpsError:
        item = self.fields[name]
        wanted = "bool" if name == "absent" else "string"
        return OpsError(
            f'operation [{self.number}]: "{name}" has the wrong type',
            at=Position(self.source, item.line),
            expected=expected,
            found=kind_name(item.value),
            reference=not_read(self.source, item.value, item.line, wanted),
            code="operation-fields",
        )

    def told(self, fault: str) -> str:
        """BOSH's message about the whole definition. fault: its reason."""
        from plait.yaml.json import write_json

        name = self.source.name
        fields = {
            "Type": self.text("type") or None,
            "Path": self.text("path"),
            "Value": None if self.value("value") is None else "<redacted>",
            "Absent": self.value("absent"),
            "Error": f"operation [{self.number}] in {name} failed",
        }
        shown = [f'  "{field}": {write_json(value).strip()}' for field, value in fields.items() if value is not None]
        lines = ",\n".join(shown).replace("\\u003c", "<").replace("\\u003e", ">")
        return f"Building ops: {fault} within\n{{\n{lines}\n}}"

    def refuse(
        self, message: str, *, expected: str | None = None, hint: str | None = None, fault: str = ""
    ) -> OpsError:
        """An error about the whole definition. It shows the names of the fields, not their values.

        fault: the reason, in BOSH's words.
        """
        shown = [
            f"{name}: {'<redacted>' if name == 'value' else self.text(name)}"
            for name in FIELDS
            if self.value(name) is not None
        ]
        misspelt = self._misspelt()
        return OpsError(
            message,
            at=Position(self.source, self.line if misspelt is None else misspelt[1]),
            expected=expected,
            found=", ".join(shown) or "an operation without fields",
            hint=hint if misspelt is None else misspelt[0],
            reference=self.told(fault),
            code="operation-fields",
        )

    def _misspelt(self) -> tuple[str, int] | None:
        """A hint for the first unknown field, and its line; or None."""
        from plait.base.similar_names import listed, near

        for name in self.fields:
            if name not in FIELDS:
                alike = near(name, [field for field in FIELDS if field not in self.fields])
                if alike:
                    told = f'"{name}" is not a field of an operation; did you mean {listed(alike, quote=chr(34))}?'
                    return replacing(name, alike, told), self.fields[name].line or self.line
        return None

    def pointer(self, field: str = "path") -> Pointer:
        """The path in a field. Raises OpsError."""
        path = self.text(field)
        kind = self.text("type")
        if path is None:
            fault = f"{(kind or '').title()} operation [{self.number}]: Missing path"
            raise self.refuse(f'{kind} operation [{self.number}]: no "{field}"', fault=fault)
        try:
            return parse(path)
        except OpsError as error:
            raise OpsError(
                f"{kind} operation [{self.number}]: {error.message}",
                at=Position(self.source, self.fields[field].line),
                expected=error.expected,
                found=error.found,
                hint=error.hint,
                word=path,
                reference=self.told(
                    f"{(kind or '').title()} operation [{self.number}]: Invalid path: {error.reference}"
                ),
                code=error.code,
            ) from None

    def with_path(self, path: str) -> OperationSource:
        """The same entry with another path."""
        item = self.fields["path"]
        fields = {**self.fields, "path": MapItem(item.key, path, item.source, item.line)}
        return OperationSource(fields, self.source, self.line, self.number)

    @property
    def at(self) -> tuple[Source, int, int, str | None]:
        line = self.fields["path"].line or self.line
        return self.source, line, self.number, self.text("error")


FIELDS = ("type", "path", "value", "absent", "error", "from")


def not_read(source: Source, value: Value, line: int, expected: str) -> str:
    """BOSH's message about a value of a wrong type. expected: the required Go type."""
    from plait.ops.unmarshal import wrong_type

    return f"Deserializing ops file '{source.name}': {wrong_type(value, line, expected)}"
