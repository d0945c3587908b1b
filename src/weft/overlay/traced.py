"""Runs that tell what each step did, for provenance. Only imported when somebody wants to know."""

from __future__ import annotations

from weft.errors import WeftError
from weft.nodes import COLLECTIONS, Array, Map, MapItem
from weft.overlay.actions import matched
from weft.overlay.apply import Run, _check_repeated, located
from weft.overlay.edits import _GONE, _TAKEN, ArrayEdit, DocumentsEdit, MapEdit
from weft.overlay.matchers import ALL, NOTHING, Index, MapKey, Subset
from weft.provenance import Cause, Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from weft import provenance
    from weft.nodes import Item
    from weft.overlay.edits import Edit, Owned
    from weft.overlay.plan import Step
    from weft.provenance import Origin


class TracedRun(Run):
    """Does every step through `act`, and calls `trace` with what went out of and what came into the collection."""

    __slots__ = ("trace",)

    def __init__(self, trace: Callable[[str, Item, list[Item], list[Item]], None]) -> None:
        super().__init__()
        self.trace = trace

    def merge_map(self, edit: MapEdit, steps: list[Step]) -> None:
        self.perform(edit, steps)

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


class RecordingRun(Run):
    """Records what each step did to which item, and what led to the step."""

    __slots__ = ("causes", "trace", "way")

    def __init__(self, trace: provenance.Trace, owned: Owned | None = None) -> None:
        super().__init__(owned)
        self.trace = trace
        self.way: list[Step] = []
        self.causes: dict[Step, Cause] = {}

    def merge_map(self, edit: MapEdit, steps: list[Step]) -> None:
        """What the base does, its common cases written out as there, with records."""
        owned, trace, way = self.owned, self.trace, self.way
        step = steps[0]
        around = self.cause(way[-1]) if way else None
        try:
            for step in steps:
                left = None
                if step.plain:
                    index = edit.node._index
                    left = edit.node.find(step.item.key) if index is None else index.get(step.key_id)  # type: ignore[union-attr]
                if left is None or (type(left.value) is not step.kind and step.kind in COLLECTIONS):
                    self.act(edit, step)
                    continue
                value, kind = left.value, step.kind
                if kind is not Map and kind is not Array:
                    right = step.item
                    clean = step.clean()
                    item = MapItem(left.key, clean.value, clean.source, clean.line, left.annotations)
                    edit.swap(left, item, owned)
                    if right.annotations is not None or around is None:
                        way.append(step)
                        trace.changes[item] = self._change(step, left)
                        way.pop()
                    else:
                        action = trace.label or "overlay/merge"
                        trace.changes[item] = Change(
                            action, right.source, right.line, was=left, because=(right, around)
                        )
                elif inner := step.plan():
                    way.append(step)
                    below = owned.get(value)
                    if kind is Map:
                        if below is None:
                            below = MapEdit(value)  # type: ignore[arg-type]
                        self.merge_map(below, inner)  # type: ignore[arg-type]
                    else:
                        if below is None:
                            below = ArrayEdit(value)  # type: ignore[arg-type]
                        self.perform(below, inner)  # type: ignore[arg-type]
                    way.pop()
                    result = below.node  # type: ignore[attr-defined]
                    if result is not value:
                        item = MapItem(left.key, result, left.source, left.line, left.annotations)
                        trace.copies[item] = left
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

    def act(self, edit: Edit, step: Step) -> None:
        if step.error is not None:
            raise step.error
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
        super().act(edit, step)
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
        self.trace.record(new, self._change(step, old))

    def _added(self, step: Step, new: Item) -> None:
        if new is not step.item:
            self._erased(step)
            self.trace.record(new, self._change(step, None))
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
        because: tuple[Origin, ...] = (item, self.cause(step))
        if step.via is not None and was is not None:
            because = (was, *because)
        action = self.trace.label or f"overlay/{step.action}"
        return Change(action, item.source, item.line, was=was, because=because)

    def cause(self, step: Step) -> Cause:
        """The way to a step: the right items around it, with their annotations."""
        way = self.way
        found: Cause | None = None
        for one in way[: way.index(step) + 1]:
            known = self.causes.get(one)
            if known is None:
                item = one.item
                because: list[Origin] = [] if found is None else [found]
                for annotation in (item.annotations or {}).values():
                    because.append(Cause(f"@{annotation.name}", annotation.source, annotation.line))
                known = self.causes[one] = Cause("overlay", item.source, item.line, tuple(because))
            found = known
        assert found is not None
        return found


def _is_cheap(step: Step) -> bool:
    """Whether matching twice calls no function of the user's."""
    expected = step.expected
    return (expected is None or expected.one) and (
        step.matcher is None
        or step.matcher is NOTHING
        or step.matcher is ALL
        or type(step.matcher) in (MapKey, Index, Subset)
    )
