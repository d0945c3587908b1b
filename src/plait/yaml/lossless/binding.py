"""Maps the reader's nodes to their spans, by walking documents and lossless tree in parallel."""

from __future__ import annotations

from plait.base.extensions import TAGS
from plait.tree.nodes import Document, Map, MapItem
from plait.yaml.lossless.flow_collections import TreeError
from plait.yaml.lossless.nodes import PLAIN, Collection, Tree
from plait.yaml.lossless.scalar_values import body_start, scalar_text
from plait.yaml.lossless.scanner import collector_paused, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.tree.nodes import DocumentSet, Value
    from plait.tree.nodes import Item as ReadItem
    from plait.yaml.lossless.nodes import Item, Node


class Span:
    """The part `text[start:end]` of a text."""

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


def scanned(text: str) -> Tree:
    """The lossless tree of a text; without documents if the text has no structure."""
    try:
        return scan(text)
    except TreeError:
        return Tree(text)


class Spans:
    """The spans of the nodes of one text, as offsets.

    documents: as returned by `read`. nodes: the tree's item for each map item or array item. Copies created by an alias
    and `<<` have none. tree: the tree of the text, or None.
    """

    __slots__ = ("_base", "_documents", "_keeps_tags", "_tags", "nodes", "tree")

    def __init__(self, documents: DocumentSet, tree: Tree | None = None) -> None:
        source = documents.source
        self.nodes: dict[ReadItem, Item] = {}
        self._base = 0 if source is None else source.first_line - 1
        self._keeps_tags = source is not None and TAGS in source.extensions
        self._tags: dict[ReadItem, Node] = {}
        self.tree = scanned("" if source is None else source.text) if tree is None else tree
        self._documents = dict(zip(documents.items, self.tree.documents, strict=False))
        with collector_paused():
            for read, document in self._documents.items():
                self._bind(document.root, read.value)

    def item(self, read: ReadItem) -> Span | None:
        """The span from an item's key (or `?`) or dash, or from a document's `---`, to the end of its value; None if
        unknown.
        """
        item = self.nodes.get(read)
        if item is not None:
            return Span(item.start, item.end)
        if type(read) is Document and (document := self._documents.get(read)) is not None:
            return Span(document.start, max(document.end, document.root.end))
        tagged = self._tags.get(read)
        return None if tagged is None else Span(self._tag(tagged).start, tagged.end)

    def node(self, read: ReadItem) -> Node | None:
        """The node in the tree that is the value of an item or a document; None if unknown."""
        item = self.nodes.get(read)
        if item is not None:
            return item.value
        document = self._documents.get(read) if type(read) is Document else None
        return self._tags.get(read) if document is None else document.root

    def collection(self, read: ReadItem) -> Collection | None:
        """The collection in the tree that is the value of an item or a document; None for other values."""
        found = self.node(read)
        return found if isinstance(found, Collection) else None

    def is_implied(self, document: Document) -> bool:
        """True for a document without `---`."""
        found = self._documents.get(document)
        return found is not None and not found.is_explicit

    def key(self, read: ReadItem) -> Span | None:
        """The key of a map item, with its anchor and tag; None if unknown."""
        item = self.nodes.get(read)
        if item is not None:
            return None if item.key is None else Span(item.key.start, item.key.end)
        tagged = self._tags.get(read)
        return None if tagged is None else self._tag(tagged)

    def value(self, read: ReadItem) -> Span | None:
        """The value of an item, with its anchor and tag: an empty span if nothing is written; None if unknown."""
        item = self.nodes.get(read)
        if item is not None:
            value = item.value
            return Span(value.start if value.start < value.end else item.end, item.end)
        if type(read) is Document and (document := self._documents.get(read)) is not None:
            root = document.root
            return Span(root.start, root.end) if root.start < root.end else Span(document.end, document.end)
        tagged = self._tags.get(read)
        return (
            None if tagged is None else Span(max(body_start(self.tree.text, tagged), self._tag(tagged).end), tagged.end)
        )

    def _tag(self, node: Node) -> Span:
        start = self.tree.text.index(node.tag or "", node.start)
        return Span(start, start + len(node.tag or ""))

    def bound(self) -> Iterator[ReadItem]:
        """The documents and items that have spans."""
        yield from self._documents
        yield from self.nodes
        yield from self._tags

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both from 1."""
        return self.tree.place(offset)

    def _bind(self, root: Node, value: Value) -> None:
        nodes = self.nodes
        pending: list[tuple[Node, Value]] = [(root, value)]
        while pending:
            node, value = pending.pop()
            if self._keeps_tags and (inner := _tagged(node, value)) is not None:
                self._tags[inner] = node
                value = inner.value
            if not isinstance(node, Collection) or node.is_map is not (type(value) is Map):
                continue
            inside: list[tuple[Node, Value]] = []
            for item, read in self._pairs(node, value):
                nodes[read] = item
                if type(item.key) is Collection and type(read) is MapItem:
                    inside.append((item.key, read.key))
                found = item.value
                if type(found) is Collection or self._keeps_tags:
                    inside.append((found, read.value))
            pending += reversed(inside)

    def _pairs(self, node: Collection, value: Value) -> Iterator[tuple[Item, ReadItem]]:
        """Pairs of items: that of the tree, and that of the reader."""
        items = getattr(value, "items", ())
        if not node.is_map or not any(self._is_merge(item) for item in node.items):
            if len(items) == len(node.items):
                yield from zip(node.items, items, strict=True)
            return
        # Items merged by `<<` are among the items, and may have replaced some of them.
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
        """The items of a map, including those of literal maps after `<<`."""
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


def _tagged(node: Node, value: Value) -> MapItem | None:
    """The item with a tag as its key for a tagged node, or None."""
    tag = node.tag
    if tag is None or tag == "!" or tag.startswith("!!") or type(value) is not Map or len(value.items) != 1:
        return None
    item = value.items[0]
    return item if item.key == tag else None
