"""Warnings about keys of a child that a merge adds next to a similar key of its parent, or whose value has another form
than in the parent: a map, a list or a scalar.
"""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.similar_names import is_slip
from plait.layering.data_paths import PathError, action_path
from plait.layering.document import text_of
from plait.layering.failures import a_kind
from plait.layering.path_edits import NoMatch, find, item_at
from plait.layering.path_hints import near_miss, slip
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.source import Position
    from plait.layering.data_paths import DataPath
    from plait.layering.document import LayeredDocument
    from plait.tree.context import Context
    from plait.tree.nodes import ArrayItem, MapItem, Value

# Maximum number of compared keys of one map, and of compared items of a list.
_MOST = 200
_MOST_ITEMS = 20


def warn_of_slips(child: LayeredDocument, parent: LayeredDocument, context: Context) -> None:
    """Warns about misspelt keys, and values of another form, in the data of a child that is not yet rendered. Secret data
    is not examined.
    """
    if child.secret or parent.secret:
        return
    actions = [
        [text_of(action.value.find(key)) if type(action.value) is Map else None for key in ("method", "path")]
        for action in child.actions
    ]
    replaced = {path.rpartition(".")[2] for method, path in actions if method == "replace" and path is not None}
    for action, (method, _) in zip(child.actions, actions, strict=True):
        if method != "delete":  # of a missing key, which is an error
            _warn_of_path(child, parent, action, context)
    for method, path in actions:
        if method != "merge" or path is None:
            continue
        try:
            to = action_path(path)
            left, right = find(parent.data, to), find(child.data, to)
        except PathError:
            return  # an error follows
        if isinstance(left, NoMatch) or isinstance(right, NoMatch):
            continue
        if _differ(left, right):
            what = "the data" if path == "." else path
            places = _nearest_item(child, to), _nearest_item(parent, to)
            _warn_of_form(f"{what} of {child}", (left, right), places, context)
        if type(left) is not Map or type(right) is not Map:
            continue
        _warn_of_dots(child, left, right, context)
        for item, there in _suspects(left, right):
            if item.key == there.key:
                if item.key in replaced:  # by another action
                    continue
                places = item.position, there.position
                _warn_of_form(f'"{item.key}" of {child}', (there.value, item.value), places, context)
                continue
            message = f'the key "{item.key}" of {child} does not exist in its parent, so it is added'
            context.warn(near_miss(message, item.position, str(item.key), there))


def _warn_of_path(child: LayeredDocument, parent: LayeredDocument, action: ArrayItem, context: Context) -> None:
    """Warns about an action whose path has a misspelt key of the parent."""
    item = action.value.find("path") if type(action.value) is Map else None
    text = text_of(item)
    try:
        there = None if text is None or text == "." else slip(parent.data, action_path(text))
    except PathError:
        return  # an error follows
    if item is None or there is None:
        return
    key, other = there
    message = f'the key "{key}" of the path {text} does not exist in the parent of {child}, so the action adds it'
    context.warn(near_miss(message, item.position, key, other))


def _warn_of_dots(child: LayeredDocument, left: Map, right: Map, context: Context) -> None:
    """Warns about keys of a child that name several keys of its parent, with dots between them."""
    for item in right.items:
        key = item.key
        there = _nested(left, key) if type(key) is str and "." in key and left.find(key) is None else None
        if there is not None:
            context.warn(
                warning(
                    f'the key "{key}" of {child} does not exist in its parent, so it is added; a dot does not separate '
                    f"keys: write {there.key} within the maps around it, as at {there.position}",
                    code="near-miss",
                    at=item.position,
                    also=[there.position.labelled("the nearest candidate")],
                    word=str(key),
                )
            )


def _nested(data: Map, text: str) -> MapItem | None:
    """The item below the keys that a text names, with dots between them; or None."""
    item, value = None, data
    for key in text.split("."):
        item = value.find(key) if type(value) is Map else None
        if item is None:
            return None
        value = item.value  # type: ignore[assignment] # checked in the next round
    return item


def _nearest_item(document: LayeredDocument, path: DataPath) -> Position:
    item = item_at(document.data, path)
    return document.data_position if item is None else item.position


def _warn_of_form(what: str, values: tuple[Value, Value], places: tuple[Position, Position], context: Context) -> None:
    """Warns about a value that a merge replaces. values: the parent's and the child's. places: the child's and the
    parent's.
    """
    old, new = map(a_kind, values)
    at, there = places
    lost = "nothing of it is inherited" if type(values[0]) is Map else "it is replaced"
    context.warn(
        warning(
            f"{what} is {new}, and in its parent {old} ({there}), so {lost}: write {old}, or change the parent",
            code="unlikely-value",
            at=at,
            also=[there.labelled("the parent's value")],
        )
    )


def _differ(left: Value, right: Value) -> bool:
    """True if one of two values is a map or a list, and the other is not. Nothing is lost of an empty value."""
    old, new = (type(one) if type(one) in (Map, Array) else None for one in (left, right))
    is_empty = not (left.items if type(left) is Map or type(left) is Array else left)
    return old is not new and not is_empty and right is not None


def _suspects(left: Map, right: Map) -> Iterator[tuple[MapItem, MapItem]]:
    """The keys of `right` that are misspelt keys of `left`, each with the intended key, and the keys of both whose values
    have another form.
    """
    pending = [(left, right, True)]
    while pending:
        left, right, is_merged = pending.pop()
        added: list[MapItem] = []
        for item in right.items:
            there = left.find(item.key)
            if there is None:
                added.append(item)
            elif type(item.value) is Map and type(there.value) is Map:
                pending.append((there.value, item.value, is_merged))
            elif type(item.value) is Array and type(there.value) is Array:
                # A list is replaced; its items have the keys of those before.
                known = [one.value for one in there.value.items[:_MOST_ITEMS] if type(one.value) is Map]
                new = [one.value for one in item.value.items[:_MOST_ITEMS] if type(one.value) is Map]
                pending += [(known[0], one, False) for one in new if known]
            elif is_merged and _differ(there.value, item.value):
                yield item, there
        for item in added[:_MOST]:
            for there in left.items[:_MOST]:
                if _is_slip(item.key, there.key) and right.find(there.key) is None:
                    yield item, there
                    break


def _is_slip(name: object, known: object) -> bool:
    return type(name) is str and type(known) is str and name[:1].lower() == known[:1].lower() and is_slip(name, known)
