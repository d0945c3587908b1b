"""The input and the steps of one `layer` evaluation, shared by the command line, the API and provenance."""

from __future__ import annotations

from plait.base.errors import LayeringError, LimitError, UsageError, warning
from plait.base.events import current_listener
from plait.base.source import Source
from plait.layering.document import read_documents
from plait.layering.ignored import explain_misspelt, warn_of_ignored, warn_of_leaves
from plait.layering.plain_scalars import STRINGS, plain_values
from plait.layering.rendering import LayerGraph, LayeringOptions, plan, render_plan, written
from plait.layering.select import Selection, in_order
from plait.yaml.reader import read
from plait.yaml.reading_warnings import reading_warnings
from plait.yaml.repeats import deduplicate
from plait.yaml.scalars import has_typographic_quotes
from plait.yaml.writer import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import Warning
    from plait.layering.deckhand_differences import Comparison
    from plait.layering.document import LayeredDocument
    from plait.layering.known_documents import KnownDocuments
    from plait.tree.context import Context, FormatPreserver
    from plait.tree.nodes import DocumentSet
    from plait.yaml.reusing_writer import ReusingWriter

# Maximum nesting, more than Deckhand supports; code that walks data may recurse.
_DEPTH = 300


class LayerJob:
    """The options and inputs of one evaluation of `plait layer`.

    sources: the texts in order, or parsed documents.
    options: the options of rendering. selection: the documents to return.
    validate: check the structure of all documents first.
    validate_data: check the rendered data against its schemas.
    order: one of ORDERS. short: schema, name and data only.
    unwrap: unwrap documents managed by Pegleg.
    known: documents and results of earlier evaluations; None to read and render all.
    """

    __slots__ = ("known", "options", "order", "selection", "short", "sources", "unwrap", "validate", "validate_data")

    def __init__(
        self,
        sources: Iterable[Source | DocumentSet],
        options: LayeringOptions | None = None,
        *,
        selection: Selection | None = None,
        validate: bool = False,
        validate_data: bool = False,
        order: str = "dependency",
        short: bool = False,
        unwrap: bool = False,
        known: KnownDocuments | None = None,
    ) -> None:
        self.sources = sources
        self.options = LayeringOptions() if options is None else options
        self.selection = Selection() if selection is None else selection
        self.validate = validate
        self.validate_data = validate_data
        self.order = order
        self.short = short
        self.unwrap = unwrap
        self.known = known

    def plan(self, context: Context) -> LayerGraph:
        """Reads the documents and finds their dependencies. Raises ReadError, UsageError, LayeringError."""
        self._check_options()
        in_order([], self.order)  # an invalid order is reported before anything is read
        documents = read_documents(self._read(context))
        try:
            return plan(documents, self.options, context)
        except LayeringError as error:
            raise explain_misspelt(error, documents, context.warnings) from None

    def compare(self, context: Context) -> Comparison:
        """The values that Deckhand renders differently. Raises LimitError, and the errors of `plan`."""
        from plait.layering.deckhand_differences import compare

        self._check_options()
        try:
            return compare(self._read(context), self.options, context)
        except RecursionError:
            raise LimitError("rendered documents are nested too deeply") from None

    def _read(self, context: Context) -> Sequence[DocumentSet]:
        sets = [self._documents(one, context) if isinstance(one, Source) else one for one in self.sources]
        if self.validate or self.options.strict:
            from plait.layering.validation import check_documents

            check_documents(sets)
        return sets

    def _documents(self, source: Source, context: Context) -> DocumentSet:
        """Parses a text into documents. Raises ReadError."""
        key = source.name, source.text, self.unwrap
        found = None if self.known is None else self.known.text(key)
        if found is not None:
            return found
        warnings: list[Warning] = []
        written = _read(source)
        documents = deduplicate(written)
        if context.originals is not None:
            context.originals.add(documents, lambda source: deduplicate(_read(source)))

        def report(text: Warning) -> None:  # at once, because an error may follow
            warnings.append(text)
            context.warn(text)

        if documents is not written or has_typographic_quotes(source.text):
            for text in reading_warnings(source, written, several=True):
                report(text)
        if self.unwrap:
            from plait.layering.sites import unwrapped

            documents = unwrapped(documents, report)
        if self.known is not None and not warnings:  # each evaluation repeats warnings about its texts
            self.known.keep_text(key, documents)
        return documents

    def _check_options(self) -> None:
        if self.options.like_deckhand and self.options.relaxed:
            raise UsageError(
                "Deckhand has no relaxed choice of parents: use only one of the two options", code="flag-conflict"
            )

    def run(self, context: Context, planned: LayerGraph | None = None) -> DocumentSet:
        """The selected concrete documents. Raises LimitError, and the errors of `plan`."""
        try:
            return self._run(context, self.plan(context) if planned is None else planned)
        except RecursionError:
            # Substitution can insert deep data into deep data.
            raise LimitError("rendered documents are nested too deeply") from None

    def _run(self, context: Context, planned: LayerGraph) -> DocumentSet:
        known = self._known_results(context)
        try:
            rendered: Sequence[LayeredDocument] = render_plan(planned, self.options, context, known=known)
        except LayeringError as error:
            raise explain_misspelt(error, planned.documents, context.warnings) from None
        warn_of_ignored(planned.documents, context)
        if planned.policy.order:
            warn_of_leaves(planned.documents, planned.policy.order[-1], context)
        if self.validate_data:
            from plait.layering.dataschema import check_data

            check_data(rendered, planned.documents, counts=self.options.cleartext_secrets)
        if self.selection:
            chosen = [document for document in rendered if self.selection.takes(document)]
            if not chosen:
                reason = self.selection.reason(rendered, planned.documents)
                told = f"no document is selected: {reason}" if reason else "no document is selected"
                context.warn(warning(told, code="nothing-selected"))
            rendered = chosen
        rendered = in_order(rendered, self.order)
        cleartext = self.options.cleartext_secrets
        result = written(rendered, short=self.short, cleartext_secrets=cleartext)
        if context.trace is not None:
            from plait.layering.tracing import inherited

            inherited(context.trace, rendered, result, secret=planned.documents)
        return result

    def _known_results(self, context: Context) -> KnownDocuments | None:
        """The results of earlier evaluations; None if the steps of this one are recorded, or change data in place."""
        if self.options.like_deckhand or context.trace is not None or context.originals is not None:
            return None
        return self.known if current_listener() is None else None

    def reusing_writer(self, context: Context) -> ReusingWriter | None:
        """The writer that knows documents of earlier evaluations, or None."""
        known = self._known_results(context)
        return None if known is None else known.writer

    @staticmethod
    def text(documents: DocumentSet, originals: FormatPreserver | None = None) -> str:
        """The documents as text with the same meaning for Deckhand's YAML reader. originals: the originals of an
        evaluation that preserves formatting.
        """
        return write(documents, forms=STRINGS) if originals is None else originals.write(documents)


def _read(source: Source) -> DocumentSet:
    return read(source, keep_mark=False, plain=plain_values, depth=_DEPTH)
