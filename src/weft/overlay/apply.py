"""Applying overlays: `apply` for trees, `apply_document` for data values, `apply_documents` among files (spec ytt 9).

    right tree -> steps (plan) -> matched left items (matchers) -> action -> edited left collections (edits)

Neither side is changed. Left collections in which something changes are copied, once in a run; all others are shared.
"""

from __future__ import annotations

from weft.errors import LimitError, OverlayError, WeftError
from weft.nodes import COLLECTIONS, Array, Document, DocumentSet, Map, MapItem
from weft.overlay.actions import ACTIONS, wrong_kind
from weft.overlay.edits import ArrayEdit, DocumentsEdit, MapEdit
from weft.overlay.expectations import ANY_DEFAULT
from weft.overlay.plain import merge_plain
from weft.overlay.plan import MATCH, erased_item, steps_of
from weft.overlay.trail import key_text, step_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from weft import provenance
    from weft.nodes import Item, Value
    from weft.overlay.edits import Edit, Owned

    # Where changes are recorded, or what is told what an action did: its name, the right item, the left items that went
    # and the items that came.
    Trace: TypeAlias = "provenance.Trace | Callable[[str, Item, list[Item], list[Item]], None]"
    from weft.overlay.plan import Step as PlanStep
    from weft.source import Source


class Run:
    """One application of overlays. owned: collections made on the way, which nobody else has seen, and their edits."""

    __slots__ = ("owned",)

    def __init__(self, owned: Owned | None = None) -> None:
        self.owned: Owned = {} if owned is None else owned

    def merge_value(self, left: Item, step: PlanStep) -> Value:
        """The left item's value with the right item's map or array merged in."""
        value = left.value
        right = step.item.value
        if type(value) is not type(right):
            raise wrong_kind(left, value, right)
        return self.merge(value, step.plan())  # type: ignore[arg-type]

    def merge(self, left: Map | Array, steps: list[PlanStep]) -> Map | Array:
        """A map or array with steps done to it: the same object if nothing changed or if it is this run's own."""
        return self.below(left, steps) if steps else left

    def below(self, left: Map | Array, steps: list[PlanStep]) -> Map | Array:
        """As `merge`, of steps that there are."""
        edit = self.owned.get(left)
        if type(left) is Map:
            if edit is None:
                edit = MapEdit(left)
            self.merge_map(edit, steps)  # type: ignore[arg-type]
        else:
            if edit is None:
                edit = ArrayEdit(left)  # type: ignore[arg-type]
            self.perform(edit, steps)  # type: ignore[arg-type]
        return edit.node  # type: ignore[attr-defined, no-any-return]

    def merge_map(self, edit: MapEdit, steps: list[PlanStep]) -> None:
        """Do the steps to a map: what `perform` does, with the common case, an item merged by its key, written out."""
        owned = self.owned
        step = steps[0]
        try:
            for step in steps:
                left = None
                if step.plain:
                    index = edit.node._index
                    left = edit.node.find(step.item.key) if index is None else index.get(step.key_id)  # type: ignore[union-attr]
                if left is None:
                    if step.optional:
                        edit.add(step.clean(), owned, looked_up=True)  # type: ignore[arg-type]
                    else:
                        self.act(edit, step)
                    continue
                value, kind = left.value, step.kind
                if value is None or (kind is not Map and kind is not Array):
                    clean = step.clean()
                    item = MapItem(left.key, clean.value, clean.source, clean.line, left.annotations)
                    edit.swap(left, item, owned)
                elif type(value) is not kind:
                    raise wrong_kind(left, value, step.item.value)
                elif inner := step.plan():
                    if kind is Map and len(inner) == 1 and inner[0].kind in _NESTED:
                        result: Map | Array = self.descend(value, inner)  # type: ignore[arg-type]
                    else:
                        result = self.below(value, inner)
                    if result is not value:
                        item = MapItem(left.key, result, left.source, left.line, left.annotations)
                        edit.swap(left, item, owned)
            if edit.gaps:
                edit.settle()
            if edit.renamed is not None:
                _check_repeated(edit)
        except WeftError as error:
            raise located(error, step) from None
        finally:
            if edit.gaps:
                edit.settle()

    def descend(self, top: Map, steps: list[PlanStep]) -> Map:
        """What `merge` gives for a single step: goes down at once as long as there is one step to each level.

        Most of what an overlay says is the way to what it changes.
        """
        owned = self.owned
        way: list[tuple[Map, MapItem, PlanStep]] = []
        value: Any = top
        while len(steps) == 1 and type(value) is Map:
            step = steps[0]
            if not step.plain:
                break
            index = value._index
            left = value.find(step.item.key) if index is None else index.get(step.key_id)  # type: ignore[union-attr]
            if left is None or type(left.value) is not step.kind or step.kind not in _NESTED:
                break
            inner = step.plan()
            if not inner:
                return top
            way.append((value, left, step))
            value, steps = left.value, inner
        try:
            result: Any = self.below(value, steps)
        except WeftError as error:
            for _, _, step in reversed(way):
                located(error, step)
            raise
        while way and result is not value:
            value, left, _ = way.pop()
            edit: Any = owned.get(value)
            if edit is None:
                edit = MapEdit(value)
            edit.swap(left, MapItem(left.key, result, left.source, left.line, left.annotations), owned)
            result = edit.node
        return top if way else result

    def act(self, edit: Edit, step: PlanStep) -> None:
        """Do one step."""
        if step.error is not None:
            raise step.error
        ACTIONS[step.action](self, edit, step)

    def perform(self, edit: Edit, steps: Sequence[PlanStep]) -> None:
        """Do the steps, in order, to a collection."""
        step = None
        try:
            for step in steps:
                self.act(edit, step)
            edit.settle()
            if type(edit) is MapEdit and edit.renamed is not None:
                _check_repeated(edit)
        except WeftError as error:
            raise error if step is None else located(error, step) from None
        finally:
            edit.settle()


