"""Paths of a project file that no run reads, so that no run reports that they are missing."""

from __future__ import annotations

import os

from plait.authoring.lint.finding import LintFinding
from plait.base.errors import PlaitError, ReadError
from plait.base.globbing import matches
from plait.base.input_view import may_read, permitted
from plait.base.path_errors import read_failure
from plait.base.similar_names import listed
from plait.engine.pipeline import file_source, runs_of, top_map
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.lint.subject import LintProject
    from plait.authoring.project.file import Project
    from plait.base.source import Position
    from plait.tree.nodes import Item


def missing_paths(subject: LintProject) -> Iterator[LintFinding]:
    """The items of `schemas`, of the project and its runs, that do not exist or match nothing."""
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
            pattern = item.value.find("files") if type(item.value) is Map else None
            if pattern is not None and type(pattern.value) is str and not _matches(project, pattern.value):
                message = f'no file matches "{pattern.value}" in schemas, so its schema checks nothing'
                hint = "correct the pattern, which is relative to the project file; ** matches directories of any depth"
                yield _finding(project.path, pattern.value, pattern.position, message, hint)
            if named is None:
                continue
            written = str(named.value)
            path = os.path.join(project.directory, written)
            with permitted(project.permissions):
                if may_read(path) and not os.path.lexists(path):
                    message = f'"{written}" in schemas does not exist, so it checks no document'
                    hint = _path_hint(path, written, named.position)
                    yield _finding(project.path, written, named.position, message, hint)


def _matches(project: Project, pattern: str) -> bool:
    """True if a pattern matches a path, or may not be read: runs report that."""
    with permitted(project.permissions):
        try:
            return bool(matches(os.path.join(project.directory, pattern)))
        except PlaitError:
            return True


def _path_hint(path: str, written: str, at: Position) -> str:
    error: ReadError = read_failure(path, at=at)
    alike = [os.path.join(os.path.dirname(written.rstrip("/")), one.new) for one in error.suggestions]
    hint = f"did you mean {listed(alike, quote=chr(34))}?" if alike else error.hint
    return hint or "correct the path, which is relative to the project file"


def _finding(file: str, written: str, at: Position, message: str, hint: str) -> LintFinding:
    column = max((at.text or "").find(written), 0) + 1
    end = column + len(written)
    return LintFinding("S308", os.path.abspath(file), at.line, message, column=column, end=end, hint=hint)
