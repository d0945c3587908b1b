"""Repeated application of overlays: only documents that differ from the last application are matched and merged.

Documents are known by identity. An overlay has the same effect on the same document if it merges, matches documents by
their content, and calls only closed functions (`closed_functions`), whose steps are charged again. If it calls other
functions, only its matches are reused. All other overlays are applied in full. So is an overlay that matches nothing,
fails or warns: `OverlayApplication.perform` is the only source of messages.
"""

from __future__ import annotations

from copy import copy
from itertools import compress
from operator import is_, is_not

from plait.base.errors import PlaitError
from plait.tree.identity import MOST_ITEMS, identical_scalars
from plait.tree.nodes import SCALARS, Array, Map, equal
from plait.ytt.overlay.application import MOST_LOOKS
from plait.ytt.overlay.changed_collections import DocumentsEdit
from plait.ytt.overlay.closed_functions import ignores_index, is_closed, same_function
from plait.ytt.overlay.expectations import ANY_DEFAULT, UNSET, MatchCountError
from plait.ytt.overlay.fast import FastOverlayApplication
from plait.ytt.overlay.matchers import ALL, FREE_SIZE, CallableMatcher, Combined, IndexMatcher, MapKey, Matcher, Subset
from plait.ytt.overlay.same_documents import is_plain, is_plain_overlay, same_document, same_with
from plait.ytt.starlark.containers import Dict, List
from plait.ytt.starlark.step_budget import budget_of
from plait.ytt.starlark.values import FUNCTION, Builtin
from plait.ytt.yaml_fragments import YamlFragment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from plait.base.source import Source
    from plait.tree.context import Context
    from plait.tree.nodes import Document
    from plait.tree.nodes import Value as NodeValue
    from plait.ytt.overlay.application import OverlayApplication
    from plait.ytt.overlay.changed_collections import Edit, OverlayState
    from plait.ytt.overlay.plan import OverlayStep


# How an overlay was applied: documents were matched and merged one by one; only matched one by one, because functions of
# the user changed them; or in full.
MERGED, MATCHED, IN_FULL = "merged", "matched", "in full"
# Maximum number of remembered pairs of an overlay and a document: about 16 MB.
_MOST_SIZE = 1_000_000
# Converting more nodes than that counts as steps of the evaluation.
_FREE = 64


class AppliedOverlay:
    """The effect of an overlay in the last application.

    before, after: the documents. places: the indexes of those that it matched. looks: the number of searches for
    similar names. costs: for a step that calls functions of the user, the steps that these took for each document; else
    None.
    """

    __slots__ = ("after", "before", "costs", "how", "looks", "places", "step")

    def __init__(
        self,
        step: OverlayStep,
        how: str,
        before: list[Document],
        after: list[Document],
        places: Sequence[int] = (),
        looks: int = 0,
        costs: list[int] | None = None,
    ) -> None:
        self.step = step
        self.how = how
        self.before = before
        self.after = after
        self.places = places
        self.looks = looks
        self.costs = costs


class Applied:
    """The effects of a list of overlays in the last application, by their places in the files.

    context: the context of the current evaluation.
    """

    __slots__ = ("_again", "_counts", "_done", "_given", "_is_worth_it", "_size", "context")

    def __init__(self, context: Context) -> None:
        self.context = context
        self._counts: dict[tuple[Source | None, int], int] = {}
        self._size = 0
        self._done: dict[tuple[Source | None, int, int], AppliedOverlay] = {}
        self._again: dict[tuple[Source | None, int, int], AppliedOverlay] = {}
        self._given: list[Document] = []
        self._is_worth_it = True

    def begin(self, documents: list[Document]) -> None:
        """Begins the next application, to these documents. If most of them are new, nothing is reused."""
        same = sum(map(is_, documents, self._given))
        self._is_worth_it = not self._given or same * 4 >= len(documents)
        self._given = documents.copy()
        self._again, self._done = self._done, {}
        self._counts = {}
        self._size = 0

    def perform(self, run: OverlayApplication, edit: DocumentsEdit, step: OverlayStep) -> None:
        """Applies an overlay to all documents. Raises PlaitError."""
        self._size += len(edit.items)
        if not self._is_worth_it or self._size > _MOST_SIZE:
            run.perform(edit, [step])
            return
        place = step.item.source, step.item.line
        number = self._counts[place] = self._counts.get(place, -1) + 1
        key = *place, number
        self._done[key] = _performed(run, edit, step, self._again.get(key), self.context)


class _Known(Matcher):
    """Matches the documents at some indexes."""

    __slots__ = ("_places",)

    def __init__(self, places: Sequence[int]) -> None:
        self._places = places

    def select(self, run: OverlayState, edit: Edit, right: NodeValue) -> Sequence[int]:  # noqa: ARG002
        return self._places


