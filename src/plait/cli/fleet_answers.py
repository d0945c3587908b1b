"""`plait fleet why`, `plait fleet diff` and `plait fleet impact`: queries about all environments."""

from __future__ import annotations

from plait.authoring.project.file import read
from plait.base.errors import UsageError
from plait.base.numbers import file_and_line
from plait.base.similar_names import counted
from plait.cli.common_flags import performed
from plait.cli.progress import working
from plait.cli.streams import complain, write_folded, write_out
from plait.engine.common import ANSWER_JSON, OUTPUT, TRUST
from plait.engine.flags import Command
from plait.engine.options import Request, text, texts
from plait.fleet.plan import tasks_of
from plait.fleet.project_lookup import project_file
from plait.fleet.queries import BY_AXIS, EQUAL, ODD, VARIOUS, compared, place_text, reached, why
from plait.fleet.revision_diff import DIFFERS, RunDifference, since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from plait.authoring.project.file import Project
    from plait.engine.flags import AnyCommand
    from plait.fleet.plan import Task
    from plait.fleet.queries import EnvironmentValue, PathComparison, Place


class FleetQuestion(Request):
    """A query about the environments of a project."""

    __slots__ = ()

    project = text("project", "project file or its directory", value="PATH")
    trust = TRUST
    only = texts(
        "only",
        "select a run, the environments of a matrix, or all names that match a pattern",
        value="NAME",
    )
    output = OUTPUT


class Why(FleetQuestion):
    """The command line of `plait fleet why`."""

    __slots__ = ()
    summary = "List the value of a path in each environment, with the line that set it."
    usage = "PATH"


class Differ(FleetQuestion):
    """The command line of `plait fleet diff`."""

    __slots__ = ()
    summary = "List the differences between all environments, or between two."
    usage = "[A B]"


class Reach(FleetQuestion):
    """The command line of `plait fleet impact`."""

    __slots__ = ()
    summary = "List the environments and output paths that a source line affects, or that changed since a Git revision."
    usage = "FILE:LINE"

    since = text("since", "list what changed since this Git revision", value="REVISION")
    _rows = FleetQuestion.rows


WHY = Command(Why, "plait fleet why")
DIFF = Command(Differ, "plait fleet diff")
IMPACT = Command(Reach, "plait fleet impact")

_NAMED = 3
# The exit status of `impact` for a line with an unknown effect.
UNKNOWN = 3


def answer(name: str, argv: Sequence[str]) -> int:
    """Runs `why`, `diff` or `impact`. Returns the exit status: 1 if a line has no effect. Raises PlaitError."""
    command, work = ANSWERS[name]

    def run(flags: FleetQuestion) -> int:
        flags.require_choice(OUTPUT)
        project = read(project_file(flags.project))
        tasks = tasks_of(project, flags.only)
        with working(f"evaluating {counted(len(tasks), 'environment')}"):
            return work(flags, project, tasks)

    return performed(command, run, argv)


