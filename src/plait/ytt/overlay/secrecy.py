"""Provenance of overlays in a run that uses secrets: the secrets that a match reveals, and the messages that may be
shown.

A match can depend on a secret in the arguments of annotations or in the left item. Then each candidate is marked,
matched or not, because both reveal the secret.
"""

from __future__ import annotations

from plait.base.errors import OverlayError
from plait.tree.nodes import COLLECTIONS, Array, Document, Map, MapItem, is_empty, walk
from plait.ytt.overlay.changed_collections import DocumentsEdit
from plait.ytt.overlay.expectations import UNSET
from plait.ytt.overlay.matchers import CallableMatcher, Combined, IndexMatcher, MapKey, Subset
from plait.ytt.overlay.tracing import OverlayTracer, TracedCallback, compared
from plait.ytt.starlark.containers import List
from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker
from plait.ytt.starlark.values import is_callable, is_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.base.errors import PlaitError
    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Control, Origin, Trace
    from plait.tree.provenance.marks import Marks
    from plait.ytt.overlay.application import OverlayApplication
    from plait.ytt.overlay.changed_collections import Edit
    from plait.ytt.overlay.matchers import Matcher
    from plait.ytt.overlay.plan import OverlayStep

_NAMES = ("kind", "schema", "name", "metadata")


