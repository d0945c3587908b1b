"""Applying overlays: `apply` for trees, `apply_document` for data values, `apply_documents` among files (spec ytt 9).

    right tree -> steps (plan) -> matched left items (matchers) -> action -> edited left collections (edits)

Neither side is changed. Left collections in which something changes are copied, once in a run; all others are shared.
"""

from __future__ import annotations

from plait.errors import LimitError, OverlayError, PlaitError
from plait.nodes import COLLECTIONS, Array, ArrayItem, Document, DocumentSet, Map, MapItem
from plait.overlay.actions import ACTIONS, wrong_kind
from plait.overlay.edits import ArrayEdit, DocumentsEdit, MapEdit
from plait.overlay.expectations import ANY_DEFAULT
from plait.overlay.plain import merge_plain
from plait.overlay.plan import MATCH, NO_KEY, Step, is_annotated, steps_of
from plait.overlay.trail import key_text, step_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from plait import provenance
    from plait.nodes import Item, Value
    from plait.overlay.edits import Edit, Owned

    # Where changes are recorded, or what is told what an action did: its name, the right item, the left items that went
    # and the items that came.
    Trace: TypeAlias = "provenance.Trace | Callable[[str, Item, list[Item], list[Item]], None]"
    from plait.source import Position

    # The steps of overlays.
    Plans: TypeAlias = dict[Document, list[Step]]


class Run:
    """One application of overlays. owned: collections made on the way, which nobody else has seen, and their edits."""

    __slots__ = ("owned",)

    def __init__(self, owned: Owned | None = None) -> None:
        self.owned: Owned = {} if owned is None else owned

    def merge_value(self, left: Item, step: Step) -> Value:
        """The left item's value with the right item's map or array merged in: the same object if nothing changed or if it
        is this run's own.

        Most of what an overlay says is the way to what it changes, so that is gone at once.
        """
        top: Any = left.value
        if type(top) is not step.kind:
            raise wrong_kind(left, top, step.item.value)
        plan = step._plan or step.plan()
        way = step.way
        if way is None:
            return self.merge(top, plan)  # type: ignore[arg-type]
        value: Any = top
        keys = way.keys
        try:
            for key in keys:
                value = value._index[key].value
        except (AttributeError, KeyError, TypeError):
            value = None
        went = len(keys)
        if type(value) is not way.kind:
            # Left lacks a part of it: the step for the part says what to do then.
            value, went = way.go(top)
        plan = way.plans[went]
        try:
            result: Any = self.merge_map(value, plan) if type(value) is Map else self.merge_array(value, plan)
        except PlaitError as error:
            for one in reversed(way.steps[:went]):
                located(error, one)
            raise
        return top if result is value else self.relinked(top, keys[:went], result)  # type: ignore[arg-type]

    def relinked(self, top: Map, keys: Sequence[object], result: Any) -> Map:
        """A map with another value at the end of the way that these keys are."""
        maps, items = [], []
        value: Any = top
        for key in keys:
            maps.append(value)
            items.append(value.index()[key])
            value = items[-1].value
        owned = self.owned
        for node, key, item in zip(reversed(maps), reversed(keys), reversed(items), strict=True):
            edit: Any = owned.get(node) or MapEdit(node)
            edit.swap(key, item, MapItem(item.key, result, item.source, item.line, item.annotations), owned)
            if edit.node is node:
                return top
            result = edit.node
        return result  # type: ignore[no-any-return]

    def merge(self, left: Map | Array, steps: list[Step]) -> Map | Array:
        """A map or array with steps done to it: the same object if nothing changed or if it is this run's own."""
        return self.merge_map(left, steps) if type(left) is Map else self.merge_array(left, steps)  # type: ignore[arg-type]

    def merge_array(self, left: Array, steps: list[Step]) -> Array:
        """As `merge`: what `perform` does, with the common case, an item merged by the text under a key, written out."""
        owned = self.owned
        edit: Any = owned.get(left) or ArrayEdit(left)
        step: Any = None
        try:
            for step in steps:
                text = step.key
                if text is not NO_KEY:
                    name = step.matcher.key
                    index = edit.keyed(name)
                    places = index.places.get(text)
                    if places and len(places) == 1 and index.bad < 0:
                        mine = edit.items[places[0]]
                        value = mine.value
                        result = self.merge_map(value, step._plan or step.plan())
                        if result is not value:
                            edit.put(places[0], ArrayItem(result, mine.source, mine.line, mine.annotations), owned)
                            continue
                        found = (value._index or value.index()).get(name)
                        if found is None or found.value != text:
                            edit.check_key(places[0])
                        continue
                    if not places and step.optional and index.bad < 0:
                        edit.add_keyed(step._clean or step.clean(), text, owned)
                        continue
                self.act(edit, step)
        except PlaitError as error:
            raise located(error, step) from None
        finally:
            if edit.gaps:
                edit.settle()
        return edit.node  # type: ignore[no-any-return]

    def merge_map(self, left: Map, steps: list[Step]) -> Map:
        """As `merge`: what `perform` does, with the common case, an item merged by its key, written out."""
        owned = self.owned
        edit: Any = owned.get(left)
        index = left._index or left.index()
        step: Any = None
        acted = False
        try:
            for step in steps:
                mine = index.get(step.key)
                if mine is None:
                    if edit is None:
                        edit = MapEdit(left)
                    if step.optional:
                        edit.append(step.key, step._clean or step.clean(), owned)
                    else:
                        acted = True
                        self.act(edit, step)
                    index = edit.node._index or edit.node.index()
                    continue
                value: Any = mine.value
                if step.leaf or value is None:
                    item = step._clean or step.clean()
                    if mine.annotations is not None or not step.bare:
                        item = MapItem(mine.key, item.value, item.source, item.line, mine.annotations)
                else:
                    kind = step.kind
                    plan = step._plan or step.plan()
                    if step.way is not None or type(value) is not kind:
                        result: Any = self.merge_value(mine, step)
                    elif kind is Map:
                        result = self.merge_map(value, plan)
                    else:
                        result = self.merge_array(value, plan)
                    if result is value:
                        continue
                    item = MapItem(mine.key, result, mine.source, mine.line, mine.annotations)
                if edit is None:
                    edit = MapEdit(left)
                edit.swap(step.key, mine, item, owned)
                index = edit.node._index
            if acted:
                edit.settle()
                _check_repeated(edit)
        except PlaitError as error:
            raise located(error, step) from None
        finally:
            if acted:
                edit.settle()
        return left if edit is None else edit.node

    def act(self, edit: Edit, step: Step) -> None:
        """Do one step."""
        if step.error is not None:
            raise step.error
        ACTIONS[step.action](self, edit, step)

    def perform(self, edit: Edit, steps: Sequence[Step]) -> None:
        """Do the steps, in order, to a collection."""
        step = None
        try:
            for step in steps:
                self.act(edit, step)
            if edit.gaps:
                edit.settle()
            if type(edit) is MapEdit:
                _check_repeated(edit)
        except PlaitError as error:
            raise error if step is None else located(error, step) from None
        finally:
            if edit.gaps:
                edit.settle()


