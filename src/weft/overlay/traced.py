"""A run that tells what each step did, for provenance. Only imported when somebody wants to know."""

from __future__ import annotations

from weft.nodes import COLLECTIONS
from weft.overlay.apply import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weft.overlay.apply import Trace
    from weft.overlay.edits import Edit, MapEdit
    from weft.overlay.plan import Step


class TracedRun(Run):
    """Does every step through `act`, and calls `trace` with what went out of and what came into the collection."""

    __slots__ = ("trace",)

    def __init__(self, trace: Trace) -> None:
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
