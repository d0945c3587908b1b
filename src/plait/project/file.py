"""The project file: found upwards from where one is, and read into runs."""

from __future__ import annotations

import os

from plait.errors import ReadError, UsageError
from plait.nodes import Map, MapItem
from plait.project.run import Run
from plait.project.settings import COMMANDS, settings_of
from plait.source import Position
from plait.tools.pipeline import check_keys, file_source, inherited, parse, runs_of, top_map, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from plait.source import Source

FILE_NAMES = ("plait.yml", "plait.yaml")
# The name of the run that a file with steps alone is.
ONLY = "default"

RUN_KEYS = ("base", "abstract", "description", "steps", *COMMANDS)


class Project:
    """Runs by their names, in order.

    path: the project file; "" for a guess. directory: where it is. abstract: where the runs stand that are only there for
    others. notes: what was seen while guessing that is no run. lint: what the file says of `plait lint`, if it does.
    """

    __slots__ = ("abstract", "directory", "lint", "notes", "path", "runs")

    def __init__(
        self,
        path: str,
        directory: str,
        runs: Sequence[Run],
        *,
        abstract: Mapping[str, Position] | None = None,
        notes: Sequence[str] = (),
        lint: MapItem | None = None,
    ) -> None:
        self.path = path
        self.directory = directory
        self.runs = {run.name: run for run in runs}
        self.abstract = {} if abstract is None else abstract
        self.notes = list(notes)
        self.lint = lint

    def run(self, name: str = "") -> Run:
        """The run of a name; without one the only run there is. Raises UsageError."""
        if not name and len(self.runs) == 1:
            return next(iter(self.runs.values()))
        found = self.runs.get(name)
        if found is None:
            from plait.spell import did_you_mean

            if name in self.abstract:
                raise UsageError(f'the run "{name}" is abstract: others are based on it', at=self.abstract[name])
            raise UsageError(
                f'there is no run "{name}"' if name else "which run?",
                expected=", ".join(self.runs) or "a project file, plait.yml",
                hint=did_you_mean(name, list(self.runs)),
            )
        return found


def find(start: str, texts: Container[str] = ()) -> str | None:
    """The project file for a file or directory: in its directory, or the nearest one above. None if there is none.

    texts: the absolute paths of files that are there although the disk may not have them.
    """
    directory = os.path.abspath(start)
    if not os.path.isdir(directory):
        directory = os.path.dirname(directory)
    while True:
        for name in FILE_NAMES:
            path = os.path.join(directory, name)
            if path in texts or os.path.isfile(path):
                return path
        above = os.path.dirname(directory)
        if above == directory:
            return None
        directory = above


def read(path: str, directory: str | None = None) -> Project:
    """Read a project file. directory: how its directory is reached from the working directory; by default what `path` says.

    Raises ReadError, and UsageError with file and line for what is wrong in it.
    """
    if os.path.isdir(path):
        found = [name for name in FILE_NAMES if os.path.isfile(os.path.join(path, name))]
        if not found:
            raise ReadError(f'there is no project file in "{path}"', expected=" or ".join(FILE_NAMES))
        path = os.path.join(path, found[0])
    return of_source(file_source(path), os.path.dirname(path) if directory is None else directory)


def of_source(source: Source, directory: str) -> Project:
    """The project that a text describes. directory: what its paths are relative to. Raises UsageError, ReadError."""
    top = top_map(source)
    runs = runs_of(top)
    if runs is None:
        parse(source, directory)  # what is wrong is told now
        run = Run(ONLY, "compose", (), None, directory, Position(source, top.line), words=[source.name])
        return Project(source.name, directory, [run], lint=top.find("lint"))
    found = []
    abstract = {}
    for item in runs.items:
        chain = inherited(item, runs)
        for one in chain:
            _check(one)
        if _is_abstract(item):
            abstract[str(item.key)] = item.position
        else:
            found.append(_run(item, chain, source, directory))
    return Project(source.name, directory, found, abstract=abstract, lint=top.find("lint"))


def _check(item: MapItem) -> None:
    settings = item.value
    assert type(settings) is Map
    check_keys(settings, RUN_KEYS, "a run")
    kinds = [entry for entry in settings.items if entry.key in COMMANDS or entry.key == "steps"]
    if len(kinds) > 1:
        names = ", ".join(f'"{entry.key}"' for entry in kinds)
        raise UsageError("a run does one thing", at=item.position, expected=f"one of {_kinds()}", found=names)


def _kinds() -> str:
    return ", ".join((*COMMANDS, "steps"))


def _is_abstract(item: MapItem) -> bool:
    assert type(item.value) is Map
    found = item.value.find("abstract")
    if found is not None and type(found.value) is not bool:
        raise wrong(found, "true or false")
    return found is not None and found.value is True


def _run(item: MapItem, chain: Sequence[MapItem], source: Source, directory: str) -> Run:
    """A run. chain: it, and those that it is based on, the lowest first. Raises UsageError."""
    commands: list[MapItem] = []
    for one in chain:
        assert type(one.value) is Map
        commands += [entry for entry in one.value.items if entry.key in COMMANDS or entry.key == "steps"]
    if not commands:
        raise UsageError(f'the run "{item.key}" does nothing', at=item.position, expected=f"one of {_kinds()}")
    command = str(commands[-1].key)
    for entry in commands:
        if entry.key != command:
            raise UsageError(
                f'the run "{item.key}" is based on one that does something else',
                at=commands[-1].position,
                also=[entry.position],
                expected=f'"{entry.key}" as there',
                found=f'"{command}"',
            )
    name = str(item.key)
    if command == "steps":
        parse(source, directory, name)  # what is wrong is told now
        return Run(name, "compose", (), None, directory, item.position, words=[source.name, f"--run={name}"])
    maps = []
    for entry in commands:
        if entry.value is None:
            continue
        if type(entry.value) is not Map:
            raise wrong(entry, "a map of settings")
        maps.append(entry.value)
    settings, given = settings_of(command, maps)
    return Run(name, command, settings, given, directory, item.position)
