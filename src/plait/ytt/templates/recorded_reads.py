"""Data values that record the reads of a program, for a later evaluation with other values.

A read is a path and a form: the value there, the keys there, or everything there. Its answer is plain data. If all
reads of a program have the same answers, and its other inputs are unchanged, its result is the same.
"""

from __future__ import annotations

from plait.tree.identity import identical
from plait.tree.nodes import Array, Map
from plait.ytt.data_values import DataStruct, to_struct
from plait.ytt.starlark.structs import STRUCTS, Members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from plait.tree.nodes import MapItem
    from plait.tree.nodes import Value as NodeValue

    Path: TypeAlias = tuple[str, ...]

# Forms of reads. The value of a map is that it is one; of an array, everything in it.
VALUE, KEYS, WHOLE = 0, 1, 2
# The answer for a path that leads nowhere.
_ABSENT = object()


class Reads(dict["tuple[Path, int]", object]):
    """The reads of one evaluation of a file, with their answers.

    gives_lists: a read returned a list, which programs can change.
    """

    __slots__ = ("gives_lists",)

    def __init__(self) -> None:
        super().__init__()
        self.gives_lists = False

    def values_of(self, node: Map) -> RecordedStruct:
        """Data values whose reads are recorded here."""
        return RecordedStruct(node, self)


class _Place:
    """A map of the data values, its path, and the record of its reads. made: collections converted so far."""

    __slots__ = ("made", "node", "path", "reads")

    def __init__(self, node: Map, reads: Reads, path: Path) -> None:
        self.node = node
        self.reads = reads
        self.path = path
        self.made: dict[int, object] = {}

    def named(self, name: str) -> MapItem | None:
        """The item with a key; the lookup is recorded."""
        item = self.node.find(name)
        self.reads[(*self.path, name), VALUE] = _value(item)
        return item

    def note_keys(self) -> None:
        """Records that the keys are read."""
        self.reads[self.path, KEYS] = _keys(self.node)

    def note_all(self) -> None:
        """Records that everything is read."""
        self.reads[self.path, WHOLE] = self.node

    def part(self, item: MapItem) -> object:
        """The value of an item whose lookup was recorded."""
        key, value = item.key, item.value
        kind = type(value)
        if kind is not Map and kind is not Array:
            return value
        found = self.made.get(id(item))
        if found is None:
            if type(value) is Map and type(key) is str:
                found = RecordedStruct(value, self.reads, (*self.path, key))
            else:
                if type(key) is not str:
                    self.note_all()
                self.reads.gives_lists = True
                found = to_struct(value)
            self.made[id(item)] = found
        return found


class _Members(Members):
    """The members accessed so far, each recorded once."""

    __slots__ = ("place",)

    def __init__(self, place: _Place) -> None:
        self.place = place

    def __missing__(self, name: str) -> object:
        item = self.place.named(name)
        if item is None:
            return super().__missing__(name)
        found = self[name] = self.place.part(item)
        return found

    def whole(self) -> RecordedStruct:
        return RecordedStruct(self.place.node, self.place.reads, self.place.path)


class RecordedStruct(DataStruct):
    """A map of the data values whose reads are recorded."""

    __slots__ = ("place",)

    def __init__(self, node: Map, reads: Reads, path: Path = ()) -> None:
        super().__init__(node)
        self.place = place = _Place(node, reads, path)
        self.members = _Members(place)

    def part(self, item: MapItem) -> object:
        return self.place.part(item)

    def attr(self, name: str) -> object:
        self.place.named(name)
        return super().attr(name)

    def attr_names(self) -> list[str]:
        self.place.note_keys()
        return super().attr_names()

    def index(self, key: object) -> object:
        self._looked_up(key)
        return super().index(key)

    def contains(self, key: object) -> bool:
        self._looked_up(key)
        return super().contains(key)

    def _looked_up(self, key: object) -> None:
        if type(key) is str:
            self.place.named(key)
        else:
            self.place.note_all()

    def length(self) -> int:
        self.place.note_keys()
        return super().length()

    def truth(self) -> bool:
        self.place.note_keys()
        return super().truth()

    def iterate(self) -> Iterator[object]:
        self.place.note_keys()
        return super().iterate()

    def mapping(self) -> Iterable[tuple[object, object]]:
        self.place.note_keys()
        for item in self.node.items:
            self._looked_up(item.key)
        return super().mapping()


STRUCTS.add(RecordedStruct)


def _value(item: MapItem | None) -> object:
    """The answer to a read of a value."""
    if item is None:
        return _ABSENT
    return Map if type(item.value) is Map else item.value


def _keys(node: Map) -> object:
    """The answer to a read of keys."""
    keys = node.keys()
    return tuple(keys) if all(type(key) is str for key in keys) else node


class Answers:
    """The answers of data values to reads."""

    __slots__ = ("_known", "_root")

    def __init__(self, root: Map) -> None:
        self._root = root
        self._known: dict[tuple[Path, int], object] = {}

    def agree(self, reads: Iterable[tuple[tuple[Path, int], object]]) -> bool:
        """True if the data values have the recorded answers for these reads."""
        known = self._known
        for read, answer in reads:
            found = known.get(read, self)
            if found is self:
                found = known[read] = self._answer(*read)
            if found is not answer and not identical(found, answer):
                return False
        return True

    def _answer(self, path: Path, form: int) -> object:
        node: NodeValue = self._root
        if form == VALUE:
            node = self._at(path[:-1])
            return _value(node.find(path[-1])) if type(node) is Map else _ABSENT
        node = self._at(path)
        if type(node) is not Map:
            return _ABSENT
        return _keys(node) if form == KEYS else node

    def _at(self, path: Path) -> NodeValue:
        node: NodeValue = self._root
        for key in path:
            item = node.find(key) if type(node) is Map else None
            if item is None:
                return None
            node = item.value
        return node
