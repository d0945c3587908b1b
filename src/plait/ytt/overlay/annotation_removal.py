"""Removes overlay annotations from a tree: results of `overlay.apply`, data values and schemas have none
(docs/reference/overlays.md).

All other annotations stay: those of schemas and assertions (docs/reference/schemas.md) have an effect after a merge.
"""

from __future__ import annotations

from plait.tree.nodes import COLLECTIONS, Array, ArrayItem, DocumentSet, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.annotations import Annotations
    from plait.tree.nodes import Item, Items, Value

NAMESPACE = "overlay/"


def is_annotated(item: Item) -> bool:
    """True if an item has overlay annotations."""
    return item.annotations is not None and any(name.startswith(NAMESPACE) for name in item.annotations)


def erased(value: Value) -> Value:
    """The value without overlay annotations; the same object if it has none."""
    if not isinstance(value, (Map, Array, DocumentSet)):
        return value
    given: Sequence[Item] = value.items
    items: Items | None = None
    for place, item in enumerate(given):
        if item.annotations is None:
            inner = item.value
            if type(inner) not in COLLECTIONS or (below := erased(inner)) is inner:
                continue
            clean: Item = item.with_value(below)
        elif (clean := erased_item(item)) is item:
            continue
        if items is None:
            items = [*given]
        items[place] = clean
    return value if items is None else value.with_items(items)


def erased_item(item: Item) -> Item:
    """The item and its descendants without overlay annotations; the same object if there are none."""
    value = item.value
    if type(value) in COLLECTIONS:
        value = erased(value)
    annotations = item.annotations
    if annotations is not None:
        kept = {name: one for name, one in annotations.items() if not name.startswith(NAMESPACE)}
        if len(kept) != len(annotations):
            return with_annotations(item, value, kept or None)
    return item if value is item.value else item.with_value(value)


def with_annotations(item: Item, value: Value, annotations: Annotations | None) -> Item:
    """The item with another value and other annotations."""
    if type(item) is MapItem:
        return MapItem(item.key, value, item.source, item.line, annotations)
    if type(item) is ArrayItem:
        return ArrayItem(value, item.source, item.line, annotations)
    document = item.with_value(value)
    document.annotations = annotations
    return document
