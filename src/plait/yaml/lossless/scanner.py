"""Scans a text into its lossless tree.

It builds the tree in one pass over the text, with an explicit stack. libyaml decides which texts are valid and what
they mean; for a text that the reader accepts, the tree has the structure of libyaml's events. The tests compare both.
"""

from __future__ import annotations

import gc
import re

from plait.yaml.lossless.blocks import UNUSUAL, block_end, block_lines, detected, lines_of
from plait.yaml.lossless.flow_collections import (
    GAP,
    ITEM,
    KEY,
    NEXT_LINE,
    PLAIN_LINE,
    SIGN,
    TAG,
    VALUE,
    WORD,
    FlowScanner,
    TreeError,
    read_property,
)
from plait.yaml.lossless.nodes import (
    BLOCK,
    EMPTY,
    LEVEL,
    PLAIN,
    Collection,
    Item,
    Node,
    Properties,
    SyntaxDocument,
    Tree,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.yaml.lossless.flow_collections import Pending

# A plain scalar after a key's colon, and the indentation of the next line that is not only a comment.
_VALUE_LINE = re.compile(
    rf" ++(?![?:,\[\]{{}}#&*!|>'\"%@`]|-[ \t\n])((?:{WORD})++(?:[ \t]++(?!#){WORD}++)*+)[ \t]*+\n( *+)(?![ \t\n#])"
)
_COLON = re.compile(r"[ \t]*+:(?=[ \t\n]|\Z)")
# A key of one word, and its colon.
_WORD_KEY = re.compile(r"\w[\w./-]*+:(?=[ \n])")
_MARKER = re.compile(r"(?:---|\.\.\.)(?=[ \t\n]|\Z)")
_HEADER = re.compile(r"[|>](?:[+-]?([1-9])|[+-])?[+-]?[ \t]*+(?:#[^\n]*+)?")


def scan(text: str) -> Tree:
    """Scans a text that the reader accepts. Raises TreeError for most other texts."""
    tree = Tree(text)
    with collector_paused():
        Scanner(tree).run()
    return tree


class collector_paused:  # noqa: N801 - a context manager, written as a function is
    """Pauses the garbage collector, which would repeatedly examine thousands of new objects without finding garbage."""

    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_enabled:
            gc.enable()


def shadow_of(text: str) -> str:
    """The text with line feeds as the only line breaks, as the patterns need it. It has the same length."""
    if UNUSUAL.search(text) is None:
        return text
    return UNUSUAL.sub("\n", text.replace("\r\n", " \n"))


class Frame:
    """An open block collection, or a document (`node` is None) whose root is to come.

    column: the column of the items; -1 for a document. item: the last one. waits: the expected token: ITEM, KEY, SIGN
    or VALUE.
    """

    __slots__ = ("column", "item", "node", "waits")

    def __init__(self, node: Collection | None, column: int, waits: int) -> None:
        self.node = node
        self.column = column
        self.item: Item | None = None
        self.waits = waits


class Scanner(FlowScanner):
    """One pass over a text. ends_in_text: true if the text ends in a block scalar."""

    __slots__ = ("at", "document", "ends_in_text", "frames", "line", "lines", "pending", "tree")

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.text = shadow_of(tree.text)
        self.lines = lines_of(tree.text)
        self.size = len(self.text)
        # The next token, and the offset of the first character of its line.
        self.at = self.line = 1 if self.text[:1] == "\ufeff" else 0
        self.document: SyntaxDocument | None = None
        self.frames: list[Frame] = []
        self.ends_in_text = False
        # Properties of the next node: offset, end, anchor, tag, offset of their line.
        self.pending: Pending = []

    # -- documents ---------------------------------------------------------------------------------------------------

    def run(self, *, finishes: bool = True) -> None:
        """Scans the text. finishes: close open nodes at its end."""
        self.skip(self.at)
        self.advance(self.size)
        if self.document is None and not self.tree.documents:
            self.begin(self.size, is_explicit=False)
        if self.document is not None and finishes:
            self.finish()

    def advance(self, until: int) -> None:
        """Reads tokens up to the first one at or after an offset."""
        text = self.text
        gap = GAP.match
        tokens: dict[str, Callable[[int], bool]] = {
            "-": self.dash,
            "?": self.question,
            ":": self.colon,
            "&": self.property,
            "!": self.property,
            "|": self.block_scalar,
            ">": self.block_scalar,
        }
        while self.at < until:
            at = self.at
            column = at - self.line
            first = text[at]
            if column == 0 and first in "-.%" and self.marker(at):
                continue
            if self.document is None:
                self.begin(self.at, is_explicit=False)
            frames = self.frames
            while frames[-1].column > column:
                self.close()
            token = tokens.get(first)
            if token is None or not token(at):
                self.inline(at, first)
            end = self.at
            self.at = found = gap(text, end).end()  # type: ignore[union-attr]
            if found > end:
                line = text.rfind("\n", end, found)
                if line >= 0:
                    self.line = line + 1

    def skip(self, end: int) -> None:
        """Moves to the next token."""
        self.at = GAP.match(self.text, end).end()  # type: ignore[union-attr]
        line = self.text.rfind("\n", end, self.at)
        if line >= 0:
            self.line = line + 1

    def marker(self, at: int) -> bool:
        """Consumes a document marker or a directive at the start of a line. Returns False if there is none."""
        text = self.text
        if text[at] == "%":
            if self.document is not None:
                self.finish()
            end = text.find("\n", at)
            self.skip(self.size if end < 0 else end)
            return True
        if _MARKER.match(text, at) is None:
            return False
        if text[at] == "-":
            if self.document is not None:
                self.finish()
            self.begin(at, is_explicit=True)
        elif self.document is not None:
            self.finish()
        elif not self.tree.documents:
            self.begin(at, is_explicit=False)
            self.finish()
        self.skip(at + 3)
        return True

    def begin(self, at: int, *, is_explicit: bool) -> None:
        start = at if is_explicit or self.tree.documents else 0
        self.document = SyntaxDocument(start, at + 3 if is_explicit else start, is_explicit=is_explicit)
        self.tree.documents.append(self.document)
        self.frames.append(Frame(None, -1, VALUE))

    def finish(self) -> None:
        """Ends the document, with everything that is open."""
        document, frames = self.document, self.frames
        if document is None:
            return
        while len(frames) > 1:
            self.close()
        if frames[0].waits == VALUE:
            document.root = self.empty(document.end)
        frames.clear()
        if document.root.start < document.root.end:
            document.end = document.root.end
        self.document = None

    # -- block collections -------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Ends the innermost collection."""
        frame = self.frames.pop()
        if frame.waits != ITEM:
            self.complete(frame)
        node = frame.node
        if node is not None:
            node.end = node.items[-1].end

    def complete(self, frame: Frame) -> None:
        """Adds empty nodes for missing keys and values."""
        item = frame.item
        if item is None:
            raise TreeError(self.at)
        if frame.waits == VALUE:
            item.value = self.empty(item.sign + 1)
        else:
            if frame.waits == KEY:
                item.key = self.empty(item.start + 1)
            end = self.at if item.key is None else item.key.end
            item.value = Node(end, end, EMPTY, None)
        frame.waits = ITEM

    def empty(self, at: int) -> Node:
        """Creates a node without text, or with properties only."""
        if not self.pending:
            return Node(at, at, EMPTY, None)
        properties = self.properties()
        return Node(properties.start, properties.end, EMPTY, properties)

    def properties(self, line: int = -1) -> Properties:
        """The pending properties, merged. line: only those on this line."""
        pending = self.pending if line < 0 else [one for one in self.pending if one[4] == line]
        anchor = next((one[2] for one in pending if one[2] is not None), None)
        tag = next((one[3] for one in pending if one[3] is not None), None)
        made = Properties(pending[0][0], pending[-1][1], anchor, tag)
        self.pending = [] if line < 0 else [one for one in self.pending if one[4] != line]
        return made

    def put(self, node: Node) -> None:
        """Attaches a node where the innermost frame expects one."""
        frame = self.frames[-1]
        item = frame.item
        if frame.node is None:
            if frame.waits != VALUE or self.document is None:
                raise TreeError(node.start)
            self.document.root = node
            frame.waits = ITEM
        elif frame.waits == VALUE and item is not None:
            item.value = node
            frame.waits = ITEM
        elif frame.waits == KEY and item is not None:
            item.key = node
            frame.waits = SIGN
        else:
            raise TreeError(node.start)

    def add(self, item: Item, column: int, *, style: str, is_map: bool) -> None:
        """Adds an item in a column to the innermost collection, or to a new one."""
        frames = self.frames
        frame = frames[-1]
        if frame.column == column:
            if frame.node is not None and frame.node.style is LEVEL and is_map:
                self.close()
                frame = frames[-1]
            if frame.node is not None and frame.node.is_map is is_map:
                if frame.waits != ITEM:
                    self.complete(frame)
                elif self.pending:
                    raise TreeError(self.pending[0][0])
                frame.node.items.append(item)
                frame.item = item
                return
            style = LEVEL
            if is_map or frame.waits not in (VALUE, KEY):
                raise TreeError(item.start)
        properties = self.properties() if self.pending else None
        node = Collection(
            item.start if properties is None else properties.start, style, properties, column, is_map=is_map
        )
        self.put(node)
        node.items.append(item)
        frame = Frame(node, column, ITEM)
        frame.item = item
        frames.append(frame)

    def dash(self, at: int) -> bool:
        if self.text[at + 1 : at + 2] not in ("", " ", "\n", "\t"):
            return False
        self.add(Item(at, None, at), at - self.line, style=BLOCK, is_map=False)
        self.frames[-1].waits = VALUE
        self.at = at + 1
        return True

    def question(self, at: int) -> bool:
        if self.text[at + 1 : at + 2] not in ("", " ", "\n", "\t"):
            return False
        self.add(Item(at, None, -1), at - self.line, style=BLOCK, is_map=True)
        self.frames[-1].waits = KEY
        self.at = at + 1
        return True

    def colon(self, at: int) -> bool:
        if self.text[at + 1 : at + 2] not in ("", " ", "\n", "\t"):
            return False
        if self.pending and self.pending[-1][4] == self.line:
            properties = self.properties(self.line)
            self.key(Node(properties.start, properties.end, EMPTY, properties), at)
            return True
        frame = self.frames[-1]
        if frame.node is not None and frame.node.style is LEVEL and frame.column == at - self.line:
            self.close()
            frame = self.frames[-1]
        item = frame.item
        if item is None or frame.waits not in (KEY, SIGN):
            raise TreeError(at)
        if frame.waits == KEY:
            item.key = self.empty(item.start + 1)
        item.sign = at
        frame.waits = VALUE
        self.at = at + 1
        return True

    # -- the tokens of a line ---------------------------------------------------------------------------------------

    def property(self, at: int) -> bool:
        end, anchor, tag = read_property(self.text, at, TAG)
        self.pending.append((at, end, anchor, tag, self.line))
        self.at = end
        return True

    def key(self, node: Node, colon: int) -> None:
        """Begins an item with a key."""
        item = Item(node.start, node, colon)
        column = node.start - self.line
        self.add(item, column, style=BLOCK, is_map=True)
        frame = self.frames[-1]
        # Most values are plain scalars on one line: handle them here, without another iteration.
        value = _VALUE_LINE.match(self.text, colon + 1)
        if value is not None and value.end() - value.start(2) <= column:
            item.value = Node(value.start(1), value.end(1), PLAIN, None)
            frame.waits = ITEM
            self.at = value.end()
            self.line = value.start(2)
            return
        frame.waits = VALUE
        self.at = colon + 1

    def inline(self, at: int, first: str) -> None:
        """Scans a key or a value: a plain or quoted scalar, an alias, or a flow collection."""
        text, line = self.text, self.line
        pending = self.pending
        found = None if pending else _WORD_KEY.match(text, at)
        if found is not None:  # most keys
            end = found.end() - 1
            self.key(Node(at, end, PLAIN, None), end)
            return
        if first in "[{":
            node: Node = self.flow(at)
            end = node.end
        else:
            style, end = self.scalar(at, first)
            node = Node(at, end, style, None)
        colon = _COLON.match(text, end)
        if colon is not None and (first not in "[{\"'" or text.find("\n", at, end) < 0):
            if pending and pending[-1][4] == line:
                node.properties = properties = self.properties(line)
                node.start = properties.start
            self.key(node, colon.end() - 1)
            return
        if node.style is PLAIN:
            node.end = end = self.continued(end, self.frames[-1].column + 1)
        if pending:
            node.properties = properties = self.properties()
            node.start = properties.start
        self.put(node)
        self.at = end
        line = text.rfind("\n", at, end)
        if line >= 0:
            self.line = line + 1

    def continued(self, end: int, indent: int) -> int:
        """The end of a plain scalar, including continuation lines."""
        text = self.text
        while True:
            gap = NEXT_LINE.match(text, end)
            if gap is None:
                return end
            at = gap.end()
            column = at - text.rfind("\n", end, at) - 1
            if column < indent or text[at : at + 1] in ("", "#") or (column == 0 and _MARKER.match(text, at)):
                return end
            found = PLAIN_LINE.match(text, at)
            if found is None:
                return end
            end = found.end()

    def block_scalar(self, at: int) -> bool:
        text = self.text
        header = _HEADER.match(text, at)
        if header is None:
            raise TreeError(at)
        end = header.end()
        if end < self.size and text[end] != "\n":
            raise TreeError(at)
        body = min(end + 1, self.size)
        least = self.frames[-1].column
        if header[1] is not None:
            indent = max(least, 0) + int(header[1])
        else:
            indent = max(least + 1, 1, detected(self.lines, body))
        lines = block_lines(indent).match(self.lines, body)
        last = body if lines is None else lines.end()
        start = at
        properties = None
        if self.pending:
            properties = self.properties()
            start = properties.start
        self.put(Node(start, block_end(self.lines, header.group(), end, body, last, indent), text[at], properties))
        self.at = last
        self.ends_in_text = last == self.size and self.size - (text.rfind("\n") + 1) > least
        if text[last - 1 : last] == "\n":
            self.line = last
        return True
