"""`plait fleet why`, `plait fleet diff` and `plait fleet impact`: questions about all environments, answered as text or JSON."""

from __future__ import annotations

from plait.cli.streams import complain, write_folded, write_out
from plait.engine.common import TRUST
from plait.engine.flags import Command
from plait.engine.options import TEXT, TEXTS, Option
from plait.errors import UsageError
from plait.fleet.asking import BY_AXIS, EQUAL, ODD, VARIOUS, compared, reached, why
from plait.fleet.plan import tasks_of
from plait.spell import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plait.engine.options import Request
    from plait.fleet.asking import Compared
    from plait.fleet.plan import Task
    from plait.project.file import Project

_FLAGS = (
    Option("project", TEXT, "the project file, or its directory", value="PATH"),
    TRUST,
    Option("only", TEXTS, "this run, the runs of this matrix, or those that a pattern means, and no others", value="NAME"),
    Option(
        "output", TEXT, "form of the answer: text or json", short="o", value="FORM",
        default=("text",), choices=("text", "json"),
    ),
)  # fmt: skip
WHY = Command(
    "plait fleet why", "Which value each environment has, and the line that decided.", _FLAGS, arguments="PATH"
)
DIFF = Command("plait fleet diff", "Where environments differ: all of them, or two.", _FLAGS, arguments="[A B]")
IMPACT = Command(
    "plait fleet impact",
    "Which environments and paths a line of a file reaches, or what has changed since a revision.",
    (Option("since", TEXT, "what differs from this revision of the git repository", value="REVISION"), *_FLAGS),
    arguments="FILE:LINE",
)

_NAMED = 3
# The exit status of `impact` for a line of which it is unknown what it affects.
UNKNOWN = 3


def answer(name: str, argv: Sequence[str]) -> int:
    """Answer a question, `why`, `diff` or `impact`; the exit status, 1 where a line reaches nothing. Raises PlaitError."""
    from plait.fleet.finding import project_file
    from plait.project.file import read

    command, work = ANSWERS[name]
    flags = command.parse(argv)
    if flags.on("help"):
        write_out(command.help_text())
        return 0
    if flags.text("output") not in ("text", "json"):
        raise UsageError(f'unknown form "{flags.text("output")}"', expected="text, json")
    project = read(project_file(flags.text("project")))
    return work(flags, project, tasks_of(project, flags.texts("only")))


def _why(flags: Request, project: Project, tasks: Sequence[Task]) -> int:
    if len(flags.arguments) != 1:
        raise UsageError("plait fleet why takes one PATH", expected="such as Deployment/web:spec.replicas")
    rows = [
        (task.name, path, "" if value is None else value.text, "not there" if value is None else value.decided)
        for task, path, value in why(project, tasks, flags.arguments[0])
    ]
    if flags.text("output") == "json":
        return _as_json([dict(zip(("run", "path", "value", "decided"), row, strict=True)) for row in rows])
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        write_folded(
            "  ".join(f"{text:<{width}}" for text, width in zip(row, [*widths, 0], strict=True)).rstrip() + "\n"
        )
    return 0


def _diff(flags: Request, project: Project, tasks: Sequence[Task]) -> int:
    if len(flags.arguments) not in (0, 2):
        raise UsageError("plait fleet diff takes two environments, or none", found=" ".join(flags.arguments))
    if flags.arguments:
        named = {task.name: task for name in flags.arguments for task in tasks_of(project, [name]) if task.name == name}
        if len(named) != 2:
            raise UsageError("these are not two environments", found=", ".join(flags.arguments))
        tasks = [named[name] for name in flags.arguments]
    found = compared(project, tasks)
    if flags.text("output") == "json":
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


def _told(one: Compared) -> str:
    out = [f"  {one.path}"]
    groups = one.groups[:_NAMED] if one.kind == VARIOUS and len(one.groups) > _NAMED + 1 else one.groups
    for value, members in groups:
        said = "not there" if value is None else f"{value.text}  ({value.decided})"
        names = list(
            dict.fromkeys(
                ", ".join(task.choices[axis].text for axis in one.axes if axis in task.choices)
                if one.axes
                else task.name
                for task in members
            )
        )
        out.append(f"    {_named(names)}: {said}")
    if len(groups) < len(one.groups):
        out.append(f"    and {len(one.groups) - len(groups)} other values")
    return "\n".join(out) + "\n"


def _data(one: Compared) -> Mapping[str, object]:
    values = [
        {
            "value": None if value is None else value.text,
            "decided": None if value is None else value.decided,
            "runs": [task.name for task in members],
        }
        for value, members in one.groups
    ]
    return {"path": one.path, "kind": one.kind, "axes": list(one.axes), "values": values}


def _impact(flags: Request, project: Project, tasks: Sequence[Task]) -> int:
    if flags.given("since"):
        return _since(flags, project, tasks)
    asked = flags.arguments[0] if len(flags.arguments) == 1 else ""
    file, colon, number = asked.rpartition(":")
    if not colon or not file or not number.isdecimal() or len(number) > 18:
        raise UsageError("plait fleet impact takes a line of a file", expected="FILE:LINE, such as values.yml:3")
    groups: dict[tuple[str, ...], list[str]] = {}
    unknown: dict[str, list[str]] = {}
    for task, paths, doubt in reached(project, tasks, file, int(number)):
        if doubt:
            unknown.setdefault(doubt, []).append(task.name)
        if paths:
            groups.setdefault(tuple(paths), []).append(task.name)
    if flags.text("output") == "json":
        _as_json([{"runs": names, "paths": list(paths)} for paths, names in groups.items()])
    else:
        for same, names in groups.items():
            write_folded(f"{_named(names)}:\n" + "".join(f"  {path}\n" for path in same))
    for doubt, names in unknown.items():
        complain(f"plait: the effect of {asked} on {_named(names)} is unknown: {doubt}\n")
    if unknown:
        return UNKNOWN
    if not groups:
        complain(f"plait: {asked} has no effect on the output of any environment\n")
    return 0 if groups else 1


def _since(flags: Request, project: Project, tasks: Sequence[Task]) -> int:
    from plait.fleet.since import DIFFERS, since

    if flags.arguments:
        raise UsageError("--since takes no line of a file", found=" ".join(flags.arguments))
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in since(project, tasks, flags.text("since")):
        groups.setdefault((one.kind, one.places), []).append(one.name)
    if flags.text("output") == "json":
        _as_json([{"runs": names, "change": kind, "paths": list(paths)} for (kind, paths), names in groups.items()])
    else:
        for (kind, paths), names in groups.items():
            write_folded(f"{_named(names)}{'' if kind == DIFFERS else f': {kind}'}{':' if paths else ''}\n")
            write_folded("".join(f"  {path}\n" for path in paths))
    if not groups:
        complain(f"plait: every environment is as it was at {flags.text('since')}\n")
    return 0 if groups else 1


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _as_json(data: object) -> int:
    from json import dumps

    write_out(dumps(data, ensure_ascii=False, indent=1) + "\n")
    return 0


ANSWERS: Mapping[str, tuple[Command, Callable[[Request, Project, Sequence[Task]], int]]] = {
    "why": (WHY, _why),
    "diff": (DIFF, _diff),
    "impact": (IMPACT, _impact),
}
