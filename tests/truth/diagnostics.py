"""Diagnostics: no file of a run that renders has an error."""

from __future__ import annotations

from plait.authoring.lsp import diagnostics
from truth.projects import Subject, sample
from truth.rows import Row

NAME = "diagnostics"


def check(subject: Subject, seed: int, tries: int) -> Row:
    """Ask for the problems of files that are read by runs that render, and by no other."""
    row = Row(NAME)
    paths = sorted({path for name in subject.runs for path in subject.files(name)})
    for number in sample(seed, paths, tries):
        path = paths[number]
        readers = {one.run.name for one in subject.state.runs_of(path) if one.reads(path)}
        if not readers <= subject.runs.keys():
            continue
        # What schemas of kinds reject is no error of a run.
        found = [
            one for one in diagnostics.problems(subject.state, path) if one.severity == "error" and one.code != "kind"
        ]
        if found:
            first = found[0]
            row.wrong.append(f"{subject.shown(path)}:{first.span.line}: {first.code}: {first.message}")
        else:
            row.held += 1
    return row
