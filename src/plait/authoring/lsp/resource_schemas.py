"""Resource schemas in the editor, for the output of templates, overlays, operations and layers."""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache

from plait.authoring.analysis.file_facts import OPS, PROJECT
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp.evaluation import descend
from plait.authoring.lsp.features import CompletionItem, EditorDiagnostic, FileEdit, FileRange, Fix
from plait.authoring.lsp.markdown import plain
from plait.authoring.lsp.overlay_targets import is_overlay, left_documents
from plait.authoring.lsp.value_origins import origin_lines
from plait.base.codes import number_of
from plait.base.errors import PlaitError
from plait.base.limits import Limits, budget_scope
from plait.base.process import with_stack_headroom
from plait.base.similar_names import listed
from plait.layering.document import DATA_SCHEMA
from plait.tree.nodes import Map, MapItem, to_plain, walk
from plait.yaml.writer import write_value
from plait.ytt.json_schema.catalogue import catalogue_of
from plait.ytt.json_schema.check import SchemaViolation, faults
from plait.ytt.json_schema.messages import Violation
from plait.ytt.json_schema.reference_resolution import of_data
from plait.ytt.json_schema.subschema import Subschema

# Path tokens that select an item of an array.
_ITEM = re.compile(r"(?:-?\d+(?::\w+)?|-|[^=]*=.*)\Z")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.cursor import Cursor
    from plait.authoring.lsp.evaluation import Evaluation, EvaluationStop
    from plait.authoring.lsp.state import ServerState
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Document

# Limits for reading schemas, and checking documents against them.
_LIMITS = Limits(seconds=5, steps=1 << 30, input=256 << 20)


_OF_DATA_SCHEMAS = (["metadata", "storagePolicy"], ["metadata", "name"], ["data"])
_HIDDEN = Violation((), "the value violates its schema")


def find_faults(state: ServerState, evaluation: Evaluation, stop: EvaluationStop) -> None:
    """Fills `kinds` of an evaluation: each fault is at the line that last set or changed the value. stop: stops the
    check.
    """
    if not evaluation.run.checked_by and evaluation.run.command != "layer":
        return
    try:
        with budget_scope(_LIMITS) as run_budget:
            stop.watch(run_budget)
            with_stack_headroom(lambda: _find(state, evaluation), first=False)
    except PlaitError as error:
        evaluation.kinds.error = None if stop.is_asked else error


def _find(state: ServerState, evaluation: Evaluation) -> None:
    assert evaluation.documents is not None
    kinds = evaluation.kinds
    secret = {path_of(source) for source, _, _ in evaluation.trace.secrets}
    if evaluation.run.checked_by:
        texts = {path: text.encode("utf-8", "surrogateescape") for path, text in [*state.texts.items()]}
        kinds.catalogue = catalogue_of(evaluation.run.checked_by, texts)
    if evaluation.run.command == "layer":
        kinds.of_data = _of_site(state, evaluation)
    for document in evaluation.documents.nodes.items:
        for fault in _faults(evaluation, document):
            origin = _origin(evaluation, fault)
            if origin is not None:
                path, line = origin
                # Keys of secret values are not shown either.
                is_hidden = path in secret or evaluation.is_secret(fault.item)
                kinds.faults.append((path, line, SchemaViolation(fault.way, _HIDDEN) if is_hidden else fault))


def _faults(evaluation: Evaluation, document: Document) -> Sequence[SchemaViolation]:
    kinds = evaluation.kinds
    paths = [path for path, _ in origin_lines(evaluation.trace, document)]
    if kinds.catalogue is not None and (found := kinds.catalogue.check(document, paths)):
        return found
    schema = kinds.of_data.get(_schema_name(document))
    return [] if schema is None else faults(document, schema)


def _origin(evaluation: Evaluation, fault: SchemaViolation) -> tuple[str, int] | None:
    """The line that set the faulty value, or its nearest ancestor."""
    for item in reversed(fault.way):
        lines = origin_lines(evaluation.trace, item)
        if lines:
            return lines[-1]
    return None


