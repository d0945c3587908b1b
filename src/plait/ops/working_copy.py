"""The working copy that a sequence of operations changes.

A tree is never changed once it was passed on. To avoid copying the path from the root for each of thousands of
operations, the working copy copies a container at the first change inside it, and *owns* the copy until the end. Other
containers are shared with the input. Owned containers form a tree that includes the root.

An owned map is its index, a dict in the order of its items; the list of items is built from it at the end. An owned
array is its list. `name=db` uses an index from strings to items, built when a long array is first matched and updated
by each change. An item's index is a guess that is verified (`_Lookup.place`).
"""

from __future__ import annotations

from plait.base.errors import OpsError
from plait.ops import walk
from plait.ops.pointer import AfterLastIndexToken, IndexToken, KeyToken, MatchingIndexToken
from plait.tree.nodes import Array, ArrayItem, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.source import Source
    from plait.ops.pointer import Pointer
    from plait.tree.nodes import Value

INDEX_FROM = 12  # minimum number of items; for fewer, a linear search is as fast
REFRESH_AFTER = 256  # number of insertions and removals after which all indexes are recomputed


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
        """The index of an item, which is at most `drift` away from its index at the last count."""
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

    def added(self, item: ArrayItem, index: int) -> None:
        """Records an inserted item."""
        self.places[id(item)] = index
        for key, table in self.tables.items():
            text = walk.text_under(item, key)
            if text is not None:
                table.setdefault(text, []).append(item)
        self._moved()

    def removed(self, item: ArrayItem) -> None:
        """Records a removed item."""
        del self.places[id(item)]
        for key, table in self.tables.items():
            text = walk.text_under(item, key)
            if text is not None:
                table[text].remove(item)
        self._moved()

    def exchanged(self, old: ArrayItem, new: ArrayItem, index: int) -> None:
        """Updates the index after an item was replaced."""
        del self.places[id(old)]
        self.places[id(new)] = index
        for key, table in self.tables.items():
            before = walk.text_under(old, key)
            after = walk.text_under(new, key)
            if before is not None:
                table[before].remove(old)
            if after is not None:
                table.setdefault(after, []).append(new)

    def renamed(self, item: ArrayItem, key: Value, before: Value, after: Value) -> None:
        """Updates the index after a value in an item's map changed."""
        table = self.tables.get(key) if isinstance(key, str) else None
        if table is not None:
            if type(before) is str:
                table[before].remove(item)
            if type(after) is str:
                table.setdefault(after, []).append(item)


