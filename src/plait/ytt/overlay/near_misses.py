"""Warnings about items that an overlay adds or ignores because nothing matched, if that looks like a mistake.

ytt does not report them, usually rightly: `missing_ok=True` is intended to add missing items. So only these are
reported: a name that looks like a misspelling of an existing one, a path that is written as one key, a directive of
kustomize, and an array item added next to one with the same name, port or path of a mount.
"""

from __future__ import annotations

from plait.base.errors import warning
from plait.base.similar_names import is_slip
from plait.base.suggestions import REPLACE, Suggestion
from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem, walk
from plait.ytt.overlay.changed_collections import MISSING, MOST_NAMES, MapEdit, key_value
from plait.ytt.overlay.containment import differences
from plait.ytt.overlay.matchers import ALL, NOTHING, MapKey, Matcher, Subset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import Warning
    from plait.tree.nodes import Item, Value
    from plait.ytt.overlay.changed_collections import Edit
    from plait.ytt.overlay.plan import OverlayStep

# Keys that distinguish items with the same name, such as two mounts of one volume.
_APART = frozenset(
    {
        "apiGroup",
        "containerPort",
        "devicePath",
        "kind",
        "mountPath",
        "namespace",
        "port",
        "protocol",
        "release",
        "subPath",
    }
)
# Keys with the arrays of Kubernetes in which no two items may have the same value.
_UNIQUE = {
    "name": frozenset({"containers", "initContainers", "ports", "volumes"}),
    "mountPath": frozenset({"volumeMounts"}),
    "port": frozenset({"ports"}),
}


def warning_of(step: OverlayStep, edit: Edit, *, adds: bool, overlay: Document | None = None) -> Warning | None:
    """The warning about a step that matched nothing in a collection, or None.

    adds: True if its item is added there; otherwise the step has no effect. overlay: the document of the step.
    """
    items: Sequence[Item] = [item for item in edit.items[:MOST_NAMES] if item.source is not None]
    item, matcher = step.item, step.matcher
    if step.action == "append":
        return _duplicate_warning(step, items, overlay)
    if matcher is NOTHING:
        if type(item) is not ArrayItem:
            return None
        if adds:
            return _duplicate_warning(step, items, overlay)
        return _unmatched(item, items, inserts=step.action == "insert")
    outcome = "it is added" if adds else "nothing is done"
    if matcher is None and type(edit) is MapEdit and type(item) is MapItem:
        foreign = _foreign_key(item, items) if adds else None
        if foreign is not None:
            return foreign
        for other in items:
            if type(other) is MapItem and _is_slip(item.key, other.key):
                return _near_miss(
                    f'the key "{item.key}" does not exist, so {outcome}; similar: "{other.key}" at {other.position}',
                    item,
                    other,
                    (item.key, other.key),
                )
    elif type(matcher) is MapKey:
        wanted = key_value(item.value, matcher.key)
        if type(wanted) is Array:
            return _several_names(step, matcher.key, wanted, items, outcome)
        for other in items:
            found = key_value(other.value, matcher.key)
            if _is_slip(wanted, found):
                return _near_miss(
                    f'no item has the {matcher.key} "{wanted}", so {outcome}; similar: "{found}" at {other.position}',
                    item,
                    other,
                    (wanted, found),
                )
    elif type(matcher) is Subset and type(item) is Document and not adds:
        for other in items:
            lacks = differences(other.value, matcher.nodes)
            if len(lacks) == 1 and _is_slip(lacks[0].right, lacks[0].left):
                one = lacks[0]
                return _near_miss(
                    f"no document matches, so nothing is done; {other.position} would, but its "
                    f'{".".join(one.path)} is "{one.left}", not "{one.right}"',
                    item,
                    other,
                    (one.right, one.left),
                )
    return None


def choice_warning(step: OverlayStep) -> Warning | None:
    """The warning about `or` and `and` between two matchers, of which only one is used; None for another step."""
    found = (step.item.annotations or {}).get("overlay/match")
    if found is None or found.source is None or not isinstance(step.matcher, Matcher):
        return None
    # A function of the user may use the words for the results of matchers.
    line = found.source.line(found.line) or ""
    word = next((word for word in ("or", "and") if f") {word} overlay." in line), None)
    if word is None or "lambda" in line:
        return None
    used = "first" if word == "or" else "last"
    return warning(
        f"only the {used} matcher is used: `{word}` selects one of two values; "
        f"overlay.{word}_op(ONE, OTHER) combines matchers",
        code="ignored-arguments",
        at=found.position,
        word=word,
    )


