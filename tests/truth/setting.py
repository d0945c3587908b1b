"""Set: the output has the value that was asked for, and is the same otherwise."""

from __future__ import annotations

from plait.authoring.edit.edit_errors import COMPUTED, FAILS, GIVEN, SECRET, EditError
from plait.authoring.edit.public_functions import edited
from plait.authoring.edit.setting import EditSession
from plait.authoring.edit.target import Target
from plait.base.errors import PlaitError
from plait.base.input_view import InputView
from plait.insight.node_paths import NodePath
from plait.tree.nodes import equal
from truth.projects import Subject, changed_places, sample, scalars_of
from truth.rows import Row

NAME = "set"
_NECESSARY = (COMPUTED, FAILS, GIVEN, SECRET)


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Set scalars of the outputs to other values of their types, and evaluate with the edited files."""
    row = Row(NAME)
    for name in subject.runs:
        state = EditSession(Target(subject.runs[name]))
        places = [one for one in scalars_of(state.output.documents) if one.way]
        for number in sample(seed, places, max(tries // len(subject.runs), 5)):
            if row.tries < tries:
                _try(subject, state, name, places[number], row)
    return row


def _try(subject: Subject, state: EditSession, name: str, place: NodePath, row: Row) -> None:
    old = place.value
    new: bool | int | float | str
    if isinstance(old, bool):
        new = not old
    elif isinstance(old, (int, float)):
        new = old + 1
    else:
        new = f"{old or ''}x"
    where = f"{name}: {place} to {new!r}"
    try:
        edit = edited(state, place, new)
    except PlaitError as refused:
        # The value cannot be another one in one place, or not at all; anything else is unnecessary.
        is_necessary = isinstance(refused, EditError) and refused.reason in _NECESSARY
        (row.computed if is_necessary else row.refused)[f"{where}: {refused.message}"] += 1
        return
    if edit.also:
        row.computed["the value is used in other places"] += 1
        return
    try:
        after = subject.runs[name].evaluate(view=InputView(edit.texts))
    except PlaitError as error:
        row.wrong.append(f"{where}: the run fails: {error.message}")
        return
    differs = changed_places(subject.made[name], after, by_name=False)
    there = [one.value for one in scalars_of(after.nodes.items) if (one.number, one.path) == (place.number, place.path)]
    if differs - {(place.number, place.path)}:
        row.wrong.append(f"{where}: also changes {sorted(differs)[:5]}")
    elif not there or not equal(there[0], new):
        row.wrong.append(f"{where}: makes {there}")
    else:
        row.held += 1
