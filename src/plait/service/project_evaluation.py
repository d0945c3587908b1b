"""Renders the runs of a project sent in a request, in a sandboxed process (see `plait.base.sandbox`)."""

from __future__ import annotations

import os
from pathlib import Path

from plait.authoring.project.file import find, read
from plait.base.errors import PlaitError, UsageError, text_of
from plait.base.permissions import ENVIRONMENT, Need
from plait.base.writing.targets import strict
from plait.fleet.fleet_worker import FleetWorker, WorkerSetup
from plait.fleet.plan import tasks_of
from plait.insight.diagnostic_formats import messages_of
from plait.service.project_files import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Request(TypedDict):
        """A request. files: texts by path. only: the name of a run, or None for all. limits: the limits of each run."""

        files: dict[str, str]
        only: str | None
        limits: dict[str, float]

    class Made(TypedDict):
        """A run with its printed output, or its error. diagnostics: the error, or warnings, as JSON."""

        name: str
        text: str
        error: str
        diagnostics: list[dict[str, object]]

    class Answer(TypedDict):
        """The response. error: the error of the project itself. diagnostics: the error as JSON."""

        runs: list[Made]
        error: str
        diagnostics: list[dict[str, object]]


_PROJECT = "project"


def lay_out(request: Request) -> None:
    """Writes the files of the project to a new working directory in the present one. Raises UsageError."""
    # Messages may name what is beside the project: its directory is the only thing in a directory of its own, so the
    # path of that is in a message for no other reason.
    with strict(_PROJECT, os.curdir, make=0o700):
        os.chdir(_PROJECT)
    for name, text in request["files"].items():
        if not is_path(name):
            raise UsageError(f"{name!r} is not a path within a project", code="revision-file")
        above, last = os.path.split(name)
        with strict(above, os.curdir, make=0o700) as directory:
            directory.create(last, [text.encode("utf-8", "surrogatepass")], new_mode=0o600)


def evaluate(request: Request) -> Answer:
    """Renders the runs. The response contains the errors of runs."""
    try:
        path = find(os.curdir)
        if path is None or not path.startswith(os.getcwd()):
            raise UsageError("there is no project among the files", expected="plait.yml", code="no-project-file")
        path = os.path.basename(path)
        project = read(path)
        tasks = tasks_of(project)
        if request["only"] is not None:
            tasks = [task for task in tasks if task.name == request["only"]]
        source = (path, Path(path).read_text("utf-8"))
        # Runs see no environment variables, so they may read all of them.
        permissions = None if project.permissions is None else project.permissions.granting([Need(ENVIRONMENT, "*")])
        shop = FleetWorker(
            WorkerSetup(
                source, project.directory, "", limits=request["limits"], environment={}, permissions=permissions
            ),
            _without_directory,
        )
    except PlaitError as error:
        found = [one.renamed(_without_directory).data() for one in messages_of(error)]
        return {"runs": [], "error": text_of(error, _without_directory), "diagnostics": found}
    runs: list[Made] = []
    for task in tasks:
        task.is_file = True  # the output of `plait run` is one text
        outcome = shop.perform(task)
        text = (
            "" if outcome.contents is None else b"".join(outcome.contents.values()).decode("utf-8", "surrogateescape")
        )
        found = [one.data() for one in outcome.diagnostics]
        runs.append({"name": task.name, "text": text, "error": outcome.error, "diagnostics": found})
    return {"runs": runs, "error": "", "diagnostics": []}


def _without_directory(message: str) -> str:
    """A message with the paths of the project, whose files are in a temporary directory here."""
    top = os.getcwd()
    for path, name in ((os.path.join(top, ""), ""), (top, os.curdir), (os.path.dirname(top), os.pardir)):
        message = message.replace(path, name)
    return message
