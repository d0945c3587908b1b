"""Comments: their positions in a text, and the node that owns each (docs/reference/templates.md).

A parser's events do not include comments, but a `#` outside every scalar starts one. So the reader tracks scalars only
while there is a `#` ahead, and searches the text from the end of one scalar to the start of the next. A comment on a
block scalar's header line (`| # like this`) is inside the scalar's span, and has no owner; the same holds for a comment
on the line of a directive.

A comment on a line where nodes start belongs to the last of them; any other belongs to the first node of the next line
with one. A first document without `---` owns nothing, and neither do copies created by an alias or a merge. Comments
after the last node belong to the document set, unless a `...` precedes them.
"""

from __future__ import annotations

from plait.tree.nodes import Array, DocumentSet, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.tree.nodes import Document, Item, Node


class Comment:
    """One comment.

    text: after the `#`, as written. line: its line; column: that of the `#`, from 1. own_line: no node starts on its
    line, so it is above its node.
    """

    __slots__ = ("column", "line", "own_line", "text")

    def __init__(self, text: str, line: int, column: int, own_line: bool = True) -> None:
        self.text = text
        self.line = line
        self.column = column
        self.own_line = own_line

    def __repr__(self) -> str:
        return f"Comment({self.text!r}, {self.line}, {self.column}, {self.own_line})"


class Comments:
    """The comments of one text, by owner. Pass an empty one to `read`, which fills it.

    of: for each node its comments in order; those after the last node belong to the DocumentSet. all: every comment, in
    order. ignored: comments after the `...` that ends the last document, which have no effect.
    """

    __slots__ = ("all", "ignored", "of")

    def __init__(self) -> None:
        self.all: list[Comment] = []
        self.ignored: list[Comment] = []
        self.of: dict[Item | DocumentSet, list[Comment]] = {}

    @property
    def template(self) -> bool:
        """True if the text is a template: it has a comment that is neither plain nor starts with `#!`."""
        return any(comment.text[:1] == "@" for comment in self.all)

    def at(self, node: Item | DocumentSet) -> list[Comment]:
        """The comments that a node owns."""
        return self.of.get(node, [])


class CommentScan:
    """Finds comments between scalars, which are passed in the order of the text."""

    __slots__ = ("found", "next", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[tuple[int, str]] = []
        self.next = text.find("#")

    def pass_scalar(self, start: int, end: int) -> int:
        """Collects the comments before a scalar and skips the scalar. Returns the index of the next `#`, or -1."""
        self._take_until(start)
        if 0 <= self.next < end:
            self.next = self.text.find("#", end)
        return self.next

    def pass_directives(self, start: int, end: int) -> int:
        """Does the same for directive lines before a `---`. A directive line has no comments, but lines between
        directives may.
        """
        while start < end:
            line = self.text.find("\n", start, end)
            line = end if line < 0 else line + 1
            if self.text[start] == "%":
                self.pass_scalar(start, line)
            start = line
        return self.next

    def finish(self) -> list[tuple[int, str]]:
        """Collects the comments after the last scalar. Returns all comments as (index of the `#`, text)."""
        self._take_until(len(self.text))
        return self.found

    def _take_until(self, limit: int) -> None:
        while 0 <= self.next < limit:
            self._take(self.next)

    def _take(self, at: int) -> None:
        end = self._line_end(at)
        self.found.append((at, self.text[at + 1 : end]))
        self.next = self.text.find("#", end)

    def _line_end(self, at: int) -> int:
        text = self.text
        end = text.find("\n", at)
        if end < 0:
            end = len(text)
        line = text[at:end]
        for other in "\r\x85\u2028\u2029":
            cut = line.find(other)
            if cut >= 0:
                line = line[:cut]
        return at + len(line)


def assign(comments: Comments, tree: DocumentSet, copies: set[Node], bare: Document | None) -> None:
    """Assigns each comment of `comments.all` to its node.

    copies: collections created by an alias and items created by a merge. bare: the first document, if it has no `---`.
    """
    of = comments.of
    pending = iter(comments.all)
    comment = next(pending, None)
    if comment is None:
        return
    first: Item | None = None
    last: Item | None = None
    for item in _originals(tree, copies):
        if item is bare:
            continue
        if first is None or item.line != first.line:
            # All nodes of the line of `first` and `last` are known now.
            while comment is not None and first is not None and last is not None and comment.line <= first.line:
                _attach(of, comment, first, last)
                comment = next(pending, None)
            if comment is None:
                return
            first = item
        last = item
    while comment is not None and first is not None and last is not None and comment.line <= first.line:
        _attach(of, comment, first, last)
        comment = next(pending, None)
    if comment is not None:
        of[tree] = [comment, *pending]


def _attach(of: dict[Item | DocumentSet, list[Comment]], comment: Comment, first: Item, last: Item) -> None:
    comment.own_line = comment.line < first.line
    owner = first if comment.own_line else last
    if owner in of:
        of[owner].append(comment)
    else:
        of[owner] = [comment]


def _originals(tree: DocumentSet, copies: set[Node]) -> Iterator[Item]:
    """Every item that is not a copy, parents before children."""
    pending: list[Iterator[Item]] = [iter(tree.items)]
    while pending:
        item = next(pending[-1], None)
        if item is None:
            pending.pop()
        elif item not in copies:
            yield item
            value = item.value
            if (type(value) is Map or type(value) is Array) and value not in copies:
                pending.append(iter(value.items))
