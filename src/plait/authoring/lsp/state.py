"""The state of the server: projects, open files, and the newest evaluation of each run.

Requests read it in the server's event loop. Runs are evaluated in threads, one evaluation at a time per run. A change
stops the current evaluation and starts the next one: at once without a trace, which reuses results and is fast, and
with a trace when the user pauses, or when a request needs it.
"""

from __future__ import annotations

import logging
import os
from threading import BoundedSemaphore, Condition, Lock, RLock, Thread

from plait.authoring.analysis.file_facts import File, FileSettings
from plait.authoring.analysis.file_settings import reading_in
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp.evaluation import Evaluation, EvaluationStop, evaluate, is_stopped
from plait.authoring.lsp.registry import Registry
from plait.authoring.project.variable_stores import VariableStores
from plait.base.content import regular_content
from plait.base.errors import PlaitError
from plait.base.input_view import current_permissions, permitted
from plait.base.limits import Limits, budget_scope
from plait.base.permissions import FILE_NAMES
from plait.base.trust import permissions_of
from plait.engine.incremental import Engine
from plait.yaml.libyaml import parser as fastest_parser
from plait.ytt.json_schema.schema_files import stamp_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plait.authoring.lsp.registry import TrackedRun
    from plait.authoring.project.run import Run


# Limits for reading one file.
_LIMITS = Limits(seconds=5)
# Maximum number of concurrent evaluations.
_AT_ONCE = 2
# Seconds without a change after which a run is traced; a little more than between two keys.
_PAUSE = 0.15
# Seconds to wait for the shared results, which another run uses.
_PATIENCE = 0.2
# Maximum number of closed invalid files that are recovered.
_MOST_BROKEN = 5
# Maximum number of closed files for which schema violations are published.
_MOST_FAULTY = 50


