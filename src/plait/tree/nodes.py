"""The tree of nodes that all dialects, printers and tools use.

`DocumentSet > Document > Map > MapItem` and `Array > ArrayItem`; scalars are plain Python values under a node: None,
bool, int, float, str. Bytes that are not UTF-8 are lone surrogates in a str ("surrogateescape"); the writer prints such
a string as `!!binary`.

A tree is immutable once its builder returns it: nodes and their lists are never assigned to. A change creates new nodes
from the root down to the change and shares the rest (`with_value`, `with_items`). Equality of nodes is identity;
`equal` compares trees. Only Document, MapItem and ArrayItem have annotations.

A node stores its source and line; `position` creates a `Position` from them on demand.
"""

from __future__ import annotations

from plait.base.limits import current_budget, limit_error
from plait.base.source import Position, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    from plait.tree.annotations import Annotations

    Scalar: TypeAlias = bool | int | float | str | None
    Value: TypeAlias = "Map | Array | DocumentSet | bool | int | float | str | None"
    Collection: TypeAlias = "Map | Array | DocumentSet"
    Item: TypeAlias = "MapItem | ArrayItem | Document"
    # An item, and the items, of a collection. Code that knows its type knows theirs.
    AnyItem: TypeAlias = Any
    Items: TypeAlias = list[AnyItem]
    Node: TypeAlias = "DocumentSet | Document | Map | MapItem | Array | ArrayItem"


class _Located:
    __slots__ = ()
    source: Source | None
    line: int

    @property
    def position(self) -> Position:
        return Position(self.source, self.line)


class _Item(_Located):
    __slots__ = ()
    value: Value
    annotations: Annotations | None


class DocumentSet(_Located):
    """Documents, in order."""

    __slots__ = ("items", "line", "source")

    def __init__(self, items: list[Document], source: Source | None = None, line: int = 0) -> None:
        self.items = items
        self.source = source
        self.line = line

    def __repr__(self) -> str:
        return f"DocumentSet({self.items!r})"

    def with_items(self, items: list[Document]) -> DocumentSet:
        return DocumentSet(items, self.source, self.line)


class Document(_Item):
    """One document. `value` is a Map, an Array or a scalar (a DocumentSet only while templates are evaluated).

    computed: the value is the result of an expression, so the document is printed even if it is empty. distinct: True
    if no map in it has duplicate keys, None if unknown.
    """

    __slots__ = ("annotations", "computed", "distinct", "line", "source", "value")

    def __init__(
        self,
        value: Value,
        source: Source | None = None,
        line: int = 0,
        annotations: Annotations | None = None,
        computed: bool = False,
    ) -> None:
        self.value = value
        self.source = source
        self.line = line
        self.annotations = annotations
        self.computed = computed
        self.distinct: bool | None = None

    def __repr__(self) -> str:
        return f"Document({self.value!r})"

    def with_value(self, value: Value) -> Document:
        return Document(value, self.source, self.line, self.annotations, self.computed)


class Map(_Located):
    """Map items in order. Keys are scalars (or collections: Map, Array) and, after evaluation, distinct by `key_id`.

    index: the items by `key_id`, if already built.
    """

    __slots__ = ("_index", "items", "line", "source")

    def __init__(
        self,
        items: list[MapItem],
        source: Source | None = None,
        line: int = 0,
        index: dict[object, MapItem] | None = None,
    ) -> None:
        self.items = items
        self.source = source
        self.line = line
        self._index = index

    def __repr__(self) -> str:
        return f"Map({self.items!r})"

    def with_items(self, items: list[MapItem]) -> Map:
        return Map(items, self.source, self.line)

    def with_values(self, values: Iterable[Value]) -> Map:
        """A map with the same items and other values, in order. Unchanged items are shared, and so is the map if
        nothing changes.
        """
        items = [
            item if item.value is value else item.with_value(value)
            for item, value in zip(self.items, values, strict=True)
        ]
        return self if items == self.items else self.with_items(items)

    def find(self, key: Value) -> MapItem | None:
        """The item with exactly this key (same type and value), or None. Builds an index on first use."""
        index = self._index
        if index is None:
            index = self.index()
        return index.get(key if type(key) is str else key_id(key))

    def index(self) -> dict[object, MapItem]:
        """The items by the `key_id` of their keys, built on first use. Only the builder of the map may change it."""
        index = self._index
        if index is None:
            index = self._index = {item.key if type(item.key) is str else key_id(item.key): item for item in self.items}
        return index

    def peek(self, key: str) -> MapItem | None:
        """The item with this string key, or None. Builds no index, for single lookups in many small maps."""
        if self._index is not None:
            return self._index.get(key)
        for item in self.items:
            if item.key == key:
                return item
        return None

    def keys(self) -> list[Value]:
        return [item.key for item in self.items]


