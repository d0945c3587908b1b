"""Iterable views of strings. Imported when a program uses them."""

from __future__ import annotations

from plait.ytt.starlark.step_budget import charge
from plait.ytt.starlark.value_text import quote
from plait.ytt.starlark.values import Value, to_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Elements(Value):
    """The result of `s.elems()`, `s.codepoints()` and their `_ords` variants: an iterable view of a string."""

    __slots__ = ("kind", "string")

    def __init__(self, string: str, kind: str) -> None:
        self.string = string
        self.kind = kind

    @property
    def type_name(self) -> str:  # type: ignore[override]
        return "codepoints" if self.kind[0] == "c" else "elems"

    def iterate(self) -> Iterator[object]:
        string, kind = self.string, self.kind
        charge(len(string))
        if kind == "elems":
            if string.isascii():
                return iter(string)
            return iter([bytes((b,)).decode("utf-8", "surrogateescape") for b in to_bytes(string)])
        if kind == "elem_ords":
            return iter(to_bytes(string))
        if kind == "codepoints":
            return iter(string)
        return iter([0xFFFD if 0xDC80 <= ord(c) <= 0xDCFF else ord(c) for c in string])

    def text(self) -> str:
        return f"{quote(self.string)}.{self.kind}()"
