"""Warnings about keys of a child that a merge adds next to a similar key of its parent."""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.similar_names import is_slip
from plait.base.suggestions import REPLACE, Suggestion
from plait.layering.data_paths import PathError, action_path
from plait.layering.document import text_of
from plait.layering.path_edits import find
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.layering.document import LayeredDocument
    from plait.tree.context import Context
    from plait.tree.nodes import MapItem

# Maximum number of compared keys of one map, and of compared items of a list.
_MOST = 200
_MOST_ITEMS = 20


def warn_of_slips(child: LayeredDocument, parent: LayeredDocument, context: Context) -> None:
    """Warns about misspelt keys in the data of a child that is not yet rendered. Secret data is not examined."""
    if child.secret or parent.secret:
        return
    for action in child.actions:
        method, path = (
            text_of(action.value.find(key)) if type(action.value) is Map else None for key in ("method", "path")
        )
        if method != "merge" or path is None:
            continue
        try:
            to = action_path(path)
            left, right = find(parent.data, to), find(child.data, to)
        except PathError:
            return  # an error follows
        if type(left) is not Map or type(right) is not Map:
            continue
        for item, there in _slips(left, right):
            context.warn(
                warning(
                    f'the key "{item.key}" of {child} does not exist in its parent, so it is added; '
                    f'similar: "{there.key}" at {there.position}',
                    code="near-miss",
                    at=item.position,
                    also=[there.position.labelled("the nearest candidate")],
                    word=str(item.key),
                    suggestions=[Suggestion(REPLACE, str(there.key), old=str(item.key))],
                )
            )


def _slips(left: Map, right: Map) -> Iterator[tuple[MapItem, MapItem]]:
    """The keys of `right` that are misspelt keys of `left`, each with the intended key."""
    pending = [(left, right)]
    while pending:
        left, right = pending.pop()
        added: list[MapItem] = []
        for item in right.items:
            there = left.find(item.key)
            if there is None:
                added.append(item)
            elif type(item.value) is Map and type(there.value) is Map:
                pending.append((there.value, item.value))
            elif type(item.value) is Array and type(there.value) is Array:
                # A list is replaced; its items have the keys of those before.
                known = [one.value for one in there.value.items[:_MOST_ITEMS] if type(one.value) is Map]
                new = [one.value for one in item.value.items[:_MOST_ITEMS] if type(one.value) is Map]
                pending += [(known[0], one) for one in new if known]
        for item in added[:_MOST]:
            for there in left.items[:_MOST]:
                if _is_slip(item.key, there.key) and right.find(there.key) is None:
                    yield item, there
                    break


def _is_slip(name: object, known: object) -> bool:
    return type(name) is str and type(known) is str and name[:1].lower() == known[:1].lower() and is_slip(name, known)
