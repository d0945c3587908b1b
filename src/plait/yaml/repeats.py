"""Resolves duplicate keys: the last value is used, at the position of the first (docs/reference/templates.md)."""

from __future__ import annotations

from plait.tree.nodes import Array, DocumentSet, Map, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plait.tree.nodes import Items


def has_repeated_keys(tree: DocumentSet) -> bool:
    """True if a map has a duplicate key."""
    return any(document.distinct is False for document in tree.items) or _looked_for(_unknown(tree))


def deduplicate(tree: DocumentSet) -> DocumentSet:
    """The tree with the last value of each duplicate key, at the position of the first.

    Parts without duplicate keys are shared; without any, the same tree is returned.
    """
    # Collections, parents before children.
    below = _unknown(tree)
    if not _looked_for(below):
        return tree
    order: list[DocumentSet | Map | Array] = [tree, *below]
    changed: dict[Any, Any] = {}
    for node in reversed(order):
        items: Items = list(node.items)
        touched = False
        for index, item in enumerate(items):
            if (new := changed.get(item.value) if type(item.value) in _COLLECTIONS else None) is not None:
                items[index] = item.with_value(new)
                touched = True
        if type(node) is Map:
            places: dict[object, int] = {}
            kept: Items = []
            for item in items:
                place = places.setdefault(key_id(item.key), len(kept))
                if place < len(kept):
                    kept[place] = item
                else:
                    kept.append(item)
            touched = touched or len(kept) != len(items)
            items = kept
        if touched:
            changed[node] = node.with_items(items)
    result: DocumentSet = changed[tree]
    return result


def _unknown(tree: DocumentSet) -> list[Map | Array]:
    """The values of the documents that may have duplicate keys."""
    return [
        document.value
        for document in tree.items
        if not document.distinct and (type(document.value) is Map or type(document.value) is Array)
    ]


def _looked_for(order: list[Map | Array]) -> bool:
    """True if a collection has duplicate keys. Appends nested collections to `order`."""
    repeated = False
    for node in order:
        for item in node.items:
            value = item.value
            if type(value) is Map or type(value) is Array:
                order.append(value)
        if type(node) is Map and not repeated:
            keys = {key if type(key := item.key) is str else key_id(key) for item in node.items}
            repeated = len(keys) != len(node.items)
    return repeated


_COLLECTIONS = frozenset({Map, Array})
