"""Provenance of overlays, for `explain` and source maps. Imported only if a run is traced.

    OverlayApplication(owned, OverlayTracer(trace))

The recorder listens to each step (`plait.ytt.overlay.application.OverlayListener`) and records the cause and the
origins of each inserted item: the right item, the annotations that led to it, the values that its matchers read, and
the reads of the annotations' functions.
"""

from __future__ import annotations

from plait.tree.nodes import COLLECTIONS, Array, ArrayItem, Document, Map, MapItem, equal, walk
from plait.tree.provenance import Change, Contributor, OverlayMatch
from plait.ytt.overlay.matchers import ALL, NOTHING, CallableMatcher, Combined, IndexMatcher, MapKey, Matcher, Subset
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.instrument.dataflow.shadows import opened, without
from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.errors import PlaitError
    from plait.base.source import Source
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Origin, Trace
    from plait.ytt.overlay.application import OverlayApplication
    from plait.ytt.overlay.changed_collections import Edit
    from plait.ytt.overlay.plan import OverlayStep

# Matchers that call no function of a program.
_QUIET = frozenset({type(None), type(NOTHING), type(ALL), IndexMatcher, MapKey, Subset})


class OverlayTracer:
    """Records the effect of each step on each item, and the path to the step.

    doing: the current steps, each inside the one before. matched: for each of these, the reason for matching its left
    item. match: the document being merged.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.doing: list[OverlayStep] = []
        self.matched: tuple[Contributor, ...] = ()
        self.match: OverlayMatch | None = None
        self._matched_before: list[tuple[Contributor, ...]] = []
        self._causes: dict[OverlayStep, Contributor] = {}
        # The contributor recorded for the last item without annotations, reused for its siblings.
        self._around: tuple[OverlayStep | None, tuple[Contributor, ...], Contributor] = (
            None,
            (),
            Contributor("overlay", None, 0),
        )

    # ---- events of an application

    def begin(self, step: OverlayStep, edit: Edit) -> None:  # noqa: ARG002
        self._watch(step)
        self.doing.append(step)

    def end(self) -> None:
        self.doing.pop()

    def enter(self, step: OverlayStep, left: Item) -> None:
        if type(left) is Document:
            self.match = self._found(step, left)
        self._matched_before.append(self.matched)
        match = self._match_of(left, step)
        if match is not None:
            self.matched = (*self.matched, match)

    def leave(self) -> None:
        self.matched = self._matched_before.pop()
        if not self._matched_before:
            self.match = None

    def ask(self, step: OverlayStep, function: object, arguments: Sequence[object]) -> object:  # noqa: ARG002
        return call(function, arguments)

    def asking(self, step: OverlayStep, left: Item | None) -> None:
        if type(step.via) is TracedCallback:
            step.via.left = left

    def did(self, step: OverlayStep, left: Item | None, item: Item) -> Item:
        if left is None:
            self._changed(step, None, item)
            return self._put(step, item, None)
        if step.action in ("merge", "assert") and type(left.value) in COLLECTIONS and type(item.value) in COLLECTIONS:
            # A change inside the item has been reported already.
            self.trace.copied(item, left)
            return item
        self._changed(step, left, item)
        if self._was_found_by(step):
            # The match determines both.
            self.trace.copied(item, left)
            return item
        return self._put(step, item, left)

    def removed(self, step: OverlayStep, left: Item) -> None:
        self._changed(step, left, None)
        self.trace.removed(left, self._change(step, None))

    def failed(self, error: PlaitError, step: OverlayStep, edit: Edit, run: OverlayApplication) -> None:
        """Ignores the failure. Only a run that uses secrets records the causes of an error."""

    def is_withheld(self, step: OverlayStep, edit: Edit, run: OverlayApplication) -> bool:  # noqa: ARG002
        return False

    def missed(self, step: OverlayStep, items: Sequence[Item]) -> None:
        self.trace.unmatched.append((step.item, [*items]))

    # ---- recorded effects

    def _found(self, step: OverlayStep, left: Document) -> OverlayMatch:
        """Records that a step matched a document."""
        match = OverlayMatch(left)
        self.trace.matches.setdefault(step.item, []).append(match)
        return match

    def _changed(self, step: OverlayStep, left: Item | None, item: Item | None) -> None:
        """Records that a document was replaced. item: the new one, or None if it was removed."""
        match = self._found(step, left) if type(left) is Document else self.match
        if match is not None and not match.changed:
            match.changed = left is None or item is None or not equal(left.value, item.value)

    def _put(self, step: OverlayStep, item: Item, left: Item | None) -> Item:
        """Records an item that a step inserts, and the values that `via` created below it."""
        trace = self.trace
        clean = step.clean()
        if clean is not step.item and clean not in trace.copies:
            trace.same_shape(clean, step.item)
        if item is step.item or item in trace.changes:
            # The right item itself may be inserted at several positions, each with its own history.
            copy = item.with_value(item.value)
            trace.copied(copy, item)
            item = copy
        change = self._change(step, left)
        via = step.via
        if type(via) is not TracedCallback or via.answer is None:
            trace.record(item, change)
            return item
        made, origins = via.answer
        action = change.action
        covered = via.windows.note_parts_of(via.windows, item.value, made, action)
        nodes = via.windows.nodes_of(made)
        rest = opened(without(origins, {*covered, nodes} if nodes is not None else covered))
        if left is not None and type(left.value) not in COLLECTIONS and left not in rest:
            rest = (left, *rest)
        because = (*trace.shape(item, tuple(rest)), *change.because)
        trace.record(item, Change(action, change.source, change.line, was=left, because=because))
        if type(item.value) in COLLECTIONS:
            known = set(map(id, walk(step.item.value)))
            if left is not None:
                known.update(map(id, walk(left.value)))
            for inner in walk(item.value):
                if id(inner) not in known and inner.line == step.item.line:
                    if rest and type(inner) is MapItem:
                        trace.keys.setdefault(inner, tuple(rest))
                    trace.record(inner, Change(action, inner.source, inner.line, because=because))
        return item

    def _change(self, step: OverlayStep, left: Item | None) -> Change:
        item = step.item
        match = None if left is None else self._match_of(left, step)
        because: tuple[Origin, ...]
        if item.annotations is None and match is None and len(self.doing) > 1 and step.via is None:
            because = (item, self._parents_cause())
        else:
            cause = self._with_matches(self._cause(step), match)
            because = (item, cause)
            if step.via is not None:
                because = (cause,) if type(step.via) is TracedCallback or left is None else (left, *because)
        action = self.trace.label or f"overlay/{step.action}"
        if step.form is not None:
            # Parts of an embedded document have no position of their own in the output, before and after the change.
            before = () if left is None else (left,)
            because = (
                *before,
                *because,
                *(inner for inner in walk(item.value) if type(inner.value) not in COLLECTIONS),
            )
        return Change(action, item.source, item.line, was=left, because=because)

    # ---- causes of a step

    def _parents_cause(self) -> Contributor:
        """The cause of the enclosing item, which is the whole cause of an item without annotations."""
        parent = self.doing[-2]
        step, matched, cause = self._around
        if step is not parent or matched is not self.matched:
            cause = self._with_matches(self._cause(parent), None)
            self._around = parent, self.matched, cause
        return cause

    def _with_matches(self, cause: Contributor, more: Contributor | None) -> Contributor:
        """The cause of a step, with the reasons for matching its left items."""
        matched = self.matched if more is None else (*self.matched, more)
        return Contributor("overlay", cause.source, cause.line, (cause, *matched)) if matched else cause

    def _cause(self, step: OverlayStep) -> Contributor:
        """The contributor for a step: its enclosing right items, with their annotations."""
        found = self._causes.get(step)
        if found is not None:
            return found
        doing = self.doing
        for one in doing[: doing.index(step) + 1]:
            known = self._causes.get(one)
            if known is None:
                known = self._causes[one] = self._cause_within(one.item, found)
            found = known
        assert found is not None
        return found

    def _cause_within(self, item: Item, parent: Contributor | None) -> Contributor:
        """The contributor for a right item and its annotations, inside the contributor of the enclosing item."""
        because: list[Origin] = [] if parent is None else [parent]
        for annotation in (item.annotations or {}).values():
            if annotation.name == "overlay/append" and type(item) is ArrayItem:
                continue  # it has no effect of its own
            # A scalar is replaced by a merge as well.
            same = annotation.name == "overlay/replace" and type(item.value) not in COLLECTIONS
            structural = same and not annotation.args and not annotation.kwargs
            because.append(
                Contributor(f"@{annotation.name}", annotation.source, annotation.line, structural=structural)
            )
        change = self.trace.changes.get(item)
        if change is not None and type(item.value) in COLLECTIONS:
            # The origins of the arguments of its annotations.
            because += change.because
        return Contributor("overlay", item.source, item.line, tuple(because))

    # ---- causes of a match

    def _was_found_by(self, step: OverlayStep) -> bool:
        """True if a right item only serves to find the left map that contains it."""
        if len(self.doing) < 2 or step.action != "merge":
            return False
        matcher = self.doing[-2].matcher
        return type(matcher) is MapKey and type(step.item) is MapItem and step.item.key == matcher.key

    def _match_of(self, left: Item, step: OverlayStep) -> Contributor | None:
        """The cause of a match: the values that the matcher read in the left item."""
        matcher = step.matcher
        if matcher is None or matcher is ALL:
            return None
        found: list[Origin] = []
        if type(matcher) is MapKey:
            both = [value.find(matcher.key) for value in (left.value, step.item.value) if type(value) is Map]
            found += [item for item in both if item is not None]
        else:
            found += self.looked_at(matcher, left)
        if not found:
            return None
        item = step.item
        rule = (item.annotations or {}).get("overlay/match")
        source, line = (item.source, item.line) if rule is None else (rule.source, rule.line)
        return Contributor("overlay match", source, line, tuple(found))

    def looked_at(self, matcher: Matcher, left: Item) -> list[Origin]:
        """The values of a left item that a matcher compared, except for a key matcher."""
        if isinstance(matcher, Subset):
            return list(compared(left, matcher.nodes))
        if isinstance(matcher, CallableMatcher):
            windows = self.trace.code
            return (
                list(windows.decided.get((id(matcher), id(left.value) if type(left.value) in COLLECTIONS else 0), ()))
                if isinstance(windows, DependencyTracker)
                else []
            )
        if isinstance(matcher, Combined):
            return [origin for part in matcher.parts for origin in self.looked_at(part, left)]
        return []

    def _watch(self, step: OverlayStep) -> None:
        """Wraps the functions of a step's annotations so that their reads are recorded."""
        if step.via is None and type(step.matcher) in _QUIET:
            return
        windows = self.trace.code
        if not isinstance(windows, DependencyTracker):
            return
        if type(step.via) is TracedCallback:
            step.via.answer = None
        elif step.via is not None:
            step.via = TracedCallback(step.via, step.item, windows)
        todo = [step.matcher]
        for matcher in todo:
            if isinstance(matcher, Combined):
                todo.extend(matcher.parts)
            elif isinstance(matcher, CallableMatcher) and type(matcher.function) is not _WatchedMatcher:
                matcher.function = _WatchedMatcher(matcher, windows)


