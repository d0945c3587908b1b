"""Documents that are the same as those of an earlier evaluation, which are then used in their place.

Two documents are the same if they are equal in everything: their nodes with positions, and the arguments of
annotations. Later phases compare documents by identity, so they can reuse their results for the earlier one.
"""

from __future__ import annotations

from operator import is_not

from plait.tree.identity import MOST_ITEMS, identical, identical_scalars
from plait.tree.nodes import SCALARS, Array, DocumentSet, Map, MapItem, walk
from plait.ytt.starlark.containers import Dict, List

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from plait.tree.annotations import Annotations
    from plait.tree.nodes import Collection, Document, Item, Value

    Same: TypeAlias = Callable[[object, object], bool]


def known_again(documents: DocumentSet, former: DocumentSet) -> DocumentSet:
    """The documents; each that is the same as one of `former` is replaced by it. Returns `former` if all are the same.

    An overlay is never the same, because functions of the user can still change the arguments of its annotations.
    """
    items = documents.items
    found = [old if same_document(new, old) else new for new, old in zip(items, former.items, strict=False)]
    found += items[len(found) :]
    if len(items) == len(former.items) and not any(map(is_not, found, former.items)):
        return former if _same_place(documents, former) else documents.with_items(found)
    return documents.with_items(found)


def same_document(one: Document, other: Document) -> bool:
    """True if two documents are the same, and not overlays."""
    return one is other or same_with(one, other, identical)


def is_plain_overlay(document: Document, allowed: Callable[[object], bool] | None = None) -> bool:
    """True if no annotation in a document has a function of the user as an argument. allowed: returns True for a
    function that is accepted.
    """
    items = [document, *walk(document.value)]
    return all(
        is_plain(value, allowed=allowed)
        for item in items
        if item.annotations is not None
        for one in item.annotations.values()
        for value in (one.args, *one.kwargs.values())
    )


def _same_place(one: Collection | Item, other: Collection | Item) -> bool:
    return one.line == other.line and one.source is other.source


def same_with(one: Document, other: Document, same: Same) -> bool:
    """True if two documents are the same. same: compares arguments of annotations."""
    return (
        one.computed == other.computed
        and _same_place(one, other)
        and _same_annotations(one.annotations, other.annotations, same)
        and _same_value(one.value, other.value, same)
    )


def _same_value(one: Value, other: Value, same: Same) -> bool:
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
        kind = type(left)
        if type(right) is not kind:
            return False
        if isinstance(left, (Map, Array)) and isinstance(right, (Map, Array)):
            if len(left.items) != len(right.items) or not _same_place(left, right):
                return False
            mine: Sequence[Item] = left.items
            others: Sequence[Item] = right.items
            for x, y in zip(mine, others, strict=True):
                if x is y:
                    continue
                if not _same_place(x, y):
                    return False
                if (
                    type(x) is MapItem
                    and type(y) is MapItem
                    and x.key is not y.key
                    and not identical_scalars(x.key, y.key)
                ):
                    return False
                if (x.annotations or y.annotations) and not _same_annotations(x.annotations, y.annotations, same):
                    return False
                if x.value is not y.value:
                    pending.append((x.value, y.value))
        elif left is not right and not identical_scalars(left, right):
            return False
    return True


def _same_annotations(one: Annotations | None, other: Annotations | None, same: Same) -> bool:
    if one is None or other is None:
        return one is other
    if [*one] != [*other]:
        return False
    for left, right in zip(one.values(), other.values(), strict=True):
        if left.name != right.name or left.line != right.line or left.source is not right.source:
            return False
        if [*left.kwargs] != [*right.kwargs] or not same(left.args, right.args):
            return False
        if not all(map(same, left.kwargs.values(), right.kwargs.values())):
            return False
    return True


def is_plain(
    value: object, most: int = MOST_ITEMS, *, matchers: bool = True, allowed: Callable[[object], bool] | None = None
) -> bool:
    """True for plain data of at most `most` items. matchers: also for those that call no functions of the user.
    allowed: True for other values that may be in it.
    """
    pending = [value]
    items = 0
    while pending:
        one = pending.pop()
        if type(one) in SCALARS:
            continue
        if isinstance(one, (tuple, List)):
            parts: Sequence[object] = one
        elif type(one) is Dict:
            parts = [*one, *one.values()]
        elif (matchers and getattr(one, "foreign", True) is False) or (allowed is not None and allowed(one)):
            continue
        elif allowed is not None and getattr(one, "foreign", False):
            parts = [*one.held()]  # type: ignore[attr-defined] # a matcher with functions of the user
        else:
            return False
        items += len(parts)
        if items > most:
            return False
        pending += parts
    return True