class SecretRecorder(OverlayTracer):
    """An overlay tracer that marks items whose match depends on a secret."""

    def __init__(self, trace: Trace, marks: Marks) -> None:
        super().__init__(trace)
        self.marks = marks
        # For each current step: the earlier items, the added items, the origins that led to the step, and True if a
        # secret decides which items it matches.
        self._steps: list[tuple[list[Item], list[Item], tuple[Origin, ...], bool]] = []
        self._counted: set[OverlayStep] = set()  # steps for which a secret decides if they continue
        self._shaped: set[OverlayStep] = set()  # steps for items of which a secret may decide some
        self._known_keys, self._any_secret_key = 0, False
        self._calls = False  # the annotations of the outermost step, or of a nested one, contain functions

    def begin(self, step: OverlayStep, edit: Edit) -> None:
        super().begin(step, edit)
        windows = self.trace.code
        leading = windows.leading if isinstance(windows, DependencyTracker) else ()
        if len(self.doing) == 1:
            self._calls = bool(_functions(step.item))
        is_shaped = self._exists_by_secret(step, edit)
        if is_shaped and _sees_others(step):
            self._counted.add(step)
        if is_shaped:
            self._shaped.add(step)
        decided = self._mark(step, edit.items)
        self._steps.append(([*edit.items] if decided or _is_selective(step) else [], [], leading, decided))
        if self._calls and (decided or is_shaped) and isinstance(windows, DependencyTracker):
            windows.leading = (*leading, self._control(step))

    def end(self) -> None:
        step = self.doing[-1]
        before, added, leading, _ = self._steps.pop()
        if not self._mark(step, before, added) and added and step in self._shaped:
            # They may be there because an item that a secret decided is not, or once for each item.
            self._note(step, added)
            self.trace.there.update(added)
        windows = self.trace.code
        if isinstance(windows, DependencyTracker) and windows.leading is not leading:
            # The call of a function, even in a nested step, and the number of calls reveal a secret.
            windows.mark_all((self._control(step),), *_functions(step.item))
            windows.leading = leading
        super().end()

    def missed(self, step: OverlayStep, items: Sequence[Item]) -> None:
        # The values that a function compared are known only now.
        is_decided = any(decided for *_, decided in self._steps) or any(self._tried(step, items))
        if not is_decided and step not in self._counted:
            super().missed(step, items)

    def ask(self, step: OverlayStep, function: object, arguments: Sequence[object]) -> object:
        windows = self.trace.code
        if not isinstance(windows, DependencyTracker):
            return super().ask(step, function, arguments)
        watched = TracedCallback(function, None, windows)
        answer = super().ask(step, watched, arguments)
        before = windows.leading
        watched.leads()
        if windows.leading is not before:
            self._counted.add(step)
        return answer

    def did(self, step: OverlayStep, left: Item | None, item: Item) -> Item:
        made = super().did(step, left, item)
        if left is None and self._steps:
            self._steps[-1][1].append(made)
        elif left is not None and _merges(step) and type(left.value) not in COLLECTIONS and self.marks.is_secret(left):
            # Instead of null the right collection is inserted, into another one it would have been merged.
            self._note(step, [made])
            self.trace.chosen.add(made)
        return made

    def failed(self, error: PlaitError, step: OverlayStep, edit: Edit, run: OverlayApplication) -> None:
        # A string of the left item is read, or a function sees both items.
        sees_all = step.form is not None or step.via is not None
        if isinstance(error, OverlayError) or step.form is not None:
            seen: Iterable[Origin] = _with_descendants([*edit.items, step.item]) if sees_all else ()
            if step.via is not None:
                # The answer may be part of the message. It depends on more than the arguments.
                answer = step.via.answer if isinstance(step.via, TracedCallback) else None
                seen = (*seen, *((self.marks.unknown,) if answer is None else answer[1]))
            withheld = self.is_withheld(step, edit, run) or self.marks.is_secret(*seen)
            error.origins = (*(error.origins or ()), *((self.marks.unknown,) if withheld else ()))

    def is_withheld(self, step: OverlayStep, edit: Edit, run: OverlayApplication) -> bool:
        """True if a message about a step depends on a secret: in its item, or in the left values that are compared or
        named.
        """
        if self.marks.is_secret(step.item) or self._matches_by_secret(step) or any(self._tried(step, edit.items)):
            return True
        items: list[Item] = [*edit.items, *run.failed]
        if any(map(self.marks.is_decided_item, items)) or self._is_shaped(edit):
            return True
        return self.marks.is_secret(*run.failed, *(one for item in items for one in _names(item)))

    def _matches_by_secret(self, step: OverlayStep) -> bool:
        """True if the criteria of a step depend on a secret: its key, or arguments of its annotations."""
        own: list[Origin] = []
        # The expected count may be a default of an enclosing step.
        for item in (step.item, *(around.item for around in self.doing)):
            one: Item | None = item
            while one is not None:
                own += self.trace.asked.get(one, ())
                one = self.trace.copies.get(one)
        if _is_selective(step):
            items = [step.item, *(around.item for around in self.doing)] if _has_when(step) else [step.item]
            changes = [change for item in items if (change := self.trace.changes.get(item)) is not None]
            own += [origin for change in changes for origin in change.because]
        if step.matcher is not None:
            own += [one for matcher in _parts(step.matcher) if (one := _keyed(matcher, step.item)) is not None]
        return self.marks.is_secret(*own) or self._has_secret_key(step)

    def _has_secret_key(self, step: OverlayStep) -> bool:
        return self._keys_are_secret() and type(step.item) is MapItem and self.marks.has_secret_key(step.item)

    def _keys_are_secret(self) -> bool:
        """True if any key was computed from a secret."""
        keys = self.trace.keys
        if len(keys) != self._known_keys:
            self._known_keys = len(keys)
            self._any_secret_key = any(self.marks.is_secret(*made) for made in keys.values())
        return self._any_secret_key

    def _tried(self, step: OverlayStep, items: Sequence[Item]) -> Iterator[Item]:
        """The left items whose keys or compared values depend on a secret."""
        if not isinstance(step.matcher, (MapKey, Subset)) and self._keys_are_secret():
            # Functions receive the key as well.
            yield from (one for one in items if type(one) is MapItem and self.marks.has_secret_key(one))
        if step.matcher is None:
            return
        parts = _parts(step.matcher)
        for item in items:
            if any(self.marks.is_secret(*self._compared(part, item)) for part in parts):
                yield item

    def _compared(self, matcher: Matcher, item: Item) -> Iterable[Origin]:
        if isinstance(matcher, Subset):
            return compared(item, matcher.nodes, kinds=True)
        if isinstance(matcher, CallableMatcher):
            return self.looked_at(matcher, item)
        found = _keyed(matcher, item)
        return [] if found is None else [found]

    def _exists_by_secret(self, step: OverlayStep, edit: Edit) -> bool:
        """True if a secret decides the existence of the step, or its candidates."""
        return any(map(self.marks.is_decided_item, (step.item, *edit.items))) or self._is_shaped(edit)

    def _is_shaped(self, edit: Edit) -> bool:
        """True if a secret may decide which items a collection has, even if they do not exist."""
        return bool(self.marks.shaped) if isinstance(edit, DocumentsEdit) else edit.node.source in self.marks.shaped

    def _mark(self, step: OverlayStep, items: Sequence[Item], added: Sequence[Item] = ()) -> bool:
        """Marks the items whose match depends on a secret. Returns True if there are any.

        added: those inserted by the step because of its matches.
        """
        all_of_them = step in self._counted or self._matches_by_secret(step)
        found = [*items] if all_of_them else [*self._tried(step, items)]
        if not (found or all_of_them):
            return False
        if not _is_selective(step) and type(step.item) is MapItem and not self._has_secret_key(step):
            key = step.item.key
            found = [one for one in items if type(one) is MapItem and (one.key == key or one in found)]
        if _has_when(step):
            # The number of items decides each of them.
            found = [*items]
        self._note(step, (*found, *added))
        self.trace.there.update(added)
        (self.trace.there if _may_drop(step) else self.trace.chosen).update(found)
        return True

    def _note(self, step: OverlayStep, items: Iterable[Item]) -> None:
        control = self._control(step)
        presence = self.trace.presence
        for item in dict.fromkeys(items):
            presence[item] = (*presence.get(item, ()), control)
        if isinstance(self.trace.code, DependencyTracker):
            self.trace.code.decisions += 1
        self.marks.forget()

    def _control(self, step: OverlayStep) -> Control:
        return self.marks.control("overlay match", step.item.source, step.item.line)


