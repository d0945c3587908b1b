"""Runs that tell what each step did, for provenance. Only imported when somebody wants to know."""

from __future__ import annotations

from plait.errors import PlaitError
from plait.nodes import COLLECTIONS, Array, ArrayItem, Map, MapItem, walk
from plait.overlay.actions import matched, wrong_kind
from plait.overlay.apply import Run, _check_repeated, located
from plait.overlay.edits import _GONE, _TAKEN, ArrayEdit, DocumentsEdit, MapEdit
from plait.overlay.matchers import ALL, NOTHING, Combined, Foreign, Index, MapKey, Matcher, Subset
from plait.overlay.plan import NO_KEY
from plait.provenance import Cause, Change
from plait.starlark.tracing import Windows, without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from plait import provenance
    from plait.nodes import Item, Value
    from plait.overlay.edits import Edit, Owned
    from plait.overlay.plan import Step
    from plait.provenance import Origin


class _StepByStep(Run):
    """A run that does each step on the way to what changes by itself."""

    __slots__ = ()

    def merge_value(self, left: Item, step: Step) -> Value:
        if type(left.value) is not step.kind:
            raise wrong_kind(left, left.value, step.item.value)
        return self.merge(left.value, step.plan())  # type: ignore[arg-type]

    def merge_array(self, left: Array, steps: list[Step]) -> Array:
        edit: Any = self.owned.get(left) or ArrayEdit(left)
        self.perform(edit, steps)
        return edit.node  # type: ignore[no-any-return]


class TracedRun(_StepByStep):
    """Does every step through `act`, and calls `trace` with what went out of and what came into the collection."""

    __slots__ = ("trace",)

    def __init__(self, trace: Callable[[str, Item, list[Item], list[Item]], None]) -> None:
        super().__init__()
        self.trace = trace

    def merge_map(self, left: Map, steps: list[Step]) -> Map:
        edit: Any = self.owned.get(left) or MapEdit(left)
        self.perform(edit, steps)
        return edit.node  # type: ignore[no-any-return]

    def act(self, edit: Edit, step: Step) -> None:
        before = [*edit.items]
        super().act(edit, step)
        edit.settle()
        had, has = set(map(id, before)), set(map(id, edit.items))
        out = [item for item in before if id(item) not in has]
        into = [item for item in edit.items if id(item) not in had]
        # A merge of collections exchanges an item because something below it changed: that has been told already.
        below = step.action in ("merge", "assert") and type(step.item.value) in COLLECTIONS
        if (out or into) and not (below and out and all(type(item.value) in COLLECTIONS for item in out)):
            self.trace(step.action, step.item, out, into)


class Watched:
    """A function of a program that an overlay calls.

    lefts: the left items that it is going to be called for. answers: what it gave, with what that was made of.
    """

    __slots__ = ("__globals__", "answers", "function", "lefts", "right", "windows")

    def __init__(self, function: object, right: Item | None, windows: Windows) -> None:
        self.function = function
        self.windows = windows
        self.__globals__ = getattr(function, "__globals__", None)
        self.right = right
        self.lefts: list[Item] = []
        self.answers: list[tuple[object, tuple[Origin, ...]]] = []

    def __call__(self, *args: object) -> object:
        items = [None] * len(args) if self.right is None else [self.left, self.right]
        given: list[tuple[object, tuple[Origin, ...]]] = []
        for arg, item in zip(args, items, strict=True):
            nodes = self.windows.nodes_of(arg)
            given.append((arg, (nodes,) if nodes is not None else () if item is None else (item,)))
        self.answers.append(self.windows.call(self.function, *given))  # type: ignore[arg-type]
        return self.answers[-1][0]

    @property
    def left(self) -> Item | None:
        """The left item of the next call."""
        place = len(self.answers)
        return self.lefts[place] if place < len(self.lefts) else None


class _Found(Matcher):
    """A matcher whose matches are known."""

    __slots__ = ("matcher", "places")

    def __init__(self, matcher: Matcher, places: Sequence[int]) -> None:
        self.matcher = matcher
        self.places = places

    def select(self, run: Run, edit: Edit, right: Value) -> Sequence[int]:  # noqa: ARG002
        return self.places


# Matchers that call no function of a program.
_QUIET = frozenset({type(None), type(NOTHING), type(ALL), Index, MapKey, Subset})


