"""Plain documents that are laid over the output: `--merge`, after the overlays."""

from __future__ import annotations

from plait.nodes import DocumentSet
from plait.workspace.files import YAML
from plait.workspace.job import DocumentFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plait.context import Context
    from plait.nodes import Document
    from plait.overlay.item_keys import Rules
    from plait.workspace.files import InputFile


class Merges:
    """Documents that are merged into the output, in order. rules: what tells the items of their arrays apart."""

    __slots__ = ("documents", "rules")

    def __init__(self, documents: Sequence[Document], rules: Rules) -> None:
        self.documents = documents
        self.rules = rules

    def merged(self, files: Sequence[DocumentFile], context: Context) -> list[DocumentFile]:
        """The files of the output with the documents merged in. Raises OverlayError."""
        if not self.documents:
            return [*files]
        from plait.overlay.merge import merge_documents

        trace = context.trace
        if trace is not None:
            trace.stage("overlays", [document for file in files for document in file.documents.items])
        sets: list[DocumentSet] = [file.documents for file in files]
        sets = merge_documents(sets, self.documents, self.rules, trace=trace, warn=context.warn)
        return [DocumentFile(file.path, file.order, documents) for file, documents in zip(files, sets, strict=True)]


def documents_of(
    files: Iterable[InputFile], *, strict: bool = False, warn: Callable[[str], None] | None = None
) -> list[Document]:
    """The documents of plain YAML files that are merged; of a directory the files that are YAML by their names.

    warn: gets what looks like a mistake. Raises ReadError, for an annotation as well.
    """
    from plait.workspace.values_flags import plain_documents

    found: list[Document] = []
    for file in files:
        if not file.in_directory or file.type == YAML:
            found += plain_documents(file, file.source, "merge", strict=strict, warn=warn)
    return found
