"""The known runs: those of project files, and inferred ones, each with its newest evaluations.

If the project file changes, unchanged runs keep their evaluations. While the file cannot be read, its last runs remain.
Directories with the same inferred run share it.
"""

from __future__ import annotations

import os
from threading import RLock

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.project import file as project_files
from plait.authoring.project.file import of_source
from plait.authoring.project.run_inference import guess
from plait.authoring.project.run_selection import about, choose
from plait.base.errors import PlaitError
from plait.base.limits import Limits, budget_scope
from plait.base.source import Source
from plait.engine.options import Use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.authoring.analysis.verifying import Checked
    from plait.authoring.lsp.evaluation import Evaluation, EvaluationStop
    from plait.authoring.project.file import Project
    from plait.authoring.project.run import Run


# Maximum number of evaluated environments of a project: the first of each matrix, and those of requested files.
_ENVIRONMENTS = 8
# Settings that name single files.
_OF_FILES = frozenset({"base", "data-values-file", "files", "ops", "vars-files"})
# Maximum number of environments of each matrix that are evaluated to check a change.
_CHECKED = 100
# Limits for reading a project file.
_LIMITS = Limits(seconds=5)


class TrackedRun:
    """A run and its evaluations. evaluation: the newest one; good: the newest one with a trace that succeeded.

    is_due: its inputs have changed. is_asked: a request waits for the trace. is_failing: the newest evaluation failed,
    so a trace would not help a request that waits.
    """

    __slots__ = ("checked", "evaluation", "good", "is_asked", "is_due", "is_failing", "run", "stop")

    def __init__(self, run: Run) -> None:
        self.run = run
        self.evaluation: Evaluation | None = None
        self.good: Evaluation | None = None
        self.stop: EvaluationStop | None = None  # stops the current evaluation
        self.is_due = self.is_asked = self.is_failing = False
        # The baseline for verifying changes, with its evaluation and texts (see `claims`).
        self.checked: tuple[Evaluation | None, Mapping[str, str], Checked] | None = None

    def reads(self, path: str) -> bool:
        """True if the run reads a file, or would if it existed."""
        if self.evaluation is None:
            return True
        view = self.evaluation.view
        if self.good is not None and self.good.kinds.reads(path):
            return True
        if path in view.files or path in view.directories or path == self.project_file:
            return True
        directory = os.path.dirname(path)
        return any(directory == one or directory.startswith(one + os.sep) for one in view.directories)

    def names(self, path: str) -> bool:
        """True if the run has read a file; before its evaluation, if a setting names the file."""
        if self.evaluation is not None:
            return self.evaluation.view.files.get(path) is not None
        try:
            return any(path in self.run.paths(one) for one in self.run.settings if one.name in _OF_FILES)
        except PlaitError:  # a setting of the wrong type, which the run reports
            return False

    @property
    def project_file(self) -> str | None:
        """The project file of the run; None for an inferred run."""
        return None if self.run.at is None else path_of(self.run.at.source)

    def depends_on_text_of(self, project_file: str) -> bool:
        """True if the run depends on the text of a project file, even if its settings are equal."""
        if self.evaluation is None or project_file in self.evaluation.view.files:
            return True
        return any(one.at is not None and path_of(one.at.source) == project_file for one in self.evaluation.findings())