class TracedCallback:
    """A function of a program that an overlay calls, such as `via`.

    left, right: the items whose values it is called with, if known. answer: its last result, with origins.
    """

    __slots__ = ("__globals__", "answer", "function", "left", "right", "windows")

    def __init__(self, function: object, right: Item | None, windows: DependencyTracker) -> None:
        self.function = function
        self.windows = windows
        self.__globals__ = getattr(function, "__globals__", None)
        self.right = right
        self.left: Item | None = None
        self.answer: tuple[object, tuple[Origin, ...]] | None = None

    def __call__(self, *args: object) -> object:
        items = [None] * len(args) if self.right is None else [self.left, self.right]
        given: list[tuple[object, tuple[Origin, ...]]] = []
        for arg, item in zip(args, items, strict=True):
            nodes = self.windows.nodes_of(arg)
            given.append((arg, (nodes,) if nodes is not None else () if item is None else (item,)))
        answer = self.answer = self.windows.call(self.function, *given)  # type: ignore[arg-type]
        return answer[0]

    def held(self) -> tuple[object, ...]:
        return (self.function,)

    def leads(self) -> None:
        """Makes the last result of the function a condition of the following code."""
        windows, answer = self.windows, self.answer
        if windows.marks is not None and answer is not None and windows.marks.is_secret(*answer[1]):
            control = windows.marks.control("overlay match", *place_of(self))
            windows.leading = (*windows.leading, control)


