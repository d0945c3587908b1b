"""One document in block style, line by line (see the package).

The level of a line determines its parent. It is twice the indentation, plus one for an array item, because an array may
have the indentation of its key.
"""

from __future__ import annotations

from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem, key_id
from plait.yaml.lines.flow import DEEPEST, nodes
from plait.yaml.lines.shapes import (
    ALIAS,
    ALONE,
    BLANK,
    BLOCK,
    COMMENT,
    DASH_ITEM,
    ENTRY,
    FLOW,
    NO_KEY,
    OPEN,
    SCALAR,
    START,
    TO_COME,
    NoShapeError,
    is_start,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import DocumentSet, Item, Items
    from plait.yaml.comments import Comment
    from plait.yaml.lines import TextReading
    from plait.yaml.lines.flow import Parsed


class DocumentReading:
    """One document of a text.

    document: the document, or None. written: its comments. of: the comments of each item.
    pending: comments for the next item, at first those above the document.
    anchored, name: the item that waits for a collection with an anchor, and the anchor.
    closed: the last line of the last multi-line scalar, which cannot continue.
    """

    __slots__ = ("anchored", "closed", "document", "lines", "name", "of", "pending", "source", "text", "written")

    def __init__(self, text: TextReading) -> None:
        self.text = text
        self.source = text.source
        self.lines = text.lines
        self.document: Document | None = None
        self.written: list[Comment] = []
        self.of: dict[Item | DocumentSet, list[Comment]] = {}
        self.pending = [*text.pending]
        self.anchored: Item | None = None
        self.name = ""
        self.closed = 0

    def read(self, start: int) -> int:
        """Reads the document that begins on a line, if there is one. Returns the line of the next. Raises NoShapeError.

        This runs for each line of most files: it handles the common lines, methods handle the rest.
        """
        source, lines, pending, shapes, depth = self.source, self.lines, self.pending, self.text.shapes, self.text.depth
        unfinished = self.text.start_document()
        distinct = True
        # The item without a value; then level, items and index of the innermost collection. The stack has the enclosing
        # ones.
        owner: Parsed = None
        item: Parsed
        made: Map | Array
        cur = -1
        items: Items = []
        index: Parsed = None
        stack: list[tuple[int, Items, Parsed]] = []
        number = self.closed = start - 1
        while True:
            number += 1
            level, kind, key, value, more = shapes[lines[number]]
            if cur != level:
                if level < 0:
                    if kind == COMMENT:
                        pending += self.comment(more, number, own_line=True)
                    elif kind != BLANK:
                        if number > start and is_start(lines[number]):
                            break
                        owner = self.begin(number, more) if kind == START else None
                        if owner is None:
                            number = self.go_on(items, number, cur)
                    continue
                if cur < level:
                    if owner is None or kind == ALONE:
                        owner, number = self.text_below(owner, kind, value, more, number, items, cur, len(stack))
                        if owner is None:
                            continue
                    stack.append((cur, items, index))
                    if len(stack) >= depth:
                        raise NoShapeError
                    items, cur = [], level
                    if level & 1:
                        index = None
                        made = owner.value = Array(items, source, owner.line)
                    else:
                        index = {}
                        made = owner.value = Map(items, source, owner.line, index)
                    if owner is self.anchored:
                        self.text.references().start(self.name, made)
                else:
                    while cur > level:
                        if unfinished:
                            unfinished.discard(id(items))
                        distinct = distinct and (index is None or len(index) == len(items))
                        cur, items, index = stack.pop()
                    if cur != level:
                        raise NoShapeError
            if kind <= OPEN:
                index[key] = item = MapItem(key, value, source, number)
                items.append(item)
                owner = item if kind else None
            elif kind == DASH_ITEM:
                stack.append((cur, items, index))
                inside = [MapItem(key, value, source, number)]
                index = {key: inside[0]}
                item = ArrayItem(Map(inside, source, number, index), source, number)
                items.append(item)
                items, cur, owner = inside, more, None
            elif kind == ENTRY:
                item = ArrayItem(value, source, number)
                items.append(item)
                owner = None
            else:
                item, last, cur, items, index = self.begin_item(kind, key, number, stack, cur, items, index, more)
                owner, number = self.complete(item, last, value, more, number, cur >> 1, len(stack))
                if more[3] is not None:
                    unfinished = self.text.references().unfinished
            if pending:
                self.take_comments(item)
        self.finish([*stack, (cur, items, index)], distinct=distinct)
        return number

    def finish(self, open: list[tuple[int, Items, Parsed]], *, distinct: bool) -> None:
        """Records that no map has a duplicate key. distinct: true if no closed map has one."""
        if self.document is not None:
            self.document.distinct = distinct and all(
                index is None or len(index) == len(items) for _, items, index in open
            )

    def begin(self, number: int, comment: tuple[int, str] | None) -> Document:
        """The document with its `---` on a line."""
        self.document = document = Document(None, self.source, number)
        if comment is not None:
            self.pending += self.comment(comment, number)
        if self.pending:
            self.take_comments(document)
        return document

    def begin_item(
        self,
        kind: int,
        key: Parsed,
        number: int,
        stack: list[tuple[int, Items, Parsed]],
        cur: int,
        items: Items,
        index: Parsed,
        more: Parsed,
    ) -> tuple[Item, Item, int, Items, Parsed]:
        """The first and the last item that begin on a line, and the level, items and index of the latter's collection.

        Raises NoShapeError.
        """
        if kind == ALONE:
            raise NoShapeError
        source = self.source
        if key is NO_KEY:
            entry = ArrayItem(None, source, number)
            items.append(entry)
            return entry, entry, cur, items, index
        item = MapItem(key, None, source, number)
        known_as = key if type(key) is str else key_id(key)
        if cur & 1:
            inside = [item]
            entry = ArrayItem(Map(inside, source, number, made := {known_as: item}), source, number)
            items.append(entry)
            stack.append((cur, items, index))
            return entry, item, more[0], inside, made
        items.append(item)
        index[known_as] = item
        return item, item, cur, items, index

    def complete(
        self, item: Item, last: Item, value: Parsed, more: Parsed, number: int, indent: int, nested: int
    ) -> tuple[Item | None, int]:
        """Sets value, anchor and comments of the last item on a line.

        Returns the item if its value is on a later line, and the last line of the value. Raises NoShapeError.
        """
        _, what, comment, anchor = more
        waits = last if what == TO_COME else None
        if what == SCALAR:
            last.value = value
        elif waits is None:
            number = self.fill(last, what, value, number, indent, nested)
        if anchor is not None:
            references = self.text.references()
            references.anchors[anchor] = last.value
            self.anchored, self.name = waits, anchor
        if self.pending:
            self.take_comments(item)
        if comment is not None and (comments := self.comment(comment, number)):
            # Comments belong to the last item on the line; the value of an alias was written elsewhere.
            self.of.setdefault(last if what == ALIAS else _last(last), []).extend(comments)
        return waits, number

    def fill(self, owner: Item, what: int, value: Parsed, number: int, indent: int, nested: int) -> int:
        """Sets the value of an item. The value is on the item's line, or starts there. Returns its last line. Raises
        NoShapeError.
        """
        if what == ALIAS:
            owner.value = self.text.references().alias(value, number)
        elif what == FLOW:
            if nested + DEEPEST > self.text.depth:
                raise NoShapeError
            owner.value = nodes(value, self.source, number)
        else:
            from plait.yaml.lines.multiline import block, quoted

            owner.value, number = (block if what == BLOCK else quoted)(self.lines, number, value, indent)
            self.closed = number
        return number

    def text_below(
        self, owner: Item | None, kind: int, value: Parsed, what: int, number: int, items: Items, cur: int, nested: int
    ) -> tuple[Item | None, int]:
        """Continues the text of the item above with deeper lines that are not items.

        The first line of text starts a document. Returns the item that still needs a value, and the last line of the
        text. Raises NoShapeError.
        """
        if owner is None and self.document is not None:
            return None, self.go_on(items, number, cur)
        if owner is None:
            self.document = owner = Document(None, self.source, self.source.first_line)
        if kind != ALONE:
            return owner, number
        if owner is self.anchored or (what == FLOW and self.pending):
            raise NoShapeError
        owner.value = value
        if what == FLOW:
            self.fill(owner, what, value, number, 0, nested)
        if isinstance(owner.value, (Map, Array)):
            owner.value.line = owner.line
        return None, number

    def comment(self, found: tuple[int, str], number: int, *, own_line: bool = False) -> list[Comment]:
        """The comment on a line, as a list; empty if comments are not requested."""
        if self.text.comments is None:
            return []
        from plait.yaml.comments import Comment

        made = [Comment(found[1], number, found[0], own_line)]
        self.written += made
        return made

    def take_comments(self, item: Item) -> None:
        """Moves the pending comments to the item below them."""
        self.of[item] = self.pending.copy()
        self.pending.clear()

    def go_on(self, items: Items, number: int, level: int) -> int:
        """Continues the text of the last item. Returns its last line. Raises NoShapeError.

        items, level: the items and level of the innermost collection.
        """
        if not items:
            raise NoShapeError
        from plait.yaml.lines.multiline import continued

        text, last = continued(self.lines, number, level >> 1, self.closed)
        items[-1].value = self.text.shapes.plain[text]
        self.closed = last
        return last


def _last(item: Item) -> Item:
    """The last item that begins on the line of an item whose value is a flow collection or a scalar."""
    while isinstance(item.value, (Map, Array)) and item.value.items:
        item = item.value.items[-1]
    return item
