"""A document with a schema, metadata and data: the unit of layering (docs/reference/layering.md).

`read_documents` reads the attributes of every document once: identity, layer, labels, selector, actions, substitutions.
It checks the structure that the engine needs (a schema, a metadata map, lists), with positions. `validation` checks if
the document is *well formed*.

The class is also the state of an evaluation: `data` starts as written and ends as rendered. Its nodes are never
changed, so restoring `written` resets it.
"""

from __future__ import annotations

from plait.base.content import note_secrets
from plait.base.errors import LayeringError
from plait.base.own_files import kind_of_own_file
from plait.base.similar_names import nearest
from plait.base.source import Position, Source
from plait.base.suggestions import replacing
from plait.layering.failures import a_kind, failure, lacking, raise_all
from plait.tree.nodes import Array, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.layering.known_documents import RenderedDocument
    from plait.tree import nodes
    from plait.tree.nodes import ArrayItem, Value

POLICY = "deckhand/LayeringPolicy"
DATA_SCHEMA = "deckhand/DataSchema"
VALIDATION_POLICY = "deckhand/ValidationPolicy"
CONTROL = "metadata/Control"


class LayeredDocument:
    """One document: its identity, its layering attributes, and its data.

    order: its index among the inputs. node: as read. metadata: as written. data: as rendered so far. parent: chosen by
    `parents`. replaced_by: set by `replacement`. result: the reusable result of rendering it, or None. secret: its data
    must not be shown (`storagePolicy: encrypted`, or derived from such a document while secrets are hidden).
    """

    __slots__ = (
        "abstract",
        "actions",
        "control",
        "data",
        "encrypted",
        "labels",
        "layer",
        "metadata",
        "name",
        "node",
        "order",
        "parent",
        "replaced_by",
        "replacement",
        "result",
        "schema",
        "secret",
        "selector",
        "substitutions",
        "written",
    )
    # Declared for type checkers, because the code that sets these follows some uses.
    name: str
    order: int
    schema: str

    def __init__(self, node: nodes.Document, order: int) -> None:
        top = node.value
        if type(top) is not Map:
            raise _malformed(f"a document must be a map, not {a_kind(top)}", node.position, hint=_FORM)
        self.node = node
        self.order = order
        self.layer: str | None = None
        self.abstract = False
        self.selector: Map | None = None
        self.actions: list[ArrayItem] = _NONE
        self.parent: LayeredDocument | None = None
        self.replaced_by: LayeredDocument | None = None
        self.result: RenderedDocument | None = None
        find = top.find
        item = find("schema")
        if item is None:
            raise _malformed("a document's schema must be a string, not null", node.position, top, "schema")
        self.schema = _text(item, "schema", node.position)
        item = find("metadata")
        metadata = item.value if item is not None else None
        if type(metadata) is not Map:
            at = item.position if item is not None else node.position
            raise _malformed(
                f"document [{self.schema}]: metadata must be a map, not {a_kind(metadata)}", at, top, "metadata"
            )
        self.metadata = metadata
        item = find("data")
        self.written = self.data = item.value if item is not None else None
        find = metadata.find
        item = find("schema")
        kind = item.value if item is not None else None
        self.control = type(kind) is str and kind.startswith(CONTROL)
        item = find("name")
        name = item.value if item is not None else None
        if type(name) is str:
            self.name = name
        elif name is None or type(name) in (Map, Array):
            if not self.control or name is not None:
                at = item.position if item is not None else metadata.position
                raise _malformed(
                    f"document [{self.schema}]: metadata.name must be a string, not {a_kind(name)}",
                    at,
                    metadata,
                    "name",
                    hint=_as_text("name", name),
                )
            self.name = ""
        else:
            self.name = str(name)
        item = find("labels")
        self.labels = self._map(item, "labels") if item is not None else None
        item = find("storagePolicy")
        self.encrypted = self.secret = item is not None and item.value == "encrypted"
        if self.encrypted:
            note_secrets()
        item = find("replacement")
        self.replacement = item is not None and item.value is True
        item = find("substitutions")
        self.substitutions = self._list(item, "substitutions") if item is not None else _NONE
        item = find("layeringDefinition")
        if item is not None:
            definition = self._map(item, "layeringDefinition")
            if definition is not None:
                self._read_definition(definition)

    def _read_definition(self, definition: Map) -> None:
        find = definition.find
        item = find("layer")
        if item is not None and item.value is not None and item.value != "":
            self.layer = item.value if type(item.value) is str else _text(item, "layer", item.position, self)
        item = find("abstract")
        self.abstract = item is not None and item.value is True
        item = find("parentSelector")
        if item is not None:
            selector = self._map(item, "parentSelector")
            self.selector = selector if selector is not None and selector.items else None
        item = find("actions")
        if item is not None:
            self.actions = self._list(item, "actions")

    def _map(self, item: MapItem, key: str) -> Map | None:
        value = item.value
        if type(value) is Map:
            return value
        if not value and type(value) is not Array:
            return None
        if key == "parentSelector" and type(value) is str:
            hint = f'it selects by labels, not by name: {key}: {{LABEL: VALUE}}, as in metadata.labels of "{value}"'
        else:
            hint = f"{key}: {{KEY: VALUE}}"
        raise _malformed(f"document {self}: {key} must be a map, not {a_kind(value)}", item.position, hint=hint)

    def _list(self, item: MapItem, key: str) -> list[ArrayItem]:
        value = item.value
        if type(value) is Array:
            return value.items
        if value is None:
            return _NONE
        raise _malformed(
            f"document {self}: {key} must be a list, not {a_kind(value)}",
            item.position,
            hint='begin each item with "- "',
        )

    def __repr__(self) -> str:
        return f"Document({self})"

    def __str__(self) -> str:
        if self.layer is None:
            return f"[{self.schema}] {self.name}"
        return f"[{self.schema}, {self.layer}] {self.name}"

    @property
    def identity(self) -> tuple[str, str | None, str]:
        return (self.schema, self.layer, self.name)

    @property
    def position(self) -> Position:
        """The position of the name, which represents the document in messages."""
        item = self.metadata.find("name")
        return item.position if item is not None else self.node.position

    def place(self, *keys: str) -> Position:
        """The position of a part of the metadata, such as `place("layeringDefinition", "layer")`, or of its nearest
        ancestor.
        """
        return _nearest(self.metadata, keys, self.position)

    @property
    def data_position(self) -> Position:
        """The position of the data. Omits the source line if the data is secret."""
        item = self.node.value.find("data") if type(self.node.value) is Map else None
        at = item.position if item is not None else self.node.position
        return without_text(at) if self.secret else at


