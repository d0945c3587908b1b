"""What the server knows: projects, what is open, and the newest evaluation of each run.

Requests read it on the loop of the server; runs are evaluated in threads of their own, one evaluation at a time for each run.
A change asks the evaluation that is going on to end, and begins the next one.
"""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from threading import RLock

from plait import project as projects
from plait.analysis.files import LAYER, OPS, File
from plait.analysis.places import path_of
from plait.codecache import MemoryCache
from plait.errors import PlaitError
from plait.lsp.evaluation import Evaluation, Stop, evaluate, is_stopped
from plait.project import Project
from plait.project.file import FILE_NAMES, of_source
from plait.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from plait.project.run import Run
    from plait.project.settings import Setting


# So many broken files are read around, of those that are not open.
_MOST_BROKEN = 5


# What settings of runs say of the files that they name.
_KINDS = {"patch": {"ops": OPS}, "layer": {"files": LAYER}}


class Watched:
    """A run and what is known of it. evaluation: the newest that ended; good: the newest that made something."""

    __slots__ = ("evaluation", "good", "is_due", "run", "stop")

    def __init__(self, run: Run) -> None:
        self.run = run
        self.evaluation: Evaluation | None = None
        self.good: Evaluation | None = None
        self.stop: Stop | None = None  # of the evaluation that is going on
        self.is_due = False

    def reads(self, path: str) -> bool:
        """Whether the run reads a file, or would if it were there."""
        if self.evaluation is None:
            return True
        view = self.evaluation.view
        if path in view.files or path == getattr(self.run.at and self.run.at.source, "name", None):
            return True
        directory = os.path.dirname(path)
        return any(directory == one or directory.startswith(one + os.sep) for one in view.directories)


