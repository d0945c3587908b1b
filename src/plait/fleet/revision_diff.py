"""Changes in the results of a fleet since a Git revision.

Only runs that read a changed file are evaluated, twice: with the current files, and with those of the revision, which
are written to a temporary directory. The repository does not change.
"""

from __future__ import annotations

import os

from plait.authoring.project.file import of_source
from plait.base.content import file_content
from plait.base.errors import PlaitError, heading
from plait.base.git_repository import Repository
from plait.base.input_view import InputView, permitted
from plait.base.writing.directory import temporary
from plait.base.writing.real_paths import WriteRefused
from plait.engine.incremental import Engine
from plait.engine.pipeline import file_source
from plait.engine.results import Rendered
from plait.fleet.plan import tasks_of
from plait.insight.diagnostic_formats import messages_of
from plait.insight.diff import diff
from plait.insight.redaction import masked, masked_lines
from plait.tree.secrets import HIDDEN, uses_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run
    from plait.base.writing.directory import Directory
    from plait.engine.results import Documents
    from plait.fleet.plan import Task
    from plait.fleet.queries import Place
    from plait.insight.diagnostic_formats import Message

DIFFERS, NEW, GONE, FAILS, WORKS = "differs", "is new", "is gone", "fails now", "failed before"


class RunDifference:
    """The change of a run.

    kind: DIFFERS, NEW, GONE, FAILS or WORKS. places: the differing paths. files: the differing files that are not YAML.
    message: the error, or a note about values that are not compared; "" for nothing. diagnostics: the error as data.
    """

    __slots__ = ("diagnostics", "files", "kind", "message", "name", "places")

    def __init__(
        self, name: str, kind: str, places: Sequence[Place] = (), files: Sequence[str] = (), message: str = ""
    ) -> None:
        self.name = name
        self.kind = kind
        self.places = tuple(places)
        self.files = tuple(files)
        self.message = message
        self.diagnostics: Sequence[Message] = ()

    @property
    def same(self) -> tuple[object, ...]:
        """Equal for runs with the same change."""
        return self.kind, self.places, self.files, self.message


def since(project: Project, tasks: Sequence[Task], revision: str) -> Iterator[RunDifference]:
    """The runs whose output differs from that at a revision.

    Raises UsageError for an invalid repository or revision, and PlaitError if the revision has no such project.
    """
    home = os.path.realpath(project.directory or os.curdir)
    repository = Repository(home)
    commit = repository.commit(revision)
    changed = repository.changed(commit)
    with temporary("plait-since-") as place:
        directory = place.real
        repository.lay_out(commit, directory)
        there = os.path.join(directory, os.path.relpath(home, repository.top))
        permissions = None if project.permissions is None else project.permissions.moved(directory, there)
        with permitted(permissions):  # the file may be a link in the revision
            source = file_source(os.path.join(there, os.path.basename(project.path)))
        before = of_source(source, there, permissions)
        old = {task.name: task for task in tasks_of(before)}
        engines = Engine(reads_once=True), Engine()
        for task in tasks:
            if task.name not in old:
                yield RunDifference(task.name, NEW)
                continue
            now, view = _made(task.run(project), engines[0])
            if task.definition == old[task.name].definition and not _has_read(view, changed):
                continue
            for path in repository.ignored(view.files):
                _copy(path, place, os.path.relpath(path, repository.top))
            was, seen = _made(old[task.name].run(before), engines[1])
            if found := _compared(task.name, was, now, (seen, view)):
                yield found
        names = {task.name for task in tasks_of(project)}
        yield from (RunDifference(name, GONE) for name in old if name not in names)


def _made(run: Run, engine: Engine) -> tuple[Documents | PlaitError, InputView]:
    view = InputView()
    try:
        made = run.evaluate(view=view, limits={}, engine=engine)
        if uses_secrets(view) and not uses_secrets(made.trace):
            # Names in paths are values, so they are redacted by their marks.
            made = run.evaluate(view=view, limits={}, engine=engine, trace=True)
        return made, view
    except PlaitError as error:
        return error, view


def _has_read(view: InputView, changed: set[str]) -> bool:
    files = {os.path.realpath(path) for path in view.files} | set(view.files)
    folders = {os.path.realpath(path) for path in view.directories} | set(view.directories)
    return bool(files & changed) or any(_is_below(path, folders) for path in changed)


def _is_below(path: str, folders: set[str]) -> bool:
    """True if a path is inside one of the directories, which need not exist."""
    while (above := os.path.dirname(path)) != path:
        if above in folders:
            return True
        path = above
    return False


def _copy(path: str, top: Directory, name: str) -> None:
    """Copies a file to a path in a directory, unless the path exists or contains a link."""
    *folders, last = name.split(os.sep)
    if not os.path.isfile(path):
        return
    try:
        with top.below(*folders, make=0o700) as folder:
            if folder.status(last) is None:
                folder.create(last, [file_content(path, path)], new_mode=0o600)
    except WriteRefused:
        return


def _compared(
    name: str, was: Documents | PlaitError, now: Documents | PlaitError, views: tuple[InputView, InputView]
) -> RunDifference | None:
    """The change of a run, or None. views: those of both evaluations."""
    if isinstance(now, PlaitError):
        if isinstance(was, PlaitError):
            return None
        fails = RunDifference(name, FAILS, message=heading(now))
        fails.diagnostics = messages_of(now)
        return fails
    if isinstance(was, PlaitError):
        return RunDifference(name, WORKS)
    both = (was, views[0]), (now, views[1])
    found = diff(*(masked(one.nodes.items, one.trace, view=view) for one, view in both))
    places = [(one.document if one.is_named or not one.path else "", one.path) for one in found]
    before, after = (_texts(one, view) for one, view in both)
    files = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    # Changes of secret values, and their paths, would reveal them.
    is_withheld = any(uses_secrets(view) for view in views)
    message = f"{HIDDEN}: values computed from secrets are not compared" if is_withheld else ""
    return RunDifference(name, DIFFERS, places, files, message) if places or files or message else None


def _texts(documents: Documents, view: InputView) -> dict[str, str]:
    """The text files of the output, redacted."""
    if not isinstance(documents, Rendered) or not documents.texts:
        return {}
    return {path: masked_lines(path, documents.files[path], documents.trace, view=view) for path in documents.texts}
