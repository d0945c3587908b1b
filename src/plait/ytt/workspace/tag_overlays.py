"""Overlays with tags (`plait.yaml.tags`): a tag replaces the left value, as a scalar does."""

from __future__ import annotations

from plait.tree.annotations import Annotation
from plait.tree.nodes import Array, ArrayItem, Map
from plait.yaml.tags import tagged
from plait.ytt.overlay.annotation_removal import with_annotations
from plait.ytt.overlay.plan import ACTION_ANNOTATIONS, MATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Item, Value


def replacing(item: Item) -> Item:
    """The item with `#@overlay/replace` added to each item whose value is a tag, unless it has an action.

    Without a match such an item is added if it may be missing, like a merged one. Returns the same item if it has no
    tags.
    """
    found = tagged(item.value)
    if found is None:
        value = _below(item.value)
        return item if value is item.value else item.with_value(value)
    annotations = item.annotations or {}
    if any(name in annotations for name in ACTION_ANNOTATIONS) or (
        type(item) is ArrayItem and MATCH not in annotations
    ):
        return item
    action = Annotation("overlay/replace", kwargs={"or_add": True}, source=found.source, line=found.line)
    return with_annotations(item, item.value, {**annotations, action.name: action})


def _below(value: Value) -> Value:
    if type(value) is not Map and type(value) is not Array:
        return value
    items = [replacing(item) for item in value.items]
    if all(new is old for new, old in zip(items, value.items, strict=True)):
        return value
    return value.with_items(items)  # type: ignore[arg-type]
