"""Completion in YAML: keys and values of data values, of overlays' targets, of operations, layers and projects."""

from __future__ import annotations

from plait.authoring.analysis.file_facts import LAYER, OPS, PROJECT, TEMPLATE
from plait.authoring.lsp import layers, operation_completion, projectfile, resource_schemas
from plait.authoring.lsp.cursor import cursor
from plait.authoring.lsp.evaluation import descend
from plait.authoring.lsp.features import CompletionItem
from plait.authoring.lsp.markdown import plain
from plait.authoring.lsp.overlay_targets import is_overlay, left_documents
from plait.authoring.lsp.schemas import declared, of_values
from plait.tree.nodes import Array, Map
from plait.ytt.templates.recovery import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.cursor import Cursor
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Item, Value


def offers(state: ServerState, file: File, line: int, column: int) -> Iterator[CompletionItem]:
    """The suggestions at a column of a line."""
    at = None if file.kind == TEXT else cursor(file, line, column)
    if at is None:
        return
    if file.kind == PROJECT:
        yield from projectfile.offers(file, at)
        return
    if file.kind == OPS:
        yield from operation_completion.offers(state, file, at, line)
    elif file.kind == LAYER:
        yield from layers.offers(state, file, at)
    else:
        yield from _keys(state, file, at)
    yield from resource_schemas.offers(state, file, at)


def _keys(state: ServerState, file: File, at: Cursor) -> Iterator[CompletionItem]:
    """Keys of a map, or values of a key, for data values and overlay targets."""
    seen = set() if at.key else at.there
    for evaluation in state.evaluations(file.path):
        if is_overlay(file, at.way):
            for value in _left_maps(state, evaluation, file, at):
                yield from _left_items(evaluation, value, at, seen)
        elif _is_values(evaluation, file, at.way):
            yield from _of_values(state, evaluation, file, at, seen)


def _left_maps(state: ServerState, evaluation: Evaluation, file: File, at: Cursor) -> Iterator[Value]:
    """The left maps of the map at the cursor."""
    for document in left_documents(state, evaluation, file, at.way[0]):
        place = descend(document, at.keys)
        if place is not None and type(place.value) is Array:
            yield from (item.value for item in place.value.items)
        elif place is not None:
            yield place.value


def _left_items(evaluation: Evaluation, value: Value, at: Cursor, seen: set[str]) -> Iterator[CompletionItem]:
    if type(value) is not Map:
        return
    for item in value.items:
        name = str(item.key)
        if at.key:
            if name == at.key and type(item.value) in (str, int, float, bool) and not evaluation.is_secret(item):
                text = evaluation.shown(item)
                if text not in seen:
                    seen.add(text)
                    yield CompletionItem(text, "value", at.start, detail="as it is")
        elif name not in seen:
            seen.add(name)
            yield CompletionItem(name, "key", at.start, detail=evaluation.shown(item), text=f"{name}: ")


def _of_values(
    state: ServerState, evaluation: Evaluation, file: File, at: Cursor, seen: set[str]
) -> Iterator[CompletionItem]:
    if at.key:
        said = declared(state, evaluation, [*at.keys, at.key], file.path)
        if said is None:
            return
        choices = said.choices or (["true", "false"] if said.type.startswith("boolean") else [said.default])
        for choice in choices:
            if choice and choice not in seen:
                seen.add(choice)
                yield CompletionItem(choice, "value", at.start, detail=said.type, documentation=plain(said.description))
        return
    outside = of_values(state, evaluation)
    here = None if outside is None else outside.at(at.keys)
    if here is not None:
        for one in resource_schemas.of_schema(here, at):
            if one.label not in seen:
                seen.add(one.label)
                yield one
    for item in evaluation.items(file.path, at.keys):
        name = str(item.key)
        if name not in seen:
            seen.add(name)
            said = declared(state, evaluation, [*at.keys, name], file.path)
            text = "" if said is None else said.text()
            yield CompletionItem(name, "key", at.start, evaluation.shown(item), text, f"{name}: ")


def _is_values(evaluation: Evaluation, file: File, ancestors: Sequence[Item]) -> bool:
    """True if a position is in a document of data values: annotated, or in a plain values file of the run."""
    comments = None if file.recovered.file is None else file.recovered.file.comments
    if (
        comments is not None
        and ancestors
        and any(one.text.startswith("@data/values") for one in comments.at(ancestors[0]))
    ):
        return True
    return file.kind != TEMPLATE and evaluation.run.is_values_file(file.path)
