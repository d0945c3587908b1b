"""The nodes of a lossless tree: offsets into a text that never changes.

White space, comments, brackets, commas, directives and document markers are not objects. `Tree.comments` and the edits
read them from the text on demand.
"""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The style of a scalar is its first character, or one of these.
PLAIN, EMPTY, ALIAS = "plain", "empty", "alias"
# Styles of collections. A level sequence has its dashes in the column of the key above. A pair is `a: b` in `[a: b]`.
BLOCK, LEVEL, FLOW, PAIR = "block", "level", "flow", "pair"


class Properties:
    """The anchor and the tag before a node; each is None if absent. end: the offset after them."""

    __slots__ = ("anchor", "end", "start", "tag")

    def __init__(self, start: int, end: int, anchor: str | None, tag: str | None) -> None:
        self.start = start
        self.end = end
        self.anchor = anchor
        self.tag = tag


class Node:
    """A scalar, an alias or an empty node; `text[start:end]` includes the properties.

    style: PLAIN, EMPTY, ALIAS, a quote, `|` or `>`. A block scalar ends after its last line, without the line break.
    """

    __slots__ = ("end", "properties", "start", "style")

    def __init__(self, start: int, end: int, style: str, properties: Properties | None) -> None:
        self.start = start
        self.end = end
        self.style = style
        self.properties = properties

    @property
    def anchor(self) -> str | None:
        return None if self.properties is None else self.properties.anchor

    @property
    def tag(self) -> str | None:
        return None if self.properties is None else self.properties.tag


class Collection(Node):
    """A map or a sequence. A block collection starts at its first item and ends with its last one.

    style: BLOCK, LEVEL, FLOW or PAIR. column: the column of the items of a block collection; 0 in brackets.
    """

    __slots__ = ("column", "is_map", "items")

    def __init__(self, start: int, style: str, properties: Properties | None, column: int, *, is_map: bool) -> None:
        self.start = start
        self.end = start
        self.style = style
        self.properties = properties
        self.column = column
        self.is_map = is_map
        self.items: list[Item] = []

    @property
    def in_brackets(self) -> bool:
        """True if the items are separated by commas."""
        return self.style is FLOW or self.style is PAIR


class Item:
    """An item of a collection; starts at its key, its `?` or its dash.

    key: None in a sequence. sign: the offset of the colon or the dash; -1 if there is none.
    """

    __slots__ = ("key", "sign", "start", "value")

    key: Node | None
    value: Node

    def __init__(self, start: int, key: Node | None, sign: int) -> None:
        self.start = start
        self.key = key
        self.sign = sign

    @property
    def end(self) -> int:
        """The offset after the value, or after the sign if there is no value."""
        value = self.value
        if value.start < value.end:
            return value.end
        return max(self.sign + 1, value.end if self.key is None else self.key.end, self.start)

    @property
    def is_explicit(self) -> bool:
        """True for a key after a question mark."""
        return self.key is not None and self.start < self.key.start


class SyntaxDocument:
    """A document. start: the start of its `---`, or of the text; end: after its last node, or its `---`.

    is_explicit: true if it starts with `---`.
    """

    __slots__ = ("end", "is_explicit", "root", "start")

    root: Node

    def __init__(self, start: int, end: int, *, is_explicit: bool) -> None:
        self.start = start
        self.end = end
        self.is_explicit = is_explicit


class Tree:
    """A text and its documents. problems: offsets at which the recovering scanner had to guess."""

    __slots__ = ("_lines", "documents", "problems", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.documents: list[SyntaxDocument] = []
        self.problems: list[int] = []
        self._lines: list[int] | None = None

    @property
    def lines(self) -> Sequence[int]:
        """The offsets of the first characters of all lines."""
        if self._lines is None:
            self._lines = line_starts(self.text)
        return self._lines

    def line_of(self, offset: int) -> int:
        """The number of the line of an offset, from 1."""
        return bisect_right(self.lines, offset)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both from 1."""
        line = self.line_of(offset)
        return line, offset - self.lines[line - 1] + 1

    def column(self, offset: int) -> int:
        """The column of an offset, from 0."""
        return offset - (self.text.rfind("\n", 0, offset) + 1)

    def walk(self) -> Iterator[tuple[Collection, Item]]:
        """Every item with its collection, parents before children, in the order of the text."""
        pending: list[Node] = [document.root for document in reversed(self.documents)]
        while pending:
            node = pending.pop()
            if type(node) is Collection:
                for item in node.items:
                    yield node, item
                for item in reversed(node.items):
                    pending.append(item.value)
                    if type(item.key) is Collection:
                        pending.append(item.key)

    def values(self) -> Iterator[Node]:
        """The values of items and documents that are not collections, in text order within each collection."""
        for document in self.documents:
            if type(document.root) is not Collection:
                yield document.root
        for _, item in self.walk():
            if type(item.value) is not Collection:
                yield item.value


def line_starts(text: str) -> list[int]:
    """The offset of the first character of each line; only a line feed ends a line."""
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts
