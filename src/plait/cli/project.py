"""`plait run` and `plait project`: runs of the project file by their names, and which there are."""

from __future__ import annotations

import os
import sys

from plait.cli.shared import only_argument
from plait.cli.streams import write_out
from plait.engine import dialect
from plait.engine.common import TRUST, WATCH
from plait.engine.flags import Command, words_of
from plait.engine.options import SWITCH, TEXT, Option
from plait.errors import PlaitError
from plait.project.file import Project, find, read
from plait.project.guessing import project_of
from plait.view import permitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.project.run import Run

PROJECT_FLAG = Option(
    "project",
    TEXT,
    "the project file, or its directory; by default plait.yml here or in the nearest directory above",
    value="PATH",
)
RUN = Command(
    "plait run",
    "Run what the project file has under a name, as if its command and flags were typed; more flags may follow.",
    (PROJECT_FLAG, TRUST, WATCH),
    arguments="[NAME] [flags of its command]",
)
PROJECT = Command(
    "plait project",
    "Show the runs of the project: what is rendered with what. Without a project file they are guessed.",
    (
        PROJECT_FLAG,
        TRUST,
        Option("schema", SWITCH, "print the JSON Schema of the project file"),
        Option(
            "output",
            TEXT,
            "form of the answer: text or json",
            short="o",
            value="FORM",
            default=("text",),
            choices=("text", "json"),
        ),
    ),
    arguments="[PATH]",
)


def main_run(argv: Sequence[str]) -> int:
    """Run `plait run`; the exit status. Raises PlaitError."""
    if argv and argv[0] in ("-h", "--help"):
        write_out(RUN.help_text())
        return 0
    from plait.cli.tracing import table

    run, words = chosen(argv)
    typed = table(run.command).parse(words) if words else dialect(run.command)()
    run.grant(typed.uses)
    request = run.request().over(typed.uses)
    from plait.cli import compose, layer, patch, render

    deliver = {"render": render.deliver, "patch": patch.deliver, "layer": layer.deliver, "compose": compose.deliver}
    with permitted(run.permissions):
        if typed.on("help"):
            write_out(table(run.command).help_text())
            return 0
        return deliver[run.command](request)


def is_run(word: str) -> bool:
    """Whether a word in the place of a command is the name of a run of the project file."""
    if word.startswith("-") or any(char in word for char in "./=:"):
        return False
    found = find(os.curdir)
    try:
        return found is not None and word in read(found).runs
    except PlaitError:  # a file that cannot be read is told to whoever asks for its runs
        return False


def chosen(argv: Sequence[str], *, named: bool = True) -> tuple[Run, list[str]]:
    """The run that `[--project PATH] [NAME] [more]` means, and the words after it. named: there may be a NAME.

    Raises PlaitError.
    """
    words = [*argv]
    path = _taken_project(words)
    project = project_of(path, os.curdir)
    # The only run need not be named; what follows is then for its command.
    is_only = len(project.runs) == 1 and not project.matrices
    is_named = named and words and (words[0] in project.runs or (not words[0].startswith("-") and not is_only))
    run = project.run(words.pop(0) if is_named else "")
    return run, words


def _taken_project(words: list[str]) -> str:
    """The value of --project at the beginning of a command line, taken out of it."""
    if words and words[0].startswith("--project="):
        return words.pop(0).partition("=")[2]
    if words and words[0] == "--project":
        from plait.errors import UsageError

        if len(words) == 1:
            raise UsageError("flag needs an argument: --project", expected="--project PATH")
        del words[0]
        return words.pop(0)
    return ""


def main_project(argv: Sequence[str]) -> int:
    """Run `plait project`; the exit status, 1 when there is no run. Raises PlaitError."""
    flags = PROJECT.parse(argv)
    if flags.on("help"):
        write_out(PROJECT.help_text())
        return 0
    from plait.errors import ReadError, UsageError

    if flags.on("schema"):
        from json import dumps

        from plait.project.schema import schema

        write_out(dumps(schema(), indent=1, ensure_ascii=False) + "\n")
        return 0
    form = flags.text("output")
    if form not in ("text", "json"):
        raise UsageError(f'unknown form "{form}"', expected="text, json")
    start = only_argument(PROJECT, flags, "file or directory", os.curdir)
    if not os.path.lexists(start):
        raise ReadError(f'there is nothing at "{start}"')
    project = project_of(flags.text("project"), start)
    for run in project.runs.values():
        run.check()
    write_out(_as_json(project) if form == "json" else _as_text(project))
    if not project.runs and not project.matrices:
        sys.stderr.write("plait: no run was found\n  hint:     write a plait.yml, or see `plait init`\n")
        return 1
    return 0


# So many environments of a matrix are shown.
_SHOWN = 3


def _as_text(project: Project) -> str:
    from plait.spell import counted

    is_there = project.runs or project.path
    out = [f"{project.path}:" if project.path else "no project file; guessed:"] if is_there else []
    for run in project.runs.values():
        out.append(f"  {run.name}")
        out.append(f"    plait {_typed(run)}")
        if run.why:
            out.append(f"    because {run.why}")
        if run.given is not None:
            from plait.yaml import write_value

            out.append("    with")
            out += [f"      {line}" for line in write_value(run.given).splitlines()]
    for matrix in project.matrices.values():
        cells = matrix.cells()
        matrix.run(cells[0]).check()
        out.append(f"  {matrix.name}: {counted(len(cells), 'environment')}")
        out += [f"    {cell.name}" for cell in cells[:_SHOWN]]
        out += ["    ..."] if len(cells) > _SHOWN else []
    out += [f"  note: {note}" for note in project.notes]
    return "".join(f"{line}\n" for line in out)


def _typed(run: Run) -> str:
    from shlex import join

    return join([run.command, *words_of(run.request())])


def _as_json(project: Project) -> str:
    from json import dumps

    from plait.nodes import to_plain

    runs = [
        {
            "name": run.name,
            "command": run.command,
            "argv": words_of(run.request()),
            "given": None if run.given is None else to_plain(run.given),
            "why": run.why,
            "line": None if run.at is None else run.at.line,
        }
        for run in project.runs.values()
    ]
    found: dict[str, object] = {"file": project.path or None, "runs": runs, "notes": project.notes}
    if project.matrices:
        found["matrices"] = [
            {"name": one.name, "line": one.at.line, "runs": [cell.name for cell in one.cells()]}
            for one in project.matrices.values()
        ]
    return dumps(found, indent=1, ensure_ascii=False) + "\n"