def _why(flags: Why, project: Project, tasks: Sequence[Task]) -> int:
    if len(flags.arguments) != 1:
        runs = {task.name for task in tasks}
        given = [one for one in flags.arguments if one not in runs]
        raise UsageError(
            "plait fleet why needs one PATH",
            expected="a PATH such as Deployment/web:spec.replicas",
            found=" ".join(flags.arguments) or None,
            hint=f"--only selects runs: --only {flags.arguments[0]} {given[0]}"
            if len(given) == 1 and flags.arguments[0] in runs
            else None,
            code="missing-argument",
        )
    try:
        found = list(why(project, tasks, flags.arguments[0]))
    except UsageError as error:
        error.hint = _of_environments(flags.arguments[0], tasks) or error.hint
        raise
    if flags.output == ANSWER_JSON:
        return _as_json(
            [{"run": task.name, **_place_data(place), **_value_data(value)} for task, place, value in found]
        )
    rows = [
        (task.name, place_text(place), *(("", "not there") if value is None else (value.text, value.place)))
        for task, place, value in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        write_folded(
            "  ".join(f"{text:<{width}}" for text, width in zip(row, [*widths, 0], strict=True)).rstrip() + "\n"
        )
    return 0


def _of_environments(path: str, tasks: Sequence[Task]) -> str | None:
    """A hint for a PATH that no output has, and that begins with the name of environments; or None."""
    names = [*(task.name for task in tasks), *dict.fromkeys(task.matrix for task in tasks if task.matrix)]
    name = next((one for one in names if path == one or path.startswith(f"{one}/")), None)
    if name is not None:
        return f"--only selects environments: --only {name} {path[len(name) + 1 :] or 'PATH'}"
    is_value = any(path == choice.text for task in tasks for choice in task.choices.values())
    return f"--only selects environments: --only '*{path}*' PATH" if is_value else None


def _diff(flags: Differ, project: Project, tasks: Sequence[Task]) -> int:
    if len(flags.arguments) not in (0, 2):
        raise UsageError(
            "plait fleet diff accepts two environments or none",
            found=" ".join(flags.arguments),
            code="missing-argument",
        )
    if flags.arguments:
        named = {task.name: task for name in flags.arguments for task in tasks_of(project, [name]) if task.name == name}
        if len(named) != 2:
            raise UsageError("the two environments must differ", found=", ".join(flags.arguments), code="run-not-found")
        tasks = [named[name] for name in flags.arguments]
    found = compared(project, tasks)
    if flags.output == ANSWER_JSON:
        return _as_json([_data(one) for one in found])
    equal = sum(one.kind == EQUAL for one in found)
    write_out(f"{counted(equal, 'value')} equal in all {len(tasks)} environments\n")
    for kind in (BY_AXIS, ODD, VARIOUS):
        for axes in sorted({one.axes for one in found if one.kind == kind}):
            by = f"by {' and '.join(axes)}" if axes else kind
            write_out(f"\n{by if len(tasks) > 2 else 'different'}:\n")
            for one in found:
                if one.kind == kind and one.axes == axes:
                    write_folded(_told(one))
    return 0


def _told(path_comparison: PathComparison) -> str:
    out = [f"  {place_text(path_comparison.place)}"]
    groups = (
        path_comparison.groups[:_NAMED]
        if path_comparison.kind == VARIOUS and len(path_comparison.groups) > _NAMED + 1
        else path_comparison.groups
    )
    for value, members in groups:
        said = "not there" if value is None else f"{value.text}  ({value.place})"
        names = list(
            dict.fromkeys(
                ", ".join(task.choices[axis].text for axis in path_comparison.axes if axis in task.choices)
                if path_comparison.axes
                else task.name
                for task in members
            )
        )
        out.append(f"    {_named(names)}: {said}")
    if len(groups) < len(path_comparison.groups):
        out.append(f"    and {len(path_comparison.groups) - len(groups)} other values")
    return "\n".join(out) + "\n"


def _data(path_comparison: PathComparison) -> Mapping[str, object]:
    values = [
        {**_value_data(value), "runs": [task.name for task in members]} for value, members in path_comparison.groups
    ]
    return {
        **_place_data(path_comparison.place),
        "kind": path_comparison.kind,
        "axes": list(path_comparison.axes),
        "values": values,
    }


def _impact(flags: Reach, project: Project, tasks: Sequence[Task]) -> int:
    if flags.has(Reach.since):
        return _since(flags, project, tasks)
    asked = flags.arguments[0] if len(flags.arguments) == 1 else ""
    named = file_and_line(asked)
    if named is None:
        raise UsageError(
            "plait fleet impact needs a line of a file",
            expected="FILE:LINE, such as values.yml:3",
            code="missing-argument",
        )
    groups: dict[tuple[Place, ...], list[str]] = {}
    unknown: dict[str, list[str]] = {}
    for task, paths, doubt in reached(project, tasks, *named):
        if doubt:
            unknown.setdefault(doubt, []).append(task.name)
        if paths:
            groups.setdefault(tuple(paths), []).append(task.name)
    if flags.output == ANSWER_JSON:
        _as_json([{"runs": names, "values": [_place_data(one) for one in same]} for same, names in groups.items()])
    else:
        for same, names in groups.items():
            write_folded(f"{_named(names)}:\n" + "".join(f"  {place_text(one)}\n" for one in same))
    for doubt, names in unknown.items():
        complain(f"plait: the effect of {asked} on {_named(names)} is unknown: {doubt}\n")
    if unknown:
        return UNKNOWN
    if not groups:
        complain(f"plait: {asked} has no effect on the output of any environment\n")
    return 0 if groups else 1


def _since(flags: Reach, project: Project, tasks: Sequence[Task]) -> int:
    if flags.arguments:
        raise UsageError(
            "--since cannot be combined with a line of a file",
            found=" ".join(flags.arguments),
            code="unexpected-argument",
        )
    groups: dict[tuple[object, ...], list[RunDifference]] = {}
    for one in since(project, tasks, flags.since):
        groups.setdefault(one.same, []).append(one)
    if flags.output == ANSWER_JSON:
        _as_json(
            [
                {
                    "runs": [one.name for one in same],
                    "values": [_place_data(place) for place in first.places],
                    "change": first.kind,
                    "files": list(first.files),
                    "message": first.message or None,
                    "diagnostics": [one.data() for one in first.diagnostics],
                }
                for same in groups.values()
                for first in same[:1]
            ]
        )
    else:
        for same in groups.values():
            first = same[0]
            lines = [*map(place_text, first.places), *first.files, *filter(None, [first.message])]
            names = _named([one.name for one in same])
            write_folded(f"{names}{'' if first.kind == DIFFERS else f': {first.kind}'}{':' if lines else ''}\n")
            write_folded("".join(f"  {line}\n" for line in lines))
    if not groups:
        complain(f"plait: no environment has changed since {flags.since}\n")
    return 0 if groups else 1


def _place_data(place: Place) -> Mapping[str, object]:
    document, path = place
    return {"document": document or None, "path": path}


def _value_data(value: EnvironmentValue | None) -> Mapping[str, object]:
    """The value with the position that set it; nulls if there is none."""
    if value is None:
        return {"value": None, "place": None, "file": None, "line": None}
    return {"value": value.text, "place": value.place, "file": value.file, "line": value.line}


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _as_json(data: object) -> int:
    from json import dumps

    write_out(dumps(data, ensure_ascii=False, indent=1) + "\n")
    return 0


ANSWERS: Mapping[str, tuple[AnyCommand, Callable[[Any, Project, Sequence[Task]], int]]] = {
    "why": (WHY, _why),
    "diff": (DIFF, _diff),
    "impact": (IMPACT, _impact),
}
SUBCOMMANDS: Mapping[str, AnyCommand] = {name: command for name, (command, _) in ANSWERS.items()}
