"""Overlay application: executes steps on collections in order, and reports them to a listener.

    steps (plan) -> matched left items (matchers) -> action (actions) -> edited left collections (edits)

`OverlayApplication.act` is the only way to execute a step; `plait.ytt.overlay.fast` repeats the most common steps. A
listener never changes the result.
"""

from __future__ import annotations

from plait.base.errors import OverlayError, PlaitError
from plait.base.extensions import EMBEDDED
from plait.base.source import NODE
from plait.tree.nodes import Map, MapItem
from plait.ytt.overlay.actions import ACTIONS, wrong_kind
from plait.ytt.overlay.changed_collections import MOST_NAMES, ArrayEdit, MapEdit, OverlayState
from plait.ytt.overlay.error_stack import key_text, step_text
from plait.ytt.overlay.matchers import MapKey
from plait.ytt.overlay.near_misses import warning_of
from plait.ytt.overlay.plan import INSIDE
from plait.ytt.starlark.calls import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from plait.base.errors import Warn
    from plait.tree.nodes import AnyItem, Array, Document, Item, Value
    from plait.ytt.overlay.changed_collections import Edit, Owned
    from plait.ytt.overlay.plan import OverlayStep

    class OverlayListener(Protocol):
        """Listener of an overlay application. It changes nothing, but may request that an item is inserted as a copy."""

        def begin(self, step: OverlayStep, edit: Edit) -> None:
            """Called when a step begins on the items of a collection. Steps that begin before it ends are nested."""

        def end(self) -> None:
            """Called when the innermost step ends."""

        def enter(self, step: OverlayStep, left: Item) -> None:
            """Called before the contents of a left item are merged with those of the step's right item."""

        def leave(self) -> None:
            """Called when the merge that was entered last ends."""

        def ask(self, step: OverlayStep, function: object, arguments: Sequence[object]) -> object:
            """Calls a function that decides if the step continues. Returns its result, and raises its errors."""

        def asking(self, step: OverlayStep, left: Item | None) -> None:
            """Called before the step's `via` runs for a left item."""

        def did(self, step: OverlayStep, left: Item | None, item: Item) -> Item:
            """Called when an item replaces a left one or is added. Returns the item to insert, or a copy of it."""

        def removed(self, step: OverlayStep, left: Item) -> None:
            """Called when a left item is removed."""

        def failed(self, error: PlaitError, step: OverlayStep, edit: Edit, run: OverlayApplication) -> None:
            """Called when the step failed. Adds the origins of the error."""

        def is_withheld(self, step: OverlayStep, edit: Edit, run: OverlayApplication) -> bool:
            """True if a message about the step depends on a secret."""

        def missed(self, step: OverlayStep, items: Sequence[Item]) -> None:
            """Called when the step matches none of these left items, and adds nothing."""


# Maximum number of added items that are examined for one overlay; larger overlays are not written by hand.
MOST_LOOKS = 300