def is_free_of_secrets(trace: Trace, *documents: Document) -> bool:
    """True if nothing in the documents depends on a secret, and their annotations cannot reveal one.

    Requires a trace that records only secrets: an item without a record is not secret, unless its line is.
    """
    marks = trace.marks
    if marks is None:
        return True
    if marks.shaped:
        return False
    records = trace.changes, trace.presence, trace.copies
    sources: set[int] = set()
    for document in documents:
        for item in (document, *walk(document.value)):
            if any(item in known for known in records):
                return False
            if id(item.source) not in sources:
                if marks.hides_lines(item.source):
                    return False
                sources.add(id(item.source))
            for annotation in (item.annotations or {}).values():
                if not all(map(_sees_nothing, (*annotation.args, *annotation.kwargs.values()))):
                    return False
    return True


def _sees_nothing(value: object) -> bool:
    """True unless a value is a function with captured variables, which may depend on secrets."""
    return not is_function(value) or not (value.__closure__ or value.__defaults__ or value.__kwdefaults__)


def _has_when(step: OverlayStep) -> bool:
    return step.expected is not None and step.expected.when is not UNSET


def _is_selective(step: OverlayStep) -> bool:
    """True if more than the key decides if a left item is changed."""
    return step.matcher is not None or _has_when(step)


def _sees_others(step: OverlayStep) -> bool:
    """True if a step depends on the position or number of left items, or a function sees a whole item."""
    if step.via is not None or _has_when(step):
        return True
    return step.matcher is not None and any(
        isinstance(one, (IndexMatcher, CallableMatcher)) for one in _parts(step.matcher)
    )


def _merges(step: OverlayStep) -> bool:
    """True if the right item has a collection, which is merged into a collection."""
    return step.action in ("merge", "assert") and type(step.item.value) in COLLECTIONS


def _may_drop(step: OverlayStep) -> bool:
    """True if a step may remove its matches: its action is remove, or a document may become empty."""
    if step.action == "remove":
        return True
    return type(step.item) is Document and (step.via is not None or is_empty(step.clean().value))


def _functions(item: Item) -> list[object]:
    """The functions among the annotation arguments of an item and its descendants."""
    return [
        value
        for one in (item, *walk(item.value))
        for annotation in (one.annotations or {}).values()
        for value in (*annotation.args, *annotation.kwargs.values())
        if is_callable(value) or type(value) is List
    ]


def _parts(matcher: Matcher) -> list[Matcher]:
    """The matchers that a combined matcher consists of."""
    found = [matcher]
    for one in found:
        if isinstance(one, Combined):
            found.extend(one.parts)
    return found


def _keyed(matcher: Matcher, item: Item) -> MapItem | None:
    """The value of an item that a matcher by key compares."""
    if isinstance(matcher, MapKey) and type(item.value) is Map:
        return item.value.find(matcher.key)
    return None


def _with_descendants(items: Iterable[Item]) -> Iterator[Origin]:
    """Items with all their descendants."""
    for item in items:
        yield item
        if isinstance(item.value, (Map, Array)):
            yield item.value


def _names(item: Item) -> Iterator[Item]:
    """The items that messages use to name an item."""
    value: Value = item.value
    if type(value) is not Map:
        return
    wanted = _NAMES if type(item) is Document else _NAMES[2:3]
    for key in wanted:
        found = value.find(key)
        if found is None:
            continue
        if key == "metadata" and type(found.value) is Map:
            inner = (found.value.find("name"), found.value.find("namespace"))
            yield from (one for one in inner if type(one) is MapItem)
        elif type(found.value) is not Map:
            yield found
