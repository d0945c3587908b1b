"""Data values as templates see them: structs, converted on access (docs/reference/data-values.md)."""

from __future__ import annotations

from plait.base.errors import StarlarkError
from plait.base.similar_names import did_you_mean
from plait.tree.deferred_values import is_deferred
from plait.tree.nodes import COLLECTIONS, Array, Map
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.structs import STRUCTS, Members, Module, Struct
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import NoAttribute
from plait.ytt.yaml_fragments import to_nodes, to_starlark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plait.base.source import Position
    from plait.tree.nodes import MapItem
    from plait.tree.nodes import Value as NodeValue
    from plait.ytt.starlark.values import Value


class _DataMembers(Members):
    """The members accessed so far, cached because loops access the same names repeatedly."""

    __slots__ = ("made", "node")

    def __init__(self, node: Map, made: dict[int, object]) -> None:
        self.node = node
        self.made = made

    def __missing__(self, name: str) -> object:
        item = self.node.find(name)
        if item is None:
            return super().__missing__(name)
        found = self[name] = _part(item, self.made)
        return found

    def whole(self) -> Value:
        return DataStruct(self.node)


def _part(item: MapItem, made: dict[int, object]) -> object:
    value = item.value
    if type(value) not in COLLECTIONS:
        return to_struct(value.known()) if is_deferred(value) else value
    found = made.get(id(item))
    if found is None:
        found = made[id(item)] = to_struct(value)
    return found


class DataStruct(Struct):
    """A map of the data values as a struct; its parts are converted on access.

    Each template has its own, so lists in it belong to that template. Keys that are not strings are available through
    `values[key]`, `in` and iteration.
    """

    __slots__ = ("made", "node")

    def __init__(self, node: Map) -> None:
        self.node = node
        self.made: dict[int, object] = {}  # collections converted so far, by the identity of their items
        self.members = _DataMembers(node, self.made)

    def part(self, item: MapItem) -> object:
        return _part(item, self.made)

    def attr(self, name: str) -> object:
        if name not in self.members and self.node.find(name) is None:
            raise NoAttribute(name)
        return self.members[name]

    def attr_names(self) -> list[str]:
        return [item.key for item in self.node.items if type(item.key) is str]

    def place_of(self, name: str) -> Position | None:
        item = self.node.find(name)
        return None if item is None or item.source is None else item.position

    def index(self, key: object) -> object:
        item = self.node.find(key if type(key) is str else to_nodes(key))
        if item is None:
            names = self.attr_names()
            near = self._dotted(key) if type(key) is str else None
            near = near or (did_you_mean(key, names) if type(key) is str else None)
            near = near or f"its keys are {', '.join(names[:12])}"
            raise StarlarkError(
                f"key {repr_of(key)} not in struct",
                hint=near,
                code="key-not-found",
                word=key if type(key) is str else "",
            )
        return self.part(item)

    def _dotted(self, path: str) -> str | None:
        """The hint for a key that is the path of an existing value, or None."""
        value: NodeValue = self.node
        names = path.split(".")
        for name in names:
            item = value.find(name) if isinstance(value, Map) else None
            if item is None:
                return None
            value = item.value
        return f"this is a path, not a key: .{path}, or {''.join(f'[{repr_of(name)}]' for name in names)}"

    def contains(self, key: object) -> bool:
        return self.node.find(key if type(key) is str else to_nodes(key)) is not None

    def length(self) -> int:
        return len(self.node.items)

    def truth(self) -> bool:
        return len(self.node.items) > 0

    def iterate(self) -> Iterator[object]:
        return iter([to_starlark(item.key) for item in self.node.items])

    def mapping(self) -> Iterable[tuple[object, object]]:
        return [(to_starlark(item.key), self.part(item)) for item in self.node.items]

    def freeze(self) -> None:
        """Does nothing: data values never change, and the lists in them belong to one template."""


STRUCTS.add(DataStruct)


def to_struct(value: NodeValue) -> object:
    """Data values for a template: maps as structs, arrays as lists, scalars as they are; a new value each time."""
    if type(value) is Map:
        return DataStruct(value)
    if type(value) is Array:
        return List([to_struct(item.value) for item in value.items])
    return to_struct(value.known()) if is_deferred(value) else value


def data_module(values: object, functions: Mapping[str, object]) -> Module:
    """`@ytt:data` for a template: its functions, and data values as returned by `to_struct`."""
    module = Module("data", functions)
    module.members["values"] = values
    module.frozen = isinstance(values, DataStruct)  # the module has nothing to freeze
    return module
