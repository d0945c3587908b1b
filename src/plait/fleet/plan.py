"""The runs of a fleet and their destinations. Two runs never share a destination."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from plait.authoring.project.file import Project
from plait.authoring.project.matrix import Environment
from plait.base.errors import PlaitError, UsageError
from plait.base.globbing import is_pattern
from plait.base.output_files import inside, no_name_on_windows
from plait.base.similar_names import did_you_mean
from plait.base.suggestions import replacing
from plait.fleet.identity import of_parts
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plait.authoring.project.matrix import AxisValue, Matrix
    from plait.authoring.project.run import Run
    from plait.base.source import Position

# The fleet's own directory among its results.
OWN = ".fleet"
MANIFEST = "fleet.jsonl"
# The directory in OWN for files at destinations that no fleet has written, by their original path.
MOVED = "moved"

_FILES = (".yml", ".yaml")


class Task:
    """One run to render.

    name: the name of the run.
    place: path of its results, below the directory of the fleet.
    is_file: the results are one file, not a directory.
    matrix: the name of its matrix, or "".
    choices: its value on each axis.
    definition: a digest of its settings.
    """

    __slots__ = ("choices", "definition", "is_file", "matrix", "name", "place")

    def __init__(
        self, name: str, output: str, place: str, matrix: str, choices: Mapping[str, AxisValue], told: Sequence[str]
    ) -> None:
        """output: the output path from the project file. told: the settings that define the run."""
        self.name = name
        self.place = place
        self.is_file = output.endswith(_FILES)
        self.matrix = matrix
        self.choices = choices
        self.definition = of_parts(["file" if self.is_file else "directory", *told])

    def __repr__(self) -> str:
        return f"Task({self.name!r})"

    def run(self, project: Project) -> Run:
        """The run in the project file. Raises UsageError."""
        if not self.matrix:
            return project.runs[self.name]
        return project.matrices[self.matrix].run(Environment(self.name, self.choices, self.place))


def tasks_of(project: Project, names: Sequence[str] = ()) -> list[Task]:
    """The runs of a project in order, those of a matrix at its position. names: the names of runs and matrices, or
    patterns; by default all.

    Raises UsageError for two runs with the same name or destination, for a destination outside of the fleet's
    directory, and for a name that Windows does not allow; ReadError.
    """
    found: list[tuple[Task, Position | None]] = [(_task(run), run.at) for run in project.runs.values()]
    for matrix in project.matrices.values():
        output = matrix.settings.find("output")
        at = matrix.at if output is None else output.position
        found += [(task, at) for task in _of_matrix(matrix, at)]
    _check_places(found)
    tasks = [task for task, _ in found]
    return chosen(tasks, names) if names else tasks


def _task(run: Run) -> Task:
    output = run.output or f"{run.name}/"
    return Task(
        run.name,
        output,
        _place(output, run.at),
        "",
        {},
        [run.command, *(f"{name}={value}" for name, value in run.request("").key)],
    )


def _of_matrix(matrix: Matrix, at: Position) -> list[Task]:
    cells = matrix.cells()
    matrix.run(cells[0])  # reports unknown axes in braces now
    told = [matrix.command, *(write_value(settings) for settings in matrix.maps)]
    found = []
    for cell in cells:
        axes = [f"{axis}={choice.value!r} {choice.path}" for axis, choice in sorted(cell.choices.items())]
        place = _place(cell.output, at)
        found.append(Task(cell.name, cell.output, place, matrix.name, cell.choices, [*told, *axes]))
    return found


def _place(path: str, at: Position | None) -> str:
    """A destination with slashes. Raises UsageError if it is outside the output directory."""
    try:
        place = inside(path)
    except PlaitError as error:
        raise UsageError(
            f""""{path}" is outside of the fleet's output directory""",
            at=at,
            expected="a path below it",
            hint=f'remove the "{os.pardir}"; plait fleet --output DIRECTORY names the directory of all runs',
            code="fleet-place",
        ) from error
    wrong = no_name_on_windows(place) if "\\" not in path or os.sep == "\\" else path
    if wrong is not None or path.startswith("/"):
        raise UsageError(
            f'"{path}" cannot be a destination',
            at=at,
            expected='a relative path that is valid on every system: no device names, none of < > : " | ? * \\, no final dots or spaces',
            found=wrong,
            code="fleet-place",
        )
    return place.replace(os.sep, "/")


