"""Recorded runs: a run that keeps histories makes the same bytes as one that does not."""

from __future__ import annotations

from plait.authoring.analysis.verifying import output_of
from plait.base.errors import PlaitError
from plait.tree.provenance import Trace
from truth.projects import Subject
from truth.rows import Row

NAME = "recorded"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Evaluate each run recorded: as `explain` does, and as `impact` does."""
    del seed
    row = Row(NAME)
    for name in [*subject.runs][:tries]:
        for follows_all in (False, True):
            trace = Trace()
            trace.follows_all = follows_all
            try:
                made = subject.runs[name].evaluate(trace=trace)
            except PlaitError as error:
                row.wrong.append(f"{name}: recorded it fails: {error}")
                continue
            if repr(output_of(subject.runs[name], made)) != subject.outputs[name]:
                row.wrong.append(f"{name}: recorded it makes something else")
            elif made.printed != subject.made[name].printed:
                row.wrong.append(f"{name}: recorded it prints something else")
            else:
                row.held += 1
    return row