class State:
    """All of it. changed: is called, by another thread, when an evaluation has ended."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._lock = RLock()
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="evaluation")
        self._cache = MemoryCache()
        self.texts: dict[str, str] = {}
        self._files: dict[str, tuple[str, File]] = {}
        self._projects: dict[str, tuple[Project, list[Watched]]] = {}
        self.project_errors: dict[str, PlaitError] = {}

    # ---- files

    def open(self, path: str, text: str) -> None:
        """A file is open, or has another text in the editor."""
        self.texts[path] = text
        self.touch(path)

    def close(self, path: str) -> None:
        """A file is as it is on the disk again."""
        self.texts.pop(path, None)
        self._files.pop(path, None)
        self.touch(path)

    def touch(self, path: str) -> None:
        """A file has changed: what reads it is evaluated again."""
        if os.path.basename(path) in FILE_NAMES:
            self.forget_projects()
        for watched in self.runs_of(path):
            if watched.reads(path):
                self._begin(watched)

    def file(self, path: str) -> File | None:
        """A file by its absolute path, read as far as it can be; None if there is none."""
        text = self.texts.get(path)
        if text is None:
            try:
                with open(path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
                    text = stream.read()
            except OSError:
                return None
        known = self._files.get(path)
        if known is None or known[0] != text:
            try:
                known = text, File(path, text, self._kind_in_runs(path))
            except PlaitError:  # a limit: it is too large, or nested too deeply
                return None
            self._files[path] = known
        return known[1]

    def _kind_in_runs(self, path: str) -> str:
        """What the runs of the project take a file for, as far as their settings name it."""
        for watched in self.runs_of(path):
            kind = _KINDS.get(watched.run.command, {})
            for setting in watched.run.settings:
                if setting.name in kind and _names(watched.run, setting, path):
                    return kind[setting.name]
        return ""

    def seen_by_runs(self) -> dict[str, bytes]:
        """What is open, as files would hold it: of a broken file what can be read, so that the rest still makes something."""
        return {path: self._readable(path).encode("utf-8", "surrogateescape") for path in [*self.texts]}

    def _readable(self, path: str) -> str:
        file = self.file(path)
        return self.texts.get(path, "") if file is None or not file.recovered.cut else file.recovered.text

    # ---- projects and runs

    def forget_projects(self) -> None:
        """A project file has changed, or one has come or gone."""
        with self._lock:
            self._projects.clear()
            self.project_errors.clear()

    def runs_of(self, path: str) -> list[Watched]:
        """The runs of the project that a file belongs to."""
        found = projects.find(path, self.texts)
        key = found or os.path.dirname(path)
        with self._lock:
            known = self._projects.get(key)
            if known is None:
                try:
                    project = projects.guess(path) if found is None else self._read(found)
                except PlaitError as error:
                    self.project_errors[key] = error
                    project = Project(key, os.path.dirname(key), [])
                known = project, [Watched(_absolute(run)) for run in project.runs.values()]
                self._projects[key] = known
            return known[1]

    def _read(self, path: str) -> Project:
        text = self.texts.get(path)
        if text is None:
            return projects.read(path)
        return of_source(Source(path, text), os.path.dirname(path))

    def evaluations(self, path: str) -> Iterator[Evaluation]:
        """The newest evaluations that made something, of runs that read a file; nothing is waited for."""
        for watched in self.runs_of(path):
            if watched.good is not None and watched.reads(path):
                yield watched.good

    def is_current(self, evaluation: Evaluation, path: str) -> bool:
        """Whether an evaluation saw a file as it is now, so that what it says of lines holds."""
        seen = evaluation.view.files.get(path)
        if path not in self.texts or seen is None:
            return True
        return seen == self._readable(path).encode("utf-8", "surrogateescape")

    # ---- evaluating

    def _begin(self, watched: Watched) -> None:
        with self._lock:
            watched.is_due = True
            if watched.stop is not None:
                watched.stop.ask()
                return
            watched.stop = Stop()
        self._pool.submit(self._work, watched).add_done_callback(_tell_fault)

    def _work(self, watched: Watched) -> None:
        try:
            while self._evaluate(watched):
                pass
        except BaseException:
            with self._lock:
                watched.stop = None
            raise
        self._changed()
        if watched.evaluation is not None:
            for path in watched.evaluation.view.files:  # who asks for all uses of a name need not wait for this
                self.file(path)

    def _evaluate(self, watched: Watched) -> bool:
        """Evaluate a run once; whether it is to be evaluated again, because something has changed meanwhile."""
        with self._lock:
            watched.is_due = False
            stop = watched.stop = Stop()
        evaluation = self._evaluated(watched.run, stop)
        if not is_stopped(evaluation, stop):
            watched.evaluation = evaluation
            self._changed()
            if evaluation.documents is not None:
                evaluation.index()
                watched.good = evaluation
        with self._lock:
            if not watched.is_due:
                watched.stop = None
            return watched.is_due

    def _evaluated(self, run: Run, stop: Stop) -> Evaluation:
        """A run evaluated; broken files that are not open are read as far as they can be, too."""
        texts = self.seen_by_runs()
        first = evaluation = evaluate(run, texts, stop, self._cache)
        for _ in range(_MOST_BROKEN):
            if evaluation.error is None or stop.is_asked:
                break
            at = evaluation.error.at
            path = path_of(None if at is None else at.source)
            file = None if path is None or path in texts else self.file(path)
            if file is None or not file.recovered.cut:
                break
            texts[file.path] = file.recovered.text.encode("utf-8", "surrogateescape")
            evaluation = evaluate(run, texts, stop, self._cache)
        evaluation.error = first.error
        return evaluation

    def is_busy(self) -> bool:
        """Whether something is being evaluated."""
        with self._lock:
            return any(watched.stop is not None for _, runs in self._projects.values() for watched in runs)

    def shut_down(self) -> None:
        """End all evaluations."""
        with self._lock:
            for _, runs in self._projects.values():
                for watched in runs:
                    watched.is_due = False
                    if watched.stop is not None:
                        watched.stop.ask()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _names(run: Run, setting: Setting, path: str) -> bool:
    """Whether a setting of a run names a file: by itself, as one of a directory, or by a pattern."""
    return any(path == one or path.startswith(one + os.sep) or fnmatch(path, one) for one in run.paths(setting))


def _tell_fault(work: Future[None]) -> None:
    """What went wrong in a thread is a fault of the server's: its log has it."""
    fault = None if work.cancelled() else work.exception()
    if fault is not None:
        logging.getLogger(__name__).error("an evaluation failed", exc_info=fault)


def _absolute(run: Run) -> Run:
    run.directory = os.path.abspath(run.directory or os.curdir)
    run.words = [os.path.abspath(word) if not word.startswith("-") else word for word in run.words]
    return run
