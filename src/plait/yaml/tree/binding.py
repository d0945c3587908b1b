"""The places of a reader's nodes in their text: its documents and the tree, walked together."""

from __future__ import annotations

from plait.additions import TAGS
from plait.nodes import Map, MapItem
from plait.yaml.tree.nodes import ALIAS, PLAIN, Collection, Tree
from plait.yaml.tree.scalars import body_start, scalar_text
from plait.yaml.tree.scanner import TreeError, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.nodes import DocumentSet, Value
    from plait.nodes import Item as ReadItem
    from plait.yaml.tree.nodes import Item, Node


class Span:
    """A part of a text: `text[start:end]`."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Span({self.start}, {self.end})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))


class Spans:
    """The spans of the nodes of one text, as offsets into the text of their source.

    documents: as `read` returned them. items: document, map item or array item -> from its `---`, its key (or `?`) or its
    dash to the end of its value. keys: map item -> its key, with anchor and tag. values: item -> its value, with anchor
    and tag; a value that is not written has an empty span. nodes: item -> its item in the tree, documents excepted.
    Copies that an alias stands for have no spans, and neither has a `<<`.
    """

    __slots__ = ("_base", "_keeps_tags", "items", "keys", "nodes", "tree", "values")

    def __init__(self, documents: DocumentSet) -> None:
        source = documents.source
        self.items: dict[ReadItem, Span] = {}
        self.keys: dict[MapItem, Span] = {}
        self.values: dict[ReadItem, Span] = {}
        self.nodes: dict[ReadItem, Item] = {}
        self._base = 0 if source is None else source.first_line - 1
        self._keeps_tags = source is not None and TAGS in source.additions
        text = "" if source is None else source.text
        try:
            self.tree = scan(text)
        except TreeError:
            self.tree = Tree(text)
        for document, read in zip(self.tree.documents, documents.items, strict=False):
            root = document.root
            start = root.start if root.start < root.end or document.start == root.start else document.end
            self.items[read] = Span(document.start, max(document.end, root.end))
            self.values[read] = Span(max(start, root.start), root.end)
            self._bind(root, read)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both from 1."""
        return self.tree.place(offset)

    def _bind(self, root: Node, document: ReadItem) -> None:
        pending: list[tuple[Node, Value]] = [(root, document.value)]
        while pending:
            node, value = pending.pop()
            if self._keeps_tags and (inner := _tagged(node, value)) is not None:
                self._put_tag(node, inner)
                value = inner.value
            if not isinstance(node, Collection) or node.is_map is not (type(value) is Map):
                continue
            inside: list[tuple[Node, Value]] = []
            for item, read in self._pairs(node, value):
                span = Span(item.start, item.end)
                self.nodes[read] = item
                self.items[read] = span
                found = item.value
                # The value ends where the item does, also if nothing is written.
                self.values[read] = (
                    Span(found.start, found.end) if found.start < found.end else Span(span.end, span.end)
                )
                if item.key is not None and type(read) is MapItem:
                    self.keys[read] = Span(item.key.start, item.key.end)
                    if isinstance(item.key, Collection):
                        inside.append((item.key, read.key))
                if found.style is not ALIAS:
                    inside.append((found, read.value))
            pending += reversed(inside)

    def _pairs(self, node: Collection, value: Value) -> Iterator[tuple[Item, ReadItem]]:
        """The items of a collection in the tree, each with the reader's item."""
        items = getattr(value, "items", ())
        if not node.is_map or not any(self._is_merge(item) for item in node.items):
            if len(items) == len(node.items):
                yield from zip(node.items, items, strict=True)
            return
        # What `<<` brought stands among the items, and may have displaced some of them.
        by_line: dict[int, list[MapItem]] = {}
        for read in reversed(items):
            by_line.setdefault(read.line - self._base, []).append(read)
        for item in self._merged(node):
            those = by_line.get(self.tree.line_of(item.start), [])
            while those:
                read = those.pop()
                if item.key is not None and (
                    type(read.key) is not str or read.key == scalar_text(self.tree.text, item.key)
                ):
                    yield item, read
                    break

    def _merged(self, node: Collection) -> Iterator[Item]:
        """The items of a map, with those of the maps that are written behind `<<` in its place."""
        pending = [*reversed(node.items)]
        while pending:
            item = pending.pop()
            if not self._is_merge(item):
                yield item
            elif isinstance(item.value, Collection):
                maps = [item.value] if item.value.is_map else [one.value for one in item.value.items]
                pending += [
                    inner for one in reversed(maps) if isinstance(one, Collection) for inner in reversed(one.items)
                ]

    def _is_merge(self, item: Item) -> bool:
        key = item.key
        return (
            key is not None and key.style is PLAIN and self.tree.text[body_start(self.tree.text, key) : key.end] == "<<"
        )

    def _put_tag(self, node: Node, item: MapItem) -> None:
        """The spans of the item that stands for a tag."""
        start = self.tree.text.index(node.tag or "", node.start)
        end = start + len(node.tag or "")
        self.items[item] = Span(start, node.end)
        self.keys[item] = Span(start, end)
        self.values[item] = Span(max(body_start(self.tree.text, node), end), node.end)


def _tagged(node: Node, value: Value) -> MapItem | None:
    """The item with a tag as its key that stands for a node with a tag."""
    tag = node.tag
    if tag is None or tag == "!" or tag.startswith("!!") or type(value) is not Map or len(value.items) != 1:
        return None
    item = value.items[0]
    return item if item.key == tag else None
