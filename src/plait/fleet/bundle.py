"""Bundles the inputs for processes without access to them. A bundle is packed once, sent once to each process, and
unpacked there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from weakref import finalize

from plait.authoring.project.settings import is_path_setting
from plait.base.content import NO_LINKS, environment, file_content, files_below
from plait.base.errors import PlaitError
from plait.base.globbing import is_pattern, matches
from plait.base.input_view import InputView, check_read, may_read, permitted
from plait.base.permissions import ENVIRONMENT
from plait.base.writing.directory import temporary
from plait.engine.options import Use
from plait.engine.pipeline import inputs
from plait.engine.render import Render
from plait.layering.sites import DEFINITION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run
    from plait.fleet.plan import Task


def variables_of(project: Project, tasks: Iterable[Task]) -> dict[str, str]:
    """The environment variables that runs may read, from their settings and schemas."""
    runs = [task.run(project) for task in tasks]
    # The run itself rejects forbidden variables.
    needs = [
        need
        for run in runs
        for need in run.needs()
        if need.access == ENVIRONMENT and need.name != "*" and run.may(need)
    ]
    starts = {need.name.removesuffix("*") for need in needs} | _named_by_schemas(runs)
    return {name: text for name, text in environment().items() if name.startswith((*starts, "HOME"))}


def _named_by_schemas(runs: Iterable[Run]) -> set[str]:
    """The variables that runs look up by names from their schemas. Runs with the same templates share the result."""
    found: set[str] = set()
    known: set[tuple[str, ...]] = set()
    for run in runs:
        settings = {one.name: tuple(text for text, _ in one.texts()) for one in run.settings}
        templates = settings.get("files", ())
        if settings.get("data-values-env-all") == ("true",) and templates not in known:
            known.add(templates)

            view = InputView()
            with suppress(PlaitError):  # the run itself reports the fault
                run.evaluate(view=view, uses=[Use(Render.data_values_inspect, value=True)])
            found.update(view.variables)
    return found


def packed(project: Project, tasks: Iterable[Task]) -> dict[str, bytes]:
    """The files and the contents of directories in the settings of runs, by absolute path.

    Includes the directory of the project, as an entry that ends in a slash. Raises PlaitError.
    """
    top = os.path.abspath(project.directory or os.curdir)
    found: dict[str, bytes] = {os.path.join(top, ""): b""}
    with permitted(project.permissions):
        _pack(project, tasks, found)
    return found


def _pack(project: Project, tasks: Iterable[Task], found: dict[str, bytes]) -> None:
    seen: set[str] = set()
    for task in tasks:
        for path in _places(task.run(project), project.path):
            if path in seen:
                continue
            seen.add(path)
            check_read(path)
            inner = [one for one, _ in files_below(path, NO_LINKS)] if os.path.isdir(path) else [path]
            for one in inner:
                if os.path.isfile(one):
                    found[one] = file_content(one, f"file '{one}'")


def _places(run: Run, project: str) -> Iterator[str]:
    """The absolute paths of a run's inputs: in its settings, its site, and the steps of its pipeline."""
    pipelines = [(os.path.abspath(project), run.name)] if run.uses else []
    named = []
    for one in run.settings:
        if is_path_setting(run.command, one.name):
            paths = run.paths(one)
            named += [(one.name, path) for path in paths]
            pipelines += [(path, "") for path in paths if run.command == "compose" and one.option.is_argument]
    for path, name in pipelines:
        yield path
        with suppress(PlaitError):  # the run itself reports the fault
            named += inputs(path, name)
    for kind, path in named:
        yield from _matched(path)
        if kind == "site":
            yield from _of_site(path)


def _matched(path: str) -> Iterator[str]:
    """A path, or the paths that match it as a pattern."""
    if is_pattern(path) and not (may_read(path) and os.path.exists(path)):
        yield from matches(path)
    else:
        yield path


def _of_site(path: str) -> Iterator[str]:
    """The files that a site shares with other sites of its repository."""
    directory = os.path.dirname(path) if os.path.basename(path) == DEFINITION else path
    yield directory
    for name in ("global", "type"):
        yield os.path.normpath(os.path.join(directory, os.pardir, os.pardir, name))


class Unpacked:
    """A bundle unpacked into a temporary directory, which is removed when it is no longer used."""

    def __init__(self, bundle: Mapping[str, bytes]) -> None:
        place = temporary("plait-fleet-")
        finalize(self, place.close)
        self.top = place.directory.real
        self.directory = ""
        for path, content in bundle.items():
            names = [name for name in os.path.splitdrive(path)[1].split(os.sep) if name]
            last = "" if path.endswith(os.sep) else names.pop()
            with place.directory.below(*names, make=0o700) as directory:
                if last:
                    directory.create(last, [content], new_mode=0o600)
                else:
                    self.directory = directory.real

    def hidden(self, text: str) -> str:
        """A message in which paths inside the project are the original ones."""
        here = os.path.relpath(self.directory)
        for start in (here, self.directory):
            text = text.replace(f"{start}{os.sep}", "")
        return text.replace(self.top, "")
