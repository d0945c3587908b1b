"""Schemas of documents by their kind, for what templates, overlays, operations and layers make."""

from __future__ import annotations

import re

from plait.analysis.files import LAYER, OPS, PROJECT
from plait.analysis.places import path_of
from plait.errors import PlaitError
from plait.kinds import Catalogue, Fault, Schema, catalogue_of, faults
from plait.layering.document import DATA_SCHEMA
from plait.limits import Limits, limited
from plait.lsp.answers import Edit, Fix, Problem, Span, Suggestion
from plait.lsp.behind import lines_behind
from plait.lsp.evaluation import descend
from plait.lsp.layers import documents
from plait.lsp.left import is_overlay, left_documents
from plait.nodes import Map, MapItem, to_plain
from plait.spell import listed

# Tokens of a path that choose among the items of an array.
_ITEM = re.compile(r"(?:-?\d+(?::\w+)?|-|[^=]*=.*)\Z")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.analysis.files import File
    from plait.lsp.cursor import Cursor
    from plait.lsp.evaluation import Evaluation
    from plait.lsp.state import State
    from plait.nodes import Document
    from plait.tools.paths import Place

# What reading schemas may take, and checking documents by them.
_LIMITS = Limits(seconds=5, input=256 << 20)


def _catalogue(evaluation: Evaluation) -> Catalogue | None:
    if not evaluation.run.schemas:
        return None
    try:
        with limited(_LIMITS):
            return catalogue_of(evaluation.run.schemas)
    except PlaitError as error:
        evaluation.catalogue_error = error
        return None


def schema_of(evaluation: Evaluation, document: Document) -> Schema | None:
    """The schema of a document that a run makes: by its kind, or by the name of the file that it was written in."""
    catalogue = _catalogue(evaluation)
    if catalogue is None:
        return None
    try:
        with limited(_LIMITS):
            if type(document.value) is Map:
                names = [document.value.find(name) for name in ("apiVersion", "kind")]
                found = catalogue.by_kind(*(None if item is None else item.value for item in names))
                if found is not None:
                    return found
            for path, _ in lines_behind(evaluation.trace, document):
                found = catalogue.by_file(path)
                if found is not None:
                    return found
    except PlaitError as error:
        evaluation.catalogue_error = error
    return None


def find_faults(evaluation: Evaluation) -> None:
    """Fill `faults` of an evaluation: each is at the line that has set, or changed, what is wrong last."""
    assert evaluation.documents is not None
    secret = {path_of(source) for source, _, _ in evaluation.trace.secrets}
    for document in evaluation.documents.nodes.items:
        schema = schema_of(evaluation, document)
        try:
            found = [] if schema is None else faults(document, schema)
        except PlaitError as error:
            evaluation.catalogue_error = error
            continue
        for fault in found:
            lines = lines_behind(evaluation.trace, fault.item)
            if lines:
                path, line = lines[-1]
                if path in secret:  # its keys are for nobody to see, either
                    fault = Fault(fault.item, "what stands here is not as the schema says")
                evaluation.faults.append((path, line, fault))


def problems(state: State, file: File) -> Iterator[Problem]:
    """What runs make of a file's lines that is not as the schemas of its kinds say."""
    if file.kind == PROJECT:
        yield from _unreadable(state, file)
        return
    seen: set[tuple[int, str]] = set()
    for evaluation in state.evaluations(file.path):
        if not state.is_current(evaluation, file.path):
            continue
        for path, line, fault in evaluation.faults:
            if path != file.path or (line, fault.message) in seen:
                continue
            seen.add((line, fault.message))
            text = file.line(line)
            start = len(text) - len(text.lstrip(" -"))
            key = str(fault.item.key) if type(fault.item) is MapItem else ""
            at = text.find(key, start) if key else start
            begin, end = (at, at + len(key)) if key and at >= 0 else (start, max(len(text.rstrip()), start + 1))
            message = f"{fault.message}\nin the run {evaluation.run.name}"
            if fault.meant:
                message = f"{fault.message}\nhint: did you mean {listed(fault.meant, quote=chr(34))}?"
            span = Span(file.path, line, begin + 1, end + 1)
            fixes = [Fix(f"Change to {one}", [Edit(span, one)]) for one in fault.meant if begin == at]
            yield Problem(span, "error", message, "kind", fixes=fixes)


