"""Data values that record lookups by programs. Imported only for a run that records lookups."""

from __future__ import annotations

from plait.tree.deferred_values import is_deferred
from plait.tree.nodes import Array, Map
from plait.ytt.data_values import DataStruct
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.structs import STRUCTS, Members
from plait.ytt.yaml_fragments import to_starlark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.tree.lookups import Lookups
    from plait.tree.nodes import MapItem
    from plait.tree.nodes import Value as NodeValue


def noted_values(value: NodeValue, lookups: Lookups) -> object:
    """The result of `to_struct` for data values, with lookups recorded."""
    if type(value) is Map:
        return NotedStruct(value, lookups)
    if type(value) is Array:
        return List([noted_values(item.value, lookups) for item in value.items])
    return noted_values(value.known(), lookups) if is_deferred(value) else value


class _NotedMembers(Members):
    """Members that are never cached, so that each lookup is recorded."""

    __slots__ = ("of",)

    def __init__(self, of: NotedStruct) -> None:
        self.of = of

    def __missing__(self, name: str) -> object:
        item = self.of.node.find(name)
        return super().__missing__(name) if item is None else self.of.part(item)

    def whole(self) -> NotedStruct:
        return self.of


class NotedStruct(DataStruct):
    """Data values that record lookups of their keys."""

    __slots__ = ("lookups", "parts")

    def __init__(self, node: Map, lookups: Lookups) -> None:
        super().__init__(node)
        self.lookups = lookups
        self.parts: dict[int, object] = {}
        self.members = _NotedMembers(self)

    def part(self, item: MapItem) -> object:
        self.lookups.read(item)
        return self._made(item)

    def _made(self, item: MapItem) -> object:
        if id(item) not in self.parts:
            self.parts[id(item)] = noted_values(item.value, self.lookups)
        return self.parts[id(item)]

    def contains(self, key: object) -> bool:
        item = self.node.find(key) if type(key) is str else None
        if item is not None:
            self.lookups.read(item)
        return super().contains(key)

    def iterate(self) -> Iterator[object]:
        self.lookups.whole(self.node)
        return super().iterate()

    def mapping(self) -> Iterable[tuple[object, object]]:
        self.lookups.whole(self.node)
        return [(to_starlark(item.key), self._made(item)) for item in self.node.items]


STRUCTS.add(NotedStruct)