def _of_site(state: ServerState, evaluation: Evaluation) -> dict[str, Subschema]:
    """The data schemas among the documents that a run has read, unless the run checks data itself."""
    found: dict[str, Subschema] = {}
    if any(setting.name == "validate-data" for setting in evaluation.run.settings):
        return found
    for path, content in sorted(evaluation.view.files.items()):
        file = state.file(path) if content is not None and DATA_SCHEMA.encode() in content else None
        for document in () if file is None else file.documents:
            policy, name, data = (descend(document, keys) for keys in _OF_DATA_SCHEMAS)
            if not _schema_name(document).startswith(f"{DATA_SCHEMA}/") or name is None or data is None:
                continue
            plain = to_plain(data.value)
            # The content of encrypted documents is not shown.
            if isinstance(plain, dict) and (policy is None or policy.value != "encrypted"):
                try:
                    found.setdefault(str(name.value), _data_schema(json.dumps(plain)))
                except (PlaitError, ImportError, TypeError, ValueError):
                    continue  # `plait layer --validate-data` reports the fault of the schema
    return found


@lru_cache(64)
def _data_schema(text: str) -> Subschema:
    """The schema of layered documents, for a schema of their data. Raises UsageError, LimitError, ImportError."""
    return of_data(json.loads(text))


def _schema_name(document: Document) -> str:
    found = document.value.find("schema") if type(document.value) is Map else None
    return found.value if found is not None and type(found.value) is str else ""


def schema_of(evaluation: Evaluation, document: Document) -> Subschema | None:
    """The schema of a document of the output: by kind, or by the name of its file."""
    kinds = evaluation.kinds
    found = None
    if kinds.catalogue is not None:
        try:
            with budget_scope(_LIMITS):
                paths = [path for path, _ in origin_lines(evaluation.trace, document)]
                found = kinds.catalogue.find(document, paths)
        except PlaitError as error:
            kinds.error = error
    return found or kinds.of_data.get(_schema_name(document))


# ---- diagnostics


def problems(state: ServerState, file: File) -> Iterator[EditorDiagnostic]:
    """The violations of resource schemas, at the lines of a file that caused them."""
    if file.kind == PROJECT:
        yield from _unreadable(state, file)
        return
    yield from of_schemas(state, file.path)
    seen: set[tuple[int, str]] = set()
    for evaluation in state.evaluations(file.path):
        if not state.is_current(evaluation, file.path):
            continue
        for path, line, fault in evaluation.kinds.faults:
            if path == file.path and (line, fault.message) not in seen:
                seen.add((line, fault.message))
                yield _problem(file, line, fault, evaluation.run.name)


def _problem(file: File, line: int, fault: SchemaViolation, run: str) -> EditorDiagnostic:
    key = str(fault.item.key) if type(fault.item) is MapItem else ""
    span = FileRange(file.path, line, *file.key_on(line, key))
    message = f"{fault.message}\nin the run {run}"
    if fault.meant:
        message = f"{fault.message}\nhint: did you mean {listed(fault.meant, quote=chr(34))}?"
    text = file.line(line)
    is_found = not key or text[span.column - 1 : span.end - 1] == key
    place = span if fault.is_of_key else _value_of(span, text, fault)
    fixes = (
        []
        if place is None or not is_found
        else [Fix(f"Change to {one}", [FileEdit(place, one)]) for one in fault.meant]
    )
    return EditorDiagnostic(span, "error", message, number_of("json-schema-violation"), fixes=fixes)


def _value_of(span: FileRange, text: str, fault: SchemaViolation) -> FileRange | None:
    """The span of a value in the text, after its key or as an array item; None if it is computed. span: the span of the
    key.
    """
    value = str(fault.item.value)
    at = text.find(value, span.end - 1 if type(fault.item) is MapItem else 0)
    return None if at < 0 or not value else FileRange(span.path, span.line, at + 1, at + len(value) + 1)


def is_schema(state: ServerState, path: str) -> bool:
    """True if a file is used only as a schema, so that it is not read as YAML."""
    if not path.endswith(".json") or not state.checked_by(path):
        return False
    return all(watched.good is None or path not in watched.good.view.files for watched in state.runs_of(path))


