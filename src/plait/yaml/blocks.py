"""Documents in block style, read line by line; what has a line that says nothing by itself is left to the parser.

Nearly all lines of configuration are `key: value`, `key:`, `- value` or `- key: value`, and the same lines come again
and again: going by their shapes (see `shapes`) takes a third of the time of the parser's events. A document goes either way as
a whole: where one of its lines has no shape, or does not fit below the line before it, the parser reads the document.
So the parser alone says what is wrong with a text.

Where a line belongs is a comparison of levels: twice the indentation, and one more for the items of an array, so that
an array may stand at the indentation of the key that it belongs to.
"""

from __future__ import annotations

from plait.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, key_id
from plait.yaml.comments import Comment
from plait.yaml.flow import DEEPEST, nodes
from plait.yaml.multiline import NoShapeError, block, continued, quoted
from plait.yaml.shapes import (
    ALIAS,
    ALONE,
    BLANK,
    BLOCK,
    COMMENT,
    DASH_ITEM,
    FLOW,
    ITEM,
    NO_KEY,
    OPEN,
    QUOTED,
    SCALAR,
    START,
    is_start,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from plait.nodes import Item
    from plait.source import Source
    from plait.yaml.comments import Comments
    from plait.yaml.references import References
    from plait.yaml.shapes import Shapes

    # The documents of a part of the text that begins on a line, and gets its comments given.
    Parse: TypeAlias = Callable[[str, int, "Comments | None", References], DocumentSet]

# With so many lines more left to the parser than read here, it gets the rest of the text in one piece.
_PATIENCE = 1_000


def is_regular(text: str) -> bool:
    """Whether a text can be taken line by line: no directives, ends of documents, and breaks other than line feeds."""
    return not (
        "\r" in text
        or "\n%" in text
        or "\n..." in text
        or text[:1] == "%"
        or text[:3] == "..."
        or (not text.isascii() and any(mark in text for mark in "\ufeff\x85\u2028\u2029"))
    )


class BlockReading:
    """One text. read: its documents."""

    __slots__ = ("comments", "depth", "lines", "parse", "pending", "referred", "shapes", "source", "tree")

    def __init__(
        self, source: Source, text: str, shapes: Shapes, comments: Comments | None, depth: int, parse: Parse
    ) -> None:
        self.source = source
        self.shapes = shapes
        self.comments = comments
        self.depth = depth
        self.parse = parse
        self.tree = DocumentSet([], source, source.first_line)
        # Each line under its number; behind the last one as if another document started.
        self.lines = [""] * source.first_line
        self.lines += text.split("\n")
        self.lines.append("---")
        # Comments that are for the next node.
        self.pending: list[Comment] = []
        self.referred: References | None = None

    def references(self) -> References:
        """What anchors stand for, made when it is first needed."""
        if self.referred is None:
            from plait.yaml.references import References

            self.referred = References(self.source)
        return self.referred

    def read(self, *, first: bool) -> DocumentSet | None:
        """The documents; None if only the first is wanted and there are more. Raises what `parse` does."""
        documents = self.tree.items
        lines = self.lines
        at, end = self.source.first_line, len(lines) - 1
        left = -_PATIENCE
        while at < end:
            try:
                document, after = self.document(at)
                left -= after - at
                if document is not None:
                    documents.append(document)
            except NoShapeError:
                # What stands before the first `---` may be no document: it goes with the one behind it.
                after = self.next_start(at if is_start(lines[at]) else self.next_start(at))
                left += after - at
                if left > 0:
                    after = end
                self.leave(at, after)
            at = after
            if first and documents and at < end:
                return None
        if not documents:
            documents.append(Document(None, self.source, self.source.first_line))
        if self.pending and self.comments is not None:
            self.comments.of[self.tree] = self.pending
        return self.tree

    def next_start(self, at: int) -> int:
        """The line behind this one on which a document starts, or the end."""
        end = len(self.lines) - 1
        at += 1
        while at < end and not is_start(self.lines[at]):
            at += 1
        return min(at, end)

    def leave(self, at: int, after: int) -> None:
        """Have the parser read the documents on some lines."""
        part = self.lines[at:after]
        text = "\n".join(part) if after == len(self.lines) - 1 else "\n".join(part) + "\n"
        comments = self.comments
        if comments is None:
            self.tree.items += self.parse(text, at, None, self.references()).items
            return
        own = type(comments)()
        tree = self.parse(text, at, own, self.references())
        if self.pending:
            # The part begins with the `---` that they stand above.
            own.of[tree.items[0]] = self.pending + own.of.get(tree.items[0], [])
        self.pending = own.of.pop(tree, [])
        comments.of.update(own.of)
        comments.all += own.all
        self.tree.items += tree.items

    def document(self, start: int) -> tuple[Document | None, int]:
        """The document that begins on a line, if there is one, and the line of the next. Raises NoShapeError."""
        source, lines, shapes, depth = self.source, self.lines, self.shapes, self.depth
        commented = self.comments is not None
        pending = [*self.pending]
        of: dict[Item | DocumentSet, list[Comment]] = {}
        written: list[Comment] = []
        distinct = True
        # What waits for its value: the document, or the last item of the innermost collection. That one's level,
        # items, and index by key; on the stack those around it. Which kinds these are is known to the levels.
        document: Document | None = None
        owner: Any = None
        cur = -1
        items: list[Any] = []
        index: Any = None
        stack: list[tuple[int, list[Any], Any]] = []
        item: Any
        # The item that waits for a collection with an anchor; the collections with anchors that are not complete.
        anchored: Any = None
        name = ""
        unfinished: set[int] = set()
        if self.referred is not None:
            self.referred.start_document()
            unfinished = self.referred.unfinished
        number = start - 1
        # The last line of the last scalar of several lines: nothing goes on behind it.
        closed = number
        while True:
            number += 1
            level, kind, key, value, more = shapes[lines[number]]
            if cur != level:
                if level < 0:
                    if kind == BLANK:
                        continue
                    if kind == COMMENT:
                        if commented:
                            pending.append(Comment(more[1], number, more[0]))
                            written.append(pending[-1])
                        continue
                    if number > start and is_start(lines[number]):
                        break
                    if kind != START:
                        number = closed = self.go_on(items, number, cur, closed)
                        owner = None
                        continue
                    document = owner = Document(None, source, number)
                    if commented:
                        if more is not None:
                            pending.append(Comment(more[1], number, more[0], False))
                            written.append(pending[-1])
                        if pending:
                            of[document] = pending
                            pending = []
                    continue
                if cur < level:
                    if owner is None:
                        if document is not None:
                            number = closed = self.go_on(items, number, cur, closed)
                            continue
                        document = owner = Document(None, source, source.first_line)
                    if kind == ALONE:
                        if owner is anchored or (more == FLOW and (pending or len(stack) + DEEPEST > depth)):
                            raise NoShapeError
                        made: Any = nodes(value, source, number) if more == FLOW else value
                        if more == FLOW:
                            made.line = owner.line
                        owner.value, owner = made, None
                        continue
                    stack.append((cur, items, index))
                    if len(stack) >= depth:
                        raise NoShapeError
                    items = []
                    if level & 1:
                        index = None
                        owner.value = Array(items, source, owner.line)
                    else:
                        index = {}
                        owner.value = Map(items, source, owner.line, index)
                    cur = level
                    if owner is anchored:
                        self.references().start(name, owner.value)
                else:
                    while cur > level:
                        if unfinished:
                            unfinished.discard(id(items))
                        if index is not None and len(index) != len(items):
                            distinct = False
                        cur, items, index = stack.pop()
                    if cur != level:
                        raise NoShapeError
            if kind == ITEM:
                index[key] = item = MapItem(key, value, source, number)
                items.append(item)
                owner = None
            elif kind == OPEN:
                index[key] = item = owner = MapItem(key, None, source, number)
                items.append(item)
            elif kind == DASH_ITEM:
                stack.append((cur, items, index))
                inner = MapItem(key, value, source, number)
                index = {key: inner}
                inside = [inner]
                item = ArrayItem(Map(inside, source, number, index), source, number)
                items.append(item)
                items = inside
                cur = more
                owner = None
            else:
                if kind == ALONE:
                    raise NoShapeError
                inner_level, what, comment, anchor = more
                item = None
                if level & 1:
                    item = owner = ArrayItem(None, source, number)
                    items.append(item)
                    if key is not NO_KEY:
                        stack.append((cur, items, index))
                        items, index, cur = [], {}, inner_level
                        owner.value = Map(items, source, number, index)
                if key is not NO_KEY:
                    owner = MapItem(key, None, source, number)
                    items.append(owner)
                    index[key if type(key) is str else key_id(key)] = owner
                    if item is None:
                        item = owner
                last = owner
                if what == SCALAR:
                    owner.value = value
                    owner = None
                elif what == FLOW:
                    if len(stack) + DEEPEST > depth:
                        raise NoShapeError
                    owner.value = nodes(value, source, number)
                    owner = None
                elif what == BLOCK:
                    owner.value, number = block(lines, number, value, cur >> 1)
                    closed = number
                    owner = None
                elif what == QUOTED:
                    owner.value, number = quoted(lines, number, value, cur >> 1)
                    closed = number
                    owner = None
                elif what == ALIAS:
                    owner.value = self.references().alias(value, number)
                    owner = None
                if anchor is not None:
                    self.references().anchors[anchor] = last.value
                    unfinished = self.references().unfinished
                    anchored, name = owner, anchor
                if pending:
                    of[item] = pending
                    pending = []
                if comment is not None and commented:
                    written.append(Comment(comment[1], number, comment[0], False))
                    # What an alias brings was written elsewhere.
                    of.setdefault(last if what == ALIAS else _last(last), []).append(written[-1])
                continue
            if pending:
                of[item] = pending
                pending = []
        if self.comments is not None:
            self.comments.of.update(of)
            self.comments.all += written
            self.pending = pending
        if document is not None:
            while distinct and stack:
                distinct = index is None or len(index) == len(items)
                _, items, index = stack.pop()
            document.distinct = distinct
        return document, number

    def go_on(self, items: list[Any], number: int, level: int, closed: int) -> int:
        """Give the last item the text that goes on here; the last line of it. Raises NoShapeError.

        items, level: of the innermost collection. closed: a line that it does not begin on, or before.
        """
        if not items:
            raise NoShapeError
        text, last = continued(self.lines, number, level >> 1, closed)
        items[-1].value = self.shapes.plain[text]
        return last


def _last(item: Any) -> Item:
    """The last item that begins on the line of an item whose value is a flow collection, or no collection."""
    value = item.value
    while (type(value) is Map or type(value) is Array) and value.items:
        item = value.items[-1]
        value = item.value
    found: Item = item
    return found
