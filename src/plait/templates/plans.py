"""What a compiled template's program refers to by number. That is all of a template, beside its code, that a run needs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from plait.nodes import Item
    from plait.nodes import Value as NodeValue

    # Items that are shared as they are, or one that is to be made.
    Entry: TypeAlias = "list[Item] | Pattern"


class Site:
    """A collection of the template: what it is, where, and in which collection its owner stands."""

    __slots__ = ("kind", "line", "parent")

    def __init__(self, kind: type, line: int, parent: int) -> None:
        self.kind = kind
        self.line = line
        self.parent = parent


class Pattern:
    """An item to be made, of type `kind`.

    hole: which value is the item's, or -1; then `children` makes its collection (of kind `inner`), or `value` is it.
    annotated: which value holds the annotations, or -1.
    """

    __slots__ = ("annotated", "children", "hole", "inner", "key", "kind", "line", "value")

    def __init__(
        self,
        kind: type,
        key: NodeValue,
        value: NodeValue,
        line: int,
        hole: int,
        annotated: int,
        inner: type | None = None,
        children: list[Entry] | None = None,
    ) -> None:
        self.kind = kind
        self.key = key
        self.line = line
        self.value = value
        self.hole = hole
        self.annotated = annotated
        self.inner = inner
        self.children = children


class Plan:
    """What a program refers to.

    sites: collections. chunks: runs of items that one statement makes. constants: items whose key or value is used.
    """

    __slots__ = ("chunks", "constants", "sites")

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.constants: list[Item] = []
        self.chunks: list[list[Entry]] = []
