"""Pipelines: steps of all dialects in one run, with one trace through all of them (docs/compose.md).

    steps:
    - values: {files: [values.yml]}
    - render: {files: [config/]}
    - layer: {files: [site/], data-only: true}
    - patch: {select: {kind: Deployment}, ops: [ops.yml], vars: {image: "app:2"}}
    - overlay: {files: [production.yml]}

The documents flow through the steps: `render` and `layer` add to them, `patch` and `overlay` change them, `values` sets
data values for what follows. Nothing is written and read again in between, so every value keeps its history.
"""

from __future__ import annotations

import os

from weft.errors import ReadError, UsageError, WeftError
from weft.nodes import Array, Document, DocumentSet, Map, MapItem, kind_name
from weft.source import Position, Source
from weft.spell import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from weft.context import Context
    from weft.nodes import ArrayItem, Value
    from weft.workspace import ReferencedValues

_EXTENSIONS = (".yml", ".yaml", ".json")
_SELECTORS = ("kind", "name", "schema", "namespace", "subset")


class Step:
    """One step. kind: what it does. settings: its map. name: as given, or kind and number."""

    __slots__ = ("item", "kind", "name", "settings")

    def __init__(self, kind: str, name: str, settings: Map, item: ArrayItem) -> None:
        self.kind = kind
        self.name = name
        self.settings = settings
        self.item = item

    def item_of(self, key: str) -> MapItem | None:
        return self.settings.find(key)

    def texts(self, key: str) -> list[str]:
        """A list of strings, or one string. Raises UsageError."""
        item = self.item_of(key)
        if item is None or item.value is None:
            return []
        if type(item.value) is str:
            return [item.value]
        if type(item.value) is Array and all(type(one.value) is str for one in item.value.items):
            return [one.value for one in item.value.items]  # type: ignore[misc]
        raise _wrong(item, "a string or a list of strings")

    def map(self, key: str) -> Map | None:
        item = self.item_of(key)
        if item is None or item.value is None:
            return None
        if type(item.value) is Map:
            return item.value
        raise _wrong(item, "a map")

    def on(self, key: str) -> bool:
        item = self.item_of(key)
        if item is None:
            return False
        if type(item.value) is bool:
            return item.value
        raise _wrong(item, "true or false")


class Pipeline:
    """A pipeline file, read. directory: what its paths are relative to."""

    __slots__ = ("directory", "source", "steps")

    def __init__(self, source: Source, directory: str, steps: list[Step]) -> None:
        self.source = source
        self.directory = directory
        self.steps = steps


class State:
    """What flows through the steps: documents, data values; and the pipelines that are being run, for cycles."""

    __slots__ = ("documents", "last_values", "running", "values")

    def __init__(self, last_values: Sequence[ReferencedValues] = ()) -> None:
        self.documents: list[Document] = []
        self.values: list[ReferencedValues] = []
        self.last_values = list(last_values)  # of the command line: they win over those of steps
        self.running: list[str] = []


def read(path: str) -> Pipeline:
    """Read a pipeline file. Raises ReadError, and UsageError with file and line for what is no pipeline."""
    from weft.yaml import deduplicate
    from weft.yaml import read as read_yaml

    source = Source(path, _content(path).decode("utf-8", "surrogateescape"))
    documents = [one for one in deduplicate(read_yaml(source, keep_mark=False)).items if one.value is not None]
    if len(documents) != 1 or type(documents[0].value) is not Map:
        raise UsageError(
            "not a pipeline",
            at=Position(source, documents[0].line if documents else 1),
            expected='one document, a map with "steps"',
            found=kind_name(documents[0].value) if len(documents) == 1 else f"{len(documents)} documents",
        )
    top = documents[0].value
    _check_keys(top, ("steps",), "a pipeline")
    steps = top.find("steps")
    if steps is None or type(steps.value) is not Array:
        at = top.position if steps is None else steps.position
        raise UsageError('a pipeline needs "steps"', at=at, expected="a list of steps")
    found = [_step(item, number) for number, item in enumerate(steps.value.items, 1)]
    names: dict[str, Step] = {}
    for step in found:
        other = names.setdefault(step.name, step)
        if other is not step:
            raise UsageError(f'two steps are called "{step.name}"', at=step.item.position, also=[other.item.position])
    return Pipeline(source, os.path.dirname(path), found)


