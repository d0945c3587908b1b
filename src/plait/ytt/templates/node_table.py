"""The node table of a YAML template: the nodes that its program refers to by number. An execution needs only the node
table and the code.
"""

from __future__ import annotations

from plait.tree.nodes import COLLECTION_TYPES, count_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from plait.tree.nodes import Item
    from plait.tree.nodes import Value as NodeValue

    # A list of items that are shared unchanged, or the pattern of an item that is built.
    Entry: TypeAlias = "list[Item] | ItemPattern"


class CollectionRow:
    """A collection of the template: its type, its line, and the number of the enclosing collection (-1 for none)."""

    __slots__ = ("kind", "line", "parent")

    def __init__(self, kind: type, line: int, parent: int) -> None:
        self.kind = kind
        self.line = line
        self.parent = parent


class ItemPattern:
    """An item that is built each time its statement runs.

    kind: MapItem, ArrayItem or Document. Its value is one of the following: the value of a hole (`hole`, its index in
    the statement, or -1); a collection of kind `inner` with `children`; the empty collection number `opens`, which
    further statements fill; or `value`, from the template. key: the key of a map item; `keyed` is the index of a
    computed one, or -1. annotated: the index of its annotations, or -1.
    """

    __slots__ = ("annotated", "children", "hole", "inner", "key", "keyed", "kind", "line", "opens", "value")

    def __init__(self, kind: type, key: NodeValue, value: NodeValue, line: int) -> None:
        self.kind = kind
        self.key = key
        self.value = value
        self.line = line
        self.hole = self.keyed = self.annotated = self.opens = -1
        self.inner: type | None = None
        self.children: list[Entry] | None = None

    def fills(self, hole: int) -> None:
        """Takes the value from a hole."""
        self.hole, self.value = hole, None

    def contains(self, inner: type) -> None:
        """Builds a collection of this kind. Its nodes are counted by the statements or children that fill it."""
        self.inner, self.value = inner, None


class NodeTable:
    """The collections (`sites`; the first is the document set) and runs of items (`chunks`) that a program refers to.
    stepwise: the program builds node by node (see `planner`).
    """

    __slots__ = ("_sizes", "chunks", "sites", "stepwise")

    def __init__(self, *, stepwise: bool) -> None:
        self.stepwise = stepwise
        self.sites: list[CollectionRow] = []
        self.chunks: list[list[Entry]] = []
        self._sizes: list[int] | None = None

    def sizes(self) -> list[int]:
        """The number of nodes in each chunk, without those from expressions."""
        if self._sizes is None:
            self._sizes = [_size_of(chunk) for chunk in self.chunks]
        return self._sizes


def _size_of(entries: list[Entry]) -> int:
    """The number of nodes in entries, without those from expressions."""
    total = 0
    for entry in entries:
        if isinstance(entry, list):
            total += len(entry) + sum(map(_below, entry))
        else:
            total += 1 + _below(entry) + _size_of(entry.children or [])
    return total


def _below(item: Item | ItemPattern) -> int:
    return count_nodes(item.value) if isinstance(item.value, COLLECTION_TYPES) else 0
