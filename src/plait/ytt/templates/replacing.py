"""The parts of `template.replace` that depend on its argument alone (docs/reference/templates.md)."""

from __future__ import annotations

from plait.base.errors import StarlarkError, warning
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, key_id, kind_name
from plait.ytt.starlark.value_text import str_of
from plait.ytt.templates.repeated import displace, settle
from plait.ytt.yaml_fragments import YamlFragment, counted_nodes, go_type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import Warn
    from plait.base.source import Source
    from plait.tree.nodes import Item, Items
    from plait.tree.nodes import Value as NodeValue

# Annotations that apply to their node, and are lost with it.
_COUNTING = ("overlay/", "schema/", "assert/", "data/")


# Names of types in ytt's messages.
_KINDS = {
    "*yamlmeta.Map": "map",
    "*yamlmeta.Array": "array",
    "*yamlmeta.DocumentSet": "document set",
    "int64": "integer",
    "float64": "float",
    "bool": "boolean",
    "<nil>": "null",
}


def removed(items: Items, value: object, source: Source, warn: Warn, *, overrides: bool) -> tuple[Items, int, bool]:
    """Removes, in place, the last item, which `value` replaces. Returns the items of the value, their number with all
    nodes below them, and True if the value is a fragment.
    """
    old = items[-1]
    nodes, made = counted_nodes(value, source, old.line)
    new = items_of(nodes, value, type(old))
    is_fragment = type(value) is YamlFragment
    if type(old) is MapItem:
        replace_keys(items, old, new, overrides=overrides, strict=is_fragment)
    else:
        items.pop()
    warn_of_lost(old, warn)
    return new, made, is_fragment


def items_of(nodes: NodeValue, value: object, kind: type[Item]) -> Items:
    """The items of a value that replaces an item of this type. Raises StarlarkError for a value of another type."""
    if kind is MapItem and type(nodes) is Map:
        return nodes.items
    if kind is ArrayItem and type(nodes) is Array:
        return nodes.items
    if kind is Document and type(nodes) is DocumentSet:
        return nodes.items
    if kind is Document and type(nodes) is Array and type(value) is not YamlFragment:
        return [
            Document(item.value, item.source, item.line, None, computed=type(item.value) in (Map, Array))
            for item in nodes.items
        ]
    expected = {MapItem: "map", ArrayItem: "array", Document: "document set"}[kind]
    told = f"expected value to be {expected}, but was"
    name = go_type_name(value)
    raise StarlarkError(
        f"{told} {kind_name(nodes)}",
        reference=f"template.replace: {told} {_KINDS.get(name, name)}",
        code="replace-misused",
    )


def replace_keys(items: list[MapItem], old: MapItem, new: list[MapItem], *, overrides: bool, strict: bool) -> None:
    """Replaces, in place, an item of a map by new items, and removes all other items with their keys.

    overrides: every item may replace an earlier one. strict: new items may not replace earlier ones, except where
    duplicate keys may. Raises TemplateError, and StarlarkError if a new item has the key of the old one.
    """
    settle(items, overrides=overrides)
    found = {key_id(item.key): item for item in items}
    for item in new:
        displace(found, item, overrides=overrides or not strict, replaced=old.position)
    if found.pop(key_id(old.key), None) is not old:
        raise refused(
            f"the node to replace has the key {str_of(old.key)}, which one of its replacements has too",
            "give it another key, by convention _",
        )
    items[:] = found.values()


def warn_of_lost(old: Item, warn: Warn) -> None:
    """Warns about the first annotation that has no effect because its node is replaced."""
    lost = next((name for name in old.annotations or () if name.startswith(_COUNTING)), None)
    if lost is not None:
        message = f"@{lost} has no effect because template.replace removes its node"
        warn(warning(message, code="lost-annotation", at=old.position))


def refused(message: str, hint: str | None = None) -> StarlarkError:
    """The error for an impossible `template.replace`."""
    return StarlarkError(f"template.replace: {message}", hint=hint, code="replace-misused")