def _performed(
    run: OverlayApplication, edit: DocumentsEdit, step: OverlayStep, last: AppliedOverlay | None, context: Context
) -> AppliedOverlay:
    """Applies an overlay. last: the effect of the overlay at this position in the last application."""
    if last is not None and len(last.before) != len(edit.items):
        last = None
    is_same = last is not None and _is_same(step, last)
    if last is not None and is_same and last.how == MERGED:
        calls = last.costs is not None
    else:
        calls = not is_plain_overlay(step.item)  # type: ignore[arg-type]
    if last is not None and is_same and not calls:  # functions of the last time must not be called any more
        step = last.step
    if (is_same and last.how == IN_FULL) or not (is_same or _is_local(step)):  # type: ignore[union-attr]
        return _in_full(run, edit, step, last)
    matched = last
    if last is not None and (last.how == IN_FULL or not (is_same or _same_argument(step.matcher, last.step.matcher))):
        matched = None
    if not calls or is_same or is_plain_overlay(step.item, is_closed):  # type: ignore[arg-type]
        if calls:
            found = _merged_by_functions(run, edit.items, step, matched if is_same else None, context)
        else:
            found = _merged(run, edit.items, step, matched, is_same=is_same)
        if found is not None:
            edit.items = found.after.copy()
            return found
    elif not step.matcher.foreign and (places := _places(edit.items, step, matched)):  # type: ignore[union-attr]
        known = copy(step)
        known.matcher = _Known(places)
        found = _in_full(run, edit, known, last)
        return AppliedOverlay(step, MATCHED, found.before, found.after, places)
    return _in_full(run, edit, step, last)


def _is_same(step: OverlayStep, last: AppliedOverlay) -> bool:
    """True if a step is that of the last time, and calls only closed functions of the user or is applied in full."""
    if step.item is last.step.item:
        return last.how != MATCHED
    return _same_overlay(step.item, last.step.item)  # type: ignore[arg-type]


def _in_full(
    run: OverlayApplication, edit: DocumentsEdit, step: OverlayStep, last: AppliedOverlay | None
) -> AppliedOverlay:
    """Applies an overlay in full. Documents that are equal to those of the last application are replaced by them."""
    before = edit.items.copy()
    run.perform(edit, [step])
    # What was made of documents is known by their identity, so they must not change in place any more.
    run.owned.clear()
    items = edit.items
    if last is not None and len(items) == len(before) == len(last.before) == len(last.after):
        for place in compress(range(len(items)), map(is_not, items, last.after)):
            if before[place] is last.before[place] and same_document(items[place], last.after[place]):
                items[place] = last.after[place]
    return AppliedOverlay(step, IN_FULL, before, items.copy())


def _is_local(step: OverlayStep) -> bool:
    """True if a step merges, and matches documents by their content."""
    expected = step.expected or ANY_DEFAULT
    return (
        step.action == "merge"
        and step.error is None
        and step.form is None
        and step.kind in (Map, Array)
        and _is_local_matcher(step.matcher)
        and all(one is UNSET or is_plain(one) for one in (expected.expects, expected.missing_ok, expected.when))
    )


def _is_local_matcher(matcher: object) -> bool:
    if isinstance(matcher, Combined):
        return matcher.size <= FREE_SIZE and all(map(_is_local_matcher, matcher.parts))
    if type(matcher) is CallableMatcher:
        return ignores_index(matcher.function) and is_closed(matcher.function)
    return matcher is ALL or type(matcher) is Subset


def _changed(items: list[Document], last: AppliedOverlay | None) -> Sequence[int]:
    """The indexes of documents that are not those of the last time."""
    every: Sequence[int] = range(len(items))
    return every if last is None else [*compress(every, map(is_not, items, last.before))]


def _places(items: list[Document], step: OverlayStep, last: AppliedOverlay | None) -> Sequence[int] | None:
    """The indexes of the documents that a step matches; None if they are to be found in full, for a message."""
    changed = _changed(items, last)
    part = DocumentsEdit([])
    part.items = items if last is None else [items[place] for place in changed]
    try:
        places = [changed[place] for place in step.matcher.select(FastOverlayApplication(), part, step.item.value)]  # type: ignore[union-attr]
        if last is not None:
            others = set(changed)
            places = sorted([*places, *(place for place in last.places if place not in others)])
        is_expected = (step.expected or ANY_DEFAULT).check([items[place] for place in places])
    except (PlaitError, MatchCountError, RecursionError):
        return None
    return places if is_expected else None