class RecordingRun(_StepByStep):
    """Records what each step did to which item, and what led to the step.

    way: the steps that are being done, each within the one before. matched: for these, what decided which left item
    they are for.
    """

    __slots__ = ("causes", "decided", "matched", "trace", "way")

    def __init__(self, trace: provenance.Trace, owned: Owned | None = None) -> None:
        super().__init__(owned)
        self.trace = trace
        self.way: list[Step] = []
        self.matched: list[Cause] = []
        self.causes: dict[Step, Cause] = {}
        self.decided: dict[tuple[int, int], tuple[Origin, ...]] = {}

    def merge_value(self, left: Item, step: Step) -> Value:
        match = self.match_of(left, step)
        if match is None:
            return super().merge_value(left, step)
        self.matched.append(match)
        try:
            return super().merge_value(left, step)
        finally:
            self.matched.pop()

    def match_of(self, left: Item, step: Step) -> Cause | None:
        """What decided that a step is for a left item: what its matcher looked at there."""
        matcher = step.matcher
        if matcher is None or matcher is ALL:
            return None
        if type(matcher) is _Found:
            matcher = matcher.matcher
        found: list[Origin] = []
        if type(matcher) is MapKey:
            both = [value.find(matcher.key) for value in (left.value, step.item.value) if type(value) is Map]
            found += [item for item in both if item is not None]
        elif isinstance(matcher, Matcher):
            found += self._looked_at(matcher, left)
        if not found:
            return None
        item = step.item
        rule = (item.annotations or {}).get("overlay/match")
        source, line = (item.source, item.line) if rule is None else (rule.source, rule.line)
        return Cause("overlay match", source, line, tuple(found))

    def _looked_at(self, matcher: Matcher, left: Item) -> list[Origin]:
        if isinstance(matcher, Subset):
            return list(_compared(left, matcher.nodes))
        if isinstance(matcher, Foreign):
            return list(self.decided.get((id(matcher), id(left.value)), ()))
        if isinstance(matcher, Combined):
            return [origin for part in matcher.parts for origin in self._looked_at(part, left)]
        return []

    def watch(self, step: Step) -> None:
        """Have the functions of a step's annotations tell what they look at."""
        windows = self.trace.code
        if (step.via is None and type(step.matcher) in _QUIET) or not isinstance(windows, Windows):
            return
        if step.via is not None and type(step.via) is not Watched:
            step.via = Watched(step.via, step.item, windows)
        todo = [step.matcher]
        for matcher in todo:
            if isinstance(matcher, Combined):
                todo.extend(matcher.parts)
            elif isinstance(matcher, Foreign) and type(matcher.function) is not _Asked:
                matcher.function = _Asked(matcher, windows, self)

    def merge_map(self, left: Map, steps: list[Step]) -> Map:
        """What the base does, its common cases written out as there, with records."""
        owned, trace, way = self.owned, self.trace, self.way
        edit: Any = owned.get(left) or MapEdit(left)
        step: Step | None = None  # a right map may be empty
        around: Cause | None = None
        matcher = way[-1].matcher if way else None
        if type(matcher) is _Found:
            matcher = matcher.matcher
        found_by = matcher.key if type(matcher) is MapKey else NO_KEY
        try:
            for step in steps:
                mine = edit.node.index().get(step.key)
                if mine is None or (type(mine.value) is not step.kind and step.kind in COLLECTIONS):
                    self.act(edit, step)
                    continue
                value, kind = mine.value, step.kind
                if kind is not Map and kind is not Array:
                    right = step.item
                    clean = step.clean()
                    item = MapItem(mine.key, clean.value, clean.source, clean.line, mine.annotations)
                    edit.swap(step.key, mine, item, owned)
                    if mine.key == found_by:
                        # It is what both were found by.
                        trace.copies[item] = mine
                    elif right.annotations is not None or not way:
                        way.append(step)
                        trace.changes[item] = self._change(step, mine)
                        way.pop()
                    else:
                        if around is None:
                            around = self.around(self.cause(way[-1]))
                        action = trace.label or "overlay/merge"
                        trace.changes[item] = Change(
                            action, right.source, right.line, was=mine, because=(right, around)
                        )
                elif inner := step.plan():
                    way.append(step)
                    result = self.merge(value, inner)
                    way.pop()
                    if result is not value:
                        item = MapItem(mine.key, result, mine.source, mine.line, mine.annotations)
                        trace.copies[item] = mine
                        edit.swap(step.key, mine, item, owned)
            edit.settle()
            _check_repeated(edit)
        except PlaitError as error:
            raise error if step is None else located(error, step) from None
        finally:
            edit.settle()
        return edit.node  # type: ignore[no-any-return]

    def act(self, edit: Edit, step: Step) -> None:
        if step.error is not None:
            raise step.error
        self.watch(step)
        if not step.erases and step.clean() is step.item:
            # What was put in has a history of its own, beside that of the right item.
            step._clean = step.item.with_value(step.item.value)
        if type(step.via) is Watched:
            step.via.answers.clear()
            step.via.lefts = []
        self.way.append(step)
        try:
            if step.action not in ("insert", "append") and _is_cheap(step):
                self._by_places(edit, step)
            else:
                self._by_difference(edit, step)
        finally:
            self.way.pop()

    def _by_places(self, edit: Edit, step: Step) -> None:
        """For steps whose matches can be looked up twice: what stands in the places before and after."""
        places = [*(matched(self, edit, step) or ())]
        before = [edit.items[place] for place in places]
        size = len(edit.items)
        if type(step.via) is Watched:
            step.via.lefts = before
        matcher = step.matcher
        if type(matcher) is MapKey or type(matcher) is Subset:
            # What was looked up once is not looked up again.
            step.matcher = _Found(matcher, places)
        try:
            super().act(edit, step)
        finally:
            step.matcher = matcher
        if step.action == "remove":
            for item in before:
                self.trace.removed(item, self._change(step, None))
        elif places:
            for place, old in zip(places, before, strict=True):
                self._exchanged(edit, step, place, old)
        elif len(edit.items) > size:
            # A document that matched nothing goes among those of the first file.
            clean = step.clean()
            new = (
                next((item for item in edit.items if item is clean), edit.items[-1])
                if type(edit) is DocumentsEdit
                else edit.items[-1]
            )
            self._added(step, new)
        if not places and len(edit.items) == size:
            left = [item for item in edit.items if item is not _GONE and item is not _TAKEN]
            self.trace.unmatched.append((step.item, left))

    def _by_difference(self, edit: Edit, step: Step) -> None:
        edit.settle()
        before = [*edit.items]
        super().act(edit, step)
        edit.settle()
        after = [*edit.items]
        had, has = set(map(id, before)), set(map(id, after))
        out = [item for item in before if id(item) not in has]
        into = [item for item in after if id(item) not in had]
        if len(before) == len(after) and len(out) == len(into):
            for place, (old, new) in enumerate(zip(before, after, strict=True)):
                if old is not new:
                    self._exchanged(edit, step, place, old)
            if not into:
                self.trace.unmatched.append((step.item, before))
            return
        for item in out:
            self.trace.removed(item, self._change(step, None))
        for item in into:
            self._added(step, item)

    def _exchanged(self, edit: Edit, step: Step, place: int, old: Item) -> None:
        new = edit.items[place]
        if new is old:
            return
        if step.action in ("merge", "assert") and type(old.value) in COLLECTIONS and type(new.value) in COLLECTIONS:
            # Something below it changed, and that has been told.
            self.trace.copied(new, old)
            return
        if new in self.trace.changes or new is step.item:
            # The right item as it is, in several places perhaps: each has a history of its own.
            copy = new.with_value(new.value)
            self.trace.copied(copy, new)
            edit.put(place, copy, self.owned)  # type: ignore[arg-type]
            new = copy
        else:
            self._erased(step)
        self._put(step, new, old)

    def _put(self, step: Step, new: Item, old: Item | None) -> None:
        """Record an item that a step put in, and what a `via` function made below it."""
        change = self._change(step, old)
        via = step.via
        if type(via) is not Watched or not via.answers:
            self.trace.record(new, change)
            return
        made, origins = via.answers[0]
        if len(via.answers) > 1:
            via.answers.pop(0)
        action = change.action
        covered = via.windows.note_parts_of(via.windows, new.value, made, action)
        nodes = via.windows.nodes_of(made)
        rest = without(origins, {*covered, nodes} if nodes is not None else covered)
        if old is not None and type(old.value) not in COLLECTIONS and old not in rest:
            rest = (old, *rest)
        because = (*rest, *change.because)
        self.trace.record(new, Change(action, change.source, change.line, was=old, because=because))
        if type(new.value) not in COLLECTIONS:
            return
        theirs = set(map(id, walk(step.item.value)))
        if old is not None:
            theirs.update(map(id, walk(old.value)))
        for item in walk(new.value):
            if id(item) not in theirs and item.line == step.item.line:
                self.trace.record(item, Change(action, item.source, item.line, because=because))

    def _added(self, step: Step, new: Item) -> None:
        if new is not step.item:
            self._erased(step)
            self._put(step, new, None)
        else:
            because = (self.cause(step),)
            if new not in self.trace.presence:
                self.trace.presence[new] = because

    def _erased(self, step: Step) -> None:
        clean = step.clean()
        if clean is not step.item and clean not in self.trace.copies:
            self.trace.same_shape(clean, step.item)
            if clean.value is not step.item.value and not hasattr(clean.value, "items"):
                self.trace.copied(clean, step.item)

    def _change(self, step: Step, was: Item | None) -> Change:
        item = step.item
        cause = self.around(self.cause(step), None if was is None else self.match_of(was, step))
        because: tuple[Origin, ...] = (item, cause)
        if step.via is not None:
            because = (cause,) if type(step.via) is Watched or was is None else (was, *because)
        action = self.trace.label or f"overlay/{step.action}"
        return Change(action, item.source, item.line, was=was, because=because)

    def around(self, cause: Cause, more: Cause | None = None) -> Cause:
        """The way to a step, with what decided that it is for these left items."""
        matched = self.matched if more is None else [*self.matched, more]
        return Cause("overlay", cause.source, cause.line, (cause, *matched)) if matched else cause

    def cause(self, step: Step) -> Cause:
        """The way to a step: the right items around it, with their annotations."""
        found: Cause | None = self.causes.get(step)
        if found is not None:
            return found
        way = self.way
        for one in way[: way.index(step) + 1]:
            known = self.causes.get(one)
            if known is None:
                item = one.item
                because: list[Origin] = [] if found is None else [found]
                for annotation in (item.annotations or {}).values():
                    if annotation.name == "overlay/append" and type(item) is ArrayItem:
                        continue  # what happens without it as well
                    # A scalar is replaced by a merge as well.
                    same = annotation.name == "overlay/replace" and type(item.value) not in COLLECTIONS
                    structural = same and not annotation.args and not annotation.kwargs
                    name = f"@{annotation.name}"
                    because.append(Cause(name, annotation.source, annotation.line, structural=structural))
                change = self.trace.changes.get(item)
                if change is not None and type(item.value) in COLLECTIONS:
                    # What its annotations were given.
                    because += change.because
                known = self.causes[one] = Cause("overlay", item.source, item.line, tuple(because))
            found = known
        assert found is not None
        return found