class MapItem(_Item):
    """A key and its value."""

    __slots__ = ("annotations", "key", "line", "source", "value")

    def __init__(
        self,
        key: Value,
        value: Value,
        source: Source | None = None,
        line: int = 0,
        annotations: Annotations | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.source = source
        self.line = line
        self.annotations = annotations

    def __repr__(self) -> str:
        return f"MapItem({self.key!r}, {self.value!r})"

    def with_value(self, value: Value) -> MapItem:
        return MapItem(self.key, value, self.source, self.line, self.annotations)


class Array(_Located):
    """Array items in order."""

    __slots__ = ("items", "line", "source")

    def __init__(self, items: list[ArrayItem], source: Source | None = None, line: int = 0) -> None:
        self.items = items
        self.source = source
        self.line = line

    def __repr__(self) -> str:
        return f"Array({self.items!r})"

    def with_items(self, items: list[ArrayItem]) -> Array:
        return Array(items, self.source, self.line)

    def with_values(self, values: Iterable[Value]) -> Array:
        """An array with other values. Shares as `Map.with_values` does."""
        items = [
            item if item.value is value else item.with_value(value)
            for item, value in zip(self.items, values, strict=True)
        ]
        return self if items == self.items else self.with_items(items)


class ArrayItem(_Item):
    """One value of an array."""

    __slots__ = ("annotations", "line", "source", "value")

    def __init__(
        self,
        value: Value,
        source: Source | None = None,
        line: int = 0,
        annotations: Annotations | None = None,
    ) -> None:
        self.value = value
        self.source = source
        self.line = line
        self.annotations = annotations

    def __repr__(self) -> str:
        return f"ArrayItem({self.value!r})"

    def with_value(self, value: Value) -> ArrayItem:
        return ArrayItem(value, self.source, self.line, self.annotations)


# COLLECTION_TYPES is for `isinstance`, COLLECTIONS for lookups of an exact type.
COLLECTION_TYPES = (Map, Array, DocumentSet)
COLLECTIONS = frozenset(COLLECTION_TYPES)
SCALARS = frozenset({str, int, float, bool, type(None)})
# The range of integers in YAML output (docs/reference/templates.md).
INTEGERS = range(-(2**63), 2**64)


def is_filled(value: Value) -> bool:
    """True if the value is a collection with items."""
    return isinstance(value, (Map, Array, DocumentSet)) and bool(value.items)


def is_empty(value: Value) -> bool:
    """True if the value is null or an empty collection. Such a document is not printed."""
    return value is None or (isinstance(value, COLLECTION_TYPES) and not value.items)


def key_id(key: Value) -> object:
    """A hashable identity of a key: equal for the same type and value, different for 1, 1.0, true and "1"."""
    kind = type(key)
    if kind is str:
        return key
    if kind is Map or kind is Array or kind is DocumentSet:
        return (kind.__name__, tuple(_shape(key)))
    return (kind, key)


def _shape(value: Value) -> Iterator[object]:
    # Parents before children, each with its number of items. The list is flat, so that hashing does not recurse.
    pending: list[Value] = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Map):
            yield ("Map", len(value.items))
            for item in reversed(value.items):
                pending += (item.value, item.key)
        elif isinstance(value, (Array, DocumentSet)):
            yield (type(value).__name__, len(value.items))
            pending += [inner.value for inner in reversed(value.items)]
        else:
            yield (type(value), value)


def equal(left: Value, right: Value) -> bool:
    """True if two values are the same data: same types, order of keys, and scalars.

    Positions and annotations are ignored. Works on trees of any depth.
    """
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, Map) and isinstance(b, Map):
            if len(a.items) != len(b.items):
                return False
            for x, y in zip(a.items, b.items, strict=True):
                if x is not y:
                    if x.key is not y.key:
                        stack.append((x.key, y.key))
                    stack.append((x.value, y.value))
        elif isinstance(a, (Array, DocumentSet)) and isinstance(b, (Array, DocumentSet)):
            if len(a.items) != len(b.items):
                return False
            stack.extend((one.value, other.value) for one, other in zip(a.items, b.items, strict=True))
        elif a != b and not (a != a and b != b):  # noqa: PLR0124 - two NaN are the same data
            return False
    return True


