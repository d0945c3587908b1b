"""The working copy that a run of operations changes.

A tree is never altered once it was handed on. To keep that promise without copying the way from the root anew for each of
thousands of operations, a draft copies a container the first time something below it changes and *owns* the copy
until the run ends. What is not owned is shared with the input. Owned containers form a tree that hangs from the root.

An owned map is its index, a dict in the order of its items; the list of items is made of it at the end. An owned
array is its list. `name=db` goes through an index from texts to items, made when a long array is first matched and kept
right by each later change; an item's place is a guess that is verified (`_Lookup.place`).
"""

from __future__ import annotations

from plait.errors import OpsError
from plait.nodes import Array, ArrayItem, Map, MapItem
from plait.ops import walk
from plait.ops.pointer import Append, Index, Key, Match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value
    from plait.ops.pointer import Pointer
    from plait.source import Source

INDEX_FROM = 12  # items; below that looking at each item is as quick
REFRESH_AFTER = 256  # insertions and removals until all places are counted again


class _Lookup:
    """Finds the items of one array by the text under a key."""

    __slots__ = ("array", "drift", "places", "tables")

    def __init__(self, array: Array) -> None:
        self.array = array
        self.tables: dict[str, dict[str, list[ArrayItem]]] = {}
        self.drift = 0
        self.places: dict[int, int] = {id(item): place for place, item in enumerate(array.items)}

    def find(self, key: str, value: str) -> list[int]:
        table = self.tables.get(key)
        if table is None:
            table = self.tables[key] = {}
            text_under = walk.text_under
            for item in self.array.items:
                text = text_under(item, key)
                if text is not None:
                    table.setdefault(text, []).append(item)
        found = table.get(value)
        if not found:
            return []
        places = [self.place(item) for item in found]
        if len(places) > 1:
            places.sort()
        return places

    def place(self, item: ArrayItem) -> int:
        """Where an item stands: at most `drift` away from where it stood when places were last counted."""
        items = self.array.items
        guess = self.places[id(item)]
        if guess < len(items) and items[guess] is item:
            return guess
        drift = self.drift
        return items.index(item, max(0, guess - drift), guess + drift + 1)

    def _moved(self) -> None:
        self.drift += 1
        if self.drift > REFRESH_AFTER:
            self.drift = 0
            self.places = {id(item): place for place, item in enumerate(self.array.items)}

    def added(self, item: ArrayItem, place: int) -> None:
        """Tell of an item that was put in."""
        self.places[id(item)] = place
        for key, table in self.tables.items():
            text = walk.text_under(item, key)
            if text is not None:
                table.setdefault(text, []).append(item)
        self._moved()

    def removed(self, item: ArrayItem) -> None:
        """Tell of an item that was taken out."""
        del self.places[id(item)]
        for key, table in self.tables.items():
            text = walk.text_under(item, key)
            if text is not None:
                table[text].remove(item)
        self._moved()

    def exchanged(self, old: ArrayItem, new: ArrayItem, place: int) -> None:
        """Tell of an item that took another's place."""
        del self.places[id(old)]
        self.places[id(new)] = place
        for key, table in self.tables.items():
            before = walk.text_under(old, key)
            after = walk.text_under(new, key)
            if before is not None:
                table[before].remove(old)
            if after is not None:
                table.setdefault(after, []).append(new)

    def renamed(self, item: ArrayItem, key: str, before: Value, after: Value) -> None:
        """Tell that an item's map has another value under a key."""
        table = self.tables.get(key)
        if table is not None:
            if type(before) is str:
                table[before].remove(item)
            if type(after) is str:
                table.setdefault(after, []).append(item)