_NESTED = frozenset({Map, Array})


def traced(trace: Trace, owned: Owned | None = None) -> Run:
    from weft.overlay.traced import RecordingRun, TracedRun

    return TracedRun(trace) if callable(trace) else RecordingRun(trace, owned)


def located(error: WeftError, step: PlanStep) -> WeftError:
    """The error with the step's item as its place, if it has none, and as one more step of its trail."""
    at = step.item.position
    if error.at is None and isinstance(error, OverlayError):
        error.at = at
    return error.within(step_text(step.item), at)


def _check_repeated(edit: MapEdit) -> None:
    item = edit.repeated()
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

    >>> from weft.nodes import from_plain, to_plain
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
        raise LimitError("the overlay, or what it changes, is nested too deeply", at=right.position) from None  # type: ignore[union-attr]


def apply_document(left: Document, right: Document, *, plain: bool = False, trace: Trace | None = None) -> Document:
    """The left document with the one right document applied to it, as for data values and schemas (spec ytt 7.2).

    plain: right has no annotations and is merged plainly (see `merge_plain`). Raises as `apply` does.
    """
    if plain:
        return merge_plain(left, right)
    result = apply(DocumentSet([left]), DocumentSet([right]), exact_documents=True, trace=trace)
    # What an overlay that removes the document leaves is an empty one.
    return result.items[0] if result.items else left.with_value(None)  # type: ignore[union-attr, return-value]


def is_overlay(document: Document) -> bool:
    """Whether a document of an output file is an overlay on the others: `@overlay/match`, or only `@overlay/append`."""
    annotations = document.annotations
    return annotations is not None and (MATCH in annotations or "overlay/append" in annotations)


def apply_documents(
    left: Sequence[DocumentSet], overlays: Sequence[Document], *, trace: Trace | None = None
) -> list[DocumentSet]:
    """The documents of files, one set each, with overlay documents applied one after the other (spec ytt 9.1).

    Each overlay sees what the earlier ones made. Inserted documents belong to the file of their neighbour, appended ones
    to the last file, those of `or_add` to the first. A set in which nothing changed is the same object. With no set at
    all, documents that overlays add come in one new set. Overlay annotations are erased everywhere. Documents that are
    empty in the end are dropped, also computed ones, as in the reference.

    Raises OverlayError, with the way through the overlay as trail: its last step is the document.
    """
    sets = [*left]
    if not overlays:
        return sets
    run = Run() if trace is None else traced(trace)
    overlay = overlays[0]
    try:
        edit = DocumentsEdit(_without_annotations(sets))
        for overlay in overlays:
            run.perform(edit, steps_of(DocumentSet([overlay]), ANY_DEFAULT))
    except RecursionError:
        raise LimitError("the overlay, or what it changes, is nested too deeply", at=overlay.position) from None
    edit.drop_empty()
    return edit.results()


def _without_annotations(sets: list[DocumentSet]) -> list[DocumentSet]:
    """The documents without overlay annotations; those from texts that have none are not even looked at."""
    annotated: dict[Source | None, bool] = {None: True}
    result = []
    for documents in sets:
        items = []
        for document in documents.items:
            source = document.source
            if source not in annotated:
                annotated[source] = "#@" in source.text  # type: ignore[union-attr]
            items.append(erased_item(document) if annotated[source] else document)
        same = all(after is before for after, before in zip(items, documents.items, strict=True))
        result.append(documents if same else documents.with_items(items))  # type: ignore[arg-type]
    return result
