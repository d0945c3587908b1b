"""Layered documents and their rendered data, for evaluations that use the same ones.

A text with the same name and content has the same documents. A document is rendered in the same way while its parent
and its substitution sources have the same data. Nodes are the same if they are one object, because nodes are never
changed.
"""

from __future__ import annotations

from plait.base.limits import current_budget
from plait.base.recent import Count, Recent
from plait.layering.plain_scalars import STRINGS
from plait.yaml.reusing_writer import ReusingWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.nodes import Document, DocumentSet, Value
    from plait.yaml.reusing_writer import PrintedDocument

# Maximum number of texts, and of new results between two generations.
_MOST = 4096


class RenderedDocument:
    """The result for a document with certain inputs. It caused no warning.

    nodes: the limit on nodes within which it was rendered. has_effect: True if all of the document has an effect; False
    if that is unknown. output: whether it is in the short form, whether its data is hidden, and the document that is
    printed.
    """

    __slots__ = ("data", "has_effect", "inputs", "is_secret", "nodes", "output")

    def __init__(self, inputs: Sequence[object], data: Value, *, is_secret: bool) -> None:
        self.inputs = inputs
        self.data = data
        self.is_secret = is_secret
        self.nodes = current_budget().node_limit()
        self.has_effect = False
        self.output: tuple[tuple[bool, bool], Document] | None = None


class KnownDocuments:
    """The texts and results of earlier evaluations.

    Several threads may use it, because every entry is replaced as a whole. writer: prints documents that one of the
    last two evaluations printed. count: the number of rendered documents.
    """

    __slots__ = ("_new", "_printed", "_rendered", "_texts", "count", "writer")

    def __init__(self) -> None:
        self._new = 0
        self._texts: dict[object, DocumentSet] = {}
        self._rendered: Recent[Document, RenderedDocument] = Recent()
        self._printed: Recent[Document, PrintedDocument] = Recent()
        self.writer = ReusingWriter(self._printed, STRINGS)
        self.count = Count()

    def begin(self) -> None:
        """Begins an evaluation. Drops what earlier ones did not use recently."""
        if self._new > _MOST:
            self._new = 0
            self._rendered.end_generation()
        self._printed.end_generation()

    def text(self, key: object) -> DocumentSet | None:
        """The documents of a text, or None. key: their dependencies."""
        return self._texts.get(key)

    def keep_text(self, key: object, documents: DocumentSet) -> None:
        """Keeps the documents of a text that caused no warning."""
        if len(self._texts) >= _MOST:
            self._texts.clear()
        self._texts[key] = documents

    def rendered(self, document: Document, inputs: Sequence[object]) -> RenderedDocument | None:
        """The result for a document with the same inputs, or None."""
        found = self._rendered.find(document)
        if found is None or len(found.inputs) != len(inputs) or found.nodes > current_budget().node_limit():
            return None
        if not all(one is other for one, other in zip(found.inputs, inputs, strict=True)):
            return None
        self.count.reused += 1
        return found

    def keep_rendered(
        self, document: Document, inputs: Sequence[object], data: Value, *, is_secret: bool
    ) -> RenderedDocument:
        """Keeps the result for a document that caused no warning."""
        self._new += 1
        self.count.new += 1
        found = self._rendered[document] = RenderedDocument(inputs, data, is_secret=is_secret)
        return found