# The settings with which runs read the files that they name.
class ServerState:
    """The whole state. changed: called in the evaluating thread when an evaluation ends. find_faults: checks the
    documents of an evaluation. begin: starts an evaluation; replaced on systems without threads. pause: seconds before
    a changed run is traced; None to trace every evaluation, on systems without threads.
    """

    def __init__(
        self, changed: Callable[[], None], find_faults: Callable[[ServerState, Evaluation, EvaluationStop], None]
    ) -> None:
        fastest_parser()  # loaded before threads import its dependencies
        self._changed = changed
        self._find_faults = find_faults
        self.begin: Callable[[Callable[[], None]], None] = _begin_thread
        self.pause: float | None = _PAUSE
        self._lock = RLock()
        self._news = Condition(self._lock)  # of changes, requests, and ends of evaluations
        self._turns = BoundedSemaphore(_AT_ONCE)
        self._sharing = Lock()
        self._working = 0  # threads
        self._stamps: dict[str, object] = {}
        self._engine = Engine(reads_once=True)
        self.texts: dict[str, str] = {}
        # Each file has the text and the settings with which it was read.
        self._files: dict[str, tuple[tuple[str, FileSettings, frozenset[str]], File]] = {}
        self.registry = Registry(self.texts)

    def refreshed_engine(self) -> Engine:
        """The engine of all evaluations, which lists and reads files again when they are next needed."""
        self._engine.refresh()
        return self._engine

    # ---- files

    def open(self, path: str, text: str) -> None:
        """Handles an opened file, or a changed text in the editor."""
        try:
            text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # half of a character, which is no text
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self.texts[path] = text
        self.file(path)  # in one thread, before evaluations in other threads need it
        self.touch(path)

    def close(self, path: str) -> None:
        """Handles a closed file. From now on, its content is that on disk."""
        self.texts.pop(path, None)
        self._files.pop(path, None)
        self.touch(path)

    def touch(self, path: str, *, has_come_or_gone: bool = False) -> None:
        """Handles a changed file: runs that read it are evaluated again. has_come_or_gone: it was created or removed."""
        if has_come_or_gone or path not in self.texts:
            self._engine.refresh()
            self._files.pop(path, None)
        if os.path.basename(path) in FILE_NAMES:
            before = self.registry.all()
            self.registry.forget()
            for other in {path, *self.texts}:
                self._begin_new(other, path)
            left = {*self.registry.all()}
            self._end(watched for watched in before if watched not in left)
            return
        if has_come_or_gone:
            self.registry.forget_guesses()
        for watched in dict.fromkeys([*self.runs_of(path), *self.checked_by(path)]):
            if watched.reads(path):
                self._begin(watched)

    def _begin_new(self, path: str, project_file: str = "") -> None:
        """Evaluates the runs of a file that are new, or that a changed project file defines differently."""
        for watched in self.runs_of(path):
            if watched.evaluation is None or (project_file and watched.depends_on_text_of(project_file)):
                self._begin(watched)

    def file(self, path: str) -> File | None:
        """A file by absolute path, parsed as far as possible; None if it does not exist."""
        text = self.texts.get(path)
        if text is None:
            if not self.may_read(path):
                return None
            try:
                text = regular_content(path).decode("utf-8", "surrogateescape")
            except OSError:
                return None
        known = self._files.get(path)
        extensions = frozenset[str]().union(*(watched.run.extensions for watched in self.registry.all()))
        key = text, reading_in([watched.run for watched in self.runs_of(path)], path), extensions
        if known is None or known[0] != key:
            try:
                with budget_scope(_LIMITS):
                    known = key, File(path, *key)
            except PlaitError:  # the file is too large, or nested too deeply
                return None
            self._files[path] = known
        return known[1]

    def may_read(self, path: str) -> bool:
        """True for a path in the repository of an open file, or one that a project with an open file may read."""
        permissions = current_permissions()
        if permissions is not None:
            return permissions.may_read(path)
        return any(
            one.run.permissions is None or one.run.permissions.may_read(path) for one in self.registry.all()
        ) or any(permissions_of("", os.path.dirname(text)).may_read(path) for text in [*self.texts])

    def known(self, path: str) -> File | None:
        """A file as last read, without access to the disk; None if it was never requested."""
        known = self._files.get(path)
        return None if known is None else known[1]

    def cached(self, path: str) -> File | None:
        """A file as last read, or as it is now if it was never requested; None if it cannot be read."""
        return self.known(path) or self.file(path)

    def seen_by_runs(self) -> dict[str, bytes]:
        """The open texts for evaluations. For an invalid file only the readable part, so that runs can still be
        evaluated.
        """
        return {path: self._readable(path).encode("utf-8", "surrogateescape") for path in [*self.texts]}

    def _readable(self, path: str) -> str:
        file = self.file(path)
        return self.texts.get(path, "") if file is None or not file.recovered.cut else file.recovered.text

    # ---- projects and runs

    def runs_of(self, path: str) -> list[TrackedRun]:
        """Returns the runs of the project of a file, and the runs of other projects that name the file."""
        return self.registry.runs_of(path)

    def checked_by(self, path: str) -> list[TrackedRun]:
        """The runs whose documents are checked by the schemas in a file."""
        return [one for one in self.registry.all() if one.good is not None and one.good.kinds.reads(path)]

    def leave(self, directory: str) -> None:
        """Handles a directory that left the workspace: its files are no longer evaluated."""
        self._end(self.registry.forget_below(directory))
        for path in [*self.texts]:
            self._begin_new(path)

    def look(self) -> dict[str, bool]:
        """The files and directories that changed since runs read them, each with True if it was created or removed."""
        found: dict[str, bool] = {}
        for watched in self.registry.all():
            view = None if watched.evaluation is None else watched.evaluation.view
            schemas = () if watched.good is None else watched.good.kinds.paths()
            for path in (
                () if view is None else {*view.files, *view.directories, *schemas, watched.project_file} - {None}
            ):
                assert path is not None
                stamp = stamp_of(path)
                if self._stamps.get(path, ()) == stamp or path in self.texts:
                    continue
                is_known = path in self._stamps
                before, self._stamps[path] = self._stamps.get(path), stamp
                if is_known:
                    found[path] = (before is None) != (stamp is None)
                elif view is not None and path in view.files and content_of(path) != view.files[path]:
                    found[path] = (view.files[path] is None) != (stamp is None)
        return found

    def concerned(self) -> set[str]:
        """The files with an error of a run or a project file, open or closed."""
        found = set()
        for watched in self.registry.all():
            for finding in () if watched.evaluation is None else watched.evaluation.findings():
                found.add(path_of(None if finding.at is None else finding.at.source))
            if watched.good is not None:
                for error, _ in watched.good.kinds.problems():
                    found.add(path_of(None if error.at is None else error.at.source))
                faulty = dict.fromkeys(path for path, _, _ in watched.good.kinds.faults)
                found.update([*faulty][:_MOST_FAULTY])
        for error in self.registry.errors.values():
            found.add(path_of(None if error.at is None else error.at.source))
        return {path for path in found if path is not None}

    def evaluations(self, path: str) -> Iterator[Evaluation]:
        """The newest successful evaluations of runs that read a file. Does not wait."""
        for watched in self.runs_of(path):
            if watched.good is not None and watched.reads(path):
                yield watched.good

    def is_current(self, evaluation: Evaluation, path: str) -> bool:
        """True if an evaluation read a file's current text, so that its line numbers are valid."""
        seen = evaluation.view.files.get(path)
        if path not in self.texts or seen is None:
            return True
        return seen == self._readable(path).encode("utf-8", "surrogateescape")

    # ---- evaluating

    def _begin(self, watched: TrackedRun) -> None:
        with self._lock:
            watched.is_due = True
            watched.is_asked = watched.is_failing = False
            if watched.stop is not None:
                watched.stop.ask()
                self._news.notify_all()
                return
            watched.stop = EvaluationStop()
            self._working += 1
        self.begin(lambda: self._work(watched))

    def _end(self, runs: Iterable[TrackedRun]) -> None:
        """Ends runs that are no longer needed."""
        with self._lock:
            for watched in runs:
                watched.is_due = False
                if watched.stop is not None:
                    watched.stop.ask()
            self._news.notify_all()

    def _work(self, watched: TrackedRun) -> None:
        """Evaluates a run until its inputs no longer change, and reads its files. Runs in a separate thread."""
        try:
            with permitted(watched.run.permissions):
                while self._evaluate(watched):
                    pass
            self._changed()
            with permitted(watched.run.permissions):
                is_other = self._read_all(watched)
            if is_other:
                self._changed()  # code lenses refer to other files
        except BaseException:
            # An internal error is logged. The next change, including a pending one, starts an evaluation.
            logging.getLogger(__name__).exception("an evaluation failed")
            with self._lock:
                watched.stop = None
            if watched.is_due:
                self._begin(watched)
        finally:
            with self._lock:
                self._working -= 1
                self._news.notify_all()

    def _read_all(self, watched: TrackedRun) -> bool:
        """Reads the files of a run in advance, for requests about all uses of a name. Returns True if any has changed."""
        is_other = False
        for path, content in {} if watched.evaluation is None else watched.evaluation.view.files.items():
            before = self.known(path)
            if before is not None and before.source.text.encode("utf-8", "surrogateescape") == content:
                continue  # the evaluation has just read it
            is_other |= self.file(path) is not before
        return is_other

    def _evaluate(self, watched: TrackedRun) -> bool:
        """Evaluates a run once. Returns True if it must be evaluated again, because of another change."""
        with self._lock:
            watched.is_due = False
            stop = watched.stop = EvaluationStop()
        if watched.good is None or self.pause is None or self._is_steady(watched, self.pause, stop):
            with self._turns:
                self._trace(watched, stop)
        with self._lock:
            if not watched.is_due:
                watched.stop = None
                self._news.notify_all()
            return watched.is_due

    def _is_steady(self, watched: TrackedRun, pause: float, stop: EvaluationStop) -> bool:
        """Evaluates a run without a trace. Returns True if nothing changes before it must be traced."""
        is_alone = self._sharing.acquire(timeout=_PATIENCE)
        try:
            with self._turns:
                evaluation = self._evaluated(watched.run, stop, is_traced=False)
        finally:
            if is_alone:
                self._sharing.release()
        if is_stopped(evaluation, stop):
            return False
        watched.evaluation = evaluation
        with self._lock:
            watched.is_failing = evaluation.error is not None and not stop.is_asked
            self._news.notify_all()
        self._changed()
        with self._lock:
            self._news.wait_for(lambda: stop.is_asked or watched.is_asked, pause)
            return not stop.is_asked

    def _trace(self, watched: TrackedRun, stop: EvaluationStop) -> None:
        """Evaluates a run with a trace."""
        evaluation = self._evaluated(watched.run, stop)
        if is_stopped(evaluation, stop):
            return
        watched.evaluation = evaluation
        self._changed()
        if evaluation.documents is None and watched.good is None:
            evaluation = self._as_far_as_it_goes(evaluation, stop)
        if evaluation.documents is not None:
            evaluation.hide(self._stores())
            evaluation.index(stop)
            self._find_faults(self, evaluation, stop)
            if not stop.is_asked or watched.good is None:
                watched.good = evaluation

    def wait_for_trace(self, path: str, seconds: float) -> None:
        """Traces the runs that read a file at once, if a trace is due. Waits until they end."""
        runs = [one for one in self.runs_of(path) if one.reads(path)]
        with self._lock:
            for watched in runs:
                watched.is_asked = True
            self._news.notify_all()
            self._news.wait_for(lambda: all(one.stop is None or one.is_failing for one in runs), seconds)

    def _evaluated(self, run: Run, stop: EvaluationStop, *, is_traced: bool = True) -> Evaluation:
        """Evaluates a run. Invalid closed files are read as far as possible, too."""
        texts = self.seen_by_runs()
        first = evaluation = evaluate(run, texts, stop, self._engine, is_traced=is_traced)
        for _ in range(_MOST_BROKEN):
            if evaluation.error is None or stop.is_asked:
                break
            at = evaluation.error.at
            path = path_of(None if at is None else at.source)
            file = None if path is None or path in texts else self.file(path)
            if file is None or not file.recovered.cut:
                break
            texts[file.path] = file.recovered.text.encode("utf-8", "surrogateescape")
            evaluation = evaluate(run, texts, stop, self._engine, is_traced=is_traced)
        evaluation.error = first.error
        return evaluation

    def _as_far_as_it_goes(self, failed: Evaluation, stop: EvaluationStop) -> Evaluation:
        """A substitute for a run that never succeeded: its output without the editor's changes, or without invalid
        lines of data values.
        """
        evaluation = evaluate(failed.run, {}, stop, self._engine)
        texts = self.seen_by_runs()
        for _ in range(_MOST_BROKEN):
            at = next((one.at for one in evaluation.findings() if one.at is not None), None)
            path = path_of(None if at is None else at.source)
            if stop.is_asked or at is None or path is None or not failed.run.is_values_file(path):
                break
            file = self.file(path)
            lines = texts.get(path, b"" if file is None else file.source.text.encode()).split(b"\n")
            if not 0 < at.line <= len(lines):
                break
            lines[at.line - 1] = b""
            texts[path] = b"\n".join(lines)
            evaluation = evaluate(failed.run, texts, stop, self._engine)
        return evaluation

    def _stores(self) -> VariableStores:
        """The variables stores of all runs."""
        return VariableStores(watched.run for watched in self.registry.all())

    def is_busy(self) -> bool:
        """True if an evaluation is running."""
        with self._lock:
            return self._working > 0

    def shut_down(self) -> None:
        """Ends all evaluations."""
        self._end(self.registry.all())


def _begin_thread(work: Callable[[], None]) -> None:
    # The process does not wait for it at exit.
    Thread(target=work, name="evaluation", daemon=True).start()


def content_of(path: str) -> bytes | None:
    """The content of a file; None if it cannot be read."""
    try:
        return regular_content(path)
    except OSError:
        return None