def _merged(
    run: OverlayApplication, items: list[Document], step: OverlayStep, last: AppliedOverlay | None, *, is_same: bool
) -> AppliedOverlay | None:
    """The documents after a step; None if it has to be applied in full. is_same: the step is that of the last
    application.
    """
    places = _places(items, step, last)
    if not places:
        return None
    warned: list[str] = []
    trial = FastOverlayApplication(warn=None if run.warn is None else warned.append)
    after = items.copy()
    before: list[Document] = []
    looks = 0
    if is_same and last is not None:
        before, looks = last.before, last.looks
    try:
        for place in places:
            left = items[place]
            if before and left is before[place]:
                after[place] = last.after[place]  # type: ignore[union-attr]
                continue
            if type(left.value) is not step.kind:
                return None
            value = trial.merge_value(left, step)
            if value is not left.value:
                after[place] = left.with_value(value)
    except (PlaitError, RecursionError):
        return None
    looks += trial.looks
    return None if warned or looks >= MOST_LOOKS else AppliedOverlay(step, MERGED, items, after, places, looks)


def _merged_by_functions(
    run: OverlayApplication, items: list[Document], step: OverlayStep, last: AppliedOverlay | None, context: Context
) -> AppliedOverlay | None:
    """The documents after a step that calls closed functions; None if it has to be applied in full.

    last: the step of the last time, if it is the same.
    """
    budget = budget_of(context)
    start, told = budget.spent, context.told
    warned: list[str] = []
    trial = FastOverlayApplication(warn=None if run.warn is None else warned.append)
    part = DocumentsEdit([])
    after = items.copy()
    places: list[int] = []
    costs = [0] * len(items)
    again = 0  # steps that are charged without a call
    try:
        for place, left in enumerate(items):
            if last is not None and left is last.before[place]:
                after[place], costs[place] = last.after[place], last.costs[place]  # type: ignore[index]
                again += costs[place]
                continue
            before = budget.spent
            part.items = [left]
            if step.matcher.select(trial, part, step.item.value):  # type: ignore[union-attr]
                places.append(place)
                value = trial.merge_value(left, step)
                if value is not left.value:
                    after[place] = left.with_value(value)
            costs[place] = budget.spent - before
        if last is not None:
            places = sorted([*places, *(place for place in last.places if items[place] is last.before[place])])
        is_done = bool(places) and (step.expected or ANY_DEFAULT).check([items[place] for place in places])
    except (PlaitError, MatchCountError, RecursionError):
        is_done = False
    looks = trial.looks + (0 if last is None else last.looks)
    is_quiet = not warned and context.told == told and looks < MOST_LOOKS
    if is_done and is_quiet and budget.spent + again <= context.run_budget.most("steps"):
        budget.charge(again)
        return AppliedOverlay(step, MERGED, items, after, places, looks, costs)
    budget.charge(start - budget.spent)
    return None


def _same_overlay(one: Document, other: Document) -> bool:
    """True if two overlays are the same at this time, and call only closed functions of the user."""
    return same_with(one, other, _same_argument)


def _same_argument(one: object, other: object) -> bool:
    """True if two arguments of annotations are the same plain data, or matchers with the same parts.

    False for more than MOST_ITEMS items. other: the argument in the last application.
    """
    pending = [(one, other)]
    items = 0
    while pending:
        left, right = pending.pop()
        kind = type(left)
        if kind is not type(right):
            return False
        if kind in SCALARS:
            if not identical_scalars(left, right):
                return False
        elif kind is FUNCTION or kind is Builtin:
            if not same_function(left, right):
                return False
        elif kind in _SAME:
            if not _SAME[kind](left, right):
                return False
        elif left is not right or getattr(left, "foreign", True):  # else a matcher without functions of the user
            parts, others = _parts(left), _parts(right)
            if parts is None or others is None or len(parts) != len(others):
                return False
            items += len(parts)
            if items > MOST_ITEMS:
                return False
            pending += zip(parts, others, strict=True)
    return True


def _parts(value: object) -> Sequence[object] | None:
    """The parts of a collection or a combined matcher; None for other values."""
    if isinstance(value, (tuple, List)):
        return value
    if type(value) is Dict:
        return [*value, *value.values()]
    if type(value) is CallableMatcher:
        return (value.function,)
    return value.parts if isinstance(value, Combined) else None


def _same_expectation(one: Subset, other: Subset) -> bool:
    if not other.is_converted or (
        type(one.expected) is not YamlFragment and not is_plain(one.expected, _FREE, matchers=False)
    ):
        return False
    try:
        return equal(one.nodes, other.nodes)
    except PlaitError:  # it is reported when the matcher is used
        return False


# The comparisons of matchers without parts.
_SAME: dict[type, Callable[[Any, Any], bool]] = {
    Subset: _same_expectation,
    MapKey: lambda one, other: one.key == other.key,
    IndexMatcher: lambda one, other: one.place == other.place,
}
