"""Computes the new column of the first item on each line of a YAML text.

The tree contains the block collections with the columns of their items. This module does not change the text; a
`Reindentation` contains the new column of each line.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from plait.yaml.lossless.nodes import EMPTY, LEVEL, Collection, Item, Node
from plait.yaml.lossless.scalar_values import body_start, skipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.yaml.lossless.nodes import Properties, Tree

# Indentation of the content of a collection.
STEP = 2

MAP, SEQUENCE, LEVEL_SEQUENCE = "map", "sequence", "level sequence"


class Block:
    """An open block collection. old, new: its column as written, and after formatting.

    kind: the dashes of a level sequence are in the column of its key, not to the right of it. An item that starts with
    `?` or `:` is treated the same.
    """

    __slots__ = ("kind", "new", "old")

    def __init__(self, kind: str, old: int, new: int) -> None:
        self.kind = kind
        self.old = old
        self.new = new


class Reindentation:
    """The new layout of a text. Lines and columns count from 0.

    columns: the new column of each line that starts with an item of a block collection. moved: for a line that
    continues a scalar or a flow collection, its shift to the right and its block collection. scalars: lines in block
    scalars, with the old and the new column of their text. kept: lines that end inside a quoted scalar, where spaces
    may be significant. tight: by line, (column of a dash, column after it) that need one space in between. around: for
    each line of `columns`, the columns of its enclosing collections. ends_open: the text ends in a scalar that includes
    the end of the text.
    """

    __slots__ = ("around", "columns", "ends_open", "kept", "moved", "scalars", "tight")

    def __init__(self) -> None:
        self.columns: dict[int, int] = {}
        self.moved: dict[int, tuple[int, Block | None]] = {}
        self.scalars: dict[int, tuple[int, int]] = {}
        self.kept: set[int] = set()
        self.tight: dict[int, list[tuple[int, int]]] = {}
        self.around: dict[int, dict[int, int]] = {}
        self.ends_open = False


class OddError(Exception):
    """Raised for a construct that is not reindented."""


def words(tree: Tree) -> list[object]:
    """The nodes and signs of a tree with their lines and texts, without their columns.

    Formatting preserves these. A sequence may move to the column of its key or away from it.
    """
    text, lines = tree.text, tree.lines
    found: list[object] = [(tree.line_of(document.start), document.is_explicit) for document in tree.documents]
    for node, item in _walk(tree):
        properties = node.properties
        if properties is not None:
            ends = bisect_right(lines, properties.start), bisect_right(lines, properties.end)
            found.append((properties.anchor, properties.tag, *ends))
        if type(node) is Collection:
            found.append((node.is_map, node.in_brackets))
        else:
            written = text[node.start : node.end]
            found.append(written if "\n" not in written else written.split())
        found.append(bisect_right(lines, node.start))
        if item is not None:
            found.append(bisect_right(lines, item.sign))
    return found


def _walk(tree: Tree) -> Iterator[tuple[Node, Item | None]]:
    """Every node, with the item whose value the node is, or None."""
    for document in tree.documents:
        yield document.root, None
    for _, item in tree.walk():
        if item.key is not None:
            yield item.key, None
        yield item.value, item


def plan_of(tree: Tree, lines: list[str]) -> Reindentation:
    """Computes the new layout of a text. Raises OddError."""
    # The first sequence usually looks like the others.
    planner = _Planner(tree, lines, indented=None)
    planner.read()
    is_indented = planner.indented > planner.level
    if planner.is_indented in (None, is_indented):
        return planner.plan
    planner = _Planner(tree, lines, indented=is_indented)
    planner.read()
    return planner.plan


# The first token on a line.
_SIGN, _KEY, _OTHER = range(3)
_HEADER = re.compile(r"[|>]([+-]?)([0-9]?)([+-]?)")
_PROPERTY = re.compile(r"[&!][^ \t\r\n]*")


class _Planner:
    """Visits a tree in the order of the text.

    level, indented: the number of sequences in the column of their key, and to the right of it. seen: the last visited
    line. dash: the position of the last token, if it was a dash, or the `?` or `:` of a key or value.
    """

    def __init__(self, tree: Tree, lines: list[str], *, indented: bool | None) -> None:
        self.tree = tree
        self.lines = lines
        self.plan = Reindentation()
        self.is_indented = indented
        self.level = self.indented = 0
        self.blocks: list[Block] = []
        self.around: dict[int, int] = {}
        self.seen = -1
        self.dash: tuple[int, int] | None = None

    def read(self) -> None:
        """Fills the layout."""
        starts = [*self.tree.lines, len(self.tree.text) + 1]
        for document in self.tree.documents:
            self.dash = None
            if document.is_explicit:
                self.seen = self.tree.line_of(document.start) - 1
            # Nodes, items, the offsets of colons after `?`, and None at the end of a collection.
            pending: list[Node | Item | int | None] = [document.root]
            while pending:
                one = pending.pop()
                if one is None:
                    self.blocks.pop()
                    self.around = {block.old: block.new for block in self.blocks}
                elif type(one) is Item:
                    line = bisect_right(starts, one.start)
                    kind = _SIGN if one.key is None or one.is_explicit else _KEY
                    self._first(kind, line - 1, one.start - starts[line - 1])
                    value = one.value
                    if kind is _KEY and value.properties is None and type(value) is Node and value.end < starts[line]:
                        self.dash = None  # a scalar on the same line as its key
                        continue
                    pending.append(value)
                    if one.key is not None and kind is _SIGN:
                        pending += [one.key] if one.sign < 0 else [one.sign, one.key]
                elif isinstance(one, int):
                    self._first(_SIGN, *self._place(one))
                elif isinstance(one, Node):
                    self._node(one)
                    if isinstance(one, Collection) and not one.in_brackets:
                        self._push(one)
                        pending.append(None)
                        pending += reversed(one.items)

    def _place(self, offset: int) -> tuple[int, int]:
        line, column = self.tree.place(offset)
        return line - 1, column - 1

    def _push(self, node: Collection) -> None:
        """Opens a block collection."""
        around = self.blocks[-1] if self.blocks else None
        kind, new = MAP if node.is_map else SEQUENCE, 0
        if around is not None:
            new = around.new + STEP
            is_level = node.style is LEVEL
            if is_level or (not node.is_map and around.kind == MAP and self._place(node.items[0].start)[0] > self.seen):
                self.level += is_level
                self.indented += not is_level
                if self.is_indented is None:
                    self.is_indented = not is_level
                new = around.new + (STEP if self.is_indented else 0)
                kind = LEVEL_SEQUENCE if is_level else SEQUENCE
        self.blocks.append(Block(kind, node.column, new))
        self.around = {block.old: block.new for block in self.blocks}

    def _first(self, kind: int, line: int, column: int) -> None:
        """Records the column of a sign, a key or a part of a node, if it is the first token on its line."""
        if line > self.seen:
            new = column
            if self.blocks:
                new = self.blocks[-1].new + (STEP if kind == _OTHER else 0)
            self.plan.columns[line] = new
            self.plan.around[line] = self.around
            self.seen = line
        if self.dash is not None and self.dash[0] == line and column > self.dash[1] + 2:
            self.plan.tight.setdefault(line, []).append((self.dash[1], column))
        self.dash = (line, column) if kind == _SIGN else None

    def _node(self, node: Node) -> None:
        """Records the properties of a node, and a scalar or a flow collection."""
        if node.properties is not None:
            self._properties(node.properties)
        is_collection = isinstance(node, Collection)
        if node.style is EMPTY or (isinstance(node, Collection) and not node.in_brackets):
            return
        line, column = self._place(node.start if node.properties is None else body_start(self.tree.text, node))
        end = self.tree.line_of(node.end) - 1
        self._first(_OTHER, line, column)
        if is_collection and end > line:
            way = self._way(line, column)
            for inner in range(line + 1, end + 1):
                self.plan.moved[inner] = way
            self._quoted(node)
        elif node.style in ("|", ">"):
            end = self._block_scalar(line, column, end)
        elif end > line:
            way = self._way(line, column)
            for inner in range(line + 1, end + 1):
                self.plan.moved[inner] = way
            if node.style in ("'", '"'):
                self.plan.kept.update(range(line, end))
        self.seen = max(self.seen, end)

    def _properties(self, properties: Properties) -> None:
        text, at = self.tree.text, properties.start
        while at < properties.end:
            found = _PROPERTY.match(text, at)
            if found is None:
                raise OddError
            self._first(_OTHER, *self._place(at))
            at = skipped(text, found.end())

    def _quoted(self, node: Node) -> None:
        """Records that line ends in quoted scalars of a flow collection are preserved."""
        pending = [node]
        while pending:
            one = pending.pop()
            if isinstance(one, Collection):
                pending += [inner for item in one.items for inner in (item.key, item.value) if inner is not None]
            elif one.style in ("'", '"'):
                self.plan.kept.update(range(self._place(body_start(self.tree.text, one))[0], self._place(one.end)[0]))

    def _way(self, line: int, column: int) -> tuple[int, Block | None]:
        """The shift of the lines that continue a value, and the collection to whose right they must stay."""
        return self._shift(line, column), self.blocks[-1] if self.blocks else None

    def _shift(self, line: int, column: int) -> int:
        """The shift to the right of the text at a position."""
        text = self.lines[line]
        begin = len(text) - len(text.lstrip(" "))
        moved = self.plan.columns.get(line, begin) - begin
        return moved - sum(end - dash - 2 for dash, end in self.plan.tight.get(line, ()) if end <= column)

    def _block_scalar(self, line: int, column: int, last: int) -> int:
        """Records the new column of the lines of a block scalar. Returns the last line, including blank ones."""
        while last + 2 < len(self.lines) and not self.lines[last + 1].strip(" \r"):
            last += 1
        header = _HEADER.match(self.lines[line], column)
        if header is None:
            raise OddError
        top = self.blocks[-1] if self.blocks else None
        begins = [
            len(content) - len(content.lstrip(" "))
            for content in self.lines[line + 1 : last + 1]
            if content.strip(" \r")
        ]
        old = new = begins[0] if begins else 0
        if header[2]:
            old = new = min(begins, default=0)
            new += 0 if top is None else top.new - top.old
        elif top is not None:
            new = top.new + STEP
        for inner in range(line + 1, last + 1):
            self.plan.scalars[inner] = old, new
        if last >= len(self.lines) - 2:
            # Line breaks at the end of the text belong to the scalar.
            self.plan.ends_open = "+" in (header[1], header[3]) or self.lines[-1] != ""
        return last
