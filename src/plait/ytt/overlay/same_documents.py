"""Documents that are the same as those of an earlier evaluation, which are then used in their place.

Two documents are the same if they are equal in everything: their nodes with positions, and the arguments of
annotations. Later phases know documents by identity, so what they made of the earlier one need not be made again.
"""

from __future__ import annotations

from operator import is_not

from plait.base.errors import PlaitError
from plait.starlark.containers import Dict, List
from plait.tree.nodes import SCALARS, Array, DocumentSet, Map, equal, walk
from plait.ytt.overlay.matchers import ALL, NOTHING, And, IndexMatcher, MapKey, Not, Or, Subset
from plait.ytt.yaml_fragments import YamlFragment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from plait.tree.annotations import Annotations
    from plait.tree.nodes import Document, Value

    Same: TypeAlias = Callable[[object, object], bool]

# Converting more nodes than that counts as steps of the evaluation.
_FREE = 64


def known_again(documents: DocumentSet, former: DocumentSet) -> DocumentSet:
    """The documents, with those of `former` in place of the same ones. The former set if all are the same.

    An overlay is never the same here, because functions of the user can still change what it was given.
    """
    items = documents.items
    found = [old if same_document(new, old) else new for new, old in zip(items, former.items, strict=False)]
    found += items[len(found) :]
    if len(items) == len(former.items) and not any(map(is_not, found, former.items)):
        return former if _same_place(documents, former) else documents.with_items(found)
    return documents.with_items(found)


def same_document(one: Document, other: Document) -> bool:
    """True if two documents are the same, and not overlays."""
    return one is other or _same(one, other, _same_data)


def same_overlay(one: Document, other: Document) -> bool:
    """True if two overlays are the same at this time, and call no functions of the user."""
    return _same(one, other, same_argument)


def is_plain_overlay(document: Document) -> bool:
    """True if no annotation in a document was given functions of the user."""
    return _are_plain(document.annotations) and all(_are_plain(item.annotations) for item in walk(document.value))


def _same_place(one: DocumentSet | Map | Array | Document, other: DocumentSet | Map | Array | Document) -> bool:
    return one.line == other.line and one.source is other.source


def _same(one: Document, other: Document, same: Same) -> bool:
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
        if isinstance(left, Map) and isinstance(right, Map):
            if len(left.items) != len(right.items) or left.line != right.line or left.source is not right.source:
                return False
            for x, y in zip(left.items, right.items, strict=True):
                if x is y:
                    continue
                if x.line != y.line or x.source is not y.source:
                    return False
                if x.key is not y.key and not _same_scalar(x.key, y.key):
                    return False
                if (x.annotations or y.annotations) and not _same_annotations(x.annotations, y.annotations, same):
                    return False
                if x.value is not y.value:
                    pending.append((x.value, y.value))
        elif isinstance(left, Array) and isinstance(right, Array):
            if len(left.items) != len(right.items) or left.line != right.line or left.source is not right.source:
                return False
            for a, b in zip(left.items, right.items, strict=True):
                if a is b:
                    continue
                if a.line != b.line or a.source is not b.source:
                    return False
                if (a.annotations or b.annotations) and not _same_annotations(a.annotations, b.annotations, same):
                    return False
                if a.value is not b.value:
                    pending.append((a.value, b.value))
        elif left is not right and not _same_scalar(left, right):
            return False
    return True


def _same_scalar(one: object, other: object) -> bool:
    """True for scalars of the same type and value, down to the sign of zero."""
    kind = type(one)
    if kind is not type(other) or kind not in SCALARS:
        return False
    return repr(one) == repr(other) if kind is float else one == other


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


def _same_data(one: object, other: object) -> bool:
    """True if two values are the same scalar, or tuples of the same scalars."""
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_same_data, one, other))
    return _same_scalar(one, other)


def same_argument(one: object, other: object) -> bool:
    """True if two arguments of annotations are the same plain data, or matchers made of the same.

    other: of the earlier evaluation, which has used it.
    """
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in SCALARS:
        return _same_scalar(one, other)
    if one is other:
        return is_plain(one)
    if isinstance(one, (tuple, List)) and isinstance(other, (tuple, List)):
        return len(one) == len(other) and all(map(same_argument, one, other))
    if type(one) is Dict and type(other) is Dict:
        keys, others = (*one,), (*other,)
        return same_argument(keys, others) and all(map(same_argument, one.values(), other.values()))
    if type(one) is Subset and type(other) is Subset:
        return _same_expectation(one, other)
    if type(one) is MapKey and type(other) is MapKey:
        return one.key == other.key
    if type(one) is IndexMatcher and type(other) is IndexMatcher:
        return one.place == other.place
    if isinstance(one, (And, Or, Not)) and isinstance(other, (And, Or, Not)):
        return len(one.parts) == len(other.parts) and all(map(same_argument, one.parts, other.parts))
    return False


def _same_expectation(one: Subset, other: Subset) -> bool:
    if not other.is_converted or (type(one.expected) is not YamlFragment and _size(one.expected) > _FREE):
        return False
    try:
        return equal(one.nodes, other.nodes)
    except PlaitError:  # it is reported when the matcher is used
        return False


def _size(value: object) -> int:
    """The number of parts of plain data."""
    if type(value) is Dict:
        return len(value) + sum(map(_size, value.values()))
    if type(value) is tuple or type(value) is List:
        return len(value) + sum(map(_size, value))
    return 0 if type(value) in SCALARS else _FREE + 1


def _are_plain(annotations: Annotations | None) -> bool:
    return annotations is None or all(
        is_plain(one.args) and all(map(is_plain, one.kwargs.values())) for one in annotations.values()
    )


def is_plain(value: object) -> bool:
    """True for plain data, and matchers that call no functions of the user."""
    kind = type(value)
    if kind in SCALARS or value is ALL or value is NOTHING or kind in _MATCHERS:
        return True
    if isinstance(value, (And, Or, Not)):
        return all(map(is_plain, value.parts))
    if isinstance(value, (tuple, List)):
        return all(map(is_plain, value))
    if type(value) is Dict:
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    return False


_MATCHERS = frozenset({Subset, MapKey, IndexMatcher})
