"""Pipelines: steps of all dialects in one run, with one trace through all of them (docs/compose.md).

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
from plait.base.errors import LimitError, PlaitError, ReadError, UsageError, warning
from plait.base.events import current_listener, listening
from plait.base.extensions import OUTPUT_FILE, SECRETS, TAGS
from plait.base.input_view import check_read
from plait.base.path_errors import read_failure
from plait.base.similar_names import did_you_mean
from plait.base.source import Source
from plait.engine.patch import Patch, configured
from plait.engine.pipeline import Pipeline, Step, read, wrong
from plait.engine.selecting import selected
from plait.insight.diff import diff, printed
from plait.layering.document import read_documents
from plait.layering.plain_scalars import plain_values
from plait.layering.rendering import plan, render_plan, written
from plait.layering.secrets import lines_of_secrets
from plait.layering.sites import find_site, unwrapped
from plait.layering.tracing import inherited
from plait.ops.definitions import interpolate
from plait.ops.ignored import warn_of_placeholders
from plait.ops.job import patch
from plait.ops.operation_files import expand, read_operations
from plait.ops.placeholders import marked
from plait.ops.reader import file_source
from plait.ops.tracing import finished
from plait.ops.variables import from_file
from plait.tree.nodes import Array, Document, DocumentSet, Map
from plait.tree.withholding import telling
from plait.yaml.document_names import document_name
from plait.yaml.duplicate_keys import duplicate_key_warnings
from plait.yaml.reader import read as read_yaml
from plait.yaml.repeats import deduplicate
from plait.ytt.workspace.input_files import InputFile
from plait.ytt.workspace.inputs import Inputs
from plait.ytt.workspace.phases import run as run_phases
from plait.ytt.workspace.render_job import DocumentFile, RenderJob, values_of_map
from plait.ytt.workspace.values_flags import ValuesFlags, read_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plait.insight.diff import Difference
    from plait.tree.context import Context
    from plait.tree.nodes import Item
    from plait.ytt.workspace.render_job import ReferencedValues

_EXTENSIONS = (".yml", ".yaml", ".json")


# Pipelines that steps of one pipeline run, over and over, and within each other.
_MOST_PIPELINES, _DEEPEST = 1000, 100


class PipelineState:
    """The state between steps: documents and data values, and the running pipelines, to detect cycles.

    included: how many pipelines steps have run so far.
    """

    __slots__ = ("documents", "included", "last_values", "running", "values")

    def __init__(self, last_values: Sequence[ReferencedValues] = ()) -> None:
        self.documents: list[Document] = []
        self.values: list[ReferencedValues] = []
        self.last_values = list(last_values)  # of the command line: they override those of steps
        self.running: list[str] = []
        self.included = 0


class StepDifferences:
    """The changes of each step, for `compose(..., watch=Changes())`. steps: (name, differences), in order.

    cleartext_secrets: show the data of encrypted documents.
    """

    __slots__ = ("_before", "_cleartext", "steps")

    def __init__(self, *, cleartext_secrets: bool = False) -> None:
        self._cleartext = cleartext_secrets
        self.steps: list[tuple[str, list[Difference]]] = []
        self._before: list[Document] = []

    def __call__(self, step: Step, documents: list[Document]) -> None:
        after = printed(documents)
        self.steps.append((step.name, diff(self._before, after, cleartext_secrets=self._cleartext)))
        self._before = after


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
            f'no step is called "{until}"',
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
    """True if steps have secret data values, or may have."""
    waiting, known = [pipeline], {os.path.realpath(pipeline.source.name)}
    for one in waiting:
        for step in one.steps:
            try:
                if step.item_of("secrets") is not None or (step.kind != "patch" and SECRETS in step.texts("with")):
                    return True
                for path in _paths(step, one, "file") if step.kind == "compose" else ():
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


def _paths(step: Step, pipeline: Pipeline, key: str) -> list[str]:
    """The paths under a key, from the pipeline's directory. Raises UsageError for a missing one."""
    item = step.item_of(key)
    out: list[str] = []
    for text in step.texts(key):
        path = os.path.join(pipeline.directory, text)
        assert item is not None
        places = item.value.items if type(item.value) is Array else [item]
        at = next((one.position for one in places if one.value == text), item.position)
        if "://" not in text:
            check_read(path, at)
        if "://" in text or not os.path.lexists(path):
            if "://" in text:
                # The author of a pipeline may not be allowed to contact servers.
                raise ReadError(
                    f'"{text}" is a URL',
                    at=at,
                    expected="a file: a pipeline does not read URLs",
                    code="url-not-fetched",
                )
            raise read_failure(path, subject=f'"{path}"', at=at)
        out.append(path)
    return out


