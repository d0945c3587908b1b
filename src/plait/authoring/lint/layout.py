"""Finds the nodes of a YAML file in its text, and the edits that remove them."""

from __future__ import annotations

from bisect import bisect_left

from plait.authoring.lint.finding import LintFinding
from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.base.text_edits import Edit
from plait.tree.nodes import Document, MapItem, walk
from plait.yaml.comments import Comments
from plait.yaml.lossless.binding import Spans, scanned
from plait.yaml.lossless.edits import removal
from plait.yaml.lossless.nodes import line_starts
from plait.yaml.reader import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.authoring.lint.finding import RelatedSpan
    from plait.tree.nodes import DocumentSet, Item
    from plait.yaml.comments import Comment
    from plait.yaml.lossless.nodes import Tree


class LintedFile:
    """A YAML file with its spans and comments."""

    __slots__ = (
        "_above",
        "_at",
        "_items",
        "_lines",
        "_spans",
        "_tree",
        "comments",
        "documents",
        "path",
        "source",
        "starts",
        "text",
    )

    def __init__(self, path: str, text: str, documents: DocumentSet, comments: Comments) -> None:
        self.path = path
        self.text = text
        self.documents = documents
        self.comments = comments
        self._spans: Spans | None = None
        self._tree: Tree | None = None
        self._items: list[Item] | None = None
        self._at: dict[int, list[Item]] = {}
        self._above: dict[Item, Item] = {}
        self._lines: dict[Item, frozenset[int]] = {}
        self.starts = line_starts(text)

    @classmethod
    def of(cls, path: str, text: str) -> LintedFile | None:
        """The layout of a text; None if it cannot be read."""
        comments = Comments()
        try:
            documents = read(Source(path, text), comments=comments, merge_lists=False)
        except PlaitError:  # not YAML, or a file that the run reads as text
            return None
        return cls(path, text, documents, comments)

    @property
    def items(self) -> Sequence[Item]:
        """Every item, parents before children."""
        if self._items is None:
            self._items = list(walk(self.documents))
            for item in self._items:
                self._at.setdefault(item.line, []).append(item)
                for inner in getattr(item.value, "items", ()):
                    self._above[inner] = item
        return self._items

    @property
    def tree(self) -> Tree:
        """The tree of the text."""
        if self._tree is None:
            self._tree = scanned(self.text)
        return self._tree

    @property
    def spans(self) -> Spans:
        """The spans of the items in the text."""
        if self._spans is None:
            self._spans = Spans(self.documents, self.tree)
        return self._spans

    def at(self, line: int) -> Sequence[Item]:
        """The items that start on a line, parents before children."""
        return self._at.get(line, ()) if self.items else ()

    def parent(self, item: Item) -> Item | None:
        """The item that contains another one, or None."""
        return self._above.get(item) if self.items else None

    def document_of(self, item: Item) -> Document | None:
        """The document that contains an item."""
        while type(item) is not Document:
            above = self.parent(item)
            if above is None:
                return None
            item = above
        return item

    def lines(self, item: Item) -> frozenset[int]:
        """The first lines of an item and its descendants."""
        found = self._lines.get(item)
        if found is None:
            found = self._lines[item] = frozenset((item.line, *(inner.line for inner in walk(item.value))))
        return found

    def comments_of(self, item: Item) -> Sequence[Comment]:
        """The comments that belong to an item."""
        return self.comments.of.get(item, ())

    def start(self, line: int) -> int:
        """The index of the first character of a line."""
        return self.starts[line - 1] if line <= len(self.starts) else len(self.text)

    def line_of(self, index: int) -> int:
        """The line of a character."""
        return bisect_left(self.starts, index + 1)

    def line(self, number: int) -> str:
        """The text of a line."""
        return self.text[self.start(number) : self.start(number + 1)].rstrip("\r\n")

    def column(self, item: Item) -> tuple[int, int]:
        """The start and end column of an item's name on its line: its key, its value, or its dash."""
        span = self.spans.key(item) if type(item) is MapItem else None
        span = span or self.spans.item(item)
        if span is None:
            text = self.line(item.line)
            return len(text) - len(text.lstrip()) + 1, max(len(text.rstrip()), 1) + 1
        line, column = self.spans.place(span.start)
        end = min(span.end, self.start(line + 1))
        return column, column + max(len(self.text[span.start : end].rstrip()), 1)

    def finding(
        self,
        code: str,
        item: Item,
        message: str,
        *,
        hint: str,
        removes: Sequence[Edit],
        also: Iterable[RelatedSpan] = (),
    ) -> LintFinding:
        """A finding at the name of an item."""
        column, end = self.column(item)
        return LintFinding(
            code, self.path, item.line, message, column=column, end=end, hint=hint, also=also, removes=removes
        )

    def has_code(self, item: Item) -> bool:
        """True if the lines of an item contain code, so that its contents are computed."""
        first, last = self._range(item)
        return any(
            comment.text.startswith("@ ") and comment.own_line and first <= comment.line <= last
            for comment in self.comments.all
        )

    def removal(self, item: Item) -> list[Edit] | None:
        """The edits that remove an item with its comments and annotations, or None if it cannot be removed alone."""
        if type(item) is Document:
            first, last = self._range(item)
            edits = [Edit(self.start(first), self.start(last + 1), "")]
        else:
            node, above = self.spans.nodes.get(item), self.parent(item)
            around = None if above is None else self.spans.collection(above)
            found = None if node is None or around is None else removal(self.spans.tree, around, node)
            if found is None:
                return None
            edits = found
        return [
            *(one._replace(path=self.path) for one in edits),
            *(
                Edit(self.start(comment.line), self.start(comment.line + 1), "", self.path)
                for comment in self.comments_of(item)
                if comment.own_line and comment.text.startswith("@") and not comment.text.startswith("@ ")
            ),
        ]

    def removal_of_all(self, item: Item) -> list[Edit] | None:
        """The edits that remove an item, and ancestors that would become empty, or None."""
        up = self.parent(item)
        while up is not None and type(up) is not Document and len(getattr(up.value, "items", ())) == 1:
            item, up = up, self.parent(up)
        return self.removal(item)

    def _range(self, item: Item) -> tuple[int, int]:
        """The first and the last line of an item, without the comments above it."""
        span = self.spans.item(item)
        if span is None:
            return item.line, item.line
        end = span.end
        while end > span.start and self.text[end - 1] in " \t\r\n":
            end -= 1
        return self.line_of(span.start), self.line_of(max(end - 1, span.start))
