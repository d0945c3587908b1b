"""The other runs of a project that an edit changes, found by evaluating them."""

from __future__ import annotations

import os
from time import perf_counter

from plait.authoring.edit.setting import named
from plait.authoring.edit.target import Target, changed_texts, differences
from plait.authoring.project.discovery import project_of
from plait.authoring.project.file import read
from plait.authoring.project.run_selection import all_runs
from plait.base.errors import PlaitError
from plait.base.similar_names import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.edit.setting import Edit
    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run

# Maximum number of seconds after which no further run is evaluated, and of values that are named for each.
_SECONDS, _NAMED = 10, 3


def other_changes(run: Run, edit: Edit) -> list[str]:
    """Sentences about the other runs of a run's project: those that the edit changes, and those not evaluated."""
    project = _project(run)
    if project is None or not edit.files:
        return []
    others = [one for one in all_runs(project) if one.name != run.name]
    start = perf_counter()
    found: list[str] = []
    for number, other in enumerate(others):
        if perf_counter() - start > _SECONDS:
            rest = [one.name for one in others[number:]]
            more = f" and {len(rest) - _NAMED} more" if len(rest) > _NAMED else ""
            return [*found, f"not checked for changes: {', '.join(rest[:_NAMED])}{more}"]
        told = _change(other, edit)
        if told:
            found.append(told)
    return found


def _project(run: Run) -> Project | None:
    """The project of a run, also of an inferred one; None for a command line."""
    if run.at is not None and run.at.source is not None:
        return read(os.path.relpath(run.at.source.name))
    return project_of("", run.directory or os.curdir) if run.why else None


def _change(run: Run, edit: Edit) -> str | None:
    """A sentence about the changes of a run by an edit; None if it stays the same, or fails without the edit."""
    target = Target(run)
    try:
        before = target.evaluate({}, trace=True)
    except PlaitError:
        return None
    # A new file may be in a directory that the run reads.
    if not any(path in before.view.files or old is None for path, (old, _) in edit.files.items()):
        return None
    try:
        after = target.evaluate(edit.texts, trace=True)
    except PlaitError as error:
        return f"the run {run.name} would fail: {error}"
    changed = [named(one) for one in differences(before.shown(before.documents), after.shown(after.documents))]
    changed += changed_texts(before, after)
    if not changed:
        return None
    more = f" and {counted(len(changed) - _NAMED, 'other value')}" if len(changed) > _NAMED else ""
    return f"also changes the run {run.name}: {', '.join(changed[:_NAMED])}{more}"
