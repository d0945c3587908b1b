"""`plait run` and `plait project`: evaluates and lists the runs of the project file."""

from __future__ import annotations

import os

from plait.authoring import project as package
from plait.authoring.project.discovery import project_of
from plait.authoring.project.file import find, read
from plait.base.errors import PlaitError
from plait.base.input_view import permitted
from plait.cli import module_of
from plait.cli.common_flags import entered, shown
from plait.cli.runs import announced
from plait.cli.streams import TYPED, write_out
from plait.cli.tools import only_argument, table
from plait.engine import common, dialect
from plait.engine.common import ANSWER_JSON
from plait.engine.flags import Command
from plait.engine.options import Request, switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.authoring.project.run import Run
    from plait.base.permissions import Permissions


class RunCommand(Request):
    """The flags of `plait run` itself: before the name of the run, or directly after it."""

    __slots__ = ()
    command = "run"
    summary = "Evaluate a run of the project file. Flags after NAME are added to those of the run."
    usage = "[NAME] [flags of its command]"
    takes_words = True

    project = common.PROJECT
    trust = common.TRUST
    watch = common.WATCH


class ProjectCommand(Request):
    """The command line of `plait project`."""

    __slots__ = ()
    command = "project"
    summary = "List the project's runs with their commands and inputs. Without a plait.yml, runs are inferred."
    usage = "[PATH]"

    project = common.PROJECT
    trust = common.TRUST
    schema = switch("schema", "print the JSON Schema of the project file")
    output = common.OUTPUT


RUN = Command(RunCommand)
PROJECT = Command(ProjectCommand)


def main_run(argv: Sequence[str]) -> int:
    """Runs `plait run`. Returns the exit status. Raises PlaitError."""
    own, rest = RUN.apart(argv)
    if rest and rest[0][:1] != "-":
        # The name of a run, or an argument, which flags of `run` may follow.
        own, more = RUN.apart([*argv[: len(argv) - len(rest)], *rest[1:]])
        rest = [rest[0], *more]
    if entered(own).help and not rest:
        return shown(RUN)
    run, typed = about_run(own.project, rest)
    if own.help or typed.help:
        return shown(table(run.command))
    if own.watch or typed.value(common.WATCH):
        from plait.cli.watch import watch

        def again() -> tuple[Request, Permissions | None]:
            run, typed = about_run(own.project, rest)
            return run.request(typed=typed.without(common.WATCH).uses), run.permissions

        return watch(again, _deliver)
    with permitted(run.permissions):
        return _deliver(run.request(typed=typed.uses))


def _deliver(request: Request) -> int:
    """Evaluates a request and writes its result, as its command does. Returns the exit status."""
    deliver: Callable[[Request], int] = __import__(module_of(request.command), fromlist=["deliver"]).deliver
    try:
        return deliver(request)
    except PlaitError as error:
        package.unknown_names.relate_settings(error, request)
        raise


def about_run(path: str, argv: Sequence[str]) -> tuple[Run, Request]:
    """The run and the request of `[NAME] [more]`, within the permissions of its project.

    path: the project file, or "" to search for it. Raises PlaitError.
    """
    run, words = chosen(path, argv)
    try:
        typed = table(run.command).parse(words, run.used) if words else dialect(run.command)()
    except PlaitError as error:
        if is_run(words[0]):
            package.unknown_names.several_runs(error, run.name, *words)
        raise
    entered(typed)
    if typed.value(common.TRUST):
        run, _ = chosen(path, argv)
    run.grant(typed.uses)
    return run, typed


def is_run(word: str) -> bool:
    """True if a word names a run or an environment of the project, and no file."""
    if word[:1] == "-" or {*".=:"} & {*word} or ("/" in word and os.path.lexists(word)):
        return False
    found = find(os.curdir)
    try:
        return found is not None and word in package.unknown_names.names_of(read(found))
    except PlaitError:  # the command reports it
        return False


def chosen(path: str, argv: Sequence[str], *, named: bool = True, others: bool = False) -> tuple[Run, list[str]]:
    """The run of `[NAME] [more]`, and the remaining words. path: the project file, or "" to search for it.
    named: a NAME is allowed. others: the command evaluates other runs as well.

    Raises PlaitError.
    """
    words = [*argv]
    project = project_of(path, os.curdir)
    if not project.path:
        # Flags of all commands apply to announced runs.
        TYPED.get([]).append(Command(Request).apart(words, anywhere=True)[0])
    # The name of the only run is optional; other words are for its command. `render` accepts none.
    is_only = len(project.runs) == 1 and not project.matrices
    takes_words = is_only and next(iter(project.runs.values())).command != "render"
    is_named = named and words and (words[0] in project.runs or (words[0][:1] != "-" and not takes_words))
    run = project.run(words.pop(0) if is_named else "")
    announced(project, *(() if others else (run,)))
    return run, words


def main_project(flags: ProjectCommand) -> int:
    """Runs `plait project`. Returns the exit status: 1 if there is no run. Raises PlaitError."""
    if flags.schema:
        from json import dumps

        from plait.authoring.project.project_schema import schema

        write_out(dumps(schema(), indent=1, ensure_ascii=False) + "\n")
        return 0
    flags.require_choice(ProjectCommand.output)
    start = only_argument(PROJECT, flags, "file or directory", os.curdir)
    from plait.cli.project_listing import list_runs

    return list_runs(flags.project, start, as_json=flags.output == ANSWER_JSON)