def place_of(function: TracedCallback) -> tuple[Source | None, int]:
    """The source and first line of a function."""
    code = getattr(function.function, "__code__", None)
    return (function.__globals__ or {}).get("$source"), 0 if code is None else code.co_firstlineno


class _WatchedMatcher(TracedCallback):
    """A function used as a matcher. Its reads are recorded for each left value."""

    __slots__ = ("identity",)

    def __init__(self, matcher: CallableMatcher, windows: DependencyTracker) -> None:
        super().__init__(matcher.function, None, windows)
        self.identity = id(matcher)  # the matcher keeps a reference to this object

    def __call__(self, *args: object) -> object:
        answer = super().__call__(*args)
        if self.answer is not None:
            self.leads()
        left = self.windows.nodes_of(args[1]) if len(args) > 1 else None
        if self.answer is not None and len(args) > 1:
            # Scalars have no identity of their own.
            key = self.identity, 0 if left is None else id(left)
            known = () if left is not None else self.windows.decided.get(key, ())
            self.windows.decided[key] = (*known, *self.answer[1])
        return answer


def compared(left: Item, wanted: Value, *, kinds: bool = False) -> Iterator[Item]:
    """The scalars of a left item that a subset matcher compares. kinds: include collections, of
    which it compares only the type.
    """
    stack: list[tuple[Item, Value]] = [(left, wanted)]
    while stack:
        item, expected = stack.pop()
        value = item.value
        if kinds and type(value) in COLLECTIONS:
            yield item
        if type(expected) is Map and type(value) is Map:
            pairs = [(value.find(one.key), one.value) for one in expected.items]
            stack.extend((found, inner) for found, inner in pairs if found is not None)
        elif type(expected) is Array and type(value) is Array:
            stack.extend((found, one.value) for found, one in zip(value.items, expected.items, strict=False))
        elif type(value) not in COLLECTIONS:
            yield item