class Registry:
    """The runs by project or directory. texts: open texts, by absolute path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._lock = RLock()
        self._by_key: dict[str, list[TrackedRun]] = {}
        # The runs of dropped projects, by key and by definition.
        self._before: dict[str, list[TrackedRun]] = {}
        self._known: dict[object, TrackedRun] = {}
        self._projects: dict[str, Project] = {}
        self.errors: dict[str, PlaitError] = {}

    def runs_of(self, path: str) -> list[TrackedRun]:
        """The runs of a file's project, and runs of other projects that name the file.

        These replace inferred runs.
        """
        own = self._own_runs(path)
        with self._lock:
            others = [one for one in self.all() if one not in own and one.run.at is not None and one.names(path)]
        if not others:
            return own
        return [*(one for one in own if one.run.at is not None), *others]

    def all_runs_of(self, path: str) -> tuple[list[TrackedRun], int]:
        """As `runs_of`, with all environments of the project, tracked or not. Also returns the number of omitted ones."""
        found = self.runs_of(path)
        with self._lock:
            projects_of = [
                self._projects[key]
                for key, runs in self._by_key.items()
                if key in self._projects and {*runs} & {*found}
            ]
            left = 0
            for project in projects_of:
                if not project.matrices:
                    continue
                try:
                    with budget_scope(_LIMITS):
                        chosen = choose(project, maximum=_CHECKED)
                        found = [
                            *found,
                            *(one for one in map(self._watched, map(_absolute, chosen.runs)) if one not in found),
                        ]
                except PlaitError:  # the error is reported when the project is read
                    continue
                left += sum(count - _CHECKED for _, count in chosen.left)
        return found, left

    def _own_runs(self, path: str) -> list[TrackedRun]:
        key = os.path.dirname(path)
        try:
            found = project_files.find(path, self._texts)
        except PlaitError as error:  # the file belongs to another user
            self.errors[key] = error
            return []
        key = found or key
        with self._lock:
            known = self._by_key.get(key)
            if known is None:
                known = self._by_key[key] = self._read(key, found, path)
            self._add_environments(known, key, path)
            return known

    def _add_environments(self, known: list[TrackedRun], key: str, path: str) -> None:
        """Adds the environments whose settings name a file, up to a limit."""
        project = self._projects.get(key)
        if project is None or not project.matrices or len(known) >= len(project.runs) + _ENVIRONMENTS:
            return
        try:
            with budget_scope(_LIMITS):
                runs = [*about(project, path, 1)]
        except PlaitError as error:
            self.errors[key] = error
            return
        known += [one for one in map(self._watched, map(_absolute, runs)) if one not in known]

    def _read(self, key: str, found: str | None, path: str) -> list[TrackedRun]:
        try:
            with budget_scope(_LIMITS):
                project = guess(path, verify=False) if found is None else self._project(found)
                runs = choose(project, maximum=1).runs
        except PlaitError as error:
            self.errors[key] = error
            return self._before.get(key, [])
        self._projects[key] = project
        return [self._watched(_absolute(run)) for run in runs]

    def _project(self, path: str) -> Project:
        text = self._texts.get(path)
        if text is None:
            return project_files.read(path)
        return of_source(Source(path, text), os.path.dirname(path))

    def _watched(self, run: Run) -> TrackedRun:
        identity = _identity(run)
        known = self._known.get(identity)
        if known is None:
            known = self._known[identity] = TrackedRun(run)
        known.run = run  # the run's line may have changed
        return known

    def all(self) -> list[TrackedRun]:
        """All runs, without duplicates."""
        with self._lock:
            return list(dict.fromkeys(watched for runs in self._by_key.values() for watched in runs))

    def forget(self) -> None:
        """Drops all projects, after a project file was changed, created or removed."""
        with self._lock:
            self._drop([*self._by_key])
            self.errors.clear()

    def forget_guesses(self) -> None:
        """Drops inferred runs, because a new or removed file may change the inference."""
        with self._lock:
            self._drop([key for key in self._by_key if os.path.isdir(key)])

    def forget_below(self, directory: str) -> Sequence[TrackedRun]:
        """Drops the projects in a directory. Returns the runs that no other project uses."""
        with self._lock:
            before = self.all()
            start = os.path.join(directory, "")
            gone = [key for key in self._by_key if os.path.join(key, "").startswith(start)]
            self._drop(gone)
            for key in gone:
                self._before.pop(key, None)
                self.errors.pop(key, None)
            left = {*self.all()}
            dropped = [watched for watched in before if watched not in left]
            self._known = {key: one for key, one in self._known.items() if one not in {*dropped}}
            return dropped

    def _drop(self, keys: Sequence[str]) -> None:
        for key in keys:
            runs = self._by_key.pop(key)
            self._projects.pop(key, None)
            if runs:
                self._before[key] = runs
        # Runs of intermediate versions of a project file are dropped.
        kept = {watched for runs in (*self._by_key.values(), *self._before.values()) for watched in runs}
        self._known = {identity: watched for identity, watched in self._known.items() if watched in kept}


def _identity(run: Run) -> object:
    """The identity of a run, independent of its position in the file."""
    try:
        uses: tuple[object, ...] = run.request().key
    except PlaitError as error:  # a setting of the wrong type: each evaluation of the run fails
        uses = (error.message, error.at and error.at.line)
    return run.name, run.command, run.directory, uses, tuple(run.checked_by)


def _absolute(run: Run) -> Run:
    run.directory = os.path.abspath(run.directory or os.curdir)
    run.uses = [
        Use(one.option, os.path.abspath(one.value), one.origin) if one.option.is_argument else one for one in run.uses
    ]
    return run
