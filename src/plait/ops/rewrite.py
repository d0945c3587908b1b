"""Changes scalars anywhere in a tree, including keys. Unchanged parts are shared.

The functions do not recurse: they list containers parents first, and then copy those on the path to a change, children
first.
"""

from __future__ import annotations

from plait.tree.nodes import Array, ArrayItem, Map, MapItem, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from plait.tree.nodes import Value

    Change: TypeAlias = Callable[[str, MapItem | ArrayItem | None, bool], Value]


def rewrite_texts(value: Value, mark: str, change: Change) -> Value:
    """Replaces each string, and string key, that contains `mark` by `change(text, item, is_key)`.

    A changed key replaces an equal one (docs/reference/variables.md).
    """
    if type(value) is str:
        return change(value, None, False) if mark in value else value
    if type(value) is not Map and type(value) is not Array:
        return value
    work: list[Map | Array] = [value]
    parents = [-1]
    changed: dict[int, Value] = {}
    keys: dict[int, Value] = {}
    dirty: set[int] = set()
    for number, node in enumerate(work):  # the list grows during the iteration
        for item in node.items:
            inner = item.value
            if type(inner) is str:
                if mark in inner:
                    changed[id(item)] = change(inner, item, False)
                    dirty.add(number)
            elif type(inner) is Map or type(inner) is Array:
                work.append(inner)
                parents.append(number)
            if type(item) is MapItem and type(item.key) is str and mark in item.key:
                keys[id(item)] = change(item.key, item, True)
                dirty.add(number)
    return _rebuilt(work, parents, dirty, changed, keys) if dirty else value


def rewrite_floats(value: Value, change: Callable[[float], Value]) -> Value:
    """Replaces each float, including keys, by `change(number)`."""
    if type(value) is float:
        return change(value)
    if type(value) is not Map and type(value) is not Array:
        return value
    work: list[Map | Array] = [value]
    parents = [-1]
    changed: dict[int, Value] = {}
    keys: dict[int, Value] = {}
    dirty: set[int] = set()
    for number, node in enumerate(work):  # the list grows during the iteration
        for item in node.items:
            inner = item.value
            if type(inner) is Map or type(inner) is Array:
                work.append(inner)
                parents.append(number)
            elif type(inner) is float:
                changed[id(item)] = change(inner)
                dirty.add(number)
            if type(item) is MapItem and type(item.key) is float:
                keys[id(item)] = change(item.key)
                dirty.add(number)
    return _rebuilt(work, parents, dirty, changed, keys) if dirty else value


def _rebuilt(
    work: list[Map | Array], parents: list[int], dirty: set[int], changed: dict[int, Value], keys: dict[int, Value]
) -> Value:
    for number in list(dirty):
        number = parents[number]
        while number >= 0 and number not in dirty:
            dirty.add(number)
            number = parents[number]
    made: dict[int, Value] = {}
    for number in sorted(dirty, reverse=True):
        node = work[number]
        if type(node) is Map:
            renamed = False
            items: list[MapItem] = []
            for item in node.items:
                key = item.key
                if id(item) in keys:
                    key = keys[id(item)]
                    renamed = renamed or key != item.key or type(key) is not str
                inner = _new_value(item, changed, made)
                if inner is not item.value or key is not item.key:
                    item = MapItem(key, inner, item.source, item.line, item.annotations)
                items.append(item)
            if renamed:
                items = _settled_keys(node.items, items)
            made[id(node)] = node.with_items(items)
        elif type(node) is Array:
            entries: list[ArrayItem] = []
            for entry in node.items:
                inner = _new_value(entry, changed, made)
                entries.append(entry if inner is entry.value else entry.with_value(inner))
            made[id(node)] = node.with_items(entries)
    return made[id(work[0])]


def _new_value(item: MapItem | ArrayItem, changed: dict[int, Value], made: dict[int, Value]) -> Value:
    inner = item.value
    if type(inner) is Map or type(inner) is Array:
        return made.get(id(inner), inner)
    return changed.get(id(item), inner)


def _settled_keys(before: list[MapItem], after: list[MapItem]) -> list[MapItem]:
    """Items with distinct keys. A changed key replaces an equal unchanged one; otherwise the later item wins."""
    found: dict[object, tuple[bool, MapItem]] = {}
    for old, new in zip(before, after, strict=True):
        known = key_id(new.key)
        renamed = new.key is not old.key
        other = found.get(known)
        if other is None or renamed or not other[0]:
            found[known] = (renamed, new)
    return [item for _, item in found.values()]
