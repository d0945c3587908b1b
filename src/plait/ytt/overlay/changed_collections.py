"""Collections while an overlay changes them: copied once, at the first change, and searched through an index.

An edit belongs to an overlay application (or to the fragment that `overlay.apply` returned). Collections created by the
application have no other references, so its later changes are made in place, and the indexes of keys stay valid.
`OverlayApplication.owned` lists them with their edits; code that passes on a part of the tree clears it. All other
collections are never changed.
"""

from __future__ import annotations

from plait.base.limits import current_budget
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, is_empty, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias, TypeVar

    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Trace

    Edit: TypeAlias = "MapEdit | ArrayEdit | DocumentsEdit"
    Owned: TypeAlias = "dict[object, object]"
    _Item = TypeVar("_Item", ArrayItem, Document)

# Maximum number of keys for which a linear search is faster than an index.
_SHORT = 8
# Placeholders for removed items until the list is compacted; the key equals no key.
_GONE = MapItem(object(), None)  # type: ignore[arg-type]
_TAKEN = ArrayItem(None)


class MapEdit:
    """A map being changed. node: the current map, the same object as long as it is unchanged.

    index: the items by the `key_id` of their keys, kept up to date. Positions of items are needed only to replace one.
    """

    __slots__ = ("_places", "gaps", "index", "items", "node", "own", "renamed")

    def __init__(self, node: Map) -> None:
        self.node = node
        self.items = node.items
        self.index = node.index()
        self.own = False
        # The index of each key, for long maps; unused while a key may occur twice.
        self._places: dict[object, int] | None = None
        self.gaps = False
        # Items added under a key that was not looked up; checked for duplicate keys at the end.
        self.renamed: list[MapItem] | None = None

    def place(self, key: Value) -> int:
        """The index of the item with this key, or -1."""
        known_as = key_id(key)
        item = self.index.get(known_as)
        return -1 if item is None else self._place_of(item, known_as)

    def _place_of(self, item: MapItem, key: object) -> int:
        items = self.items
        if len(items) <= _SHORT or self.renamed is not None:
            return items.index(item)
        places = self._places
        if places is None:
            places = self._places = {key_id(other.key): place for place, other in enumerate(items)}
        return places[key]

    def _begin(self, owned: Owned) -> None:
        node = self.node
        self.items = self.items.copy()
        self.index = self.index.copy()
        self.node = Map(self.items, node.source, node.line, self.index)
        self.own = True
        owned[self.node] = self

    def put(self, index: int, item: MapItem, owned: Owned) -> None:
        """Replaces the item at an index by one with the same key."""
        if not self.own:
            self._begin(owned)
        self.items[index] = item
        self.index[key_id(item.key)] = item

    def swap(self, key: object, before: MapItem, item: MapItem, owned: Owned) -> None:
        """Replaces an item by one with the same key. key: in the index."""
        if not self.own:
            self._begin(owned)
        items = self.items
        items[items.index(before) if len(items) <= _SHORT else self._place_of(before, key)] = item
        self.index[key] = item

    def exchange(self, index: int, item: MapItem, owned: Owned) -> None:
        """Replaces the item at an index by one that may have another key."""
        if not self.own:
            self._begin(owned)
        if key_id(item.key) == key_id(self.items[index].key):
            self.put(index, item, owned)
            return
        self._note(item)
        self.items[index] = item
        self._places = None
        # A key may now occur twice. The index has the last item until duplicates are checked.
        self.index.clear()
        self.index.update((key_id(other.key), other) for other in self.items if other is not _GONE)

    def add(self, item: MapItem, owned: Owned, *, looked_up: bool) -> None:
        """Appends an item. looked_up: its key is known to be absent."""
        if not looked_up:
            self._note(item)
        self.append(key_id(item.key), item, owned)

    def append(self, key: object, item: MapItem, owned: Owned) -> None:
        """Appends an item with a new key. key: its key in the index."""
        if not self.own:
            self._begin(owned)
        if self._places is not None:
            self._places[key] = len(self.items)
        self.items.append(item)
        self.index[key] = item

    def _note(self, item: MapItem) -> None:
        if self.renamed is None:
            self.renamed = []
        self.renamed.append(item)

    def drop(self, places: list[int], owned: Owned) -> None:
        """Removes items."""
        if not self.own:
            self._begin(owned)
        for place in places:
            key = key_id(self.items[place].key)
            if self._places is not None:
                self._places.pop(key, None)
            self.index.pop(key, None)
            self.items[place] = _GONE
        self.gaps = True

    def settle(self) -> None:
        """Removes the placeholders of removed items from the list."""
        if self.gaps:
            self.items[:] = [item for item in self.items if item is not _GONE]
            self.gaps = False
            self._places = None

    def check_key(self, index: int) -> None:
        """Does nothing: a map is indexed by keys only, which a change below an item does not affect."""

    def repeated(self) -> MapItem | None:
        """An added item with a duplicate key, or None."""
        renamed, self.renamed = self.renamed, None
        counts: dict[object, int] = {}
        for item in self.items:
            key = key_id(item.key)
            counts[key] = counts.get(key, 0) + 1
        for item in renamed or ():
            if counts.get(key_id(item.key), 0) > 1:
                return item
        return None


