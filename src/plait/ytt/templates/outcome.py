"""The result of evaluating a file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.tree.nodes import DocumentSet


class TemplateResult:
    """The result of a run: the names it defines, and its documents (YAML) or its text."""

    __slots__ = ("documents", "exports", "text")

    def __init__(self, exports: Mapping[str, object], documents: DocumentSet | None = None, text: str = "") -> None:
        self.exports = exports
        self.documents = documents
        self.text = text
