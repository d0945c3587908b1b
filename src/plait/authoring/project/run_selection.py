"""Selects runs for a tool: runs of the project file and environments of its matrices, by name or pattern."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from itertools import islice

from plait.authoring.project.settings import is_path_setting
from plait.base.errors import UsageError
from plait.base.globbing import is_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run

# Maximum number of environments of a matrix, unless the user selects some.
MOST = 50
# Maximum number of environments searched for a file.
_SEARCHED = 1000


class Chosen:
    """Selected runs. left: matrices with omitted environments, each with its total number of environments."""

    __slots__ = ("left", "runs")

    def __init__(self, runs: list[Run], left: list[tuple[str, int]]) -> None:
        self.runs = runs
        self.left = left

    def note(self, maximum: int = MOST) -> str:
        """Notes about omitted environments, one line per matrix."""
        return "".join(
            f"plait: {name}: only the first {maximum} of {count} environments are evaluated; select others by name or pattern\n"
            for name, count in self.left
        )


def choose(project: Project, names: Sequence[str] = (), *, maximum: int = MOST) -> Chosen:
    """The runs with these names, without duplicates. Without names, all runs and the first `maximum` environments of
    each matrix.

    A name is that of a run, of an environment, or of a matrix (its first environments), or a pattern of names. Raises
    UsageError for an unknown name, and the errors of reading the environments.
    """
    runs: dict[str, Run] = {}
    left: list[tuple[str, int]] = []
    for name in names or [*project.runs, *project.matrices]:
        if name in project.matrices:
            matrix = project.matrices[name]
            cells = matrix.cells()
            runs |= {cell.name: matrix.run(cell) for cell in cells[:maximum]}
            left += [(name, len(cells))] if len(cells) > maximum else []
        elif is_pattern(name):
            runs |= _matching(project, name)
        else:
            run = project.run(name)
            runs[run.name] = run
    return Chosen(list(runs.values()), left)


def all_runs(project: Project) -> Iterator[Run]:
    """The runs, then those of the environments of matrices. Raises the errors of reading the environments."""
    yield from project.runs.values()
    for matrix in project.matrices.values():
        yield from (matrix.run(cell) for cell in matrix.cells())


def _matching(project: Project, pattern: str) -> dict[str, Run]:
    found = {run.name: run for run in all_runs(project) if fnmatchcase(run.name, pattern)}
    if not found:
        raise UsageError(
            f'no run matches "{pattern}"',
            expected=", ".join([*project.runs, *project.matrices]),
            code="run-not-found",
        )
    return found


def about(project: Project, path: str, maximum: int) -> Iterator[Run]:
    """Environments whose settings name a file or one of its directories, up to a maximum per matrix. path: absolute."""
    for matrix in project.matrices.values():
        runs = (matrix.run(cell) for cell in matrix.cells()[:_SEARCHED])
        yield from islice((run for run in runs if _names(run, path)), maximum)


def _names(run: Run, path: str) -> bool:
    return any(path == one or path.startswith(os.path.join(one, "")) for one in paths_of(run))


def paths_of(run: Run) -> Iterable[str]:
    """The absolute paths in the settings of a run. Raises UsageError for a setting of the wrong type."""
    return [path for one in run.settings if is_path_setting(run.command, one.name) for path in run.paths(one)]
