"""Plain documents that are merged into the output after the overlays: `--merge`."""

from __future__ import annotations

from plait.tree.nodes import DocumentSet
from plait.ytt.json_schema.item_rules import rules_of
from plait.ytt.json_schema.watched import watched_catalogue
from plait.ytt.overlay.item_keys import Rules, declared
from plait.ytt.overlay.kubernetes import rule_of_kubernetes
from plait.ytt.overlay.merge import merge_documents
from plait.ytt.workspace.input_files import YAML
from plait.ytt.workspace.render_job import DocumentFile
from plait.ytt.workspace.values_flags import plain_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import Warn
    from plait.tree.context import Context
    from plait.tree.nodes import Document
    from plait.ytt.workspace.input_files import InputFile


class Merges:
    """The documents to merge into the output, in order, and the sources of merge keys."""

    __slots__ = ("_declared", "_documents", "_schemas")

    def __init__(self, documents: Sequence[Document], keys: Iterable[str], schemas: Sequence[str]) -> None:
        """keys: the values of `--merge-key`. schemas: paths of resource schemas. Raises UsageError for an invalid key."""
        self._documents = documents
        self._declared = [declared(text) for text in keys]
        self._schemas = schemas

    def merged(self, files: Sequence[DocumentFile], context: Context) -> list[DocumentFile]:
        """The output files with the documents merged in. Raises PlaitError."""
        if not self._schemas:
            return self._merged(files, context, Rules([*self._declared, rule_of_kubernetes]))

        with watched_catalogue(self._schemas) as catalogue:
            return self._merged(files, context, Rules([*self._declared, rules_of(catalogue), rule_of_kubernetes]))

    def _merged(self, files: Sequence[DocumentFile], context: Context, rules: Rules) -> list[DocumentFile]:
        if not self._documents:
            return [*files]

        trace = context.trace
        if trace is not None:
            trace.stage("overlays", [document for file in files for document in file.documents.items])
        sets: list[DocumentSet] = [file.documents for file in files]
        sets = merge_documents(sets, self._documents, rules, trace=trace, warn=context.warn)
        return [DocumentFile(file.path, file.order, documents) for file, documents in zip(files, sets, strict=True)]


def documents_of(files: Iterable[InputFile], *, strict: bool = False, warn: Warn | None = None) -> list[Document]:
    """The documents of plain YAML files to merge. In a directory, only files with YAML names count.

    warn: receives likely mistakes. Raises ReadError, also for an annotation.
    """
    found: list[Document] = []
    for file in files:
        if not file.in_directory or file.type == YAML:
            found += plain_documents(file, file.source, "merge", strict=strict, warn=warn)
    return found
