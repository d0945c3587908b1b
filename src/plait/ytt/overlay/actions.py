"""Actions of overlay items on the left items they match: one function per action, one row in ACTIONS.

An action receives the overlay application, the edit of the left collection and the step. Map items, array items and
documents differ only in their edits. Every change goes through `put`, `exchange`, `add`, `drop` or `insert` of the
edit, and is reported to the application first (`OverlayApplication.did`), so that listeners see every change.
"""

from __future__ import annotations

from plait.base.errors import OverlayError, PlaitError
from plait.base.source import public
from plait.tree.deferred_values import Deferred, is_deferred
from plait.tree.nodes import COLLECTIONS, ArrayItem, Document, MapItem, kind_name
from plait.ytt.overlay.annotation_removal import erased, with_annotations
from plait.ytt.overlay.callbacks import VIA, asked
from plait.ytt.overlay.changed_collections import DocumentsEdit, MapEdit
from plait.ytt.overlay.containment import differences
from plait.ytt.overlay.expectations import ANY_DEFAULT, MatchCountError
from plait.ytt.overlay.matchers import NOTHING
from plait.ytt.overlay.plan import point_at_annotation
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.values import type_of
from plait.ytt.yaml_fragments import to_nodes, to_starlark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.tree.nodes import Item, Value
    from plait.ytt.overlay.application import OverlayApplication
    from plait.ytt.overlay.changed_collections import Edit
    from plait.ytt.overlay.plan import OverlayStep


def matched(run: OverlayApplication, edit: Edit, step: OverlayStep) -> Sequence[int] | None:
    """The indexes of the left items that the step matches; None if `when` skips it. Raises OverlayError."""
    matcher = step.matcher
    places: Sequence[int]
    if matcher is NOTHING:
        return ()
    if matcher is not None:
        places = matcher.select(run, edit, step.item.value)
    elif type(edit) is MapEdit:
        place = edit.place(step.item.key)  # type: ignore[union-attr]
        places = (place,) if place >= 0 else ()
    else:
        places = (0,)  # `apply(exact_documents=True)`: the one left document
    expected = step.expected
    if expected is None:
        if len(places) == 1:
            return places
        expected = ANY_DEFAULT
    elif (expected.one and len(places) == 1) or (expected.none and not places):
        return places
    try:
        matches = [edit.items[place] for place in places]
        return places if expected.check(matches, lambda *asked: run.ask(step, *asked)) else None
    except OverlayError as error:
        point_at_annotation(error, step)
        raise
    except MatchCountError as unmet:
        from plait.ytt.overlay.diagnosis import explain

        raise explain(unmet.message, edit, step, places) from None


def merge(run: OverlayApplication, edit: Edit, step: OverlayStep) -> None:
    """`merge`: maps into maps, arrays into arrays; any other value replaces the left one. Without a match the item is
    added.
    """
    places = matched(run, edit, step)
    if places:
        for place in places:
            left = edit.items[place]
            if step.leaf or left.value is None:
                edit.put(place, run.did(step, left, revalued(left, step.clean())), run.owned)
            elif step.kind is Deferred or is_deferred(left.value):
                edit.put(place, run.did(step, left, merged_later(run, left, step)), run.owned)
            else:
                _merge_below(run, edit, place, step, places)
    else:
        added(run, edit, step, skipped=places is None)


def added(run: OverlayApplication, edit: Edit, step: OverlayStep, *, skipped: bool, item: Item | None = None) -> None:
    """Adds a step that matched nothing, if its collection accepts it. item: replaces the right item."""
    if skipped or type(edit) is DocumentsEdit:
        run.missed(step, edit)
    else:
        run.no_match(step, edit, adds=True)
        edit.add(run.did(step, None, item or step.clean()), run.owned, looked_up=step.matcher is None)


def _merge_below(run: OverlayApplication, edit: Edit, index: int, step: OverlayStep, places: Sequence[int]) -> None:
    """Merges the right item's map or array into that of the left item at one of the step's indexes."""
    left = edit.items[index]
    try:
        value = run.merge_value(left, step)
    except PlaitError:
        run.failed_at(left, places, index)
        raise
    if value is not left.value:
        edit.put(index, run.did(step, left, left.with_value(value)), run.owned)
    else:
        # A collection owned by the application was changed in place.
        edit.check_key(index)