class WorkingCopy:
    """A value that operations change. `result` returns the changed tree; the original stays unchanged."""

    __slots__ = ("_lookups", "_owned", "root")

    def __init__(self, root: Value) -> None:
        self.root = root
        self._owned: dict[int, Map | Array] = {}
        self._lookups: dict[int, _Lookup] = {}

    def result(self) -> Value:
        """The current tree. Later changes copy again, because this tree is passed on."""
        for node in self._owned.values():
            _list_items(node)
        self._owned = {}
        self._lookups = {}
        return self.root

    def find(self, pointer: Pointer) -> Value:
        """The value at a pointer, for reading only. Raises OpsError (see `walk.find`)."""
        found = walk.find(self.root, pointer, matching=self._select)
        stack = [found]
        while stack:
            node = self._owned.get(id(stack.pop()))
            if node is not None:
                _list_items(node)
                stack.extend(item.value for item in node.items)
        return found

    def _select(self, array: Array, token: MatchingIndexToken) -> list[int]:
        lookup = self._lookups.get(id(array))
        if lookup is None:
            if len(array.items) < INDEX_FROM:
                return walk.matches(array, token)
            lookup = self._lookups[id(array)] = _Lookup(array)
        return lookup.find(token.key, token.value)

    def _is_root(self, pointer: Pointer) -> bool:
        return not pointer.tokens or (pointer.is_slash and not walk.has_empty_key(self.root))

    # -- changes -----------------------------------------------------------------------------------------------------

    def replace(self, pointer: Pointer, value: Value, source: Source | None = None, line: int = 0) -> None:
        """Sets, inserts or creates a value. source and line: the position of new items.

        Raises OpsError; the working copy must not be used afterwards.
        """
        if self._is_root(pointer):
            self.root = value
            return
        last = len(pointer.tokens) - 1
        change_path = _PathToChange(self, source, line)
        node = self.root
        for depth, token in enumerate(pointer.tokens):
            if isinstance(token, KeyToken):
                mapping = walk.check_map(node, pointer, depth)
                item = mapping.find(token.name)
                if item is None and not token.optional:
                    raise walk.missing_key(node, pointer, depth)
                mapping = change_path.own_map(mapping)
                if depth == last or item is None:
                    inner = value if depth == last else change_path.created(pointer, depth)
                    item = change_path.set_key(mapping, token.name, inner)
                node = change_path.step(mapping, item, 0)
                continue
            array = walk.check_array(node, pointer, depth)
            if isinstance(token, AfterLastIndexToken):
                array = change_path.own_array(array)
                change_path.insert(array, len(array.items), value)
                return
            number = walk.selected(array, token, pointer, depth, self._select)
            if number is None:
                array = change_path.own_array(array)
                place = len(array.items)
                inner = value if depth == last else change_path.matching(token)
                node = change_path.step(array, change_path.insert(array, place, inner), place)
            elif depth == last:
                walk.check_insertion(token, pointer, depth)
                change_path.put(
                    change_path.own_array(array),
                    walk.place_of(array, number, token, pointer, depth),
                    token.insert,
                    value,
                )
            else:
                place = walk.passed(array, number, token, pointer, depth)
                array = change_path.own_array(array)
                node = change_path.step(array, array.items[place], place)

    def remove(self, pointer: Pointer) -> None:
        """Removes a map item or array item. Does nothing if an optional part is missing (docs/reference/operations.md).

        Raises OpsError.
        """
        if self._is_root(pointer):
            raise OpsError(
                "the root cannot be removed",
                expected="a path to a key or an item",
                reference="Cannot remove entire document",
                code="impossible-change",
            )
        node = self.root
        change_path = _PathToChange(self, None, 0)
        way: list[tuple[Map | Array, MapItem | ArrayItem, int]] = []
        for depth, token in enumerate(pointer.tokens):
            if isinstance(token, KeyToken):
                mapping = walk.check_map(node, pointer, depth)
                entry = mapping.find(token.name)
                if entry is None:
                    if token.optional:
                        return
                    raise walk.missing_key(node, pointer, depth)
                way.append((mapping, entry, 0))
            else:
                array = walk.check_array(node, pointer, depth)
                if isinstance(token, AfterLastIndexToken):
                    raise OpsError(
                        f'"-" is the position after the last item, nothing can be removed there: {pointer}',
                        reference=f"Expected to not find token 'patch.AfterLastIndexToken' at path '{pointer}'",
                        code="end-of-array",
                    )
                number = walk.selected(array, token, pointer, depth, self._select)
                if number is None:
                    return
                place = walk.passed(array, number, token, pointer, depth)
                way.append((array, array.items[place], place))
            node = way[-1][1].value
        last = len(way) - 1
        for depth, (container, item, place) in enumerate(way):
            owned = change_path.own_map(container) if isinstance(container, Map) else change_path.own_array(container)
            if depth < last:
                change_path.step(owned, item, place)
            elif isinstance(owned, Array):
                change_path.delete(owned, place)
            elif isinstance(item, MapItem):
                change_path.delete_key(owned, item)


def _list_items(node: Map | Array) -> None:
    """Updates the list of items of an owned map from its index."""
    if isinstance(node, Map):
        node.items = list(node.index().values())