def without_text(at: Position) -> Position:
    """The position without its source line, which may contain a secret."""
    if at.source is None:
        return at
    return Position(Source(at.source.name, "", _NO_LINE), at.line, at.column)


_NO_LINE = 1 << 40
_NONE: list[ArrayItem] = []


def read_documents(sets: Iterable[nodes.DocumentSet]) -> list[LayeredDocument]:
    """Reads the documents of all inputs, in order, without empty ones.

    Raises LayeringError (InvalidDocumentFormat) with a finding for each document without the required parts.
    """
    found: list[LayeredDocument] = []
    failures: list[LayeringError] = []
    for documents in sets:
        for node in documents.items:
            if node.value is None:
                continue
            try:
                found.append(LayeredDocument(node, len(found)))
            except LayeringError as error:
                failures.append(error)
    raise_all(failures)
    return found


def _text(item: MapItem | None, key: str, at: Position, document: LayeredDocument | None = None) -> str:
    value = item.value if item is not None else None
    if type(value) is str:
        return value
    at = item.position if item is not None else at
    subject = f"document {document}: " if document is not None else "a document's "
    raise _malformed(f"{subject}{key} must be a string, not {a_kind(value)}", at, hint=_as_text(key, value))


def _as_text(key: str, value: Value) -> str | None:
    """A hint for a value that should be a string; None if there is no value."""
    if type(value) is Array and len(value.items) == 1 and type(value.items[0].value) is str:
        return f"write the string without a list: {key}: {value.items[0].value}"
    if type(value) is Array or type(value) is Map:
        return f"write one string: {key}: TEXT"
    return None if value is None else "put it in quotes, then it is a string"


