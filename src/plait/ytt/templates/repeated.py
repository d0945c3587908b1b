"""Duplicate keys in the maps that a template builds: the later item replaces the earlier one, if it may
(docs/reference/templates.md).
"""

from __future__ import annotations

from plait.base.errors import TemplateError
from plait.base.source import CLAUSE, INSTRUCTION
from plait.tree.nodes import key_id
from plait.ytt.starlark.value_text import str_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.source import Position
    from plait.tree.nodes import MapItem

# The annotation that allows an item to replace an earlier one with the same key.
MAP_KEY_OVERRIDE = "yaml/map-key-override"


def settle(items: list[MapItem], *, overrides: bool) -> None:
    """Removes, in place, the items of a map that a later item with the same key replaces.

    overrides: every item may replace an earlier one. Raises TemplateError for an item that may not.
    """
    found: dict[object, MapItem] = {}
    for item in items:
        displace(found, item, overrides=overrides)
        found[key_id(item.key)] = item
    items[:] = found.values()


def displace(found: dict[object, MapItem], item: MapItem, *, overrides: bool, replaced: Position | None = None) -> None:
    """Removes an earlier item with the same key as a new item.

    found: items by the identity of their key. overrides: every item may replace an earlier one. replaced: position of
    the node that `template.replace` replaces with the new item. Raises TemplateError for an item that may not.
    """
    earlier = found.pop(key_id(item.key), None)
    if earlier is None or overrides or (item.annotations is not None and MAP_KEY_OVERRIDE in item.annotations):
        return
    step = (INSTRUCTION, "start_node") if replaced is None else (CLAUSE, "template.replace")
    shown = item.key if type(item.key) is str else str_of(item.key)
    told = "expected key '{}' to not be specified again (unless '" + MAP_KEY_OVERRIDE + "' annotation is added)"
    error = TemplateError(
        told.format(shown),
        reference=told.format(_as_text_of_go(item.key)),
        at=item.position,
        also=[
            earlier.position.labelled("the first one"),
            *([] if replaced is None else [replaced.labelled("the item that is replaced")]),
        ],
        code="duplicate-map-key",
    )
    error.quotes_output = True  # the keys may be computed
    raise error.within("", role=step[0], reference=step[1])


def _as_text_of_go(key: object) -> str:
    """A key, as Go's `%s` prints it."""
    if type(key) is str:
        return key
    if key is None:
        return "%!s(<nil>)"
    if type(key) is int:
        return f"%!s({'int' if key < 1 << 63 else 'uint64'}={str_of(key)})"
    if type(key) is float:
        return f"%!s(float64={repr(key).removesuffix('.0')})"
    return f"%!s(bool={str(key).lower()})"
