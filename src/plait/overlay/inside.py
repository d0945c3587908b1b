"""Overlays on documents within texts: `@overlay/inside "yaml"` (the addition embedded)."""

from __future__ import annotations

from plait.additions import EMBEDDED
from plait.embedded import FORMS, parsed, rewritten, said_anew
from plait.errors import OverlayError, PlaitError
from plait.nodes import Array, Map, kind_name
from plait.overlay.actions import ACTIONS, added, matched
from plait.overlay.erasing import erased

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.annotations import Annotation
    from plait.nodes import Item
    from plait.overlay.edits import Edit
    from plait.overlay.plan import Step
    from plait.overlay.run import Run

ACTION = "inside"


def read_inside(step: Step, annotation: Annotation) -> None:
    """Have a step go into the text that it matches. Raises OverlayError for what the annotation cannot say."""
    if annotation.source is None or EMBEDDED not in annotation.source.additions:
        return
    name = annotation.args[0] if len(annotation.args) == 1 and not annotation.kwargs else None
    if type(name) is not str or name not in FORMS:
        from plait.spell import did_you_mean

        raise OverlayError(
            f"Expected @{annotation.name} annotation to have one argument, the form of the text",
            also=[annotation.position],
            expected=", ".join(f'"{form}"' for form in FORMS),
            hint=did_you_mean(name, FORMS) if type(name) is str else None,
        )
    if step.action != "merge":
        raise OverlayError(
            f"@{annotation.name} merges what is below it: @overlay/{step.action} cannot be there as well",
            also=[annotation.position],
        )
    if type(step.item.value) not in (Map, Array):
        raise OverlayError(
            f"Expected a map or array below @{annotation.name}, but was {kind_name(step.item.value)}",
            also=[annotation.position],
        )
    step.action, step.form = ACTION, name


def inside(run: Run, edit: Edit, step: Step) -> None:
    """Merge the right item's map or array into the document that the left text holds."""
    places = matched(run, edit, step)
    if not places:
        added(run, edit, step, skipped=places is None, item=None if places is None else _said(step))
        return
    for place in places:
        try:
            _change(run, edit, step, place)
        except PlaitError:
            run.failed_at(edit.items[place], places, place)
            raise


def _change(run: Run, edit: Edit, step: Step, place: int) -> None:
    left = edit.items[place]
    text, form = left.value, step.form
    assert form is not None
    if type(text) is not str:
        raise OverlayError(
            f"Expected a text that holds {form}, but was {kind_name(text)}",
            also=[left.position],
            hint="leave @overlay/inside out: what is there is no text" if type(text) in (Map, Array) else None,
        )
    tree = parsed(form, text, left.position)
    merged = run.merge_value(left.with_value(tree), step)
    if merged is tree:
        edit.check_key(place)
    else:
        new = rewritten(form, text, tree, merged, step.item.position)
        edit.put(place, run.did(step, left, left.with_value(new)), run.owned)  # type: ignore[arg-type]


def _said(step: Step) -> Item:
    """The right item with the text that it says, where there is none."""
    assert step.form is not None
    return step.clean().with_value(said_anew(step.form, erased(step.item.value), step.item.position))


ACTIONS[ACTION] = inside