def filter_warning(step: OverlayStep, items: Sequence[Item]) -> Warning | None:
    """The warning about an overlay on all documents that contains the kind and name of one of them, and so removes or
    renames the others; None for another overlay.
    """
    if step.matcher is not ALL or step.action not in ("remove", "replace", "merge") or step.via is not None:
        return None
    own = _kind_and_name(step.item)
    if own is None or _has_annotated_names(step.item.value):
        return None
    named = [item for item in items if _kind_and_name(item) == own]
    if len(named) != 1:
        return None
    others = [item for item in items if item is not named[0] and _kind_and_name(item) is not None]
    if not others:
        return None
    kind, name = own
    done = {"remove": "removed", "replace": "replaced"}.get(step.action, "given this kind and name")
    return warning(
        f"overlay.all matches all {len(items)} documents, and each is {done}; "
        f'for {kind}/{name}, write by=overlay.subset({{"kind": "{kind}", "metadata": {{"name": "{name}"}}}})',
        code="near-miss",
        at=step.item.position,
        also=[named[0].position.labelled("the document of this kind and name")],
    )


def _has_annotated_names(value: Value) -> bool:
    """True if the kind or metadata of an overlay, or a name in it, has annotations, such as an assertion."""
    return any(
        item.annotations is not None or (item.key == "metadata" and _has_annotated_names(item.value))
        for item in (value.items if type(value) is Map else ())
        if item.key in ("kind", "metadata", "name")
    )


def _kind_and_name(item: Item) -> tuple[str, str] | None:
    """The kind and name of a resource; None for another document."""
    kind, metadata = key_value(item.value, "kind"), key_value(item.value, "metadata")
    name = key_value(metadata, "name") if type(metadata) is Map else None
    return (kind, name) if type(kind) is str and type(name) is str else None


def _foreign_key(item: MapItem, items: Sequence[Item]) -> Warning | None:
    """The warning about an added key that is a path below an existing key, or a directive of kustomize; or None."""
    key = item.key
    if key == "$patch" and item.value in ("delete", "replace"):
        action = "remove" if item.value == "delete" else "replace"
        return warning(
            f'"$patch" is added as a key: it belongs to kustomize; #@overlay/{action} above the item that is meant does this',
            code="near-miss",
            at=item.position,
            word="$patch",
        )
    names = key.split(".") if type(key) is str else []
    if len(names) < 2 or not all(name.isidentifier() for name in names):
        return None
    above = next((other for other in items if type(other) is MapItem and other.key == names[0]), None)
    if above is None or not can_hold(above.value, names[1:]):
        return None
    return warning(
        f'"{key}" is added as one key, because a dot does not separate keys; "{names[0]}" exists at {above.position}; '
        f"{nested(names)}",
        code="near-miss",
        at=item.position,
        also=[above.position.labelled("the nearest candidate")],
        word=names[0],
    )


def can_hold(value: Value, names: Sequence[str]) -> bool:
    """True if a value is a map that has a path, or to which it can be added."""
    for name in names:
        if type(value) is not Map:
            return False
        found = value.find(name)
        if found is None:
            return True
        value = found.value
    return True


def nested(names: Sequence[str]) -> str:
    """The part of a hint that shows a path as keys, one below the other."""
    return f"write {': and, indented below it, '.join(names)}:"


def _unmatched(item: ArrayItem, items: Sequence[Item], *, inserts: bool) -> Warning:
    """The warning about an array item without a matcher whose action needs a left item. inserts: it is one next to it."""
    names = [key for key in ("name", "id", "key") if key_value(item.value, key) is not MISSING]
    by = f'by="{names[0]}"' if names else "by=overlay.index(0)"
    subject = "an array item matches none without #@overlay/match"
    known = [key_value(one.value, names[0]) for one in items] if names else []
    if inserts and known and all(type(one) is str and one.isprintable() and '"' not in one for one in known):
        by = f'by=lambda i, l, r: l["{names[0]}"] == "{known[0]}"'
    if inserts:
        subject = "an item is inserted next to the one that #@overlay/match above it selects"
    return warning(
        f"nothing is done: {subject} (write #@overlay/match {by} above it)", code="unmatched-item", at=item.position
    )