def merged_later(run: OverlayApplication, left: Item, step: OverlayStep) -> Item:
    """The left item with a value that is merged once the value of the right one is known (see
    `plait.tree.deferred_values`).
    """
    right = step.clean()
    ours, theirs = left.value, right.value
    later = theirs if is_deferred(theirs) else ours
    assert is_deferred(later)

    def merged() -> Value:
        value = _known(theirs)
        if type(value) not in COLLECTIONS:
            return value
        before = left.with_value(_known(ours))
        if before.value is None:
            return value
        again = type(step)(right.with_value(value), step.children, erases=step.erases) if value is not theirs else step
        return type(run)().merge_value(before, again)

    return revalued(left, right.with_value(Deferred(merged, later.values, right.position, later)))  # type: ignore[arg-type]


def _known(value: Value) -> Value:
    return value.known() if is_deferred(value) else value


def revalued(left: Item, right: Item) -> Item:
    """The left item with the right item's value. The position is that of the right item, except for a document."""
    if type(left) is MapItem:
        return MapItem(left.key, right.value, right.source, right.line, left.annotations)
    if type(left) is ArrayItem:
        return ArrayItem(right.value, right.source, right.line, left.annotations)
    return left.with_value(right.value)


def remove(run: OverlayApplication, edit: Edit, step: OverlayStep) -> None:
    """`remove`: removes the matches; the right value is ignored."""
    places = matched(run, edit, step)
    if not places:
        run.missed(step, edit)
        return
    for place in places:
        run.removed(step, edit.items[place])
    edit.drop([*places], run.owned)


def replace(run: OverlayApplication, edit: Edit, step: OverlayStep) -> None:
    """`replace`: replaces each match by the right item, including its key; with `or_add` also adds it if nothing
    matches.
    """
    places = matched(run, edit, step)
    if places:
        for place in [*places]:
            left = edit.items[place]
            if step.alike and left.value is not None and type(left.value) is not step.kind:
                run.failed_at(left, places, place)
                raise wrong_kind(left, left.value, step.item.value)
            item = _item_to_insert(run, step, left, places, place)
            edit.exchange(place, run.did(step, left, item), run.owned)
    elif places is not None and step.or_add:
        run.no_match(step, edit, adds=True)
        item = run.did(step, None, _item_to_insert(run, step, None))
        edit.add(item, run.owned, looked_up=step.matcher is None)
    else:
        run.missed(step, edit)


def _item_to_insert(
    run: OverlayApplication, step: OverlayStep, left: Item | None, places: Sequence[int] = (), index: int = 0
) -> Item:
    """The right item; with `via`, an item with the result of that function.

    left: the item at one of the step's indexes, or None.
    """
    item = step.clean()
    if step.via is None:
        return item
    try:
        value = to_nodes(_call_via(run, step, left), item.source, item.line)
    except PlaitError:
        if left is not None:
            run.failed_at(left, places, index)
        raise
    if step.erases:
        value = erased(value)
    return with_annotations(item, value, item.annotations)


def _call_via(run: OverlayApplication, step: OverlayStep, left: Item | None) -> object:
    """The result of the step's `via` function for the left and the right value."""
    value = None if left is None else left.value
    if type(value) in COLLECTIONS:
        # The function receives a part of the tree, and may keep a reference.
        run.owned.clear()
    run.asking(step, left)
    return asked(step.via, (to_starlark(value), to_starlark(step.item.value)), VIA)


def insert(run: OverlayApplication, edit: Edit, step: OverlayStep) -> None:
    """`insert`: inserts the right item before or after each match, or both."""
    # Indexes must stay valid while items are inserted.
    edit.settle()
    places = matched(run, edit, step)
    if not places:
        run.missed(step, edit)
        return
    around: dict[int, tuple[list[Item], list[Item]]] = {}
    for place in places:
        left = edit.items[place]
        item = _item_to_insert(run, step, left, places, place)
        if step.before or step.after:
            item = run.did(step, None, item)
        around[place] = ([item] if step.before else [], [item] if step.after else [])
    if step.before or step.after:
        edit.insert(around, run.owned)  # type: ignore[union-attr, arg-type]


def append(run: OverlayApplication, edit: Edit, step: OverlayStep) -> None:
    """`append`: adds the right item at the end, regardless of matches."""
    if type(edit) is DocumentsEdit:
        edit.append(run.did(step, None, step.clean()))
    else:
        run.no_match(step, edit, adds=True)
        edit.add(run.did(step, None, step.clean()), run.owned, looked_up=False)


