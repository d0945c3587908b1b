"""Writes documents of which most were written before."""

from __future__ import annotations

from plait.base.content import encoded
from plait.yaml.scalar_styles import FORMS
from plait.yaml.writer import SEPARATOR, output_room, write_pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from plait.tree.nodes import Document, DocumentSet
    from plait.yaml.scalar_styles import ScalarStyles

    class PrintedDocuments(Protocol):
        """Documents that were printed before."""

        def find(self, document: Document, /) -> PrintedDocument | None: ...

        def __setitem__(self, document: Document, printed: PrintedDocument, /) -> None: ...


class PrintedDocument:
    """The text of a document, and the number of characters that it takes of the limit on output."""

    __slots__ = ("_encoded", "size", "text")

    def __init__(self, text: str, size: int) -> None:
        self.text = text
        self.size = size
        self._encoded: bytes | None = None

    @property
    def encoded(self) -> bytes:
        """The text as UTF-8."""
        if self._encoded is None:
            self._encoded = encoded(self.text)
        return self._encoded


class ReusingWriter:
    """Writes documents as `write` does. Documents that were printed before are neither printed nor encoded again."""

    def __init__(self, known: PrintedDocuments, forms: ScalarStyles = FORMS) -> None:
        """known: the documents printed before; updated. forms: the scalar styles of strings; by default those of
        go-yaml.
        """
        self._known = known
        self._forms = forms

    def __call__(self, documents: DocumentSet) -> str:
        return SEPARATOR.join([one.text for one in self._printed(documents)])

    def content(self, documents: DocumentSet) -> bytes:
        """The text as UTF-8."""
        return SEPARATOR.encode().join([one.encoded for one in self._printed(documents)])

    def _printed(self, documents: DocumentSet) -> list[PrintedDocument]:
        found = []
        room = output_room()
        for document in documents.items:
            printed = self._known.find(document)
            if printed is None or printed.size > room:
                out: list[str] = []
                size = room - write_pieces(document.value, out, False, None, room, self._forms)
                printed = self._known[document] = PrintedDocument("".join(out), size)
            room -= printed.size
            found.append(printed)
        return found