def _step(item: ArrayItem, number: int) -> Step:
    value = item.value
    if type(value) is not Map:
        raise UsageError("a step is a map", at=item.position, expected=_kinds(), found=kind_name(value))
    _check_keys(value, (*STEPS, "name"), "a step")
    kinds = [entry for entry in value.items if entry.key in STEPS]
    if len(kinds) != 1:
        found = ", ".join(f'"{entry.key}"' for entry in kinds) or "none of them"
        raise UsageError("a step does one thing", at=item.position, expected=f"one of {_kinds()}", found=found)
    kind = kinds[0]
    name = value.find("name")
    if name is not None and type(name.value) is not str:
        raise _wrong(name, "a string")
    settings = kind.value
    if kind.key == "compose" and type(settings) is str:
        settings = Map([MapItem("file", settings, kind.source, kind.line)], kind.source, kind.line)
    if settings is None:
        settings = Map([], kind.source, kind.line)
    if type(settings) is not Map:
        raise _wrong(kind, "a map of settings")
    text = str(kind.key)
    _check_keys(settings, STEPS[text][1], f'the step "{text}"')
    return Step(text, f"{text} {number}" if name is None else str(name.value), settings, item)


def _kinds() -> str:
    return ", ".join(STEPS)


def _check_keys(settings: Map, known: Sequence[str], what: str) -> None:
    for item in settings.items:
        if item.key not in known:
            raise UsageError(
                f'{what} has no "{item.key}"',
                at=item.position,
                expected=", ".join(known),
                hint=did_you_mean(str(item.key), known),
            )


def _wrong(item: MapItem, expected: str) -> UsageError:
    return UsageError(f'"{item.key}" is wrong', at=item.position, expected=expected, found=kind_name(item.value))


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        folder, name = os.path.split(path)
        near = did_you_mean(name, sorted(os.listdir(folder or "."))) if os.path.isdir(folder or ".") else None
        raise ReadError(f'cannot read "{path}": {error.strerror}', hint=near) from None


def run(pipeline: Pipeline, state: State, context: Context) -> Iterator[Step]:
    """Run the steps one after the other; gives each when it is done. Raises WeftError, the step in its trail."""
    key = os.path.realpath(pipeline.source.name)
    state.running.append(key)
    for step in pipeline.steps:
        try:
            STEPS[step.kind][0](step, pipeline, state, context)
        except WeftError as error:
            raise error.within(f'in the step "{step.name}"', step.item.position) from None
        if context.trace is not None:
            context.trace.stage(step.name, state.documents)
        yield step
    state.running.pop()


# ---- the steps


def _paths(step: Step, pipeline: Pipeline, key: str) -> list[str]:
    """The paths under a key, from the pipeline's directory. Raises UsageError for one that is not there."""
    item = step.item_of(key)
    out: list[str] = []
    for text in step.texts(key):
        path = os.path.join(pipeline.directory, text)
        if not os.path.lexists(path) and "://" not in text:
            assert item is not None
            places = item.value.items if type(item.value) is Array else [item]
            at = next((one.position for one in places if one.value == text), item.position)
            folder, name = os.path.split(path)
            near = did_you_mean(name, sorted(os.listdir(folder or "."))) if os.path.isdir(folder or ".") else None
            raise ReadError(f'there is no file "{path}"', at=at, hint=near)
        out.append(path)
    return out


def _values(step: Step, pipeline: Pipeline, state: State, context: Context) -> None:
    """Data values for the steps that follow: of plain files, and those that stand here."""
    from weft.workspace import Inputs, ReferencedValues
    from weft.workspace.values_flags import ValuesFlags, read_values

    files = _paths(step, pipeline, "files")
    state.values += read_values(ValuesFlags(files=files), Inputs(), os.environ, warn=context.warn)
    own = step.map("set")
    if own is not None:
        state.values.append(ReferencedValues(Document(own, own.source, own.line), plain=True))