def _unreadable(state: State, file: File) -> Iterator[Problem]:
    """Why schemas that a project file names cannot be used, each once."""
    line = next((number for number, text in enumerate(file.lines, 1) if text.startswith("schemas:")), 1)
    found = [
        watched.evaluation.catalogue_error for watched in state.runs_of(file.path) if watched.evaluation is not None
    ]
    for message in dict.fromkeys(error.message for error in found if error is not None):
        yield Problem(Span(file.path, line, 1, len("schemas") + 1), "error", message, "kind")


def offers(state: State, file: File, at: Cursor) -> Iterator[Suggestion]:
    """Keys and values that the schema of a document's kind has at a place, and the map there does not have yet."""
    if file.kind == LAYER:
        yield from _of_layer(state, file, at)
    keys = at.keys if file.kind != OPS else _keys_of_operation(at)
    for evaluation in state.evaluations(file.path):
        if not evaluation.run.schemas or keys is None:
            continue
        for document in _documents(state, evaluation, file, at):
            schema = schema_of(evaluation, document)
            here = None if schema is None else schema.at(keys)
            if here is not None:
                yield from _of_schema(here, at)
                return


def _keys_of_operation(at: Cursor) -> list[str] | None:
    """The keys of the document that lead to the cursor, through the path of the operation; None outside of a value."""
    operation = at.way[1].value if len(at.way) > 1 else None
    path = operation.find("path") if type(operation) is Map else None
    if at.keys[:1] != ["value"] or path is None or type(path.value) is not str:
        return None
    tokens = path.value.split("/")[1:]
    leads = [
        token.removesuffix("?").replace("~1", "/").replace("~0", "~") for token in tokens if not _ITEM.match(token)
    ]
    return [*leads, *at.keys[1:]]


def _of_layer(state: State, file: File, at: Cursor) -> Iterator[Suggestion]:
    """What a DataSchema document of the site has for the data of a document."""
    top = at.way[0].value if at.way else None
    schema = top.find("schema") if type(top) is Map else None
    if schema is None or at.keys[:1] != ["data"]:
        return
    for kind, name, other in documents(state, file):
        data = descend(other, ["data"])
        plain = None if data is None or not kind.startswith(DATA_SCHEMA) else to_plain(data.value)
        here = Schema(plain).at(at.keys[1:]) if name == schema.value and isinstance(plain, dict) else None
        if here is not None:
            yield from _of_schema(here, at)
            return


def _of_schema(here: Schema, at: Cursor) -> Iterator[Suggestion]:
    properties = here.inside().properties()
    if at.key:
        below = properties.get(at.key)
        for choice in () if below is None else below.choices():
            yield Suggestion(str(choice), "value", at.start, below.type_text(), below.description())  # type: ignore[union-attr]
        return
    there = at.there
    for name, below in properties.items():
        if name not in there:
            yield Suggestion(name, "key", at.start, below.type_text(), below.description(), f"{name}: ")


def _documents(state: State, evaluation: Evaluation, file: File, at: Cursor) -> Iterator[Document]:
    """The documents that what is typed belongs to: those that an overlay changes, or the one that the text makes."""
    if not at.way:
        return
    if is_overlay(file, at.way):
        yield from left_documents(state, evaluation, file, at.way[0])
        return
    assert evaluation.documents is not None
    if file.kind == OPS:
        yield from evaluation.documents.nodes.items[:1]
        return
    written = at.way[0]
    if type(written.value) is Map and written.value.find("kind") is not None:
        yield written  # type: ignore[misc] # the first item of a way is a document
    places = evaluation.set_by(file.path, written)
    for number in sorted({place.number for place in places}):
        yield evaluation.documents.nodes.items[number]


def described(evaluation: Evaluation, place: Place) -> str | None:
    """What the schema of its document says of a value, in one paragraph."""
    schema = schema_of(evaluation, place.document) if evaluation.run.schemas else None
    keys = [str(item.key) for item in place.way if type(item) is MapItem]
    found = None if schema is None else schema.at(keys)
    if found is None:
        return None
    said = found.description()
    return f"{found.type_text()}: {said}" if said else found.type_text()
