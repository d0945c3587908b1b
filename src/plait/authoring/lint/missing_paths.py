"""Paths of a project file that no run reads, so that no run reports that they are missing."""

from __future__ import annotations

import os

from plait.authoring.lint.finding import LintFinding
from plait.base.errors import ReadError
from plait.base.path_errors import read_failure
from plait.engine.pipeline import file_source, runs_of, top_map
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.lint.subject import LintProject
    from plait.tree.nodes import Item


def missing_paths(subject: LintProject) -> Iterator[LintFinding]:
    """The items of `schemas`, of the project and its runs, that do not exist."""
    project = subject.project
    if not project.path:
        return
    top = top_map(file_source(project.path), "a project file")
    runs = runs_of(top)
    maps = [top, *(one.value for one in (() if runs is None else runs.items) if type(one.value) is Map)]
    for settings in maps:
        entry = settings.find("schemas")
        for item in entry.value.items if entry is not None and type(entry.value) is Array else ():
            named: Item | None = item.value.find("schema") if type(item.value) is Map else item
            path = "" if named is None else os.path.join(project.directory, str(named.value))
            if named is not None and not os.path.lexists(path):
                error: ReadError = read_failure(path, subject=f'"{named.value}"', at=named.position)
                at = named.position
                column = max((at.text or "").find(str(named.value)), 0) + 1
                yield LintFinding(
                    "S308",
                    os.path.abspath(project.path),
                    at.line,
                    f'"{named.value}" of schemas does not exist, so it checks no document',
                    column=column,
                    end=column + len(str(named.value)),
                    hint=error.hint or "correct the path, which is relative to the project file",
                )