def _render(step: Step, pipeline: Pipeline, state: State, context: Context) -> None:
    """Templates and overlays of files; overlays also change the documents that are there already."""
    from weft.workspace import InputFile, Inputs, Job, Options
    from weft.workspace.phases import run as run_phases

    paths = _paths(step, pipeline, "files")
    if not paths:
        raise UsageError(f'the step "{step.name}" has no files', at=step.item.position, expected='"files"')
    files = Inputs().files(paths)
    for place, file in enumerate(files, 1):
        file.order = place
    source = Source("", "")
    before = InputFile("documents.yml", lambda: b"")
    before.marked_template = False
    before.marked_output = True
    given = {before: DocumentSet(state.documents, source)}
    options = Options(
        strict=step.on("strict"),
        ignore_unknown_comments=step.on("ignore-unknown-comments"),
        implicit_map_key_overrides=step.on("implicit-map-key-overrides"),
    )
    values = [*state.values, *state.last_values]
    own = step.map("set")
    if own is not None:
        from weft.workspace import ReferencedValues

        values.append(ReferencedValues(Document(own, own.source, own.line), plain=True))
    job = Job([before, *files] if state.documents else files, options, values)
    state.documents = list(run_phases(job, context, given).documents.items)


def _overlay(step: Step, pipeline: Pipeline, state: State, context: Context) -> None:
    """Overlays of files onto the documents."""
    if not state.documents:
        raise UsageError(
            "there are no documents to lay over", at=step.item.position, hint="a render or layer step comes first"
        )
    _render(step, pipeline, state, context)


