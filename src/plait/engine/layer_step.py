"""The `layer` step of a pipeline: adds layered documents."""

from __future__ import annotations

import os

from plait.base.errors import PlaitError, UsageError
from plait.base.events import current_listener, listening
from plait.base.input_view import check_read
from plait.base.source import Source
from plait.engine.layer import Layer, options_of
from plait.engine.pipeline import wrong
from plait.engine.pipeline_state import made_of, paths_of
from plait.layering.document import read_documents
from plait.layering.plain_scalars import plain_values
from plait.layering.rendering import plan, render_plan, written
from plait.layering.secrets import lines_of_secrets
from plait.layering.sites import find_site, unwrapped
from plait.layering.tracing import inherited
from plait.tree.nodes import Array, Document, DocumentSet, Map
from plait.yaml.reader import read as read_yaml
from plait.yaml.reading_warnings import reading_warnings
from plait.yaml.repeats import deduplicate
from plait.yaml.scalars import has_typographic_quotes
from plait.ytt.workspace.inputs import Inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.engine.pipeline import Pipeline, Step
    from plait.engine.pipeline_state import PipelineState
    from plait.tree.context import Context
    from plait.tree.nodes import Item

_EXTENSIONS = (".yml", ".yaml", ".json")


def layer(step: Step, pipeline: Pipeline, state: PipelineState, context: Context) -> None:
    """Adds layered documents: those of a site, those of files, and those among the existing documents."""
    sets: list[DocumentSet] = []
    others: list[Document] = []
    layered: list[Document] = []
    for document in state.documents:
        (layered if _is_layered(document) else others).append(document)
    if layered:
        sets.append(DocumentSet(layered))
    sets += _of_site(step, pipeline, context)
    for path in paths_of(step, pipeline, "files"):
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
        raise made_of(error, (document for one in sets for document in one.items), context) from None
    result = written(rendered, cleartext_secrets=cleartext)
    if context.trace is not None:
        inherited(context.trace, rendered, result, secret=planned.documents)
    made = result.items
    if step.on("data-only"):
        made = [_data_of(one, context) for one, of in zip(made, rendered, strict=True) if not of.control]
    if known is not None and trace is not None and marks is not None:
        # The metadata of documents determines parents, actions, substitutions and layers, also those of other
        # documents.
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
    """The parts of a layered document that may affect other documents: all except its data, or all if it is a control
    document.
    """
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
    """The documents of the Airship site in a step."""
    repositories = step.map("repositories")
    checkouts: dict[str, str] = {}
    for item in repositories.items if repositories is not None else ():
        if type(item.value) is not str:
            raise wrong(item, "the directory of a checkout")
        checkouts[str(item.key)] = os.path.join(pipeline.directory, item.value)
        check_read(checkouts[str(item.key)], item.position)
    paths = paths_of(step, pipeline, "site")
    if repositories is not None and not paths:
        raise UsageError("repositories requires site", at=repositories.position, expected='"site"', code="site-options")
    for path in paths:
        for source in find_site(path, context.warn, repositories=checkouts).sources():
            written = read_yaml(source, keep_mark=False, plain=plain_values, depth=300)
            yield unwrapped(_settled(source, written, context), context.warn)


def _settled(source: Source, written: DocumentSet, context: Context) -> DocumentSet:
    """Documents without duplicate keys. Warns about them, and about typographic quotes."""
    documents = deduplicate(written)
    if documents is not written or has_typographic_quotes(source.text):
        for text in reading_warnings(source, written, several=True):
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
    """A document with the data of a layered one."""
    assert type(document.value) is Map
    item = document.value.find("data")
    assert item is not None
    made = Document(item.value, item.source, item.line)
    if context.trace is not None:
        context.trace.copied(made, item)
    return made