class Draft:
    """A value that operations change. `result` gives the changed tree; the value given at first stays as it is."""

    __slots__ = ("_lookups", "_owned", "root")

    def __init__(self, root: Value) -> None:
        self.root = root
        self._owned: dict[int, Map | Array] = {}
        self._lookups: dict[int, _Lookup] = {}

    def result(self) -> Value:
        """The tree as it is now. It is handed on: what changes later is copied again."""
        for node in self._owned.values():
            if type(node) is Map:
                assert node._index is not None
                node.items = list(node._index.values())
        self._owned = {}
        self._lookups = {}
        return self.root

    def find(self, pointer: Pointer) -> Value:
        """The value at a location, ready to be read. Raises OpsError (see `walk.find`)."""
        value = walk.find(self.root, pointer, matching=self._select)
        self._settle(value)
        return value

    def _settle(self, value: Value) -> None:
        owned = self._owned
        stack = [value]
        while stack:
            node = stack.pop()
            if id(node) not in owned:
                continue
            if type(node) is Map:
                assert node._index is not None
                node.items = list(node._index.values())
            stack.extend(item.value for item in node.items)  # type: ignore[union-attr]

    def _select(self, array: Array, token: Match) -> list[int]:
        lookup = self._lookups.get(id(array))
        if lookup is None:
            if len(array.items) < INDEX_FROM:
                return walk.matches(array, token)
            lookup = self._lookups[id(array)] = _Lookup(array)
        return lookup.find(token.key, token.value)

    # -- changes -----------------------------------------------------------------------------------------------------

    def replace(self, pointer: Pointer, value: Value, source: Source | None = None, line: int = 0) -> None:
        """Set, insert or create (spec ops 5.6, 6.1). source and line: where new items are said to come from.

        Raises OpsError; the draft is not to be used after that.
        """
        tokens = pointer.tokens
        if not tokens or (pointer.is_slash and not walk.has_empty_key(self.root)):
            self.root = value
            return
        last = len(tokens) - 1
        trail = _Trail(self)
        node = self.root
        for depth, token in enumerate(tokens):
            kind = type(token)
            if kind is Key:
                mapping = walk.check_map(node, pointer, depth)
                name = token.name  # type: ignore[union-attr]
                item = mapping.find(name)
                if item is None and not token.optional:
                    raise walk.missing_key(node, pointer, depth)
                if depth == last:
                    trail.own(mapping)
                    trail.set_key(name, value, source, line)
                    return
                if item is None:
                    trail.own(mapping)
                    node = self._created(pointer, depth, source, line)
                    item = trail.set_key(name, node, source, line)
                    trail.step(item, 0)
                    continue
                trail.own(mapping)
                trail.step(item, 0)
                node = item.value
            elif kind is Match:
                array = walk.check_array(node, pointer, depth)
                found = self._select(array, token)  # type: ignore[arg-type]
                if not found and token.optional:
                    trail.own(array)
                    if depth == last:
                        trail.insert(len(array.items), value, source, line)
                        return
                    node = self._own_new(Map([MapItem(token.key, token.value, source, line)], source, line))  # type: ignore[union-attr]
                    place = len(array.items)
                    trail.step(trail.insert(place, node, source, line), place)
                    continue
                walk.check_one(array, found, pointer, depth)
                if depth == last:
                    trail.own(array)
                    trail.put(found[0], token, pointer, depth, value, source, line)  # type: ignore[arg-type]
                    return
                walk.check_moves(token, pointer, depth)
                node = trail.enter(array, walk.place_of(array, found[0], pointer, depth))
            elif kind is Index:
                array = walk.check_array(node, pointer, depth)
                if depth == last:
                    trail.own(array)
                    trail.put(token.number, token, pointer, depth, value, source, line)  # type: ignore[union-attr,arg-type]
                    return
                walk.check_moves(token, pointer, depth)
                node = trail.enter(array, walk.place_of(array, token.number, pointer, depth))  # type: ignore[union-attr]
            else:
                array = walk.check_array(node, pointer, depth)
                trail.own(array)
                trail.insert(len(array.items), value, source, line)
                return

    def _created(self, pointer: Pointer, depth: int, source: Source | None, line: int) -> Map | Array:
        """The container for a missing optional key: what comes next in the path says which kind."""
        following = type(pointer.tokens[depth + 1])
        if following is Key:
            return self._own_new(Map([], source, line))
        if following is Match or following is Append:
            return self._own_new(Array([], source, line))
        raise OpsError(
            f"an index cannot create what is missing: {pointer.until(depth + 2)}",
            expected='a key, a "key=value" match or "-" after an optional key that is absent',
        )

    def _own_new(self, node: Map | Array) -> Map | Array:
        if type(node) is Map:
            node._index = {item.key: item for item in node.items}
        self._owned[id(node)] = node
        return node

    def remove(self, pointer: Pointer) -> None:
        """Take a map item or array item out; nothing happens if an optional part is absent (spec ops 6.2).

        Raises OpsError.
        """
        tokens = pointer.tokens
        if not tokens or (pointer.is_slash and not walk.has_empty_key(self.root)):
            raise OpsError("the root cannot be removed", expected="a path to a key or an item")
        last = len(tokens) - 1
        node = self.root
        way: list[tuple[Map | Array, MapItem | ArrayItem, int]] = []
        for depth, token in enumerate(tokens):
            kind = type(token)
            place = 0
            item: MapItem | ArrayItem
            if kind is Key:
                mapping = walk.check_map(node, pointer, depth)
                entry = mapping.find(token.name)  # type: ignore[union-attr]
                if entry is None:
                    if token.optional:
                        return
                    raise walk.missing_key(node, pointer, depth)
                item = entry
                way.append((mapping, item, 0))
            elif kind is Append:
                walk.check_array(node, pointer, depth)
                raise OpsError(f'"-" names the place after the last item, nothing can be removed there: {pointer}')
            else:
                array = walk.check_array(node, pointer, depth)
                if kind is Match:
                    found = self._select(array, token)  # type: ignore[arg-type]
                    if not found and token.optional:
                        return
                    walk.check_one(array, found, pointer, depth)
                    number = found[0]
                else:
                    number = token.number  # type: ignore[union-attr]
                walk.check_moves(token, pointer, depth)
                place = walk.place_of(array, number, pointer, depth)
                item = array.items[place]
                way.append((array, item, place))
            node = item.value
        trail = _Trail(self)
        for container, item, place in way[:last]:
            trail.own(container)
            trail.step(item, place)
        container, item, place = way[last]
        trail.own(container)
        trail.delete(item, place)


