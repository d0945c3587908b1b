"""Completion in layered documents: keys, schemas, names, layers, labels, paths into the data of other documents."""

from __future__ import annotations

from plait.authoring.lsp.evaluation import descend
from plait.authoring.lsp.features import CompletionItem
from plait.layering.validation import KEYS
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.cursor import Cursor
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Document, Value

# Valid values, by key.
_CHOICES = {
    "method": ("merge", "replace", "delete"),
    "abstract": ("true", "false"),
    "replacement": ("true", "false"),
    "storagePolicy": ("cleartext", "encrypted"),
}
_DEEPEST, _MOST_PATHS = 6, 400


def offers(state: ServerState, file: File, at: Cursor) -> Iterator[CompletionItem]:
    """The suggestions at the cursor."""
    inner = at.keys[-1] if at.keys else ""
    found: Iterator[tuple[str, str]]
    if not at.key:
        if inner in ("labels", "parentSelector"):
            found = ((label, "label") for label, _ in _labels(state, file))
        else:
            found = ((key, "key") for key in KEYS.get(inner, ()) if not at.keys or at.keys[0] == "metadata")
        for text, kind in sorted({*found} - {(key, "key") for key in at.there}):
            yield CompletionItem(text, kind, at.start, text=f"{text}: ")
        return
    for text in _values(state, file, at, inner):
        yield CompletionItem(text, at.key, at.start)


def _values(state: ServerState, file: File, at: Cursor, inner: str) -> list[str]:
    if at.key in _CHOICES and at.keys[:1] == ["metadata"]:
        return [*_CHOICES[at.key]]
    if inner in ("labels", "parentSelector"):
        return sorted({value for label, value in _labels(state, file) if label == at.key})
    if at.key == "schema" and at.keys == ["metadata"]:
        return ["metadata/Document/v1", "metadata/Control/v1"]
    if at.key == "path" and inner in ("src", "dest", "actions"):
        return [*_paths(state, file, at, inner)]
    if at.key == "name" and inner == "src":
        wanted = _sibling(at, "schema")
        return sorted({name for schema, name, _ in documents(state, file) if wanted in ("", schema)})
    if at.key in _PLACES:
        texts = _occurring(state, file, at.key)
        # A name that occurs only at the cursor is incomplete.
        return sorted({text for text in texts if text != at.typed or texts.count(text) > 1})
    return []


def documents(state: ServerState, file: File) -> Iterator[tuple[str, str, Document]]:
    """The documents that are layered together with those of a file, as written: schema, name, document."""
    paths = {file.path} | {path for one in state.evaluations(file.path) for path in one.view.files}
    for path in sorted(paths):
        other = state.file(path)
        for document in () if other is None else other.documents:
            schema, name = _text(document, ["schema"]), _text(document, ["metadata", "name"])
            if schema:
                yield schema, name, document


def _text(document: Document, keys: list[str]) -> str:
    place = descend(document, keys)
    return place.value if place is not None and type(place.value) is str else ""


def _labels(state: ServerState, file: File) -> Iterator[tuple[str, str]]:
    for _, _, document in documents(state, file):
        place = descend(document, ["metadata", "labels"])
        if place is not None and type(place.value) is Map:
            for item in place.value.items:
                if item.value is not None:
                    yield str(item.key), str(item.value)


def _sibling(at: Cursor, key: str) -> str:
    """The value of another key in the map at the cursor."""
    value = at.way[-1].value if at.way else None
    item = value.find(key) if type(value) is Map else None
    return item.value if item is not None and type(item.value) is str else ""


def _paths(state: ServerState, file: File, at: Cursor, inner: str) -> Iterator[str]:
    """Data paths for completion: of a substitution's source, or of the document itself and its possible
    ancestors.
    """
    own = at.way[0] if at.way else None
    schema = _sibling(at, "schema") if inner == "src" else _text(own, ["schema"]) if own is not None else ""  # type: ignore[arg-type]
    name = _sibling(at, "name")
    seen: set[str] = set()
    for other_schema, other_name, document in documents(state, file):
        if schema not in ("", other_schema) or (inner == "src" and name not in ("", other_name)):
            continue
        data = descend(document, ["data"])
        for path in () if data is None else _paths_in(data.value, "", 0):
            if path not in seen and len(seen) < _MOST_PATHS:
                seen.add(path)
                yield path


def _paths_in(value: Value, path: str, depth: int) -> Iterator[str]:
    yield path or "."
    if depth >= _DEEPEST:
        return
    if type(value) is Map:
        for item in value.items:
            yield from _paths_in(item.value, f"{path}.{item.key}", depth + 1)
    elif type(value) is Array:
        for number, one in enumerate(value.items):
            yield from _paths_in(one.value, f"{path}[{number}]" if path else f".[{number}]", depth + 1)


def _occurring(state: ServerState, file: File, key: str) -> list[str]:
    texts: list[str] = []
    for _, _, document in documents(state, file):
        for keys in _PLACES[key]:
            place = descend(document, keys)
            values = () if place is None else place.value.items if type(place.value) is Array else [place.item]
            texts += [item.value for item in values if type(item.value) is str]
    return texts


_PLACES = {
    "schema": (["schema"],),
    "name": (["metadata", "name"],),
    "layer": (["metadata", "layeringDefinition", "layer"], ["data", "layerOrder"]),
}