def _near_miss(message: str, item: Item, other: Item, names: tuple[object, object]) -> Warning:
    """A warning about an item that matches nothing. names: its own, and the similar one of `other`."""
    wanted, there = map(str, names)
    suggestion = Suggestion(REPLACE, there, old=wanted)
    at, also = item.position, [other.position.labelled("the nearest candidate")]
    return warning(message, code="near-miss", at=at, also=also, word=wanted, suggestions=[suggestion])


def _several_names(step: OverlayStep, key: str, names: Array, items: Sequence[Item], outcome: str) -> Warning | None:
    """The warning about an item that gives a list of names where by= compares one, or None."""
    wanted = [name.value for name in names.items if type(name.value) is str]
    other = next((one for one in items if key_value(one.value, key) in wanted), None)
    if other is None:
        return None
    return warning(
        f"by={key} compares one value, not a list of alternatives, so {outcome}; "
        f'"{key_value(other.value, key)}" is there: {other.position}; write an item for each {key}',
        code="near-miss",
        at=step.item.position,
        also=[other.position.labelled("the nearest candidate")],
    )


def _is_slip(expected: object, found: object) -> bool:
    return type(expected) is str and type(found) is str and is_slip(expected, found)


def _duplicate_warning(step: OverlayStep, items: Sequence[Item], overlay: Document | None) -> Warning | None:
    """The warning about an item added to an array that already has an item with its name or another key, or None."""
    item, value = step.item, step.item.value
    if type(value) is not Map:
        return None
    for key in _UNIQUE:
        own = key_value(value, key)
        others = [one for one in items if type(one.value) is Map and _same(key_value(one.value, key), own)]
        if type(own) not in (str, int) or not others:
            continue
        array = _key_above(item, overlay)
        other = next((one for one in others if _is_duplicate(step, key, array, one)), None)
        if other is None:
            continue
        shown = f'"{own}"' if type(own) is str else str(own)
        is_in_all = all(key_value(one.value, key) is not MISSING for one in items)
        by = f'"{key}"' if is_in_all else f'overlay.subset({{"{key}": {shown}}})'
        at, advice = item.position, f"#@overlay/match by={by} above it would change that one"
        within = next((one for one in value.items if _matches_by(one)), None)
        if within is not None:
            at = within.annotations["overlay/match"].position  # type: ignore[index] # _matches_by has read it
            advice = f"this #@overlay/match belongs to its key {within.key}: write it in the line above the dash"
        elif step.action == "append":
            advice = f"#@overlay/match by={by} in place of #@overlay/append would change that one"
        return warning(
            f"this item is added next to the one with the same {key}, {shown}: {other.position}; {advice}",
            code="same-name",
            at=at,
            also=[other.position.labelled(f"the item of the same {key}")],
            word=str(own),
        )
    return None


def _is_duplicate(step: OverlayStep, key: str, array: str, other: Item) -> bool:
    """True if an item that is added to an array, and the other one with the same value of a key, should be one item.
    array: the key of the array.
    """
    if array in _UNIQUE[key]:
        return key != "port" or _agree(step.item, other, ("protocol",))
    return key == "name" and step.action != "append" and _agree(step.item, other, _APART)


def _agree(one: Item, other: Item, keys: Iterable[str]) -> bool:
    """True if two maps have the same values of keys, or lack them."""
    return all(_same(key_value(one.value, key), key_value(other.value, key)) for key in keys)


def _key_above(item: Item, overlay: Document | None) -> str:
    """The key of the array of an overlay that contains an item; "" if it is unknown."""
    arrays = (one for one in walk(None if overlay is None else overlay.value) if type(one.value) is Array)
    found = next((one for one in arrays if any(inner is item for inner in one.value.items)), None)  # type: ignore[union-attr]
    return str(found.key) if type(found) is MapItem else ""


def _matches_by(item: Item) -> bool:
    """True if the annotations of an item select by a key or a matcher."""
    found = (item.annotations or {}).get("overlay/match")
    return found is not None and "by" in found.kwargs


def _same(one: object, other: object) -> bool:
    return one is other is MISSING or (one is not MISSING and one == other)
