"""The fast path of reading YAML: line by line. Optional, because the parser can read every text (see
`plait.base.fast_paths`).

Nearly all lines of configuration are `key: value`, `key:`, `- value` or `- key: value`, and lines repeat: reading them
by their shape (see `shapes`) takes a third of the parser's time. If a line of a document has no shape, or does not fit
below the previous line, the parser reads the whole document. Therefore only the parser reports errors.

`read_lines` returns the tree of a text, or None; `document` reads one document.
"""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.tree.nodes import Document, DocumentSet
from plait.yaml.lines.document import DocumentReading
from plait.yaml.lines.shapes import NoShapeError, Shapes, is_start
from plait.yaml.scalars import plain_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.yaml.anchors import AnchorTable
    from plait.yaml.comments import Comment, Comments
    from plait.yaml.scalars import ReaderSettings

# If the parser has read this many more lines than the fast path, it reads the rest of the text at once.
_PATIENCE = 1_000
_SHAPES = Shapes(plain_values)


def read_lines(text: str, settings: ReaderSettings) -> DocumentSet | None:
    """The documents of a text; None if the parser has to read it from the start."""
    if settings.strict or settings.text_keys or not _is_regular(text):
        return None
    comments = settings.comments
    reading = TextReading(text, settings, None if comments is None else type(comments)())
    try:
        tree = reading.read()
    except PlaitError:
        # The parser reports the error, once it has read everything before it.
        return None
    if tree is not None:
        if comments is not None and reading.comments is not None:
            comments.all += reading.comments.all
            comments.of.update(reading.comments.of)
        if reading.referred is not None:
            reading.referred.override(settings.explicit_keys_win, comments)
    return tree


def _is_regular(text: str) -> bool:
    """True if a text can be read line by line: no directives, no document ends, and no breaks but line feeds."""
    return not (
        "\r" in text
        or "\n%" in text
        or "\n..." in text
        or text[:1] == "%"
        or text[:3] == "..."
        or (not text.isascii() and any(mark in text for mark in "\ufeff\x85\u2028\u2029"))
    )


class TextReading:
    """The state that the documents of one text share.

    lines: by number, plus a document start after the last one. pending: comments for the next node. referred: the
    anchors, on demand.
    """

    __slots__ = ("comments", "depth", "lines", "pending", "referred", "settings", "shapes", "source", "tree")

    def __init__(self, text: str, settings: ReaderSettings, comments: Comments | None) -> None:
        self.settings = settings
        self.source = source = settings.source
        self.shapes = _SHAPES if settings.plain is plain_values else Shapes(settings.plain)
        self.comments = comments
        self.depth = settings.depth
        self.tree = DocumentSet([], source, source.first_line)
        self.lines = [""] * source.first_line
        self.lines += text.split("\n")
        self.lines.append("---")
        self.pending: list[Comment] = []
        self.referred: AnchorTable | None = None

    def references(self) -> AnchorTable:
        """The anchors of the text, created on first use."""
        if self.referred is None:
            from plait.yaml.anchors import AnchorTable

            self.referred = AnchorTable(self.source)
        return self.referred

    def start_document(self) -> set[int]:
        """Forgets the anchors of the previous document. Returns the set of incomplete collections with anchors."""
        if self.referred is None:
            return set()
        self.referred.start_document()
        return self.referred.unfinished

    def read(self) -> DocumentSet | None:
        """Reads the documents. Returns None if only the first one is requested and there are several. Raises
        PlaitError.
        """
        documents = self.tree.items
        lines = self.lines
        at, end = self.source.first_line, len(lines) - 1
        left = -_PATIENCE
        while at < end:
            try:
                after = self.document(at)
                left -= after - at
            except NoShapeError:
                # Text before the first `---` may not be a document: it belongs to the one after it.
                after = self.next_start(at if is_start(lines[at]) else self.next_start(at))
                left += after - at
                if left > 0:
                    after = end
                self.leave(at, after)
            at = after
            if self.settings.first and documents and at < end:
                return None
        if not documents:
            documents.append(Document(None, self.source, self.source.first_line))
        if self.pending and self.comments is not None:
            self.comments.of[self.tree] = self.pending
        return self.tree

    def document(self, at: int) -> int:
        """Reads the document that begins on a line, if there is one. Returns the line of the next. Raises NoShapeError."""
        reading = DocumentReading(self)
        after = reading.read(at)
        self.pending = reading.pending
        if self.comments is not None:
            self.comments.of.update(reading.of)
            self.comments.all += reading.written
        if reading.document is not None:
            self.tree.items.append(reading.document)
        return after

    def next_start(self, at: int) -> int:
        """The next line on which a document starts, or the end."""
        end = len(self.lines) - 1
        at += 1
        while at < end and not is_start(self.lines[at]):
            at += 1
        return min(at, end)

    def leave(self, at: int, after: int) -> None:
        """Leaves some lines to the parser, which reads their documents."""
        from plait.yaml.events import read_part

        part = self.lines[at:after]
        text = "\n".join(part) if after == len(self.lines) - 1 else "\n".join(part) + "\n"
        comments = self.comments
        own = None if comments is None else type(comments)()
        tree = read_part(text, at, self.settings, own, self.references())
        if comments is not None and own is not None:
            if self.pending:
                # The part begins with the `---` below these comments.
                own.of[tree.items[0]] = self.pending + own.of.get(tree.items[0], [])
            self.pending = own.of.pop(tree, [])
            comments.of.update(own.of)
            comments.all += own.all
        self.tree.items += tree.items