class OverlayApplication(OverlayState):
    """One application of overlays.

    warn: receives likely mistakes. looked: collections of names in which a step matched nothing and no name was
    similar. looks: the number of searches for similar names for the current overlay.
    """

    __slots__ = ("_overlay", "_warned", "listener", "looked", "looks", "warn")

    def __init__(
        self,
        owned: Owned | None = None,
        listener: OverlayListener | None = None,
        warn: Warn | None = None,
    ) -> None:
        super().__init__(owned)
        self.listener = listener
        self.warn = warn
        self._warned: set[OverlayStep] = set()
        self._overlay: Document | None = None
        self.looks = 0
        self.looked: dict[OverlayStep, set[object]] = {}

    def begin_overlay(self, overlay: Document) -> None:
        """Begins the next of several overlays, which are counted separately."""
        self._overlay = overlay
        self.looks = 0

    def merge_value(self, left: Item, step: OverlayStep) -> Value:
        """The left item's value with the right item's map or array merged in: the same object if it is unchanged or
        owned. Raises OverlayError if their types differ.
        """
        value = left.value
        listener = self.listener
        if type(value) is not step.kind:
            if listener is not None:
                # The step applies to this item nevertheless.
                listener.enter(step, left)
                listener.leave()
            raise wrong_kind(left, value, step.item.value)
        if listener is None:
            return self.merge(value, step.plan())  # type: ignore[arg-type]
        listener.enter(step, left)
        try:
            return self.merge(value, step.plan())  # type: ignore[arg-type]
        finally:
            listener.leave()

    def merge(self, left: Map | Array, steps: list[OverlayStep]) -> Map | Array:
        """A map or array after some steps: the same object if it is unchanged or owned."""
        edit: Edit = self.owned.get(left) or (MapEdit(left) if type(left) is Map else ArrayEdit(left))  # type: ignore[assignment, arg-type]
        self.perform(edit, steps)
        return edit.node  # type: ignore[return-value]

    def perform(self, edit: Edit, steps: Sequence[OverlayStep]) -> None:
        """Executes the steps on a collection, in order. Raises PlaitError, with the step's item in its stack."""
        step = None
        try:
            for step in steps:
                self.act(edit, step)
            edit.settle()
            check_repeated(edit)
        except PlaitError as error:
            if self.listener is not None and step is not None:
                self.listener.failed(error, step, edit, self)
            raise error if step is None else located(error, step) from None
        finally:
            edit.settle()

    def act(self, edit: Edit, step: OverlayStep) -> None:
        """Executes one step."""
        if step.error is not None:
            raise step.error
        listener = self.listener
        if listener is None:
            ACTIONS[step.action](self, edit, step)
            return
        listener.begin(step, edit)
        try:
            ACTIONS[step.action](self, edit, step)
        finally:
            listener.end()

    def ask(self, step: OverlayStep, function: object, arguments: Sequence[object]) -> object:
        """Calls a function that decides if a step continues. Raises StarlarkError."""
        return call(function, arguments) if self.listener is None else self.listener.ask(step, function, arguments)

    # Reports of the actions, see `OverlayListener`.

    def did(self, step: OverlayStep, left: Item | None, item: Item) -> AnyItem:
        return item if self.listener is None else self.listener.did(step, left, item)

    def removed(self, step: OverlayStep, left: Item) -> None:
        if self.listener is not None:
            self.listener.removed(step, left)

    def asking(self, step: OverlayStep, left: Item | None) -> None:
        if self.listener is not None:
            self.listener.asking(step, left)

    def no_match(self, step: OverlayStep, edit: Edit, *, adds: bool) -> None:
        """Warns, once per step, about a step that matched nothing where that is allowed.

        adds: the item of the step will be added.
        """
        if self.warn is None or self.looks >= MOST_LOOKS or step in self._warned or self._has_looked(step, edit):
            return
        self.looks += 1

        warning = warning_of(step, edit, adds=adds, overlay=self._overlay)
        if warning is not None:
            self._warned.add(step)
            if self.listener is None or not self.listener.is_withheld(step, edit, self):
                self.warn(warning)

    def _has_looked(self, step: OverlayStep, edit: Edit) -> bool:
        """True if the names of a collection were already examined without a warning. Documents are often similar."""
        names: Mapping[Any, object]
        if step.matcher is None and type(edit) is MapEdit:
            names = edit.node.index()
        elif type(step.matcher) is MapKey and type(edit) is ArrayEdit:
            names = edit.keyed(step.matcher.key).places
        else:
            return False
        looked = self.looked.setdefault(step, set())
        if looked.issuperset(names):
            return True
        if len(names) <= MOST_NAMES:
            looked.update(names)
        return False

    def missed(self, step: OverlayStep, edit: Edit) -> None:
        self.no_match(step, edit, adds=False)
        if self.listener is not None:
            edit.settle()
            self.listener.missed(step, [*edit.items])


def located(error: PlaitError, step: OverlayStep) -> PlaitError:
    """The error with the step's item as its position, if it has none, and as an additional frame of its stack."""
    at = step.item.position
    if error.at is None and isinstance(error, OverlayError):
        error.at = at
        if INSIDE in (step.item.annotations or {}) and step.form is None:
            error.hint = f"@{INSIDE} has no effect without --with {EMBEDDED}"
    return error.within(step_text(step.item), at, role=NODE)


def _of_key(edit: Edit, key: object) -> list[MapItem]:
    return [one for one in edit.items if type(one) is MapItem and one.key == key]


def check_repeated(edit: Edit) -> None:
    """Raises OverlayError if a map now has a duplicate key."""
    item = edit.repeated() if type(edit) is MapEdit and edit.renamed is not None else None
    if item is not None:
        raise OverlayError(
            f"Expected key '{key_text(item.key)}' to occur only once after the overlay",
            at=item.position,
            also=[one.position.labelled("the same key") for one in _of_key(edit, item.key) if one is not item],
            hint="an item that overlay/replace inserts, or that is added with by=, keeps its own key",
            code="duplicate-map-key",
        )
