"""The scanner: a text to its lossless tree.

It builds the tree in one pass over the text, with an explicit stack. libyaml decides which texts are valid and what they
mean; for a text that the reader accepts, the tree has the structure of libyaml's events. The tests compare both.
"""

from __future__ import annotations

import gc
import re

from plait.yaml.tree.nodes import (
    ALIAS,
    BLOCK,
    EMPTY,
    FLOW,
    LEVEL,
    PAIR,
    PLAIN,
    Collection,
    Document,
    Item,
    Node,
    Properties,
    Tree,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Pending: TypeAlias = list[tuple[int, int, str | None, str | None, int]]

# White space, line breaks and comments. At a token's start a `#` begins a comment whatever stands before it.
_GAP = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+")
_BLANKS = re.compile(r"[ \t]*+")
# A plain scalar on one line; a `#` behind white space and a colon before white space end it.
_WORD = r"(?:[^ \t\n:]|:(?=[^ \t\n]))"
_PLAIN = re.compile(rf"(?:{_WORD})++(?:[ \t]++(?!#){_WORD}++)*+")
# A plain scalar behind a key's colon, and the indentation of the next line with something else than a comment.
_VALUE_LINE = re.compile(
    rf" ++(?![?:,\[\]{{}}#&*!|>'\"%@`]|-[ \t\n])((?:{_WORD})++(?:[ \t]++(?!#){_WORD}++)*+)[ \t]*+\n( *+)(?![ \t\n#])"
)
_FLOW_WORD = r"(?:[^ \t\n:,\[\]{}]|:(?=[^ \t\n]))"
_FLOW_PLAIN = re.compile(rf"{_FLOW_WORD}++(?:[ \t]++(?!#){_FLOW_WORD}++)*+")
# What continues a plain scalar on another line.
_NEXT_LINE = re.compile(r"[ \t]*+\n[ \t\n]*+")
_COLON = re.compile(r"[ \t]*+:(?=[ \t\n]|\Z)")
_FLOW_COLON = re.compile(r"[ \t]*+:")
_SINGLE = re.compile(r"'[^']*+(?:''[^']*+)*+'")
_DOUBLE = re.compile(r'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"')
_NAME = re.compile(r"[&*][0-9A-Za-z_-]*+")
_URI = r"[0-9A-Za-z_;/?:@&=+$.!~*'()%\-"
_TAG = re.compile(rf"!(?:<[^>\n]*+>|{_URI},\[\]]*+)")
_FLOW_TAG = re.compile(rf"!(?:<[^>\n]*+>|{_URI}]*+)")
_MARKER = re.compile(r"(?:---|\.\.\.)(?=[ \t\n]|\Z)")
_HEADER = re.compile(r"[|>](?:[+-]?([1-9])|[+-])?[+-]?[ \t]*+(?:#[^\n]*+)?")
_BLANK_LINES = re.compile(r"(?: *+\n)*+")
_SPACES = re.compile(r" *+")
_OTHER_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_UNUSUAL = re.compile("[\r\x85\u2028\u2029]")

# What a frame waits for: an item, the key of a `?`, the colon behind it, a value.
ITEM, KEY, SIGN, VALUE = range(4)


class TreeError(ValueError):
    """The text is not valid YAML, or not as libyaml takes it."""


class UnclosedError(TreeError):
    """The text ends within brackets. open: their collections, the outermost first, each with what it waits for."""

    def __init__(self, at: int, open: list[tuple[Collection, int]]) -> None:
        super().__init__(at)
        self.open = open


def scan(text: str) -> Tree:
    """The tree of a text that the reader accepts. Raises TreeError for others, as far as they have no structure."""
    tree = Tree(text)
    with collector_paused():
        Scanner(tree).run()
    return tree


class collector_paused:  # noqa: N801 - a context manager, written as a function is
    """Keeps the garbage collector from looking again and again at thousands of new objects without garbage among them."""

    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_enabled:
            gc.enable()


def shadow_of(text: str) -> str:
    """The text as the patterns need it: only line feeds break lines. It has the same length."""
    if _UNUSUAL.search(text) is None:
        return text
    return _UNUSUAL.sub("\n", text.replace("\r\n", " \n"))


def lines_of(text: str) -> str:
    """The text with line feeds in the place of all other breaks but CR LF: in block scalars spaces are counted."""
    return text if _UNUSUAL.search(text) is None else _OTHER_BREAK.sub("\n", text)


class Frame:
    """An open block collection, or a document (`node` is None) whose root is to come.

    column: of the items; -1 for a document. item: the last one. waits: ITEM, KEY, SIGN or VALUE.
    """

    __slots__ = ("column", "item", "node", "waits")

    def __init__(self, node: Collection | None, column: int, waits: int) -> None:
        self.node = node
        self.column = column
        self.item: Item | None = None
        self.waits = waits


class Scanner:
    """One pass over a text. ends_in_text: true if the text ends in a block scalar."""

    __slots__ = ("at", "document", "ends_in_text", "frames", "line", "lines", "pending", "size", "text", "tree")

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.text = shadow_of(tree.text)
        self.lines = lines_of(tree.text)
        self.size = len(self.text)
        # The next token, and the offset of the first character of its line.
        self.at = self.line = 1 if self.text[:1] == "\ufeff" else 0
        self.document: Document | None = None
        self.frames: list[Frame] = []
        self.ends_in_text = False
        # Properties whose node is to come: offset, offset behind them, anchor, tag, offset of their line.
        self.pending: Pending = []

    # -- documents ---------------------------------------------------------------------------------------------------

    def run(self, *, finishes: bool = True) -> None:
        """Go through the text. finishes: end what is open at its end."""
        text, size = self.text, self.size
        gap = _GAP.match
        tokens: dict[str, Callable[[int], bool]] = {
            "-": self.dash,
            "?": self.question,
            ":": self.colon,
            "&": self.property,
            "!": self.property,
            "|": self.block_scalar,
            ">": self.block_scalar,
        }
        self.skip(self.at)
        while self.at < size:
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
        if self.document is None and not self.tree.documents:
            self.begin(self.size, is_explicit=False)
        if self.document is not None and finishes:
            self.finish()

    def skip(self, end: int) -> None:
        """Go on to the next token."""
        self.at = _GAP.match(self.text, end).end()  # type: ignore[union-attr]
        line = self.text.rfind("\n", end, self.at)
        if line >= 0:
            self.line = line + 1

    def marker(self, at: int) -> bool:
        """Take a document marker or a directive at the start of a line; false if it is none."""
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
        self.document = Document(start, at + 3 if is_explicit else start, is_explicit=is_explicit)
        self.tree.documents.append(self.document)
        self.frames.append(Frame(None, -1, VALUE))

    def finish(self) -> None:
        """End the document, with everything that is open."""
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
        """End the innermost collection."""
        frame = self.frames.pop()
        if frame.waits != ITEM:
            self.complete(frame)
        node = frame.node
        if node is not None:
            node.end = node.items[-1].end

    def complete(self, frame: Frame) -> None:
        """Put empty nodes where an item has nothing."""
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
        """A node that is not written, or of which only properties are."""
        if not self.pending:
            return Node(at, at, EMPTY, None)
        properties = self.properties()
        return Node(properties.start, properties.end, EMPTY, properties)

    def properties(self, line: int = -1) -> Properties:
        """The pending properties, as one. line: only those on this line."""
        pending = self.pending if line < 0 else [one for one in self.pending if one[4] == line]
        anchor = next((one[2] for one in pending if one[2] is not None), None)
        tag = next((one[3] for one in pending if one[3] is not None), None)
        made = Properties(pending[0][0], pending[-1][1], anchor, tag)
        self.pending = [] if line < 0 else [one for one in self.pending if one[4] != line]
        return made

    def put(self, node: Node) -> None:
        """Put a node where the innermost frame waits for one."""
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
        """Add an item in a column: to the innermost collection, or to a new one."""
        frames = self.frames
        frame = frames[-1]
        if frame.column == column:
            if frame.node is not None and frame.node.style is LEVEL and is_map:
                self.close()
                frame = frames[-1]
            if frame.node is not None and frame.node.is_map is is_map:
                if frame.waits != ITEM:
                    self.complete(frame)
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

    # -- what stands on a line ---------------------------------------------------------------------------------------

    def property(self, at: int) -> bool:
        end, anchor, tag = read_property(self.text, at, _TAG)
        self.pending.append((at, end, anchor, tag, self.line))
        self.at = end
        return True

    def key(self, node: Node, colon: int) -> None:
        """Begin an item with a key."""
        item = Item(node.start, node, colon)
        column = node.start - self.line
        self.add(item, column, style=BLOCK, is_map=True)
        frame = self.frames[-1]
        # Most values are plain scalars on one line: they need no turn of their own.
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
        """A key or a value: a plain or quoted scalar, an alias, a flow collection."""
        text, line = self.text, self.line
        pending = self.pending
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

    def scalar(self, at: int, first: str) -> tuple[str, int]:
        """The style of what begins at an offset, and its end; of a plain scalar, on its first line."""
        text = self.text
        if first in {'"', "'"}:
            found = (_DOUBLE if first == '"' else _SINGLE).match(text, at)
            style = first
        elif first == "*":
            found, style = _NAME.match(text, at), ALIAS
        else:
            found, style = _PLAIN.match(text, at), PLAIN
        if found is None:
            raise TreeError(at)
        return style, found.end()

    def continued(self, end: int, indent: int) -> int:
        """The end of a plain scalar, with the lines that continue it."""
        text = self.text
        while True:
            gap = _NEXT_LINE.match(text, end)
            if gap is None:
                return end
            at = gap.end()
            column = at - text.rfind("\n", end, at) - 1
            if column < indent or text[at : at + 1] in ("", "#") or (column == 0 and _MARKER.match(text, at)):
                return end
            found = _PLAIN.match(text, at)
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

    # -- flow collections --------------------------------------------------------------------------------------------

    def flow(self, at: int) -> Collection:
        """The flow collection that begins at an offset."""
        text, size = self.text, self.size
        outer: list[tuple[Collection, int]] = []
        node = Collection(at, FLOW, None, 0, is_map=text[at] == "{")
        waits = ITEM
        pending: Pending = []
        at += 1
        done: Node | None
        while True:
            at = _GAP.match(text, at).end()  # type: ignore[union-attr]
            if at >= size:
                raise UnclosedError(node.start, [*outer, (node, waits)])
            first = text[at]
            item = node.items[-1] if node.items else None
            properties = None
            done = None
            if first in ",]}" or (first == ":" and pending):
                if pending:
                    properties = _joined(pending)
                    done = Node(properties.start, properties.end, EMPTY, properties)
                    pending = []
                elif waits == ITEM and first == ",":
                    raise TreeError(at)
                elif waits in (KEY, VALUE) and item is not None:
                    place = (item.start if waits == KEY else item.sign) + 1
                    done = Node(place, place, EMPTY, None)
                if done is None and waits == SIGN and item is not None and item.key is not None:
                    item.value = Node(item.key.end, item.key.end, EMPTY, None)
                    waits = DONE
                if done is None:
                    if node.style is PAIR:
                        node.end = node.items[-1].end
                        node, waits = outer.pop()
                        continue
                    at += 1
                    if first == ",":
                        waits = ITEM
                        continue
                    if (first == "}") is not node.is_map:
                        raise TreeError(at)
                    node.end = at
                    if not outer:
                        return node
                    done = node
                    node, waits = outer.pop()
                    item = node.items[-1] if node.items else None
            elif first == ":":
                if waits == SIGN and item is not None:
                    item.sign = at
                elif waits == KEY and item is not None:
                    item.key = Node(item.start + 1, item.start + 1, EMPTY, None)
                    item.sign = at
                elif waits == DONE and not node.is_map and item is not None:
                    key = item.value
                    pair = Collection(key.start, PAIR, None, 0, is_map=True)
                    item.value = pair
                    outer.append((node, DONE))
                    pair.items.append(Item(key.start, key, at))
                    node = pair
                else:
                    raise TreeError(at)
                waits = VALUE
                at += 1
                continue
            elif waits in (SIGN, DONE):
                raise TreeError(at)
            elif first == "?":
                if waits != ITEM:
                    raise TreeError(at)
                if not node.is_map:
                    pair = Collection(at, PAIR, None, 0, is_map=True)
                    entry = Item(at, None, -1)
                    entry.value = pair
                    node.items.append(entry)
                    outer.append((node, DONE))
                    node = pair
                node.items.append(Item(at, None, -1))
                waits = KEY
                at += 1
                continue
            elif first in "&!":
                end, anchor, tag = read_property(text, at, _FLOW_TAG)
                pending.append((at, end, anchor, tag, 0))
                at = end
                continue
            elif first in "[{":
                properties = _joined(pending) if pending else None
                pending = []
                outer.append((node, waits))
                start = at if properties is None else properties.start
                node = Collection(start, FLOW, properties, 0, is_map=first == "{")
                waits = ITEM
                at += 1
                continue
            else:
                style, end = self.flow_scalar(at, first)
                properties = _joined(pending) if pending else None
                pending = []
                done = Node(at if properties is None else properties.start, end, style, properties)
                at = end
            # `done` is complete: put it where one is waited for.
            if waits == ITEM:
                entry = Item(done.start, None, -1)
                node.items.append(entry)
                if node.is_map:
                    entry.key = done
                    waits = SIGN
                else:
                    entry.value = done
                    waits = DONE
            elif waits == VALUE and item is not None:
                item.value = done
                waits = DONE
            elif waits == KEY and item is not None:
                item.key = done
                waits = SIGN
            else:
                raise TreeError(at)

    def flow_scalar(self, at: int, first: str) -> tuple[str, int]:
        if first in "\"'*":
            return self.scalar(at, first)
        text = self.text
        found = _FLOW_PLAIN.match(text, at)
        if found is None:
            raise TreeError(at)
        end = found.end()
        while True:
            gap = _NEXT_LINE.match(text, end)
            found = (
                None if gap is None or text[gap.end() : gap.end() + 1] == "#" else _FLOW_PLAIN.match(text, gap.end())
            )
            if found is None:
                return PLAIN, end
            end = found.end()


DONE = 4


def _joined(pending: Pending) -> Properties:
    anchor = next((one[2] for one in pending if one[2] is not None), None)
    tag = next((one[3] for one in pending if one[3] is not None), None)
    return Properties(pending[0][0], pending[-1][1], anchor, tag)


def read_property(text: str, at: int, tags: re.Pattern[str]) -> tuple[int, str | None, str | None]:
    """The end of an anchor or a tag, with its name."""
    found = (_NAME if text[at] == "&" else tags).match(text, at)
    end = at + 1 if found is None else found.end()
    return (end, text[at + 1 : end], None) if text[at] == "&" else (end, None, text[at:end])


def detected(text: str, at: int) -> int:
    """The indentation of the first line of a block scalar that has text, or of longer blank lines before it."""
    deepest = 0
    while True:
        spaces = _SPACES.match(text, at)
        end = at if spaces is None else spaces.end()
        deepest = max(deepest, end - at)
        end += text.startswith("\r\n", end)
        if text[end : end + 1] != "\n":
            return deepest
        at = end + 1


def block_lines(indent: int) -> re.Pattern[str]:
    """A pattern for the lines of a block scalar."""
    found = _LINES.get(indent)
    if found is None:
        if len(_LINES) > 200:
            _LINES.clear()
        found = _LINES[indent] = re.compile(
            rf"(?: {{0,{indent}}}\r?\n| {{{indent}}}[^\n]*+\n)*+(?: {{{indent}}}[^\n]*+)?"
        )
    return found


_LINES: dict[int, re.Pattern[str]] = {}


def block_end(text: str, header: str, end: int, body: int, last: int, indent: int) -> int:
    """The end of a block scalar: of its last line with text, or of its last line if blank lines are kept."""
    if last <= body:
        return end
    stop = last - 1 if text[last - 1] == "\n" else last
    if "+" in header.partition("#")[0]:
        return max(stop, end)
    while stop > body:
        line = text.rfind("\n", body, stop) + 1 or body
        last = stop - text.endswith("\r", line, stop)
        if last - line > indent or text[line:last].strip(" "):
            return last
        stop = line - 1
    return end