class _Trail:
    """The way from the root to where a change is made. `own` makes sure that the container at its end may be changed."""

    __slots__ = ("draft", "item", "node", "parent", "place")

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.node: Map | Array | None = None  # the container at the end of the way; owned
        self.parent: Map | Array | None = None  # the container it stands in
        self.item: MapItem | ArrayItem | None = None  # the item of the parent that holds it
        self.place = 0  # that item's place, if the parent is an array

    def step(self, item: MapItem | ArrayItem, place: int) -> None:
        """Go on into an item of the container at the end."""
        self.parent = self.node
        self.item = item
        self.place = place

    def enter(self, array: Array, place: int) -> Value:
        """Own an array and go on into its item at a place; that item's value."""
        self.own(array)
        item = array.items[place]
        self.step(item, place)
        return item.value

    def own(self, node: Map | Array) -> None:
        """Make `node`, which the item stepped into holds, the end of the way: itself if it is owned, else a copy."""
        draft = self.draft
        if id(node) in draft._owned:
            self.node = node
            return
        copy: Map | Array
        if type(node) is Map:
            copy = Map([], node.source, node.line)
            node.find(None)  # makes the index
            copy._index = dict(node._index)  # type: ignore[arg-type]
        else:
            copy = Array(list(node.items), node.source, node.line)  # type: ignore[arg-type]
            lookup = draft._lookups.pop(id(node), None)
            if lookup is not None:
                lookup.array = copy
                draft._lookups[id(copy)] = lookup
        draft._owned[id(copy)] = copy
        self.node = copy
        parent = self.parent
        if parent is None:
            draft.root = copy
            return
        old = self.item
        self.item = new = old.with_value(copy)  # type: ignore[union-attr]
        if type(parent) is Map:
            parent._index[old.key] = new  # type: ignore[index,union-attr,assignment]
        else:
            parent.items[self.place] = new  # type: ignore[assignment]
            lookup = draft._lookups.get(id(parent))
            if lookup is not None:
                lookup.exchanged(old, new, self.place)  # type: ignore[arg-type]

    def set_key(self, name: str, value: Value, source: Source | None, line: int) -> MapItem:
        """Set a key of the map at the end."""
        index = self.node._index  # type: ignore[union-attr]
        old = index.get(name)  # type: ignore[union-attr]
        new = index[name] = MapItem(name, value, source, line)  # type: ignore[index]
        self._renamed(name, None if old is None else old.value, value)
        return new

    def _renamed(self, name: str, before: Value, after: Value) -> None:
        lookup = self.draft._lookups.get(id(self.parent))
        if lookup is not None:
            lookup.renamed(self.item, name, before, after)  # type: ignore[arg-type]

    def insert(self, place: int, value: Value, source: Source | None, line: int) -> ArrayItem:
        """Put a new item into the array at the end."""
        item = ArrayItem(value, source, line)
        self.node.items.insert(place, item)  # type: ignore[union-attr,arg-type]
        lookup = self.draft._lookups.get(id(self.node))
        if lookup is not None:
            lookup.added(item, place)
        return item

    def put(
        self,
        number: int,
        token: Index | Match,
        pointer: Pointer,
        depth: int,
        value: Value,
        source: Source | None,
        line: int,
    ) -> None:
        """Replace the item that an index or match at the end of a path selects, or insert beside it (spec ops 5.5)."""
        walk.check_insertion(token, pointer, depth)
        array: Array = self.node  # type: ignore[assignment]
        place = walk.place_of(array, number, pointer, depth)
        if token.insert is not None:
            self.insert(place + (token.insert == "after"), value, source, line)
            return
        old = array.items[place]
        new = array.items[place] = ArrayItem(value, source, line)
        lookup = self.draft._lookups.get(id(array))
        if lookup is not None:
            lookup.exchanged(old, new, place)

    def delete(self, item: MapItem | ArrayItem, place: int) -> None:
        """Take an item out of the container at the end."""
        if type(item) is MapItem:
            del self.node._index[item.key]  # type: ignore[union-attr]
            self._renamed(item.key, item.value, None)  # type: ignore[arg-type]
            return
        del self.node.items[place]  # type: ignore[union-attr]
        lookup = self.draft._lookups.get(id(self.node))
        if lookup is not None:
            lookup.removed(item)  # type: ignore[arg-type]
