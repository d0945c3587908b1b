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
                yield _pattern_finding(project.path, pattern.value, pattern.position)
            if named is None:
                continue
            written = str(named.value)
            path = os.path.join(project.directory, written)
            with permitted(project.permissions):
                if may_read(path) and not os.path.lexists(path):
                    yield _finding(project.path, path, written, named.position)


def _matches(project: Project, pattern: str) -> bool:
    """True if a pattern matches a path, or may not be read: runs report that."""
    with permitted(project.permissions):
        try:
            return bool(matches(os.path.join(project.directory, pattern)))
        except PlaitError:
            return True


def _pattern_finding(file: str, written: str, at: Position) -> LintFinding:
    column = max((at.text or "").find(written), 0) + 1
    return LintFinding(
        "S308",
        os.path.abspath(file),
        at.line,
        f'no file matches "{written}" of schemas, so its schema checks nothing',
        column=column,
        end=column + len(written),
        hint="correct the pattern, which is relative to the project file; ** matches directories of any depth",
    )


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
