"""The options of a variable's definition (docs/reference/variables.md)."""

from __future__ import annotations

from plait.base.errors import OpsError
from plait.base.similar_names import did_you_mean
from plait.ops.scalar_text import scalar_text
from plait.tree.nodes import Array, Map, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from plait.tree.nodes import ArrayItem, MapItem, Value

    class Signers(Protocol):
        """The variables among which a certificate finds its signer, so that generation need not know their sources."""

        def get(self, name: str, /) -> tuple[bool, Value]:
            """True and the value of a variable, or False."""

        def names(self) -> list[str]:
            """The names of all variables."""


class VariableDefinition:
    """An entry of the section: a variable's name, type ("" for none) and options. item: its node."""

    __slots__ = ("item", "kind", "name", "options")

    def __init__(self, name: str, kind: str, options: Value, item: ArrayItem) -> None:
        self.name = name
        self.kind = kind
        self.options = options
        self.item = item


class OperationOptions:
    """Options by name. Each is read with its type. An unknown name or a wrong type raises OpsError."""

    __slots__ = ("_items", "kind")

    def __init__(self, value: Value, kind: str, known: Sequence[str]) -> None:
        self.kind = kind
        self._items: dict[str, MapItem] = {}
        if value is None:
            return
        if type(value) is not Map:
            raise OpsError(
                f"the options of a {kind} are not a map",
                expected="a map",
                found=kind_name(value),
                code="variable-options",
            )
        for item in value.items:
            name = scalar_text(item.key)
            if name not in known:
                raise OpsError(
                    f'a {kind} has no option "{name}"',
                    at=item.position if item.source is not None else None,
                    expected=", ".join(known),
                    hint=did_you_mean(name, known),
                    code="variable-options",
                )
            self._items[name] = item

    def _value(self, name: str) -> Value:
        item = self._items.get(name)
        return None if item is None else item.value

    def _wrong(self, name: str, expected: str) -> OpsError:
        item = self._items[name]
        return OpsError(
            f'the option "{name}" of a {self.kind} has the wrong type',
            at=item.position if item.source is not None else None,
            expected=expected,
            found=kind_name(item.value),
            code="variable-options",
        )

    def text(self, name: str) -> str:
        value = self._value(name)
        if type(value) is Map or type(value) is Array:
            raise self._wrong(name, "a string")
        return "" if value is None else scalar_text(value)

    def number(self, name: str) -> int:
        value = self._value(name)
        if value is None:
            return 0
        if type(value) is float and abs(value) < 1 << 63:
            return int(value)
        if type(value) is not int:
            raise self._wrong(name, "an integer")
        return value

    def switch(self, name: str) -> bool:
        value = self._value(name)
        if value is not None and type(value) is not bool:
            raise self._wrong(name, "true or false")
        return value is True

    def texts(self, name: str) -> list[str]:
        value = self._value(name)
        if value is None:
            return []
        if type(value) is not Array or any(type(item.value) in (Map, Array) for item in value.items):
            raise self._wrong(name, "an array of strings")
        return ["" if item.value is None else scalar_text(item.value) for item in value.items]
