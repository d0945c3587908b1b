"""Events for items of overlays and their matches, for listeners of a run (see `plait.base.events`). Imported only if
there is a listener.
"""

from __future__ import annotations

from plait.tree.nodes import COLLECTIONS, walk
from plait.ytt.starlark.calls import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base import events
    from plait.base.errors import PlaitError
    from plait.base.events import Point
    from plait.tree.nodes import Item
    from plait.ytt.overlay.application import OverlayApplication, OverlayListener
    from plait.ytt.overlay.changed_collections import Edit
    from plait.ytt.overlay.plan import OverlayStep

_REMOVE = "overlay/remove"
_WAY = "matches"


class OverlayPoints:
    """Reports each overlay item, its matches and its insertion to the coverage listener.

    inner: another listener of the application.
    """

    def __init__(
        self, listener: events.CoverageListener, overlays: Sequence[Item], inner: OverlayListener | None = None
    ) -> None:
        self._listener = listener
        self._inner = inner
        self._doing: list[OverlayStep] = []
        self._missed: OverlayStep | None = None
        for overlay in overlays:
            self._declare(overlay)

    def _declare(self, item: Item) -> None:
        """Reports an item, and its descendants with annotations."""
        stack = [item]
        while stack:
            item = stack.pop()
            if item.source is not None:
                self._listener.there(item.source, _point(item))
            if type(item.value) in COLLECTIONS and _REMOVE not in (item.annotations or ()):
                stack += reversed(item.value.items)  # type: ignore[union-attr]

    def _hit(self, item: Item) -> None:
        if item.source is not None:
            self._listener.went(item.source, _point(item), _WAY)

    # ---- events of an application (see `plait.ytt.overlay.application.OverlayListener`)

    def begin(self, step: OverlayStep, edit: Edit) -> None:
        self._doing.append(step)
        if self._inner is not None:
            self._inner.begin(step, edit)

    def end(self) -> None:
        step = self._doing.pop()
        if step.action == "assert" and step is not self._missed:
            self._hit(step.item)  # a comparison is not reported
        if self._inner is not None:
            self._inner.end()

    def enter(self, step: OverlayStep, left: Item) -> None:
        for item in (step.item, *step.found_by):
            self._hit(item)
        if self._inner is not None:
            self._inner.enter(step, left)

    def leave(self) -> None:
        if self._inner is not None:
            self._inner.leave()

    def ask(self, step: OverlayStep, function: object, arguments: Sequence[object]) -> object:
        return call(function, arguments) if self._inner is None else self._inner.ask(step, function, arguments)

    def asking(self, step: OverlayStep, left: Item | None) -> None:
        self._hit(step.item)
        if self._inner is not None:
            self._inner.asking(step, left)

    def did(self, step: OverlayStep, left: Item | None, item: Item) -> Item:
        self._hit(step.item)
        is_merged = left is not None and step.action in ("merge", "assert") and type(left.value) in COLLECTIONS
        if not is_merged and type(step.item.value) in COLLECTIONS:
            # The right item is inserted as a whole.
            for inner in walk(step.item.value):
                self._hit(inner)
        return item if self._inner is None else self._inner.did(step, left, item)

    def removed(self, step: OverlayStep, left: Item) -> None:
        self._hit(step.item)
        if self._inner is not None:
            self._inner.removed(step, left)

    def failed(self, error: PlaitError, step: OverlayStep, edit: Edit, run: OverlayApplication) -> None:
        if self._inner is not None:
            self._inner.failed(error, step, edit, run)

    def is_withheld(self, step: OverlayStep, edit: Edit, run: OverlayApplication) -> bool:
        return self._inner is not None and self._inner.is_withheld(step, edit, run)

    def missed(self, step: OverlayStep, items: Sequence[Item]) -> None:
        self._missed = step
        if self._inner is not None:
            self._inner.missed(step, items)


def _point(item: Item) -> Point:
    return "overlay", (item.line,), "", (_WAY,)