def _layer(step: Step, pipeline: Pipeline, state: State, context: Context) -> None:
    """Layered documents: those of files, and those among the documents so far."""
    from weft.layering import Options, plain_values, plan, read_documents, render_plan, written
    from weft.workspace import Inputs
    from weft.yaml import deduplicate
    from weft.yaml import read as read_yaml

    sets: list[DocumentSet] = []
    others: list[Document] = []
    mine: list[Document] = []
    for document in state.documents:
        (mine if _is_layered(document) else others).append(document)
    if mine:
        sets.append(DocumentSet(mine))
    for path in _paths(step, pipeline, "files"):
        for file in Inputs().files([path]):
            if file.in_directory and not file.name.endswith(_EXTENSIONS):
                continue
            name = os.path.join(path, file.path) if file.in_directory else path
            source = Source(name, file.bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
            sets.append(deduplicate(read_yaml(source, keep_mark=False, plain=plain_values, depth=300)))
    cleartext = step.on("cleartext-secrets")
    options = Options(lenient=step.on("lenient"), strict=step.on("strict"), cleartext_secrets=cleartext)
    documents = read_documents(sets)
    planned = plan(documents, options, context)
    rendered = render_plan(planned, options, context)
    result = written(rendered, cleartext_secrets=cleartext)
    if context.trace is not None:
        from weft.layering.tracing import inherited

        inherited(context.trace, rendered, result, secret=[] if cleartext else planned.documents)
    made = result.items
    if step.on("data-only"):
        made = [_data_of(one, context) for one, of in zip(made, rendered, strict=True) if not of.control]
    state.documents = [*others, *made]


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


def _patch(step: Step, pipeline: Pipeline, state: State, context: Context) -> None:
    """Operations and variables, on the documents that are selected."""
    from weft.ops import Sources, interpolate, patch, read_operations
    from weft.ops.files import expand
    from weft.ops.reading import file_source
    from weft.ops.variables import from_file

    chosen = _selected(step, state)
    operations = []
    for path in _paths(step, pipeline, "ops"):
        for file in expand(path):
            operations += read_operations(file_source(file, "an ops file"))
    sources = Sources()
    if context.trace is not None:
        from weft.ops.tracing import Variables

        sources.traced = Variables(context.trace)
    for path in _paths(step, pipeline, "vars-files"):
        sources.give("vars-file", from_file(path))
        if sources.traced is not None:
            sources.traced.file(path)
    own = step.map("vars")
    if own is not None:
        sources.give("var", {str(item.key): item.value for item in own.items})
        if sources.traced is not None:
            for item in own.items:
                sources.traced.give("var", str(item.key), item)
    out: list[Document] = []
    for document in state.documents:
        if document not in chosen:
            out.append(document)
            continue
        try:
            value = patch(document.value, operations, trace=context.trace)
            value = interpolate(value, sources, expect_values=step.on("var-errs"))
        except WeftError as error:
            from weft.tools.paths import document_name

            raise error.within(f"on {document_name(document) or 'a document'}", document.position) from None
        new = document.with_value(value)
        if context.trace is not None:
            context.trace.copied(new, document)
        out.append(new)
    state.documents = out


def _selected(step: Step, state: State) -> set[Document]:
    """The documents that `select` means; without it the only one. Raises UsageError if there is none."""
    from weft.tools.paths import document_name

    select = step.map("select")
    names = ", ".join(document_name(document) or "a document without a name" for document in state.documents)
    if select is None:
        if len(state.documents) == 1:
            return set(state.documents)
        raise UsageError(
            'a patch changes one document, unless "select" says which',
            at=step.item.position,
            expected=f'"select" with {", ".join(_SELECTORS)}',
            found=names or "no documents",
        )
    _check_keys(select, _SELECTORS, '"select"')
    chosen = {document for document in state.documents if _is_meant(document, select)}
    if not chosen:
        wanted = select.find("name")
        known = [(document_name(document) or "").rpartition("/")[2] for document in state.documents]
        raise UsageError(
            "no document is selected",
            at=select.position,
            found=names or "no documents",
            hint=did_you_mean(str(wanted.value), known) if wanted is not None else None,
        )
    return chosen


def _is_meant(document: Document, select: Map) -> bool:
    return all(_fits(document, str(item.key), item.value) for item in select.items)


def _fits(document: Document, key: str, wanted: Value) -> bool:
    if key == "subset":
        return _contains(document.value, wanted)
    top = document.value
    if key in ("name", "namespace"):
        metadata = top.find("metadata") if type(top) is Map else None
        inner = metadata.value if metadata is not None else None
        found = inner.find(key) if type(inner) is Map else None
        if found is None and key == "name" and type(top) is Map:
            found = top.find("name")
    else:
        found = top.find(key) if type(top) is Map else None
    if found is None:
        return False
    wanted_ones = [one.value for one in wanted.items] if type(wanted) is Array else [wanted]
    return any(type(found.value) is type(one) and found.value == one for one in wanted_ones)


def _contains(value: Value, wanted: Value) -> bool:
    if type(wanted) is Map:
        if type(value) is not Map:
            return False
        for item in wanted.items:
            found = value.find(item.key)
            if found is None or not _contains(found.value, item.value):
                return False
        return True
    if type(wanted) is Array:
        return (
            type(value) is Array
            and len(value.items) == len(wanted.items)
            and all(_contains(a.value, b.value) for a, b in zip(value.items, wanted.items, strict=True))
        )
    return type(value) is type(wanted) and value == wanted


def _compose(step: Step, pipeline: Pipeline, state: State, context: Context) -> None:
    """The steps of another pipeline file, on the documents and values so far."""
    paths = _paths(step, pipeline, "file")
    if len(paths) != 1:
        raise UsageError("a compose step names one pipeline", at=step.item.position, expected='"file"')
    if os.path.realpath(paths[0]) in state.running:
        names = [os.path.relpath(one) for one in (*state.running, os.path.realpath(paths[0]))]
        raise UsageError("pipelines run each other in a circle", at=step.item.position, found=" -> ".join(names))
    for _ in run(read(paths[0]), state, context):
        pass


# What a step may be: its function, and its settings.
STEPS: Mapping[str, tuple[Callable[[Step, Pipeline, State, Context], None], tuple[str, ...]]] = {
    "render": (_render, ("files", "set", "strict", "ignore-unknown-comments", "implicit-map-key-overrides")),
    "layer": (_layer, ("files", "data-only", "lenient", "strict", "cleartext-secrets")),
    "patch": (_patch, ("select", "ops", "vars", "vars-files", "var-errs")),
    "overlay": (_overlay, ("files", "set", "strict", "ignore-unknown-comments", "implicit-map-key-overrides")),
    "values": (_values, ("files", "set")),
    "compose": (_compose, ("file",)),
}