def walk(value: Value) -> Iterator[MapItem | ArrayItem | Document]:
    """Every item inside a value, parents before children, in order."""
    stack: list[Value] = [value]
    pending: list[Iterator[MapItem | ArrayItem | Document]] = []
    while stack or pending:
        if stack:
            top = stack.pop()
            if isinstance(top, COLLECTION_TYPES):
                pending.append(iter(top.items))
            continue
        item = next(pending[-1], None)
        if item is None:
            pending.pop()
        else:
            yield item
            stack.append(item.value)


def walk_once(value: Value) -> Iterator[MapItem | ArrayItem | Document]:
    """Every item inside a value, without duplicates, even if it is reachable in several ways or a collection contains
    itself.
    """
    seen: set[int] = set()
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, COLLECTION_TYPES) and id(here) not in seen:
            seen.add(id(here))
            for item in here.items:
                yield item
                stack.append(item.value)


def kind_name(value: object) -> str:
    """The type of a value in messages: map, array, document set, string, integer, float, boolean or null."""
    return _KIND_NAMES.get(type(value), type(value).__name__)


_KIND_NAMES: dict[type, str] = {
    Map: "map",
    Array: "array",
    DocumentSet: "document set",
    Document: "document",
    MapItem: "map item",
    ArrayItem: "array item",
    str: "string",
    int: "integer",
    float: "float",
    bool: "boolean",
    type(None): "null",
}


def from_plain(value: object, source: Source | None = None, line: int = 0) -> Value:
    """Converts plain Python data to nodes: mappings become Map, sequences Array, scalars stay.

    Raises TypeError for any other type.
    """
    if value is None or type(value) is str or type(value) is int or type(value) is bool or type(value) is float:
        return value
    if isinstance(value, dict):
        return Map(
            [
                MapItem(from_plain(key, source, line), from_plain(inner, source, line), source, line)
                for key, inner in value.items()
            ],
            source,
            line,
        )
    if isinstance(value, (list, tuple)):
        return Array([ArrayItem(from_plain(inner, source, line), source, line) for inner in value], source, line)
    from collections.abc import Mapping, Sequence

    if isinstance(value, Mapping):
        return from_plain(dict(value), source, line)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview)):
        return from_plain(list(value), source, line)
    raise TypeError(f"cannot convert {type(value).__name__} to a node")


def to_plain(value: Value) -> object:
    """Converts nodes to plain Python data: Map to dict, Array to list, DocumentSet to a list of its documents' data.

    Keys that are collections become tuples of their values.
    """
    if isinstance(value, Map):
        return {_plain_key(item.key): to_plain(item.value) for item in value.items}
    if isinstance(value, (Array, DocumentSet)):
        return [to_plain(item.value) for item in value.items]
    return value


def _plain_key(key: Value) -> object:
    if isinstance(key, Map):
        return tuple((_plain_key(item.key), _plain_key(item.value)) for item in key.items)
    if isinstance(key, (Array, DocumentSet)):
        return tuple(_plain_key(item.value) for item in key.items)
    return key


def documents(values: Iterable[Value], source: Source | None = None) -> DocumentSet:
    """A document set with one document per value."""
    return DocumentSet([Document(value, source) for value in values], source)


def count_nodes(value: Collection) -> int:
    """The number of nodes in a tree. A shared node counts each time, but is visited once."""
    known: dict[int, int] = {}
    todo: list[Collection] = [value]
    while todo:
        node = todo[-1]
        waiting = len(todo)
        count = len(node.items)
        for item in node.items:
            part = item.value
            if type(part) in COLLECTIONS:
                size = known.get(id(part))
                if size is None:
                    todo.append(part)  # type: ignore[arg-type]
                else:
                    count += size
        if len(todo) == waiting:
            known[id(node)] = count
            todo.pop()
    return known[id(value)]


def check_nodes(value: Value) -> None:
    """Raises LimitError if the tree has more nodes than the limit allows."""
    if isinstance(value, COLLECTION_TYPES):
        most = current_budget().node_limit()
        if count_nodes(value) > most:
            raise limit_error("the nodes of a value", "nodes", most)