def of_schemas(state: ServerState, path: str) -> Iterator[EditorDiagnostic]:
    """The faults of a schema file, each once."""
    seen: set[tuple[int, str]] = set()
    for watched in state.checked_by(path):
        for error, severity in () if watched.good is None else watched.good.kinds.problems():
            at = error.at
            if at is None or path_of(at.source) != path or (at.line, error.message) in seen:
                continue
            seen.add((at.line, error.message))
            text = "\n".join(filter(None, [error.message, error.expected and f"expected: {error.expected}"]))
            text += f"\nhint: {error.hint}" if error.hint else ""
            yield EditorDiagnostic(FileRange(path, at.line, 1, 1), severity, text, number_of(error.code))


def _unreadable(state: ServerState, file: File) -> Iterator[EditorDiagnostic]:
    """The first fault of each schema file that a project file names."""
    found = (item for document in file.documents for item in walk(document.value))
    line = next((item.line for item in found if type(item) is MapItem and item.key == "schemas"), 1)
    by_file: dict[str, dict[str, tuple[str, str]]] = {}
    for watched in state.runs_of(file.path):
        for error, severity in () if watched.good is None else watched.good.kinds.problems():
            place = f"{error.at}: " if error.at is not None else ""
            text = f"{place}{error.message}\nhint: {error.hint}" if error.hint else f"{place}{error.message}"
            name = text if error.at is None else path_of(error.at.source) or ""
            by_file.setdefault(name, {}).setdefault(text, (severity, error.code))
    for told in by_file.values():
        text = next(iter(told)).replace(os.path.join(os.path.dirname(file.path), ""), "")
        more = f"\nand {len(told) - 1} more" if len(told) > 1 else ""
        # An error before a warning.
        severity, code = min(told.values())
        span = FileRange(file.path, line, 1, len("schemas") + 1)
        yield EditorDiagnostic(span, severity, text + more, number_of(code))


# ---- completion and hover


def offers(state: ServerState, file: File, at: Cursor) -> Iterator[CompletionItem]:
    """The keys and values that the resource schema allows at the cursor, without existing keys."""
    keys = at.keys if file.kind != OPS else _keys_of_operation(at)
    for evaluation in state.evaluations(file.path):
        if keys is None:
            continue
        for document in _documents(state, evaluation, file, at):
            schema = schema_of(evaluation, document)
            here = None if schema is None else schema.at(keys)
            if here is not None:
                yield from of_schema(here, at)
                return


def _keys_of_operation(at: Cursor) -> list[str] | None:
    """The keys from the document to the cursor, through the path of the operation; None outside a value."""
    operation = at.way[1].value if len(at.way) > 1 else None
    path = operation.find("path") if type(operation) is Map else None
    if at.keys[:1] != ["value"] or path is None or type(path.value) is not str:
        return None
    tokens = path.value.split("/")[1:]
    leads = [
        token.removesuffix("?").replace("~1", "/").replace("~0", "~") for token in tokens if not _ITEM.match(token)
    ]
    return [*leads, *at.keys[1:]]


def of_schema(here: Subschema, at: Cursor) -> Iterator[CompletionItem]:
    """The missing keys at the cursor, or the valid values of the key."""
    properties = here.inside().properties()
    if at.key:
        below = here.inside().below(at.key)
        for choice in () if below is None else below.choices():
            if not isinstance(choice, (dict, list)):
                text = write_value(choice).strip()  # type: ignore[arg-type] # JSON has no other scalars
                yield CompletionItem(text, "value", at.start, below.type_text(), plain(below.description()))  # type: ignore[union-attr]
        return
    there = at.there
    for name, below in properties.items():
        if name not in there:
            yield CompletionItem(name, "key", at.start, below.type_text(), plain(below.description()), f"{name}: ")


def _documents(state: ServerState, evaluation: Evaluation, file: File, at: Cursor) -> Iterator[Document]:
    """The documents of the text at the cursor: those that an overlay changes, or the one that a template creates."""
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


def described(evaluation: Evaluation, node_path: NodePath) -> str | None:
    """The description of a value in the schema of its document, in one paragraph, or None."""
    schema = schema_of(evaluation, node_path.document)
    keys = [str(item.key) for item in node_path.way if type(item) is MapItem]
    found = None if schema is None else schema.at(keys)
    if found is None:
        return None
    said = found.description()
    return f"{found.type_text()}: {said}" if said else found.type_text()
