"""Paths of a project file that no run reads, so that no run reports that they are missing."""

from __future__ import annotations

import os

from plait.authoring.lint.finding import LintFinding
from plait.base.errors import ReadError
from plait.base.input_view import may_read, permitted
from plait.base.path_errors import read_failure
from plait.base.similar_names import listed
from plait.engine.pipeline import file_source, runs_of, top_map
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.lint.subject import LintProject
    from plait.base.source import Position
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
            if named is None:
                continue
            written = str(named.value)
            path = os.path.join(project.directory, written)
            with permitted(project.permissions):
                if may_read(path) and not os.path.lexists(path):
                    yield _finding(project.path, path, written, named.position)


def _finding(file: str, path: str, written: str, at: Position) -> LintFinding:
    error: ReadError = read_failure(path, at=at)
    alike = [os.path.join(os.path.dirname(written), one.new) for one in error.suggestions]
    hint = f"did you mean {listed(alike, quote=chr(34))}?" if alike else error.hint
    column = max((at.text or "").find(written), 0) + 1
    return LintFinding(
        "S308",
        os.path.abspath(file),
        at.line,
        f'"{written}" of schemas does not exist, so it checks no document',
        column=column,
        end=column + len(written),
        hint=hint or "correct the path, which is relative to the project file",
    )