def _values(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Sets data values for later steps: from plain files, and inline ones."""
    files = _paths(step, pipeline, "files")
    state.values += read_values(ValuesFlags(files=files), Inputs(), variables, warn=context.warn)
    own = step.map("set")
    if own is not None:
        state.values.append(values_of_map(own))
    state.values += _secrets(step, pipeline)


def _secrets(step: Step, pipeline: Pipeline) -> list[ReferencedValues]:
    """The data values of the sources of secrets that a step names."""
    arguments = [before + (os.path.join(pipeline.directory, path) if path else "") for before, path in step.secrets()]
    if not arguments:
        return []
    from plait.engine.secret_sources import read_secrets

    return [values_of_map(values, secret=True) for values in read_secrets(arguments)]


def _render(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Templates and overlays of files; the overlays also change the existing documents."""
    from plait.engine.render import Render, options_of

    paths = _paths(step, pipeline, "files")
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
    options = options_of(step.request(Render))
    for name in (OUTPUT_FILE, TAGS):
        if name in options.extensions:
            what = "tags" if name == TAGS else "files of its documents"
            raise UsageError(
                f"a pipeline keeps no {what}", at=step.item.position, hint="plait render does", code="unknown-setting"
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

        message = f'the step "{step.name}" makes text files, which a pipeline drops: {names}'
        context.warn(warning(message, code="text-dropped"))
    if context.trace is not None:
        context.trace.texts.clear()
    state.documents = [_finished(document, context) for document in result.documents.items]


def _finished(document: Document, context: Context) -> Document:
    """A document between steps: no longer an overlay, because printing would end that."""
    if document.annotations is None:
        return document
    finished = document.with_value(document.value)
    finished.annotations = None
    if context.trace is not None:
        context.trace.copied(finished, document)
    return finished


def _overlay(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Overlays of files onto the documents."""
    if not state.documents:
        raise UsageError(
            "there are no documents to overlay",
            at=step.item.position,
            hint="a render or layer step comes first",
            code="selection",
        )
    _render(step, pipeline, state, context)


def _merge(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Plain documents merged into the documents."""
    from plait.ytt.workspace.merges import Merges, documents_of

    documents = documents_of(Inputs().files(_paths(step, pipeline, "files")), warn=context.warn)
    merges = Merges(documents, step.texts("keys"), _paths(step, pipeline, "schemas"))
    try:
        [file] = merges.merged([DocumentFile("", 0, DocumentSet(state.documents))], context)
    except PlaitError as error:
        raise error.made_of(*state.documents, *_inside(state.documents)) from None
    state.documents = file.documents.items


def _layer(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Adds layered documents: those of a site and of files, and those among the existing documents."""
    from plait.engine.layer import Layer, options_of

    sets: list[DocumentSet] = []
    others: list[Document] = []
    layered: list[Document] = []
    for document in state.documents:
        (layered if _is_layered(document) else others).append(document)
    if layered:
        sets.append(DocumentSet(layered))
    sets += _of_site(step, pipeline, context)
    for path in _paths(step, pipeline, "files"):
        for file in Inputs().files([path]):
            if file.in_directory and not file.name.endswith(_EXTENSIONS):
                continue
            name = os.path.join(path, file.path) if file.in_directory else path
            source = Source(name, file.bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
            sets.append(_settled(source, read_yaml(source, keep_mark=False, plain=plain_values, depth=300), context))
    options = options_of(step.request(Layer))
    cleartext = options.cleartext_secrets
    documents = read_documents(sets)
    if not cleartext and any(lines_of_secrets(documents)):
        context.use_secrets()
    marks, trace = context.secrets, context.trace
    governed = marks is not None and any(marks.is_secret(*_governing(one)) for one in layered)
    known = (set(trace.removals), len(trace.effects)) if governed and trace is not None else None
    try:
        with listening(None if governed else current_listener()):
            planned = plan(documents, options, context)
            rendered = render_plan(planned, options, context)
    except PlaitError as error:
        raise error.made_of(*(origin for one in sets for origin in (*one.items, *_inside(one.items)))) from None
    result = written(rendered, cleartext_secrets=cleartext)
    if context.trace is not None:
        inherited(context.trace, rendered, result, secret=planned.documents)
    made = result.items
    if step.on("data-only"):
        made = [_data_of(one, context) for one, of in zip(made, rendered, strict=True) if not of.control]
    if known is not None and trace is not None and marks is not None:
        # Parents, actions, substitutions and layers are chosen by what documents say of themselves, each for others too.
        control = marks.control("layer", step.item.source, step.item.line)
        for one in made:
            trace.presence[one] = (*trace.presence.get(one, ()), control)
        trace.there.update(made)
        for removed in trace.removals.keys() - known[0]:
            del trace.removals[removed]
        del trace.effects[known[1] :]
        marks.forget()
    state.documents = [*others, *made]


def _governing(document: Document) -> Iterator[Item | Map | Array]:
    """All that a layered document says, but for its data, unless it governs others itself."""
    yield document
    if type(document.value) is not Map:
        return
    kind = document.value.find("schema")
    governs = kind is not None and type(kind.value) is str and kind.value.startswith("deckhand/")
    for item in document.value.items:
        if item.key != "data" or governs:
            yield item
            if isinstance(item.value, (Map, Array)):
                yield item.value


def _of_site(step: Step, pipeline: Pipeline, context: Context) -> Iterator[DocumentSet]:
    """The documents of the Airship site that a step names."""
    repositories = step.map("repositories")
    checkouts: dict[str, str] = {}
    for item in repositories.items if repositories is not None else ():
        if type(item.value) is not str:
            raise wrong(item, "the directory of a checkout")
        checkouts[str(item.key)] = os.path.join(pipeline.directory, item.value)
        check_read(checkouts[str(item.key)], item.position)
    paths = _paths(step, pipeline, "site")
    if repositories is not None and not paths:
        raise UsageError(
            "repositories belong to a site", at=repositories.position, expected='"site"', code="site-options"
        )
    for path in paths:
        for source in find_site(path, context.warn, repositories=checkouts).sources():
            written = read_yaml(source, keep_mark=False, plain=plain_values, depth=300)
            yield unwrapped(_settled(source, written, context), context.warn)


def _settled(source: Source, written: DocumentSet, context: Context) -> DocumentSet:
    """Documents without the keys that are repeated, which are warned of."""
    documents = deduplicate(written)
    for text in duplicate_key_warnings(source, written) if documents is not written else ():
        context.warn(text)
    return documents


def _is_layered(document: Document) -> bool:
    top = document.value
    if type(top) is not Map or top.find("schema") is None:
        return False
    metadata = top.find("metadata")
    kind = metadata.value.find("schema") if metadata is not None and type(metadata.value) is Map else None
    return kind is not None and type(kind.value) is str and kind.value.startswith("metadata/")


def _data_of(document: Document, context: Context) -> Document:
    """A document that is the data of a layered one."""
    assert type(document.value) is Map
    item = document.value.find("data")
    assert item is not None
    made = Document(item.value, item.source, item.line)
    if context.trace is not None:
        context.trace.copied(made, item)
    return made


def _patch(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Operations and variables, on the documents that are selected."""
    chosen = selected(step, state.documents, context.trace)
    request = step.request(Patch)
    job = configured(request, context)
    if TAGS in job.extensions:
        raise UsageError(
            "a pipeline keeps no tags",
            at=step.item.position,
            hint="plait patch and plait render do",
            code="unknown-setting",
        )
    for path in _paths(step, pipeline, "ops"):
        for file in expand(path):
            source = file_source(file, "an ops file")
            job.operations += read_operations(source, extensions=job.extensions, warn=context.warn)
    sources = job.sources
    for path in _paths(step, pipeline, "vars-files"):
        sources.give("vars-file", from_file(path, context.warn))
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
            value = patch(document.value, job.operations, trace=context.trace)
            warn_of_placeholders(marked(value), sources, context.warn)
            value = interpolate(value, sources, expect_values=job.expect_values)
        except PlaitError as error:
            error.made_of(document, *_inside([document]))
            raise error.within(f"on {document_name(document) or 'a document'}", document.position) from None
        new = document.with_value(value)
        if context.trace is not None:
            context.trace.copied(new, document)
            finished(context.trace, new, None)
        out.append(new)
    state.documents = out


def _inside(documents: Sequence[Document]) -> list[Map | Array]:
    """The values of documents, as origins of values that depend on any of them."""
    return [one.value for one in documents if isinstance(one.value, (Map, Array))]


def _compose(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """The steps of another pipeline file, on the documents and values so far."""
    paths = _paths(step, pipeline, "file")
    if len(paths) != 1:
        raise UsageError(
            "a compose step names one pipeline", at=step.item.position, expected='"file"', code="pipeline-form"
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
            expected=f"at most {_MOST_PIPELINES}, {_DEEPEST} within each other",
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