def _malformed(
    message: str, at: Position, parent: Map | None = None, key: str = "", *, hint: str | None = None
) -> LayeringError:
    """The error for an invalid document. parent: the map that should have the key."""
    if parent is None or parent.find(key) is not None:
        return failure("InvalidDocumentFormat", message, at=at, hint=hint)

    names = [item.key for item in parent.items if type(item.key) is str]
    alike = nearest(key, names)
    hint = replacing(alike, [key], f'"{alike}": did you mean "{key}"?') if alike is not None else None
    if hint is None and key == "schema" and "kind" in names:
        hint = "a layered document has schema, metadata and data; for resources with a kind there is plait render"
    maps = [item.key for item in parent.items if type(item.value) is Map]
    own = kind_of_own_file(at.source.name, maps) if key == "schema" and at.source is not None else None
    if own is not None:
        hint = f"this is {own}, and not a document: move it out of the directory of documents, or pass the other files"
    return failure(
        "InvalidDocumentFormat",
        message,
        at=at,
        found=f"keys {', '.join(names[:_SHOWN])}" if names else None,
        hint=hint or _MISSING.get(key),
    )


_SHOWN = 12
_FORM = "a layered document is a map with schema, metadata and data"
_MISSING = {
    "schema": "add schema: NAMESPACE/KIND/VERSION, such as schema: demo/App/v1",
    "metadata": "add metadata: {schema: metadata/Document/v1, name: NAME, layeringDefinition: {layer: LAYER}}",
    "name": "add name: NAME to the metadata",
}


_SOURCE = ("schema", "name", "path")


class Substitution:
    """A parsed substitution entry: its source and its destinations."""

    __slots__ = ("deepcopy", "dest", "group", "item", "name", "path", "pattern", "schema")

    def __init__(self, document: LayeredDocument, item: ArrayItem, number: int) -> None:
        value = item.value
        src = value.find("src") if type(value) is Map else None
        dest = value.find("dest") if type(value) is Map else None
        if src is None or type(src.value) is not Map or dest is None:
            if src is not None and dest is not None:
                raise malformed_substitution(
                    document, item, number, "a `src` that is a map", src, hint=_one_of(src.value)
                )
            inner = src.value.find("dest") if src is not None and type(src.value) is Map else None
            hint = "dest is within src: indent it like src" if inner is not None and dest is None else None
            raise malformed_substitution(
                document, item, number, "a map with `src` and `dest`", keys=("src", "dest"), hint=hint
            )
        find_src = src.value.find
        self.item = item
        self.schema = text_of(find_src("schema"))
        self.name = text_of(find_src("name"))
        self.path = text_of(find_src("path"))
        if self.schema is None or self.name is None or self.path is None:
            other = [text_of(dest.value.find(key)) for key in _SOURCE] if type(dest.value) is Map else [None]
            hint = "src and dest are exchanged: src is the document that the value is taken from"
            raise malformed_substitution(
                document,
                item,
                number,
                "a `src` with the strings `schema`, `name` and `path`",
                src,
                _SOURCE,
                hint=hint if None not in other and self.path is not None else None,
            )
        self.pattern = _pattern_of(document, item, number, src.value)
        group = find_src("match_group")
        if group is not None and type(group.value) is not int:
            raise malformed_substitution(document, item, number, "a `match_group` that is an integer", group)
        self.group = group.value if group is not None and type(group.value) is int else 0
        deepcopy = find_src("deepcopy")
        self.deepcopy = deepcopy is not None and bool(deepcopy.value)
        given = [one.value for one in dest.value.items] if type(dest.value) is Array else [dest.value]
        self.dest = [one for one in given if type(one) is Map]
        if len(self.dest) < len(given):
            raise malformed_substitution(
                document, item, number, "a `dest` that is a map or a list of maps", dest, hint="dest: {path: .KEY}"
            )
        for one in self.dest:
            _pattern_of(document, item, number, one)
            recurse = one.find("recurse")
            if recurse is not None and recurse.value is not None and type(recurse.value) is not Map:
                raise malformed_substitution(
                    document, item, number, "a `recurse` that is a map with a `depth`", recurse
                )

    @property
    def key(self) -> tuple[str, str]:
        return (self.schema or "", self.name or "")

    def place(self, *keys: str) -> Position:
        """As `LayeredDocument.place`, for a part of the substitution."""
        return _nearest(self.item.value, keys, self.item.position)


