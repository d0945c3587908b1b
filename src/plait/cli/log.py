"""`plait log` and `plait blame`: the commits behind values of the output."""

from __future__ import annotations

import os
from json import dumps

from plait.authoring.project.discovery import project_of
from plait.authoring.project.unknown_names import names_of, out_of_order
from plait.base.errors import UsageError
from plait.base.input_view import permitted
from plait.base.similar_names import counted, near
from plait.base.writing.directory import temporary
from plait.cli.progress import working
from plait.cli.streams import note, write_folded, write_out
from plait.engine import DIALECTS
from plait.engine.common import ANSWER_JSON, OUTPUT, PROJECT, TRUST
from plait.engine.flags import Command
from plait.engine.options import NUMBER, Request, declared, switch, text
from plait.fleet.revision_log import ValueLog, blamed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.authoring.project.file import Project
    from plait.engine.flags import AnyCommand
    from plait.fleet.revision_log import BlamedLine, CommitValue, LogEntry


class Log(Request):
    """The command line of `plait log`."""

    __slots__ = ()
    command = "log"
    summary = "List the commits in which a value of the output changed, with the line that sets it."
    usage = "[RUN] PATH"
    is_long_running = True

    project = PROJECT
    trust = TRUST
    since = text("since", "only commits after this date, as in git log --since", value="DATE")
    number = declared("number", NUMBER, "maximum number of commits to list", short="n", value="N", default=("1000",))
    first_parent = switch("first-parent", "follow only the first parent of merge commits")
    exact = switch("exact", "evaluate every commit that changes an input of the run")
    output = OUTPUT


class Blame(Request):
    """The command line of `plait blame`."""

    __slots__ = ()
    command = "blame"
    summary = "Print the output with the commit that last touched the source line of each line."
    usage = "[RUN] [PATH]"
    is_long_running = True

    project = PROJECT
    trust = TRUST
    verify = switch("verify", "name the commit that set each value, as plait log does")
    output = OUTPUT


LOG = Command(Log)
BLAME = Command(Blame)
_SHORT = 10


def main(flags: Log) -> int:
    """Runs `plait log`. Returns the exit status. Raises PlaitError."""
    flags.require_choice(OUTPUT)
    project = _project(flags.project)
    words = _without_command(LOG, flags.arguments, project)
    if not 1 <= len(words) <= 2:
        raise UsageError(
            "plait log needs one PATH", expected="a PATH such as Deployment/web:spec.replicas", code="missing-argument"
        )
    run = project.run(words[0] if len(words) == 2 or _is_meant_as_run(words[0], project) else "")
    if words[-1] == run.name:
        raise UsageError(
            "no PATH to follow", expected="a PATH such as Deployment/web:spec.replicas", code="missing-argument"
        )
    found: list[LogEntry] = []
    with working("evaluating commits") as context, temporary("plait-log-") as directory, permitted(project.permissions):
        log = ValueLog(
            project, run.name, words[-1], directory, exact=flags.exact, first_parent=flags.first_parent,
            since=flags.since,
        )  # fmt: skip
        failure = log.failure()
        if failure:
            note(f"plait: the run fails at HEAD: {failure}\n")
        for entry in log.entries():
            context.begin(entry.commit.name[:_SHORT])
            found.append(entry)
            if len(found) >= flags.number:
                break
    if flags.output == ANSWER_JSON:
        write_out(dumps([_entry_data(one) for one in found], ensure_ascii=False, indent=1) + "\n")
    else:
        write_folded("".join(map(_entry_text, found)))
    if not found:
        raise log.nothing()
    note(f"plait: {counted(log.evaluations, 'evaluation')}\n")
    return 0


def _project(path: str) -> Project:
    project = project_of(path, os.curdir)
    if not project.path:
        raise UsageError(
            "there is no project file", expected="plait.yml", hint="plait init writes one", code="nothing-to-do"
        )
    return project


