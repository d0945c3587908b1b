"""Runs pipelines: steps of all dialects in one run, with one trace (docs/compose.md).

    steps:
    - values: {files: [values.yml]}
    - render: {files: [config/]}
    - layer: {files: [site/], data-only: true}
    - patch: {select: {kind: Deployment}, ops: [ops.yml], vars: {image: "app:2"}}
    - overlay: {files: [production.yml]}

The documents flow through the steps: `render` and `layer` add documents, `patch` and `overlay` change them, `values`
sets data values for later steps. Nothing is printed and parsed in between, so every value keeps its history.
"""

from __future__ import annotations

import os

from plait.base.content import variables
from plait.base.errors import LimitError, PlaitError, UsageError, warning
from plait.base.extensions import OUTPUT_FILE, SECRETS, TAGS
from plait.base.similar_names import did_you_mean
from plait.base.source import Source
from plait.engine import render, rendering
from plait.engine.layer_step import layer
from plait.engine.options import VALUES_PATH
from plait.engine.patch_step import patch
from plait.engine.pipeline import Pipeline, Step, read
from plait.engine.pipeline_state import PipelineState, made_of, paths_of
from plait.engine.secret_sources import read_secrets
from plait.tree.nodes import Document, DocumentSet
from plait.tree.withholding import telling
from plait.ytt.workspace.input_files import InputFile
from plait.ytt.workspace.inputs import Inputs
from plait.ytt.workspace.merges import Merges, documents_of
from plait.ytt.workspace.phases import run as run_phases
from plait.ytt.workspace.render_job import DocumentFile, RenderJob, values_of_map
from plait.ytt.workspace.values_flags import ValuesFlags, read_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plait.tree.context import Context
    from plait.ytt.workspace.render_job import ReferencedValues

# Maximum number of nested pipelines in one run, and of nesting levels.
_MOST_PIPELINES, _DEEPEST = 1000, 100


def compose(
    pipeline: Pipeline,
    context: Context,
    *,
    values: Sequence[ReferencedValues] = (),
    until: str | None = None,
    watch: Callable[[Step, list[Document]], None] | None = None,
    tells_secrets: bool = False,
) -> DocumentSet:
    """Runs a pipeline and returns its final documents.

    values: data values that override those of steps. until: the name of the step to stop after. watch: called with each
    step and its resulting documents. tells_secrets: messages may depend on secrets. With `context.trace` set,
    provenance is recorded. Raises PlaitError.
    """
    names = [step.name for step in pipeline.steps]
    if until is not None and until not in names:
        raise UsageError(
            f'unknown step "{until}"',
            found=", ".join(names) or "no steps",
            hint=did_you_mean(until, names),
            code="step-not-found",
        )

    if any(one.secret for one in values) or has_secrets(pipeline):
        context.use_secrets()

    with telling(context, all_of_it=tells_secrets):
        state = PipelineState(values)
        for step in run(pipeline, state, context):
            if watch is not None:
                watch(step, state.documents)
            if step.name == until:
                break
        return DocumentSet(state.documents)


def has_secrets(pipeline: Pipeline) -> bool:
    """True if steps have secret data values, or may have them."""
    waiting, known = [pipeline], {os.path.realpath(pipeline.source.name)}
    for one in waiting:
        for step in one.steps:
            try:
                if step.item_of("secrets") is not None or (step.kind != "patch" and SECRETS in step.texts("with")):
                    return True
                for path in paths_of(step, one, "file") if step.kind == "compose" else ():
                    if os.path.realpath(path) not in known:
                        known.add(os.path.realpath(path))
                        waiting.append(read(path))
            except PlaitError:  # the error ends the pipeline at this step
                continue
    return False


def run(pipeline: Pipeline, state: PipelineState, context: Context) -> Iterator[Step]:
    """Runs the steps in order, and yields each finished step. Raises PlaitError with the step in its stack."""
    key = os.path.realpath(pipeline.source.name)
    state.running.append(key)
    for step in pipeline.steps:
        try:
            _STEPS[step.kind](step, pipeline, state, context)
        except PlaitError as error:
            raise error.within(f'in the step "{step.name}"', step.item.position) from None
        if context.trace is not None:
            context.trace.stage(step.name, state.documents)
        yield step
    state.running.pop()


# ---- the steps