def _check_places(found: Iterable[tuple[Task, Position | None]]) -> None:
    names: dict[str, Position | None] = {}
    places: dict[str, tuple[Task, Position | None]] = {}
    for task, at in found:
        if task.name in names:
            raise UsageError(
                f'two runs have the name "{task.name}"', at=at, also=_also(names[task.name]), code="duplicate-name"
            )
        names[task.name] = at
        # Some file systems are case-insensitive.
        key = task.place.casefold()
        if key.partition("/")[0] in (OWN, MANIFEST):
            raise UsageError(f""""{task.place}" is reserved for the fleet's own files""", at=at, code="fleet-place")
        other = places.setdefault(key, (task, at))
        if other[0] is not task:
            raise _clash(task, at, *other)
    for key, (task, at) in places.items():
        above = key.rpartition("/")[0]
        while above:
            if above in places:
                raise _clash(task, at, *places[above])
            above = above.rpartition("/")[0]


def _clash(task: Task, at: Position | None, other: Task, other_at: Position | None) -> UsageError:
    return UsageError(
        f'the runs "{other.name}" and "{task.name}" have the same destination',
        at=at,
        also=_also(other_at),
        expected="a separate output for each run, not inside another",
        found=task.place if task.place == other.place else f"{other.place}, {task.place}",
        hint=_axis_hint(task, other) or "give one of them an output of its own",
        code="fleet-place",
    )


def _axis_hint(task: Task, other: Task) -> str | None:
    """The axis that distinguishes two environments of a matrix."""
    if not task.matrix or task.matrix != other.matrix:
        return None
    axes = [name for name, choice in task.choices.items() if choice.text != other.choices[name].text]
    return f"{{{axes[0]}}} in the output would separate them" if axes else None


def _also(at: Position | None) -> list[Position]:
    return [] if at is None else [at.labelled("the other one")]


_SHOWN = 9  # names in a message


def _unknown_run(name: str, tasks: Sequence[Task], known: Iterable[str]) -> UsageError:
    parts = [one for one in known if name.strip("*") in one]
    of_axis = [task.name for task in tasks if task.matrix and name in task.name.split("/")]
    hint: str | None = did_you_mean(name, of_axis if len(of_axis) == 1 else known)
    if hint is None and len(of_axis) == 1:
        hint = replacing(name, of_axis, f'did you mean "{of_axis[0]}"?')
    if hint is None and parts:
        hint = f"a pattern selects runs by a part of their name: '*{name}*'"
    names = of_axis or list(dict.fromkeys(task.matrix or task.name for task in tasks))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return UsageError(
        f'no run matches "{name}"' if is_pattern(name) else f'unknown run "{name}"',
        expected=", ".join(names[:_SHOWN]) + more,
        hint=hint or "plait project lists the runs and their environments",
        code="run-not-found",
    )


def chosen(tasks: Sequence[Task], names: Sequence[str]) -> list[Task]:
    """The runs with these names, of these matrices, or matching these patterns. Raises UsageError."""
    known = {task.name for task in tasks} | {task.matrix for task in tasks if task.matrix}
    wanted = {name for name in names if name in known}
    for name in names:
        if name in known:
            continue
        found = {one.name for one in tasks if fnmatchcase(one.name, name)} if is_pattern(name) else set()
        if not found:
            raise _unknown_run(name, tasks, known)
        wanted |= found
    return [task for task in tasks if task.name in wanted or task.matrix in wanted]