class Keyed:
    """Array items by the value under one key of their maps, for the items up to `seen`.

    bad: the first item that is not a map or lacks the key, or None.
    """

    __slots__ = ("bad", "name", "places", "seen")

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: dict[object, list[int]] = {}
        self.seen = 0
        self.bad = -1

    def extend(self, items: list[ArrayItem]) -> None:
        """Indexes the items that were appended since the last call."""
        places = self.places
        name = self.name
        for place in range(self.seen, len(items)):
            value = items[place].value
            item = value.index().get(name) if type(value) is Map else None
            if item is None:
                self.bad = place
                break
            found: object = item.value
            if type(found) is not str:
                if type(found) is Map or type(found) is Array:
                    continue
                found = (type(found), found)
            others = places.get(found)
            if others is None:
                places[found] = [place]
            else:
                others.append(place)
        self.seen = len(items)


MISSING = object()
# Maximum number of items among which a step without a match looks for similar names, which keeps large overlays fast.
MOST_NAMES = 200


def key_value(value: Value, name: str) -> object:
    """The value under a key of a map. MISSING if the key is absent or the value is not a map."""
    if type(value) is Map:
        for item in value.items:
            if item.key == name:
                return item.value
    return MISSING


class ArrayEdit:
    """An array being changed."""

    __slots__ = ("_keyed", "gaps", "items", "node", "own")

    def __init__(self, node: Array) -> None:
        self.node = node
        self.items = node.items
        self.own = False
        self.gaps = False
        self._keyed: Keyed | None = None

    def keyed(self, name: str) -> Keyed:
        """The index of the items by their value under a key, cached while it is valid."""
        index = self._keyed
        if index is None or index.name != name:
            self.settle()
            index = self._keyed = Keyed(name)
        if index.seen < len(self.items):
            index.extend(self.items)
        return index

    def _begin(self, owned: Owned) -> None:
        node = self.node
        self.items = self.items.copy()
        self.node = Array(self.items, node.source, node.line)
        self.own = True
        owned[self.node] = self

    def put(self, index: int, item: ArrayItem, owned: Owned) -> None:
        """Replaces the item at an index."""
        if not self.own:
            self._begin(owned)
        self.items[index] = item
        if self._keyed is not None:
            self.check_key(index)

    exchange = put

    def check_key(self, place: int) -> None:
        """Drops the index if it no longer finds the item at `place`, whose value may have changed."""
        index = self._keyed
        if index is not None:
            found = key_value(self.items[place].value, index.name)
            if type(found) is not str:
                found = (type(found), None if type(found) is Map or type(found) is Array else found)
            if place not in index.places.get(found, ()):
                self._keyed = None

    def add(self, item: ArrayItem, owned: Owned, *, looked_up: bool = True) -> None:  # noqa: ARG002 - as for maps
        """Appends an item."""
        if not self.own:
            self._begin(owned)
        self.items.append(item)

    def add_keyed(self, item: ArrayItem, text: str, owned: Owned) -> None:
        """Appends an item whose string under the index key is unique."""
        if not self.own:
            self._begin(owned)
        index = self._keyed
        assert index is not None
        index.places[text] = [len(self.items)]
        index.seen += 1
        self.items.append(item)

    def drop(self, places: list[int], owned: Owned) -> None:
        """Removes items."""
        if not self.own:
            self._begin(owned)
        index = self._keyed
        for place in places:
            if index is not None:
                found = key_value(self.items[place].value, index.name)
                others = index.places.get(found if type(found) is str else (type(found), found))
                if others is not None:
                    others.remove(place)
            self.items[place] = _TAKEN
        self.gaps = True

    def insert(self, parent: dict[int, tuple[list[ArrayItem], list[ArrayItem]]], owned: Owned) -> None:
        """Inserts items before and after those at some indexes."""
        if not self.own:
            self._begin(owned)
        self.items[:] = _inserted(self.items, parent)
        self._keyed = None

    def settle(self) -> None:
        """Removes the placeholders of removed items from the list."""
        if self.gaps:
            self.items[:] = [item for item in self.items if item is not _TAKEN]
            self.gaps = False
            self._keyed = None


