"""The phases of a render, in order: schema, data values, templates, overlays (docs/guide-render.md), merges."""

from __future__ import annotations

from plait.base.errors import PlaitError, UsageError, warning
from plait.base.events import current_listener
from plait.base.extensions import SECRETS, TAGS, VALUES_REFER
from plait.base.source import Advice, Flag
from plait.tree.annotations import placing
from plait.tree.context import Context
from plait.tree.nodes import Array, DocumentSet, Map
from plait.ytt.workspace.execution import Execution, is_dropped
from plait.ytt.workspace.input_files import YAML
from plait.ytt.workspace.render_job import INSPECT_JSON_SCHEMA, INSPECT_SCHEMA, INSPECT_VALUES, RenderJob, RenderResult
from plait.ytt.workspace.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.base.errors import Warn
    from plait.tree.nodes import Document
    from plait.tree.provenance import Origin
    from plait.ytt.schema.types import Declaration
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.render_job import ReferencedValues
    from plait.ytt.workspace.shared_files import SharedFiles


def run(
    job: RenderJob,
    context: Context | None = None,
    given: Mapping[InputFile, DocumentSet] | None = None,
    shared: SharedFiles | None = None,
) -> RenderResult:
    """Runs all phases of a job. given: plain files with parsed documents. shared: the store of its files, if several
    runs share them.

    Raises PlaitError.
    """
    if has_secrets(job):
        from plait.ytt.workspace.silence import run_with_secrets

        return run_with_secrets(job, context, lambda context: _with_listener(job, Session(context, shared), given))
    return _with_listener(job, Session(context, shared), given)


def has_secrets(job: RenderJob) -> bool:
    """True if a job has secret data values, or may have a schema that declares secrets."""
    return any(one.secret for one in job.values) or (
        SECRETS in job.options.extensions
        and any("@schema/secret" in file.text() for file in job.files if file.type == YAML)
    )


def _with_listener(job: RenderJob, session: Session, given: Mapping[InputFile, DocumentSet] | None) -> RenderResult:
    if given is not None:
        session.give(given)
    try:
        result = _run(job, session)
        result.has_tags = TAGS in job.options.extensions
        return result
    finally:
        if (listener := current_listener()) is not None:
            from plait.ytt.workspace.unreached_inputs import report_unused

            report_unused(listener, job.files)
        session.end()


def _run(job: RenderJob, session: Session) -> RenderResult:
    session.context.extensions = job.options.extensions
    if TAGS in job.options.extensions and session.context.originals is not None:
        raise UsageError(
            "a text whose format is kept has its tags",
            hint=Advice("leave out ", Flag("with", TAGS)),
            code="keep-format",
        )
    execution = Execution(session, job.library, job.options)
    schema, library_schemas = execution.schema(())
    if job.after_schema is not None:
        job.after_schema()
    if job.options.inspect in (INSPECT_SCHEMA, INSPECT_JSON_SCHEMA):
        return _described(job, session, execution, schema)
    values, library_values = execution.values(_external_values(job, schema), schema)
    if job.options.inspect == INSPECT_VALUES:
        return RenderResult(documents=DocumentSet([] if is_dropped(values) else [values]))
    session.context.total = len(job.files)
    evaluated = execution.evaluate(values, library_values, library_schemas, printed=True)
    for one in session.of_results:
        session.context.warn(one, of=())
    has_values = type(values.value) is Map and values.value.items
    is_empty = not evaluated.files and not evaluated.texts
    resources = [one for file in evaluated.files for one in file.documents.items if _is_unusual(one)]
    if has_values or is_empty or resources:
        from plait.ytt.workspace import mistakes

        if resources:
            mistakes.misspelt_keys(resources, _warner(session.context, resources))
        if has_values:
            mistakes.values_as_documents(job.files, evaluated.files, values, session.context)
            mistakes.helm_values(job.files, values.value, session.context)
            if schema is None and execution.outside is None and job.values:
                mistakes.values_without_template(job, session.context)
        if is_empty:
            mistakes.data_without_output(job.files, session.context)
    if job.merged is not None:
        evaluated.files = job.merged(evaluated.files, session.context)
    session.context.begin("writing")
    trace = session.context.trace
    if trace is not None:
        from plait.ytt.templates.traced_text import lines_of

        trace.texts = {file.path: lines_of(trace, file.text) for file in evaluated.texts}
    files = evaluated.files
    result = RenderResult(files, evaluated.texts, originals=session.context.originals)
    documents = result.documents.items
    if job.options.output_schemas:
        from plait.ytt.json_schema.output import check_output

        check_output(documents, job.options.output_schemas, _warner(session.context, documents))
    if job.options.output_by is not None or any(placing(document.annotations) for document in result.documents.items):
        from plait.ytt.workspace.outputs import written

        try:
            warn = _warner(session.context, documents)
            result.files = written(files, evaluated.texts, job.options, session.context, warn)
        except PlaitError as error:
            # Paths can contain any value.
            error.origins = (
                error.origins
                if error.origins is not None
                else (*documents, *(one.value for one in documents if type(one.value) in (Map, Array)))
            )
            raise
    return result