class _Asked(Watched):
    """A function that is a matcher."""

    __slots__ = ("matcher", "run")

    def __init__(self, matcher: Foreign, windows: Windows, run: RecordingRun) -> None:
        super().__init__(matcher.function, None, windows)
        self.matcher = matcher
        self.run = run

    def __call__(self, *args: object) -> object:
        answer = super().__call__(*args)
        left = self.windows.nodes_of(args[1]) if len(args) > 1 else None
        if left is not None:
            self.run.decided[id(self.matcher), id(left)] = self.answers.pop()[1]
        return answer


def _compared(left: Item, wanted: Value) -> Iterator[Origin]:
    """The scalars of a left item that a subset is compared with."""
    stack: list[tuple[Item, Value]] = [(left, wanted)]
    while stack:
        item, expected = stack.pop()
        value = item.value
        if type(expected) is Map and type(value) is Map:
            pairs = [(value.find(one.key), one.value) for one in expected.items]
            stack.extend((found, inner) for found, inner in pairs if found is not None)
        elif type(expected) is Array and type(value) is Array:
            stack.extend((found, one.value) for found, one in zip(value.items, expected.items, strict=False))
        elif type(value) not in COLLECTIONS:
            yield item


def _is_cheap(step: Step) -> bool:
    """Whether matching twice calls no function of the user's."""
    expected = step.expected
    return (expected is None or expected.one) and (
        step.matcher is None
        or step.matcher is NOTHING
        or step.matcher is ALL
        or type(step.matcher) in (MapKey, Index, Subset)
    )
