"""The evaluation of a `plait render` request. See docs/guide-render.md."""

from __future__ import annotations

import os

from plait.base.content import variable, variables
from plait.base.errors import UsageError
from plait.base.extensions import parse_extensions
from plait.base.source import Source
from plait.engine.common import keep_limits, keep_originals, output_by_of, secrets_of
from plait.engine.options import (
    located,
)
from plait.engine.render import Render, inputs_of, read_inputs
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map
from plait.yaml.output_formats import JSON_SCHEMA, OPENAPI, choose_formats
from plait.ytt.workspace.library import in_sequence, outline
from plait.ytt.workspace.phases import run
from plait.ytt.workspace.render_job import (
    INSPECT_JSON_SCHEMA,
    INSPECT_SCHEMA,
    INSPECT_VALUES,
    RenderJob,
    RenderOptions,
    RenderResult,
    values_of_map,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from plait.engine.results import Rendered

    Reuse: TypeAlias = "Callable[[Render, Reader, Context], RenderResult | None]"
    from plait.tree.context import Context
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.inputs import Inputs as Reader
    from plait.ytt.workspace.library import Library
    from plait.ytt.workspace.merges import Merges
    from plait.ytt.workspace.render_job import ReferencedValues

# Maps options for data values to their names in `ValuesFlags`, the lowest precedence first.
_VALUES = (
    (Render.values_files, "files"),
    (Render.data_values_env, "env"),
    (Render.data_values_env_yaml, "env_yaml"),
    (Render.data_value, "values"),
    (Render.data_value_yaml, "values_yaml"),
    (Render.data_value_file, "value_files"),
)


def evaluate(request: Render, context: Context, reuse: Reuse | None = None) -> Rendered:
    """Evaluates a request without printing or writing. Raises PlaitError.

    reuse: returns the result with files that several evaluations share, or None (see `incremental.Engine.rendered`).
    """
    from plait.engine.results import Rendered

    keep_limits(request, context)
    inputs = inputs_of(request)
    result = None if reuse is None else reuse(request, inputs, context)
    if result is None:
        result = outcome(request, read_inputs(request, inputs), inputs, context)
    with located(request, Render.output):
        form = choose_formats(request.output)[0]
    rendered = Rendered(
        result.documents,
        files=result.output_files,
        paths=result.paths(),
        texts=[file.path for file in result.texts],
        write=result.write(form),
        warnings=context.warnings,
        trace=context.trace,
    )
    rendered._reusing = result.reusing_writer(form)
    return rendered


def job(request: Render, context: Context) -> RenderJob:
    """The job of a request, for tools that run other phases. Raises PlaitError."""
    keep_limits(request, context)
    inputs = inputs_of(request)
    return job_of(request, read_inputs(request, inputs), inputs, context)


def outcome(
    request: Render,
    files: list[InputFile],
    inputs: Reader,
    context: Context,
    debug: Callable[[str], None] | None = None,
) -> RenderResult:
    """Runs the phases. debug: receives each line of --debug. Raises PlaitError."""
    if request.keep_format:
        keep_originals(request, context, choose_formats(request.output)[0])
    job = job_of(request, files, inputs, context, debug)
    if request.files_inspect:
        return _listed(job)
    if request.program == "ytt":
        job.after_schema = lambda: _check_output(request)
    return run(job, context)


def _listed(job: RenderJob) -> RenderResult:
    """The paths of the inputs, as a document."""
    paths = [ArrayItem(found.file.path) for found in in_sequence(job.library.accessible_files())]
    return RenderResult(documents=DocumentSet([Document(Array(paths))] if paths else []))


def job_of(
    request: Render,
    files: list[InputFile],
    inputs: Reader,
    context: Context,
    debug: Callable[[str], None] | None = None,
    library: Library | None = None,
) -> RenderJob:
    """The job of the phases. debug: receives each line of --debug. library: the tree of the files. Raises PlaitError."""
    if request.has(Render.file_marks):
        from plait.ytt.workspace.file_marks import apply_marks

        with located(request, Render.file_marks) as marks:
            files = apply_marks(files, marks)
    job = RenderJob(files, options_of(request, debug), library=library)
    if debug is not None:
        for line in outline(job.library):
            debug(line)
    if not request.files_inspect:
        lowest, *others = _VALUES
        job.values = _values(request, inputs, context, [lowest])
        if request.data_values_env_all:
            from plait.ytt.workspace.environment import Environment

            job.environment = Environment(variable, len(job.values)).among
        job.values += _values(request, inputs, context, others)
        job.values += [values_of_map(one, secret=True) for one in secrets_of(request)]
        job.tells_secrets = request.quote_values
        if isinstance(request.values, Map):
            job.values.append(values_of_map(request.values))
        merges = _merges(request, inputs, context)
        job.merged = None if merges is None else merges.merged
    return job


def options_of(
    request: Render, debug: Callable[[str], None] | None = None, inspect: str | None = None
) -> RenderOptions:
    """The options of the phases. debug: receives each line of --debug. inspect: the last phase. Raises UsageError."""
    inspect = inspect or _inspection(request)
    with located(request, Render.extensions):
        extensions = parse_extensions(request.extensions, "render") if request.has(Render.extensions) else frozenset()
    return RenderOptions(
        strict=request.strict,
        ignore_unknown_comments=request.ignore_unknown_comments,
        implicit_map_key_overrides=request.implicit_map_key_overrides,
        disable_validation=not request.validate,
        inspect=inspect,
        debug=debug,
        extensions=extensions,
        values_schema=os.fspath(request.schema),
        output_schemas=request.check_output,
        output_by=output_by_of(request),
        prefixes=[
            Source(f"({name} arg) {one}").of_flag(name, one)
            for name, prefixes in (
                ("data-values-env", request.data_values_env),
                ("data-values-env-yaml", request.data_values_env_yaml),
            )
            for one in prefixes
            if not one.startswith("@")
        ],
    )


def _inspection(request: Render) -> str | None:
    """The phase at which the evaluation stops; None for complete output. Raises UsageError."""
    if request.program != "ytt":  # ytt checks the types of output after the schema
        _check_output(request)
    if request.files_inspect:
        return None
    if request.schema_inspect:
        return INSPECT_JSON_SCHEMA if JSON_SCHEMA in request.output else INSPECT_SCHEMA
    return INSPECT_VALUES if request.data_values_inspect else None


def _check_output(request: Render) -> None:
    """Raises UsageError for an unknown output format, or one that does not fit the request."""
    with located(request, Render.output):
        _, schema_format = choose_formats(request.output)
    if request.files_inspect:
        return
    if request.schema_inspect:
        if schema_format is None:
            raise UsageError(
                f"Data values schema export only supported in OpenAPI v3 format; "
                f"specify format with --output={OPENAPI} flag",
                code="schema-output",
            )
    elif schema_format is not None:
        raise UsageError(
            "Output type currently only supported for data values schema (i.e. include --data-values-schema-inspect)",
            found=f"-o {schema_format}",
            code="schema-output",
        )


def _values(
    request: Render, inputs: Reader, context: Context, options: Sequence[tuple[object, str]]
) -> list[ReferencedValues]:
    found: list[ReferencedValues] = []
    for option, name in options:
        if request.has(option):
            from plait.ytt.workspace.values_flags import ValuesFlags, read_values

            with located(request, option) as given:
                found += read_values(
                    ValuesFlags(**{name: given}),
                    inputs,
                    variables,
                    strict=request.strict,
                    warn=context.warn,
                    plain=request.program == "ytt",
                    is_typed=all(use.origin is None for use in request.uses if use.option is option),
                )
    return found


def _merges(request: Render, inputs: Reader, context: Context) -> Merges | None:
    """The documents to merge into the output; None if there are none. Raises ReadError, UsageError."""
    if not request.has(Render.merge, Render.merge_keys, Render.merge_schemas):
        return None
    from plait.ytt.workspace.merges import Merges, documents_of

    with located(request, Render.merge) as paths:
        documents = documents_of(inputs.files(paths), strict=request.strict, warn=context.warn)
    with located(request, Render.merge_keys) as keys:
        return Merges(documents, keys, request.merge_schemas)
