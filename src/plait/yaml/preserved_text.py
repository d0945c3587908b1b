"""Prints documents in their original formatting (`--keep-format`).

The text of a document extends from its `---` to the next one. If its value is unchanged, it is printed unchanged.
Otherwise as few lines as possible are changed (see `plait.yaml.format_preserving`), and the result is parsed again. If
that gives another value, or if the document has no text, it is printed normally.
"""

from __future__ import annotations

import re

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.tree.equality import alike
from plait.tree.nodes import DocumentSet
from plait.yaml.format_preserving import keep_format
from plait.yaml.scalar_styles import FORMS
from plait.yaml.writer import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plait.tree.nodes import Document, Value
    from plait.yaml.scalar_styles import ScalarStyles

    # Reads the documents of a text, as a dialect does.
    Read = Callable[[Source], DocumentSet]

_MARK = "\ufeff"
# Line breaks of YAML 1.1 that do not end a line here.
_OTHER_BREAKS = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_BEGINNING = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*(?:---(?=\s)|---\Z|%)")
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)


class PreservedText:
    """The documents of a text, and their spans in it.

    values: the values of the documents; None for an empty one. read: reads a text in the same way.
    """

    __slots__ = ("has_directives", "read", "spans", "text", "values")

    def __init__(self, text: str, documents: Sequence[Document], read: Read) -> None:
        self.text = text
        self.read = read
        self.values: list[Value] = [document.value for document in documents]
        self.has_directives = _DIRECTIVE.search(text) is not None
        begins = [0]
        line, at = 1, 0
        for document in documents[1:]:
            for _ in range(document.line - line):
                at = text.index("\n", at) + 1
            line = document.line
            begins.append(at)
        self.spans = list(zip(begins, [*begins[1:], len(text)], strict=True))

    def chunk(self, index: int) -> str:
        """The text of a document."""
        start, end = self.spans[index]
        return self.text[start:end]

    def with_values(self, expected: Mapping[int, Value], forms: ScalarStyles) -> str | None:
        """The text with exactly these documents, by index. Returns None if that is impossible."""
        changed = {
            place
            for place, value in enumerate(self.values)
            if value is not None and (place not in expected or not alike(value, expected[place]))
        }
        if not changed:
            return self.text.removeprefix(_MARK)
        if self.has_directives:
            return None
        pieces: list[str] = []
        for place, value in enumerate(self.values):
            chunk = self.chunk(place)
            if place not in changed:
                pieces.append(chunk)
            elif place in expected:
                pieces.append(keep_format(Source("", chunk), value, expected[place], self.read_first, forms))
        text = joined(pieces)
        return text if self.reads_as(text, [*expected.values()]) else None

    def read_first(self, source: Source) -> Value:
        return self.read(source).items[0].value

    def reads_as(self, text: str, values: Sequence[Value]) -> bool:
        """True if parsing a text returns documents with these values."""
        try:
            found = [document.value for document in self.read(Source("", text)).items if document.value is not None]
        except PlaitError:
            return False
        values = [value for value in values if value is not None]
        return len(found) == len(values) and all(map(alike, found, values))


class PreservedTexts:
    """Source texts, and the printed forms of their values. forms: styles of new strings."""

    __slots__ = ("_forms", "_known", "_places")

    def __init__(self, forms: ScalarStyles = FORMS) -> None:
        self._forms = forms
        self._known: dict[Source, PreservedText] = {}
        self._places: dict[tuple[Source, int], int] = {}

    def add(self, documents: DocumentSet, read: Read) -> None:
        """Adds the documents of a text. read: reads a text in the same way."""
        source = documents.source
        if source is None or source in self._known or _OTHER_BREAKS.search(source.text):
            return
        places = {(source, document.line): place for place, document in enumerate(documents.items)}
        if len(places) < len(documents.items) or any(document.source is not source for document in documents.items):
            return
        self._known[source] = PreservedText(source.text, documents.items, read)
        self._places |= places

    def write(self, documents: DocumentSet) -> str:
        """The documents as one text, `---` between them."""
        pieces: list[str] = []
        items = documents.items
        at = 0
        while at < len(items):
            end = self._run_end(items, at)
            text = self._run_text(items[at:end])
            if end < len(items) and not text.endswith("\n"):
                text = self._ended(items[at:end], text)
            pieces.append(text)
            at = end
        return joined(pieces)

    def _run_end(self, items: Sequence[Document], at: int) -> int:
        """The end of a run of documents that are consecutive in one text."""
        source, before = items[at].source, self._place(items[at])
        end = at + 1
        while before is not None and end < len(items) and items[end].source is source:
            place = self._place(items[end])
            if place is None or place <= before:
                break
            before = place
            end += 1
        return end

    def _place(self, document: Document) -> int | None:
        return None if document.source is None else self._places.get((document.source, document.line))

    def _run_text(self, run: Sequence[Document]) -> str:
        """The text of a run: documents from one text in its order, or one document without a text."""
        source = run[0].source
        text = None
        if source in self._known:
            wanted = {place: one.value for one in run if (place := self._place(one)) is not None}
            text = self._known[source].with_values(wanted, self._forms) if len(wanted) == len(run) else None
        return write(DocumentSet([*run]), forms=self._forms) if text is None else text

    def _ended(self, run: Sequence[Document], text: str) -> str:
        """The text of a run with a final line break, unless a block scalar at its end would contain it."""
        source = run[-1].source
        ended = text + "\n"
        if source is None or self._known[source].reads_as(ended, [document.value for document in run]):
            return ended
        last = write(DocumentSet([run[-1]]), forms=self._forms)
        return joined([self._run_text(run[:-1]), last]) if len(run) > 1 else last


def joined(pieces: Sequence[str]) -> str:
    """Joins the texts of documents with `---`."""
    out: list[str] = []
    for piece in pieces:
        if out:
            if not out[-1].endswith("\n"):
                out.append("\n")
            piece = piece.lstrip("\r\n")  # a preceding block scalar could include blank lines
            beginning = _BEGINNING.match(piece)
            if beginning is None:
                out.append("---\n")
            elif beginning[0].endswith("%"):
                out.append("...\n")
        if piece:
            out.append(piece)
    return "".join(out)
