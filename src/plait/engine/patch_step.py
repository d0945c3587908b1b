"""The `patch` step of a pipeline: applies operations and variables to selected documents."""

from __future__ import annotations

from plait.base.errors import PlaitError, UsageError
from plait.base.extensions import TAGS
from plait.engine.patch import Patch, configured
from plait.engine.pipeline_state import made_of, paths_of
from plait.engine.selecting import selected
from plait.ops.definitions import interpolate
from plait.ops.ignored import warn_of_placeholders
from plait.ops.job import patch as patched
from plait.ops.operation_files import expand, read_operations
from plait.ops.placeholders import marked
from plait.ops.reader import file_source
from plait.ops.tracing import finished
from plait.ops.variables import from_file
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.engine.pipeline import Pipeline, Step
    from plait.engine.pipeline_state import PipelineState
    from plait.tree.context import Context
    from plait.tree.nodes import Document


def patch(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Applies operations and variables to the selected documents."""
    request = step.request(Patch)
    job = configured(request, context)
    if TAGS in job.extensions:
        raise UsageError(
            "a pipeline cannot preserve tags",
            at=step.item.position,
            hint="plait patch and plait render can",
            code="unknown-setting",
        )
    for path in paths_of(step, pipeline, "ops"):
        for file in expand(path):
            source = file_source(file, "an ops file")
            job.operations += read_operations(source, extensions=job.extensions, warn=context.warn)

    def fits(document: Document) -> bool:
        try:
            patched(document.value, job.operations)
        except PlaitError:
            return False
        return True

    chosen = selected(step, state.documents, fits, context.trace)
    sources = job.sources
    for path in paths_of(step, pipeline, "vars-files"):
        sources.give("vars-file", from_file(path, context.warn, sources.places))
        if sources.traced is not None:
            sources.traced.file(path)
    own = step.map("vars")
    if own is not None:
        sources.give_map(own)
    out: list[Document] = []
    for document in state.documents:
        if document not in chosen:
            out.append(document)
            continue
        try:
            value = patched(document.value, job.operations, trace=context.trace)
            warn_of_placeholders(marked(value), sources, context.warn, value)
            value = interpolate(value, sources, expect_values=job.expect_values)
        except PlaitError as error:
            made_of(error, [document], context)
            raise error.within(f"on {document_name(document) or 'a document'}", document.position) from None
        new = document.with_value(value)
        if context.trace is not None:
            context.trace.copied(new, document)
            finished(context.trace, new, None)
        out.append(new)
    state.documents = out