def traced(trace: Trace, owned: Owned | None = None) -> Run:
    from plait.overlay.traced import RecordingRun, TracedRun

    return TracedRun(trace) if callable(trace) else RecordingRun(trace, owned)


def located(error: PlaitError, step: Step) -> PlaitError:
    """The error with the step's item as its place, if it has none, and as one more step of its trail."""
    at = step.item.position
    if error.at is None and isinstance(error, OverlayError):
        error.at = at
    return error.within(step_text(step.item), at)


def _check_repeated(edit: MapEdit) -> None:
    item = None if edit.renamed is None else edit.repeated()
    if item is not None:
        raise OverlayError(
            f"Expected key '{key_text(item.key)}' to be there only once after the overlay",
            at=item.position,
            also=[other.position for other in edit.items if other is not item and other.key == item.key],
            hint="an item put in by overlay/replace, or added with by=, comes with its own key",
        )


def apply(
    left: Value, right: Value, *, exact_documents: bool = False, owned: Owned | None = None, trace: Trace | None = None
) -> Value:
    """Left with the changes that right says.

    Neither is altered; what no change touches is shared, and if nothing changes the result is `left` itself. Overlay
    annotations are erased from what right brings in; those of left are left alone (see `erased`), and merged left items
    keep their other annotations, while replaced and added items have right's (spec ytt 8.4).
    A scalar on the right changes nothing.

    exact_documents: left and right are document sets with one left document, which every right one goes with, so that
    documents need no `@overlay/match` (data values and schemas, spec ytt 7.2).
    owned: collections of left that nobody else has seen; they are changed in place. Filled with those made here.
    trace: is told each change: (action, right item, left items that went, items that came).

    Raises OverlayError, StarlarkError from the user's functions, both with the way through right as trail.

    >>> from plait.nodes import from_plain, to_plain
    >>> to_plain(apply(from_plain({"a": 1, "b": {"c": 2}}), from_plain({"b": {"c": 3}})))
    {'a': 1, 'b': {'c': 3}}
    """
    if type(right) not in COLLECTIONS:
        return left
    if type(left) is not type(right):
        error = wrong_kind(None, left, right)
        error.at = right.position  # type: ignore[union-attr]
        raise error
    run = Run(owned) if trace is None else traced(trace, owned)
    try:
        if type(left) is DocumentSet:
            edit = DocumentsEdit([left])
            run.perform(edit, steps_of(right, ANY_DEFAULT, exact=exact_documents))  # type: ignore[arg-type]
            return edit.results()[0]
        return run.merge(left, steps_of(right, ANY_DEFAULT))  # type: ignore[arg-type]
    except RecursionError:
        raise _nested(right.position) from None  # type: ignore[union-attr]