def _nearest(value: Value, keys: Sequence[str], at: Position) -> Position:
    """The position of the value under nested keys, or of its nearest existing ancestor. at: the position of `value`."""
    for key in keys:
        item = value.find(key) if type(value) is Map else None
        if item is None:
            break
        at, value = item.position, item.value
    return at


def _pattern_of(document: LayeredDocument, item: ArrayItem, number: int, part: Map) -> str | None:
    pattern = part.find("pattern")
    if pattern is None or pattern.value is None:
        return None
    if type(pattern.value) is not str:
        raise malformed_substitution(document, item, number, "a `pattern` that is a string", pattern)
    return pattern.value


def text_of(item: MapItem | None) -> str | None:
    """The text under a key, or None."""
    return item.value if item is not None and type(item.value) is str else None


def malformed_substitution(
    document: LayeredDocument,
    item: ArrayItem,
    number: int,
    expected: str,
    at: MapItem | None = None,
    keys: Sequence[str] = (),
    hint: str | None = None,
) -> LayeringError:
    """The error for an invalid entry. at: the wrong part. keys: those that it needs, if one is missing."""
    value = item.value if at is None else at.value
    return failure(
        "InvalidDocumentFormat",
        f"substitution {number + 1} of {document} is malformed",
        at=at.position if at is not None else item.position,
        expected=expected,
        found=lacking(value, keys) if keys else a_kind(value),
        hint=_misspelt(item) or hint or _missing_keys(value, keys),
    )


def _one_of(src: Value) -> str:
    """A hint for a `src` that is not a map."""
    count = len(src.items) if type(src) is Array else 0
    if count == 1:
        return "src is one map: write it without a list"
    return "write a substitution for each source" if count else _WRITTEN["src"]


# How each key of a substitution is written.
_WRITTEN = {
    "src": "src: {schema: SCHEMA, name: NAME, path: .KEY}",
    "dest": "dest: {path: .KEY}",
    "schema": "schema: NAMESPACE/KIND/VERSION, of the source document",
    "name": "name: NAME, of the source document",
    "path": "path: .KEY; path: . is all of the source's data",
}


def _missing_keys(value: Value, keys: Sequence[str]) -> str | None:
    """A hint with the keys that a map lacks, or None."""
    absent = [key for key in keys if type(value) is Map and value.find(key) is None]
    return f"add {', and '.join(_WRITTEN[key] for key in absent)}" if absent else None


def _misspelt(item: ArrayItem) -> str | None:
    """A hint for the first unknown key of a substitution, or None."""
    for entry in item.value.items if type(item.value) is Map else ():
        if entry.key not in ("src", "dest"):
            meant = "dest" if str(entry.key).startswith("dest") else "src" if str(entry.key).startswith("so") else None
            return f'"{entry.key}" is written "{meant}"' if meant is not None else None
    return None
