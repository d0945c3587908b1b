"""The variables stores that runs write, whose values are secret in every run that reads them."""

from __future__ import annotations

from plait.authoring.project.settings import settings_of
from plait.base.errors import PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.authoring.project.matrix import Matrix
    from plait.authoring.project.run import Run
    from plait.authoring.project.settings import Setting


class VariableStores:
    """The variables stores of runs, and of the environments of matrices. `path in stores` is true for the absolute path
    of each; of a matrix, also for paths that an environment could have.
    """

    __slots__ = ("_forms", "_paths")

    def __init__(self, runs: Iterable[Run] = (), matrices: Iterable[Matrix] = ()) -> None:
        self._paths = {path for run in runs for path in _stores(run.settings, run.directory)}
        self._forms = [
            one.literals(path)
            for one in matrices
            for path in _stores(settings_of(one.command, one.maps)[0], one.directory)
        ]

    def __contains__(self, path: object) -> bool:
        return path in self._paths or any(_fits(str(path), form) for form in self._forms)

    def __bool__(self) -> bool:
        return bool(self._paths or self._forms)


def _fits(path: str, literals: Sequence[str]) -> bool:
    """True if a path has these parts, with anything between them. Takes linear time, because the parts come from a
    file.
    """
    first, last = literals[0], literals[-1]
    if len(literals) == 1:
        return path == first
    if not path.startswith(first) or not path.endswith(last):
        return False
    at, end = len(first), len(path) - len(last)
    for part in literals[1:-1]:
        at = path.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return at <= end


def _stores(settings: Iterable[Setting], directory: str) -> Iterator[str]:
    for one in settings:
        if one.name == "vars-store":
            try:
                yield from one.paths(directory)
            except PlaitError:  # reported when the run is evaluated
                continue