def _nested(at: Position) -> LimitError:
    return LimitError("the overlay, or what it changes, is nested too deeply", at=at)


def apply_document(left: Document, right: Document, *, plain: bool = False, trace: Trace | None = None) -> Document:
    """The left document with the one right document applied to it, as for data values and schemas (spec ytt 7.2).

    plain: right has no annotations and is merged plainly (see `merge_plain`). Raises as `apply` does.
    """
    if plain:
        return merge_plain(left, right)
    kind = type(right.value)
    if trace is None and (kind is Map or kind is Array) and type(left.value) is kind and not is_annotated(right):
        step = Step(right, ANY_DEFAULT)
        try:
            value = Run().merge_value(left, step)
        except PlaitError as error:
            raise located(error, step) from None
        except RecursionError:
            raise _nested(right.position) from None
        return left if value is left.value else left.with_value(value)
    result = apply(DocumentSet([left]), DocumentSet([right]), exact_documents=True, trace=trace)
    # What an overlay that removes the document leaves is an empty one.
    return result.items[0] if result.items else left.with_value(None)  # type: ignore[union-attr, return-value]


def is_overlay(document: Document) -> bool:
    """Whether a document of an output file is an overlay on the others: `@overlay/match`, or only `@overlay/append`."""
    annotations = document.annotations
    return annotations is not None and (MATCH in annotations or "overlay/append" in annotations)


def apply_documents(
    left: Sequence[DocumentSet],
    overlays: Sequence[Document],
    *,
    plans: Plans | None = None,
    trace: Trace | None = None,
    printed: bool = True,
) -> list[DocumentSet]:
    """The documents of files, one set each, with overlay documents applied one after the other (spec ytt 9.1).

    Each overlay sees what the earlier ones made. Inserted documents belong to the file of their neighbour, appended ones
    to the last file, those of `or_add` to the first. A set in which nothing changed is the same object. With no set at
    all, documents that overlays add come in one new set. Documents that are empty in the end, also computed ones, are
    not printed, so they are dropped; printed=False, for what a library gives: they stay.

    Unlike `apply`, this erases no overlay annotations, neither on the left nor on what comes in: what a library gives is
    an overlay again, in whole or in part, where somebody uses it as one.

    plans: of overlays that were applied to other documents before; those of these overlays are left there.

    Raises OverlayError, with the way through the overlay as trail: its last step is the document.
    """
    sets = [*left]
    if not overlays:
        return sets
    run = Run() if trace is None else traced(trace)
    overlay = overlays[0]
    # Errors in a plan are raised once: none is kept where one was.
    known = {} if plans is None else plans.copy()
    made: Plans = {}
    if plans is not None:
        plans.clear()
    try:
        edit = DocumentsEdit(sets)
        for overlay in overlays:
            made[overlay] = steps = known.get(overlay) or steps_of(DocumentSet([overlay]), ANY_DEFAULT, erases=False)
            run.perform(edit, steps)
    except RecursionError:
        raise _nested(overlay.position) from None
    if plans is not None:
        plans.update(made)
    if printed:
        edit.drop_empty()
    return edit.results()