def _described(job: RenderJob, session: Session, execution: Execution, schema: Declaration | None) -> RenderResult:
    """The schema of data values, as a document."""
    if execution.outside is not None:
        from plait.ytt.json_schema.export import described

        as_json = job.options.inspect == INSPECT_JSON_SCHEMA
        document, notes = described(execution.outside, as_json=as_json)
        for note in notes:
            session.context.warn(note, of=())
        return RenderResult(documents=DocumentSet([document]), is_schema=True)
    from plait.ytt.schema.openapi import openapi
    from plait.ytt.schema.types import ANY

    if schema is None:
        message = "the inputs declare no schema of data values; #@data/values-schema above --- is one"
        session.context.warn_openly(warning(message, code="no-values-schema"))
    if schema is not None and VALUES_REFER in job.options.extensions:
        from plait.ytt.schema.deferred_defaults import compute_defaults

        compute_defaults(schema)
    describe = openapi
    if job.options.inspect == INSPECT_JSON_SCHEMA:
        from plait.ytt.schema.json_schema import json_schema as describe
    return RenderResult(documents=DocumentSet([describe(schema or ANY)]), is_schema=True)


def _is_unusual(document: Document) -> bool:
    """True if a document has metadata with a key that few resources have."""
    metadata = document.value.find("metadata") if type(document.value) is Map else None
    return (
        metadata is not None
        and type(metadata.value) is Map
        and any(one.key not in ("name", "namespace", "labels", "annotations") for one in metadata.value.items)
    )


def _warner(context: Context, documents: Sequence[Document]) -> Warn:
    """The receiver of warnings that name the kinds of documents."""
    if context.secrets is None:
        return context.warn
    found = [one.value.find(key) for one in documents if type(one.value) is Map for key in ("kind", "apiVersion")]
    of: list[Origin] = [*documents, *(item for item in found if item is not None)]
    return lambda text: context.warn(text, of=of)


def _external_values(job: RenderJob, schema: Declaration | None) -> Sequence[ReferencedValues]:
    """The data values from outside, the lowest precedence first. Raises PlaitError."""
    if job.environment is None:
        return job.values
    return job.environment(job.values, schema, job.options.strict)


def exports(job: RenderJob, file: InputFile, context: Context | None = None) -> Mapping[str, object]:
    """The names that a library file of a job defines, evaluated with the data values, as for a template that loads it.

    Raises PlaitError.
    """
    session = Session(context)
    session.context.extensions = job.options.extensions
    execution = Execution(session, job.library, job.options)
    schema, _ = execution.schema(())
    values, library_values = execution.values(_external_values(job, schema), schema)
    member = next(one for one in job.library.accessible_files() if one.file is file)
    return execution.exports(member, values, library_values)
