"""The variables stores that runs write, whose values are secret in every run that reads them."""

from __future__ import annotations

import os

from plait.authoring.project.settings import joined, path_in, settings_of
from plait.base.errors import PlaitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plait.authoring.project.matrix import Matrix
    from plait.authoring.project.run import Run
    from plait.authoring.project.settings import Setting


class VariableStores:
    """The variables stores of runs, and of the environments of matrices. `path in stores` is true for the absolute path
    of each; of a matrix, also for paths that an environment could have.
    """

    __slots__ = ("_paths", "_patterns")

    def __init__(self, runs: Iterable[Run] = (), matrices: Iterable[Matrix] = ()) -> None:
        self._paths = {path for run in runs for path in _stores(run.settings, run.directory)}
        self._patterns = [
            one.pattern(path)
            for one in matrices
            for path in _stores(settings_of(one.command, one.maps)[0], one.directory)
        ]

    def __contains__(self, path: object) -> bool:
        return path in self._paths or any(one.fullmatch(str(path)) for one in self._patterns)

    def __bool__(self) -> bool:
        return bool(self._paths or self._patterns)


def _stores(settings: Iterable[Setting], directory: str) -> Iterator[str]:
    for one in settings:
        if one.name == "vars-store":
            try:
                texts = [text for text, _ in one.texts()]
            except PlaitError:  # reported when the run is evaluated
                continue
            for text in texts:
                yield os.path.abspath(joined(directory, path_in(one.option, text)))