def _values(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Sets data values for later steps, from plain files and inline values."""
    files = paths_of(step, pipeline, "files", VALUES_PATH)
    state.values += read_values(ValuesFlags(files=files), Inputs(), variables, warn=context.warn)
    own = step.map("set")
    if own is not None:
        state.values.append(values_of_map(own))
    state.values += _secrets(step, pipeline)


def _secrets(step: Step, pipeline: Pipeline) -> list[ReferencedValues]:
    """The data values from the secret sources in a step."""
    arguments = [before + (os.path.join(pipeline.directory, path) if path else "") for before, path in step.secrets()]
    if not arguments:
        return []
    return [values_of_map(values, secret=True) for values in read_secrets(arguments)]


def _render(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Evaluates templates and overlays of files. The overlays also change the existing documents."""
    paths = paths_of(step, pipeline, "files")
    if not paths:
        raise UsageError(
            f'the step "{step.name}" has no files', at=step.item.position, expected='"files"', code="pipeline-form"
        )
    files = Inputs().files(paths)
    for place, file in enumerate(files, 1):
        file.order = place
    source = Source("", "")
    before = InputFile("documents.yml", lambda: b"")
    before.marked_template = False
    before.marked_output = True
    given = {before: DocumentSet(state.documents, source)}
    options = rendering.options_of(step.request(render.Render))
    for name in (OUTPUT_FILE, TAGS):
        if name in options.extensions:
            what = "tags" if name == TAGS else "files of its documents"
            raise UsageError(
                f"a pipeline cannot preserve {what}",
                at=step.item.position,
                hint="plait render can",
                code="unknown-setting",
            )
    values = [*state.values, *state.last_values]
    own = step.map("set")
    if own is not None:
        values.append(values_of_map(own))
    values += _secrets(step, pipeline)
    job = RenderJob([before, *files] if state.documents else files, options, values)
    result = run_phases(job, context, given)
    if result.texts:
        names = ", ".join(file.path for file in result.texts)

        message = f'the step "{step.name}" creates text files, which a pipeline drops: {names}'
        context.warn(warning(message, code="text-dropped"))
    if context.trace is not None:
        context.trace.texts.clear()
    state.documents = [_finished(document, context) for document in result.documents.items]


def _finished(document: Document, context: Context) -> Document:
    """A document between steps, without its overlay annotations, as if it had been printed."""
    if document.annotations is None:
        return document
    finished = document.with_value(document.value)
    finished.annotations = None
    if context.trace is not None:
        context.trace.copied(finished, document)
    return finished


def _overlay(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Applies overlays from files to the documents."""
    if not state.documents:
        raise UsageError(
            "there are no documents to overlay",
            at=step.item.position,
            hint="add a render or layer step before it",
            code="selection",
        )
    _render(step, pipeline, state, context)


def _merge(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Merges plain documents into the documents."""
    documents = documents_of(Inputs().files(paths_of(step, pipeline, "files")), warn=context.warn)
    merges = Merges(documents, step.texts("keys"), paths_of(step, pipeline, "schemas"))
    try:
        [file] = merges.merged([DocumentFile("", 0, DocumentSet(state.documents))], context)
    except PlaitError as error:
        raise made_of(error, state.documents, context) from None
    state.documents = file.documents.items


def _layer(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    layer(step, pipeline, state, context)


def _patch(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    patch(step, pipeline, state, context)


def _compose(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Runs the steps of another pipeline file on the current documents and values."""
    paths = paths_of(step, pipeline, "file")
    if len(paths) != 1:
        raise UsageError(
            "a compose step must name one pipeline", at=step.item.position, expected='"file"', code="pipeline-form"
        )
    if os.path.realpath(paths[0]) in state.running:
        names = [os.path.relpath(one) for one in (*state.running, os.path.realpath(paths[0]))]
        raise UsageError(
            "pipelines include each other in a cycle", at=step.item.position, found=" -> ".join(names), code="run-cycle"
        )
    state.included += 1
    if state.included > _MOST_PIPELINES or len(state.running) > _DEEPEST:
        raise LimitError(
            "the steps run too many pipelines",
            at=step.item.position,
            expected=f"at most {_MOST_PIPELINES}, nested at most {_DEEPEST} deep",
            code="too-many-pipelines",
        )
    for _ in run(read(paths[0]), state, context):
        pass


_STEPS: Mapping[str, Callable[[Step, Pipeline, PipelineState, Context], None]] = {
    "render": _render,
    "layer": _layer,
    "patch": _patch,
    "overlay": _overlay,
    "merge": _merge,
    "values": _values,
    "compose": _compose,
}