def _without_command(command: AnyCommand, arguments: Sequence[str], project: Project) -> list[str]:
    """The words without `run` before the name of a run, as `plait explain run NAME PATH` has it. Raises UsageError for
    the name of another command.
    """
    if arguments and arguments[0] in DIALECTS and arguments[0] not in project.runs:
        raise UsageError(
            f'"{arguments[0]}" is a command, not a run',
            expected=f"{command.name} {command.request.usage}",
            found=" ".join(arguments),
            hint="RUN is a run of the project file; plait project lists them, and plait init writes the file",
            code="run-not-found",
        )
    is_command = len(arguments) > 1 and arguments[0] == "run" and "run" not in project.runs
    words = [*arguments[is_command:]]
    if len(words) == 2 or words[1:2] == ["run"]:
        names = {*names_of(project)}
        if words[-1] in names and words[0] not in names:
            raise out_of_order("PATH", command.request.command, [words[0], words[-1]])
    return words


def _is_meant_as_run(word: str, project: Project) -> bool:
    """True for the name of a run, for the path of a file, and for a misspelt name where a run must be chosen."""
    if word in project.runs or os.path.isfile(word):
        return True
    names = [*names_of(project)] if ":" not in word else []
    return len(names) > 1 and (word in names or bool(near(word, names)))


def _entry_text(entry: LogEntry) -> str:
    commit, before, after = entry.commit, entry.before, entry.after
    change = f"{before.text} -> {after.text}" if before is not None else after.text
    place = f"  {after.place}" if after.place else ""
    return f"{commit.name[:_SHORT]} {commit.date[:10]} {commit.author}: {commit.subject}\n    {change}{place}\n"


def _entry_data(entry: LogEntry) -> Mapping[str, object]:
    commit = entry.commit
    return {
        "commit": commit.name,
        "date": commit.date,
        "author": commit.author,
        "subject": commit.subject,
        "before": _value_data(entry.before),
        "after": _value_data(entry.after),
    }


def _value_data(value: CommitValue | None) -> Mapping[str, object] | None:
    if value is None:
        return None
    return {
        "value": value.text if value.has_value else None,
        "state": value.state,
        "place": value.place or None,
    }


def main_blame(flags: Blame) -> int:
    """Runs `plait blame`. Returns the exit status. Raises PlaitError."""
    flags.require_choice(OUTPUT)
    project = _project(flags.project)
    words = _without_command(BLAME, flags.arguments, project)
    if len(words) > 2:
        raise UsageError(
            "plait blame takes a RUN and a PATH",
            expected="plait blame [RUN] [PATH]",
            found=" ".join(words),
            hint=f"one command for each PATH: plait blame {' '.join(words[:2])}",
            code="missing-argument",
        )
    is_named = bool(words) and (len(words) == 2 or _is_meant_as_run(words[0], project))
    run = project.run(words.pop(0) if is_named else "")
    with working("blaming lines"), permitted(project.permissions):
        lines = blamed_lines(project, run.name, words[0] if words else None, verify=flags.verify)
    if flags.output == ANSWER_JSON:
        write_out(dumps([_line_data(one) for one in lines], ensure_ascii=False, indent=1) + "\n")
        return 0
    rows = [_line_parts(one) for one in lines]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for one, row in zip(lines, rows, strict=True):
        cells = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        write_folded(f"{cells} | {one.text}\n")
    return 0


def _line_parts(line: BlamedLine) -> tuple[str, str, str]:
    commit = line.commit
    if commit is None:
        return "", "", line.place
    return commit.name[:_SHORT], f"{commit.date[:10]} {commit.author}", line.place


def _line_data(line: BlamedLine) -> Mapping[str, object]:
    commit = line.commit
    place = line.path
    return {
        "document": None if place is None else place.document_name,
        "index": None if place is None else place.number,
        "path": None if place is None else place.path,
        "text": line.text,
        "place": line.place or None,
        "commit": None if commit is None else commit.name,
        "date": None if commit is None else commit.date,
        "author": None if commit is None else commit.author,
        "subject": None if commit is None else commit.subject,
    }