class _PathToChange:
    """The path from the root to a change. `own_map` and `own_array` ensure that its containers may be changed.

    item, around, place: the current item, its owned container (None at the root), and its index if that is an array.
    source, line: the position of new items.
    """

    __slots__ = ("around", "draft", "item", "line", "place", "source")

    def __init__(self, draft: WorkingCopy, source: Source | None, line: int) -> None:
        self.draft = draft
        self.source = source
        self.line = line
        self.around: Map | Array | None = None
        self.item: MapItem | ArrayItem | None = None
        self.place = 0

    def step(self, parent: Map | Array, item: MapItem | ArrayItem, index: int) -> Value:
        """Moves to an item of an owned container. Returns the item's value."""
        self.around, self.item, self.place = parent, item, index
        return item.value

    def own_map(self, node: Map) -> Map:
        """The map in the current item, if it is owned; else an owned copy, which replaces it."""
        if id(node) in self.draft._owned:
            return node
        copy = Map([], node.source, node.line, node.index().copy())
        self._hold(copy)
        return copy

    def own_array(self, node: Array) -> Array:
        """As `own_map`, for an array."""
        lookups = self.draft._lookups
        if id(node) in self.draft._owned:
            return node
        copy = node.with_items(node.items.copy())
        lookup = lookups.pop(id(node), None)
        if lookup is not None:
            lookup.array = copy
            lookups[id(copy)] = lookup
        self._hold(copy)
        return copy

    def _hold(self, copy: Map | Array) -> None:
        self.draft._owned[id(copy)] = copy
        around, old = self.around, self.item
        if isinstance(around, Map) and isinstance(old, MapItem):
            self.item = around.index()[old.key] = old.with_value(copy)
        elif isinstance(around, Array) and isinstance(old, ArrayItem):
            self.item = old.with_value(copy)
            self._exchange(around, self.place, self.item)
        else:
            self.draft.root = copy

    def created(self, pointer: Pointer, depth: int) -> Map | Array:
        """The container for a missing optional key; the next part of the path decides its type."""
        following = pointer.tokens[depth + 1]
        if isinstance(following, IndexToken):
            raise OpsError(
                f"an index cannot create a missing item: {pointer.until(depth + 2)}",
                expected='a key, a "key=value" match or "-" after an optional key that is absent',
                hint=f"{pointer.until(depth + 1)}/- adds the first item; its value is the whole item",
                reference="Expected to find key, matching index or after last index token at path "
                f"'{pointer.until(depth + 2)}'",
                code="impossible-change",
            )
        made = self._own_map() if isinstance(following, KeyToken) else Array([], self.source, self.line)
        self.draft._owned[id(made)] = made
        return made

    def matching(self, token: IndexToken | MatchingIndexToken) -> Map:
        """The map for an optional match without items."""
        made = self._own_map()
        if isinstance(token, MatchingIndexToken):
            made.index()[token.key] = MapItem(token.key, token.value, self.source, self.line)
        return made

    def _own_map(self) -> Map:
        made = Map([], self.source, self.line, {})
        self.draft._owned[id(made)] = made
        return made

    def set_key(self, mapping: Map, name: str, value: Value) -> MapItem:
        """Sets a key of an owned map."""
        index = mapping.index()
        old = index.get(name)
        new = index[name] = MapItem(name, value, self.source, self.line)
        self._renamed(name, None if old is None else old.value, value)
        return new

    def delete_key(self, mapping: Map, item: MapItem) -> None:
        """Removes an item from an owned map."""
        del mapping.index()[item.key]
        self._renamed(item.key, item.value, None)

    def _renamed(self, key: Value, before: Value, after: Value) -> None:
        lookup = self.draft._lookups.get(id(self.around))
        if lookup is not None and isinstance(self.item, ArrayItem):
            lookup.renamed(self.item, key, before, after)

    def insert(self, array: Array, index: int, value: Value) -> ArrayItem:
        """Inserts a new item into an owned array."""
        item = ArrayItem(value, self.source, self.line)
        array.items.insert(index, item)
        lookup = self.draft._lookups.get(id(array))
        if lookup is not None:
            lookup.added(item, index)
        return item

    def put(self, array: Array, index: int, beside: str | None, value: Value) -> None:
        """Replaces an item of an owned array, or inserts one "before" or "after" it (docs/reference/operations.md)."""
        if beside is not None:
            self.insert(array, index + (beside == "after"), value)
        else:
            self._exchange(array, index, ArrayItem(value, self.source, self.line))

    def _exchange(self, array: Array, index: int, new: ArrayItem) -> None:
        old = array.items[index]
        array.items[index] = new
        lookup = self.draft._lookups.get(id(array))
        if lookup is not None:
            lookup.exchanged(old, new, index)

    def delete(self, array: Array, index: int) -> None:
        """Removes an item from an owned array."""
        item = array.items.pop(index)
        lookup = self.draft._lookups.get(id(array))
        if lookup is not None:
            lookup.removed(item)
