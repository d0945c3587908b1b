"""Navigation in layered documents: from a child to its parent, from a destination to its source, and back.

The histories of values contain the source documents and lines, so nothing is resolved again.
"""

from __future__ import annotations

from plait.authoring.analysis.file_facts import LAYER
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp.features import FileRange
from plait.insight.explain import Explainer, flat
from plait.insight.node_paths import all_places
from plait.layering.document import DATA_SCHEMA
from plait.tree.nodes import Document, Map, MapItem, walk
from plait.yaml.document_names import document_name
from plait.yaml.lossless.scalar_values import body_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.insight.explain import HistoryEntry
    from plait.tree.nodes import Item, Value

# Maps each action whose origin is in another document to the key of the item that refers to that document.
_SOURCES = ("written", "labels of the parent")
_LINKS = ("substitution", "parent [", "layering action")
# Prefixes of built-in schemas.
BUILT_IN = ("deckhand/", "metadata/")
# Maximum number of values per response, so that an editor does not wait on a large site.
_MOST = 3000


def sources(state: ServerState, file: File, line: int) -> list[FileRange]:
    """The origin of data that a line inherits or substitutes."""
    found: dict[tuple[str, int], FileRange] = {}
    way = file.ancestors_at(line)
    document = way[0] if way else None
    name = document_name(document) if type(document) is Document else None
    is_metadata = any(type(item) is MapItem and item.key == "metadata" for item in way[:2])
    if file.kind != LAYER or name is None or not is_metadata:
        return []
    # A line inside a selector counts as the selector's first line.
    asked = {(file.path, item.line) for item in way[2:]} | {(file.path, line)}
    for evaluation in state.evaluations(file.path):
        for entries in _histories(evaluation, name):
            lines = {_entry_position(entry): entry for entry in entries}
            links = [entry for where, entry in lines.items() if where in asked and entry.action.startswith(_LINKS)]
            if not links:
                continue
            # A selector refers to the labels it matches, not to each inherited value.
            is_selector = all(entry.action.startswith(_LINKS[1]) for entry in links)
            for where, entry in lines.items():
                wanted = entry.action == _SOURCES[1] if is_selector else entry.action in _SOURCES
                if where is not None and wanted and not _is_own(file, way[0].line, where):
                    found.setdefault(where, _span(state, where))
    return list(found.values())


def named(state: ServerState, file: File, line: int, column: int) -> list[FileRange]:
    """All occurrences of the name of a document or schema, if the position is on one of them."""
    if file.kind != LAYER:
        return []
    places: list[tuple[tuple[str, str], FileRange]] = []
    for path in sorted({file.path}.union(*(one.view.files for one in state.evaluations(file.path)))):
        other = state.file(path)
        if other is not None and other.kind == LAYER:
            places += _names_in(other)
    asked = {what for what, span in places if _covers(span, file, line, column)}
    return [span for what, span in places if what in asked]


def is_schema_at(file: File, line: int, column: int) -> bool:
    """True if the name at a position is a schema name, which is the name of its DataSchema document."""
    return any(not what[0] and _covers(span, file, line, column) for what, span in _names_in(file))


def _covers(span: FileRange, file: File, line: int, column: int) -> bool:
    return span.path == file.path and span.line == line and span.column <= column <= span.end


def _names_in(file: File) -> Iterator[tuple[tuple[str, str], FileRange]]:
    """The names in a file with their spans: (schema, name) for documents, and ("", schema) for schemas."""
    for document in file.documents:
        top = document.value
        if type(top) is not Map:
            continue
        metadata = top.find("metadata")
        sources = [] if metadata is None else [item.value for item in walk(metadata.value) if _key(item) == "src"]
        for around, inner in [(top, None if metadata is None else metadata.value), *((one, one) for one in sources)]:
            schema, name = _text_of(around, "schema"), _text_of(inner, "name")
            if schema is None:
                continue
            kind = str(schema.value)
            if not kind.startswith(BUILT_IN):
                yield from _text_span(file, schema, ("", kind))
            if name is not None:
                owner = "" if kind.startswith(DATA_SCHEMA) else kind
                yield from _text_span(file, name, (owner, str(name.value)))


def _text_of(value: Value, key: str) -> MapItem | None:
    """The item with a string value under a key of a map, or None."""
    item = value.find(key) if type(value) is Map else None
    return item if item is not None and type(item.value) is str else None


def _text_span(file: File, item: MapItem, what: tuple[str, str]) -> Iterator[tuple[tuple[str, str], FileRange]]:
    """The span of an item's string if it is on the line of its key."""
    node = file.spans.node(item)
    if node is None:
        return
    text = file.spans.tree.text
    is_quoted = node.style in ('"', "'")
    start, end = body_start(text, node) + is_quoted, node.end - is_quoted
    line, column = file.spans.place(start)
    if text[start:end] == what[1] and line == item.line:
        yield what, FileRange(file.path, line, column, column + end - start)


def _key(item: Item) -> str:
    return str(item.key) if type(item) is MapItem else ""


def dependents(state: ServerState, file: File, line: int) -> list[FileRange]:
    """The lines that inherit or substitute data of the document on a line."""
    found: dict[tuple[str, int], FileRange] = {}
    if file.kind != LAYER:
        return []
    for evaluation in state.evaluations(file.path):
        for entries in _histories(evaluation, None):
            lines = {_entry_position(entry): entry for entry in entries}
            if (file.path, line) not in lines or lines[file.path, line].action.startswith(_LINKS):
                continue
            for where, entry in lines.items():
                if where is not None and entry.action.startswith(_LINKS[:2]):
                    found.setdefault(where, _span(state, where))
    return sorted(found.values(), key=lambda span: (span.path, span.line))


def _histories(evaluation: Evaluation, name: str | None) -> Iterator[list[HistoryEntry]]:
    """The history entries of each value in the documents with a name, or in all documents."""
    if evaluation.documents is None:
        return
    explainer = Explainer(evaluation.trace)
    count = 0
    for place in all_places(explainer.visible(evaluation.documents.nodes.items), {}):
        if name is not None and document_name(place.document) != name:
            continue
        count += 1
        if count > _MOST:
            return
        history = explainer.history(place)
        yield [*flat([*history.entries, *history.presence])]


def _entry_position(entry: HistoryEntry) -> tuple[str, int] | None:
    path = path_of(entry.source)
    return None if path is None else (path, entry.line)


def _is_own(file: File, first: int, where: tuple[str, int]) -> bool:
    """True if a line belongs to the document that starts on line `first`."""
    after = min((document.line for document in file.documents if document.line > first), default=1 << 30)
    return where[0] == file.path and first <= where[1] < after


def _span(state: ServerState, where: tuple[str, int]) -> FileRange:
    path, line = where
    file = state.file(path)
    return FileRange(path, line, 1, 1) if file is None else FileRange(path, line, *file.text_on(line))