class DocumentsEdit:
    """The documents of one or several document sets, one file each, as one list.

    owners: for each document the number of its set.
    """

    __slots__ = ("_size", "items", "node", "owners")
    gaps = False

    def __init__(self, sets: list[DocumentSet]) -> None:
        self.node = sets
        self.items = [document for documents in sets for document in documents.items]
        self.owners = [number for number, documents in enumerate(sets) for _ in documents.items]
        self._size = len(sets)

    def put(self, index: int, item: Document, owned: Owned) -> None:  # noqa: ARG002 - as for maps
        self.items[index] = item

    exchange = put

    def check_key(self, index: int) -> None:
        """Documents are not indexed."""

    def add(self, item: Document, owned: Owned, *, looked_up: bool = True) -> None:  # noqa: ARG002 - as for maps
        """Appends a document that matched nothing to the first set."""
        place = len(self.owners)
        while place and self.owners[place - 1] > 0:
            place -= 1
        self.items.insert(place, item)
        self.owners.insert(place, 0)

    def append(self, item: Document) -> None:
        """Appends a document after the last one."""
        self.items.append(item)
        self.owners.append(max(self._size - 1, 0))

    def drop(self, places: list[int], owned: Owned) -> None:  # noqa: ARG002 - as for maps
        gone = set(places)
        kept = [place for place in range(len(self.items)) if place not in gone]
        self.owners = [self.owners[place] for place in kept]
        self.items = [self.items[place] for place in kept]

    def insert(self, parent: dict[int, tuple[list[Document], list[Document]]], owned: Owned) -> None:  # noqa: ARG002
        owners = []
        for place, owner in enumerate(self.owners):
            before, after = parent.get(place, ((), ()))
            owners += [owner] * (len(before) + 1 + len(after))
        self.items = _inserted(self.items, parent)
        self.owners = owners

    def settle(self) -> None:
        """Does nothing: removed documents leave no placeholders."""

    def drop_empty(self) -> None:
        """Removes null and empty documents, which are not printed (docs/guide-render.md)."""
        empty = [place for place, item in enumerate(self.items) if is_empty(item.value)]
        if empty:
            self.drop(empty, {})

    def forget_computed(self, trace: Trace | None) -> None:
        """Clears the mark of computed documents that are empty: after overlays, ytt reads all documents again."""
        for place, item in enumerate(self.items):
            if item.computed and is_empty(item.value):
                self.items[place] = Document(item.value, item.source, item.line, item.annotations)
                if trace is not None:
                    trace.copied(self.items[place], item)

    def results(self) -> list[DocumentSet]:
        """The document sets, each the same object if it has not changed."""
        parts: list[list[Document]] = [[] for _ in range(max(self._size, 1 if self.items else 0))]
        for item, owner in zip(self.items, self.owners, strict=True):
            parts[owner].append(item)
        if not self.node:
            return [DocumentSet(part) for part in parts]
        return [
            before if _same(before.items, part) else before.with_items(part)
            for before, part in zip(self.node, parts, strict=True)
        ]


def _same(before: list[Document], after: list[Document]) -> bool:
    return len(before) == len(after) and all(x is y for x, y in zip(before, after, strict=True))


_MANY = 1 << 10


def _inserted(items: list[_Item], parent: Mapping[int, tuple[list[_Item], list[_Item]]]) -> list[_Item]:
    if len(items) > _MANY:
        current_budget().check_time()
    out: list[_Item] = []
    for place, item in enumerate(items):
        before, after = parent.get(place, ([], []))
        out += before
        out.append(item)
        out += after
    return out


class OverlayState:
    """The state of one application of overlays.

    owned: collections created by the application, without other references, and their edits.
    failed: after a failure, the left items of the step, innermost first.
    which: the index of the outermost failed item among its matches.
    """

    __slots__ = ("failed", "owned", "which")

    def __init__(self, owned: Owned | None = None) -> None:
        self.owned: Owned = {} if owned is None else owned
        self.failed: list[Item] = []
        self.which = (0, 0)

    def failed_at(self, left: Item, places: Sequence[int] = (), index: int = 0) -> None:
        """Records that a step failed on a left item at one of its indexes."""
        self.failed.append(left)
        self.which = (places.index(index) + 1 if places else 1, len(places))
