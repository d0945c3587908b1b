"""Operations on nodes with the semantics of Python's dicts and lists, as in Deckhand: compare, copy, change."""

from __future__ import annotations

from plait.tree.nodes import Array, Map, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import MapItem, Value


def put(target: Map, item: MapItem) -> MapItem | None:
    """Replaces the item with the same key and returns it, or appends the item and returns None. The map must belong to
    the run.
    """
    index = target.index()
    key = key_id(item.key)
    old = index.get(key)
    if old is None:
        target.items.append(item)
    else:
        target.items[target.items.index(old)] = item
    index[key] = item
    return old


def shallow(value: Value) -> Value:
    """A copy of the first level of a collection."""
    if type(value) is Map:
        return value.with_items(list(value.items))
    return value.with_items(list(value.items)) if type(value) is Array else value


def is_collection(value: Value) -> bool:
    return type(value) is Map or type(value) is Array


def truth(value: Value) -> bool:
    """True if Python treats the value as true."""
    return bool(value.items) if type(value) is Map or type(value) is Array else bool(value)


def values(collection: Map | Array) -> list[Value]:
    return [item.value for item in collection.items]


def collections(value: Value) -> list[Map | Array]:
    """The collections in a value, without duplicates."""
    found: dict[int, Map | Array] = {}
    stack = [value]
    while stack:
        here = stack.pop()
        if (type(here) is Map or type(here) is Array) and id(here) not in found:
            found[id(here)] = here
            stack += values(here)
    return list(found.values())


def contains_itself(value: Value) -> bool:
    """True if a collection contains itself. Visits each collection once."""
    open_: set[int] = set()
    done: set[int] = set()
    stack: list[tuple[Value, bool]] = [(value, False)]
    while stack:
        here, leaving = stack.pop()
        if type(here) is not Map and type(here) is not Array:
            continue
        if leaving:
            open_.discard(id(here))
            done.add(id(here))
        elif id(here) in open_:
            return True
        elif id(here) not in done:
            open_.add(id(here))
            stack.append((here, True))
            stack += [(inner, False) for inner in values(here)]
    return False


def equal(left: Value, right: Value) -> bool:
    """Equality as in Python: 1 equals true and 1.0, and the order of keys is ignored."""
    if left is right:
        return True
    if type(left) is Map and type(right) is Map:
        return len(left.items) == len(right.items) and all(
            (other := right.find(item.key)) is not None and equal(item.value, other.value) for item in left.items
        )
    if type(left) is Array and type(right) is Array:
        return len(left.items) == len(right.items) and all(map(equal, values(left), values(right)))
    return left == right


def without_first(expected: Value, value: Value) -> Value:
    """The value without its first descendant that equals the expected one; the value itself if it is equal."""
    if equal(value, expected):
        return value
    if isinstance(value, Map | Array):
        for place, item in enumerate(value.items):
            inner = item.value
            if equal(inner, expected):
                return _without(value, place)
            changed = without_first(expected, inner)
            if changed is not inner:
                return value.with_values([*values(value)[:place], changed, *values(value)[place + 1 :]])
    return value


def _without(collection: Map | Array, index: int) -> Map | Array:
    if isinstance(collection, Map):
        return collection.with_items([*collection.items[:index], *collection.items[index + 1 :]])
    return collection.with_items([*collection.items[:index], *collection.items[index + 1 :]])