def check(run: OverlayApplication, edit: Edit, step: OverlayStep) -> None:
    """`assert`: checks that left contains right, or that `via` accepts it, and then merges right's children into left.

    The merge is a defect of ytt that overlays rely on (docs/reference/overlays.md).
    """
    places = matched(run, edit, step)
    if not places:
        run.missed(step, edit)
        return
    for place in places:
        left = edit.items[place]
        try:
            if step.via is None:
                _check_contained(left, step)
            else:
                _check_via(run, left, step)
        except PlaitError:
            run.failed_at(left, places, place)
            raise
        if not step.leaf:
            _merge_below(run, edit, place, step, places)


def _check_contained(left: Item, step: OverlayStep) -> None:
    found = differences(left.value, step.item.value)
    if found:
        from plait.ytt.overlay.diagnosis import shown

        first = found[0]
        where = ".".join(first.path)
        raise OverlayError(
            f"Expected objects to equal, but did not: {first.sentence}",
            also=[left.position.labelled("the matched item")],
            expected=shown(first.right) + (f' at "{where}"' if where else ""),
            found="nothing" if first.missing else shown(first.left),
            code="failed-overlay-assertion",
        )


def _check_via(run: OverlayApplication, left: Item, step: OverlayStep) -> None:
    answer = _call_via(run, step, left)
    if answer is None or answer is True:
        return
    if answer is False:
        raise OverlayError(
            "Expected via invocation to return true, but was false",
            also=[left.position.labelled("the matched item")],
            code="failed-overlay-assertion",
        )
    if (type(answer) is tuple or type(answer) is List) and len(answer) == 2:
        passed, message = answer
        if type(passed) is bool and type(message) is str:
            if passed:
                return
            raise OverlayError(
                f"Expected via invocation to return true, but was false with message: {message}",
                also=[left.position.labelled("the matched item")],
                code="failed-overlay-assertion",
            )
    raise OverlayError(
        "Expected via invocation to return NoneType, Bool or Tuple(Bool,String), but returned neither of those",
        found=type_of(answer),
        code="callback-result",
    )


def inside(run: OverlayApplication, edit: Edit, step: OverlayStep) -> None:
    """Merges the right item's map or array into the document embedded in the left string."""
    places = matched(run, edit, step)
    if not places:
        added(run, edit, step, skipped=places is None, item=None if places is None else _with_embedded_text(step))
        return
    for place in places:
        try:
            _change(run, edit, step, place)
        except PlaitError:
            run.failed_at(edit.items[place], places, place)
            raise


def _change(run: OverlayApplication, edit: Edit, step: OverlayStep, index: int) -> None:
    left = edit.items[index]
    text, form = left.value, step.form
    assert form is not None
    if type(text) is not str:
        raise OverlayError(
            f"Expected a text that holds {form}, but was {kind_name(text)}",
            also=[left.position.labelled("the matched item")],
            hint="remove #@overlay/inside: the value is not a string" if type(text) in COLLECTIONS else None,
            code="inside-not-text",
        )
    from plait.yaml.embedded import parsed, rewritten

    tree = parsed(form, text, left.position)
    merged = run.merge_value(left.with_value(tree), step)
    if merged is tree:
        edit.check_key(index)
    else:
        new = rewritten(form, text, tree, merged, step.item.position)
        edit.put(index, run.did(step, left, left.with_value(new)), run.owned)


def _with_embedded_text(step: OverlayStep) -> Item:
    """The right item with its embedded text, if the left side has none."""
    from plait.yaml.embedded import serialize_new

    assert step.form is not None
    return step.clean().with_value(serialize_new(step.form, erased(step.item.value), step.item.position))


ACTIONS: dict[str, Callable[[OverlayApplication, Edit, OverlayStep], None]] = {
    "merge": merge,
    "remove": remove,
    "replace": replace,
    "insert": insert,
    "append": append,
    "assert": check,
    "inside": inside,
}


def wrong_kind(left: Item | None, value: Value, right: Value) -> OverlayError:
    """The error for a right collection on a left value of another type."""
    wanted, found = kind_name(right), kind_name(value)
    hint = 'begin each item of the array with "- "' if found == "array" else ""
    source = getattr(right, "source", None)
    if source is not None and not source.private:
        hint += f"{'; ' if hint else ''}to replace it by the {wanted}, use #@overlay/replace"
    return OverlayError(
        public(f"Expected {wanted}, but was {found}"),
        also=[left.position.labelled("the matched item")] if left is not None else [],
        hint=public(hint or f"use a value of the type that it replaces: {found}") if type(left) in _ITEMS else None,
        code="wrong-node-kind",
    )


_ITEMS = frozenset({MapItem, ArrayItem, Document})
