"""A worker process of a fleet. It reads the project once, compiles each template once, and renders one run after the
other.
"""

from __future__ import annotations

import os
from threading import local
from time import perf_counter

from plait.api.worker import data_size
from plait.authoring.project.file import of_source
from plait.authoring.project.settings import is_path_setting
from plait.base.code_cache import user_cache
from plait.base.equal_errors import key_of
from plait.base.errors import LimitError, PlaitError, text_of
from plait.base.excerpts import renamed
from plait.base.input_view import InputView, may_read, permitted
from plait.base.limits import Limits, RunBudget, budget_scope
from plait.base.memory_cache import MemoryCache
from plait.base.process import keeper, stop_timer, unbound_memory, with_stack_headroom, within_memory
from plait.base.source import Source
from plait.engine.incremental import Engine
from plait.fleet.bundle import Unpacked
from plait.fleet.cached_results import CachedResult, Results
from plait.fleet.destinations import digests, place_for_worker, with_times
from plait.fleet.identity import version
from plait.fleet.output_contents import contents_of
from plait.fleet.read_sets import DiskState, Parts, by_directory
from plait.fleet.run_result import CACHED, FAILED, RENDERED, RunResult
from plait.fleet.secret_runs import accesses_of, can_be_known, is_secret
from plait.insight.diagnostic_formats import messages_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypedDict

    from plait.authoring.project.run import Run
    from plait.base.code_cache import CodeCache
    from plait.base.permissions import Permissions
    from plait.engine.results import Documents
    from plait.fleet.plan import Task

    class WorkerOptions(TypedDict):
        """Settings of all pools, in the form that `WorkerSetup` accepts."""

        results: str
        shares_results: bool
        keeps_secrets: bool
        limits: Mapping[str, float] | None
        reuses: bool


class WorkerSetup:
    """Settings of all runs of a fleet, sent to every worker process.

    source: name and text of the project file. environment: the variables that runs may read, in place of the worker's
    own. directory: the base of its paths. output: the destination of results, an absolute path or a URL; "" to send
    them back. results: the location of the cache, or "". shares_results: others write to the cache, too, and are
    trusted. keeps_secrets: runs with secrets are cached too. reuses: runs of one process share inputs. limits: the
    limits of each run. bundle: the inputs by absolute path, for workers without access to them. permissions: the
    permissions of the project. owns_process: the worker does nothing else. start: the working directory, the base of
    paths in messages.
    """

    __slots__ = (
        "bundle", "directory", "environment", "keeps_secrets", "limits", "output", "owns_process", "permissions", "results",
        "reuses", "shares_results", "source", "start", "token",
    )  # fmt: skip

    def __init__(
        self,
        source: tuple[str, str],
        directory: str,
        output: str,
        *,
        results: str = "",
        shares_results: bool = False,
        keeps_secrets: bool = False,
        reuses: bool = True,
        limits: Mapping[str, float] | None = None,
        bundle: Mapping[str, bytes] | None = None,
        environment: Mapping[str, str] | None = None,
        permissions: Permissions | None = None,
        owns_process: bool = False,
    ) -> None:
        self.source = source
        self.directory = directory
        self.output = output
        self.results = results
        self.shares_results = shares_results
        self.keeps_secrets = keeps_secrets
        self.reuses = reuses
        self.limits = {} if limits is None else dict(limits)
        self.bundle = bundle
        self.environment = environment
        self.permissions = permissions
        self.owns_process = owns_process
        self.start = os.getcwd()
        # A process reuses its state for runs of the same fleet; the next fleet starts with a new state.
        self.token = os.urandom(16).hex()


class FleetWorker:
    """Evaluates runs, and caches data for later ones."""

    def __init__(self, setup: WorkerSetup, rename: Callable[[str], str] | None = None) -> None:
        """rename: replaces paths in messages that their readers do not know. Raises PlaitError."""
        self._setup = setup
        self._place = None
        self._rename = rename
        directory = setup.directory
        if setup.owns_process:
            os.chdir(setup.start)
        if setup.bundle is not None:
            self._place = Unpacked(setup.bundle)
            directory = self._place.directory
            self._rename = self._place.hidden
        name, text = setup.source
        if setup.bundle is not None:
            name = os.path.join(directory, os.path.basename(name))
        permissions = setup.permissions
        if permissions is not None and self._place is not None:
            permissions = permissions.moved(self._place.top, directory)
        self._project = of_source(Source(name, text), directory, permissions)
        self._disk = DiskState(directory or os.curdir, setup.environment, permissions)
        self._parts = Parts()
        self._engine = Engine(reads_once=True, reuses=setup.reuses, cache=lambda: _code_cache(directory or os.curdir))
        self._output = place_for_worker(setup.output) if setup.output else None
        self._results: Results | None = None
        if setup.results:
            self._results = Results(setup.results, is_shared=setup.shares_results)

    def perform_all(self, tasks: Sequence[Task]) -> list[RunResult]:
        """Renders some runs."""
        return self.whole(map(self.perform, tasks))

    def whole(self, outcomes: Iterable[RunResult]) -> list[RunResult]:
        """The results, each part complete in the first result that refers to it, because other results may be lost or
        arrive later.
        """
        told: set[str] = set()
        found = list(outcomes)
        for one in found:
            one.news = self._parts.of(name for name in one.parts if name not in told)
            told.update(one.parts)
        return found

    def perform(self, task: Task) -> RunResult:
        """Renders one run. A failure is recorded in the result."""
        start = perf_counter()
        home = "" if self._place is None else self._place.directory
        try:
            outcome = self.stored(task) or self._made(task)
            if self._output is not None:
                assert outcome.contents is not None
                outcome.files = with_times(outcome.files, self._output.put(task, outcome.contents))
                outcome.contents = None
        except PlaitError as error:
            outcome = _failed(task, error, home, self._rename)
        except RecursionError:
            outcome = _failed(task, LimitError("the data are nested too deeply", code="too-deep"), home, None)
        except Exception as error:  # noqa: BLE001 - one run must not end the others; it is reported as an internal error
            text = f"internal error: {type(error).__name__}: {error}; this is a bug in plait"
            outcome = RunResult(task.name, FAILED, error=text if self._rename is None else self._rename(text))
        outcome.seconds = perf_counter() - start
        outcome.version = version()
        outcome.statistics = self._engine.statistics()
        return outcome

    def stored(self, task: Task) -> RunResult | None:
        """The cached result of a task, or None."""
        if self._results is None:
            return None
        found = self._results.find(task.definition, self._disk)
        if found is None or (found.is_secret and not self._setup.keeps_secrets):
            return None
        run = task.run(self._project)
        if found.is_secret and not run.is_permitted():
            return None
        return self._outcome(task, CACHED, found, run, is_known=True)

    def _made(self, task: Task) -> RunResult:
        run = task.run(self._project)
        view = InputView(is_read_only=False, environment=self._setup.environment)
        documents = _within_limits(self._setup, lambda: run.evaluate(view=view, engine=self._engine))
        contents, warnings = contents_of(task, documents)
        if self._rename is not None:
            warnings = [renamed(one, self._rename) for one in warnings]
        made = CachedResult(contents, self._disk.of_view(view), warnings, is_secret=is_secret(view))
        if self._results is not None and can_be_known(view) and (not made.is_secret or self._setup.keeps_secrets):
            self._results.keep(task.definition, made)
        outcome = self._outcome(task, RENDERED, made, run, is_known=can_be_known(view))
        outcome.accesses = accesses_of(view)
        return outcome

    def _outcome(self, task: Task, status: str, made: CachedResult, run: Run, *, is_known: bool) -> RunResult:
        hides = made.is_secret or not is_known
        tops = [] if hides else [self._disk.relative(path) for path in _directories(run)]
        found, rest = by_directory(self._disk.stamped(made.reads) if hides else made.reads, tops)
        parts = self._parts.named(found)
        if self._place is None and not hides:
            rest = self._disk.with_stamps(rest)
        files = digests(made.contents, is_secret=hides)
        return RunResult(
            task.name, status, parts=parts, reads=rest, files=files, contents=made.contents, is_secret=hides,
            warnings=made.warnings,
        )  # fmt: skip


def _code_cache(directory: str) -> CodeCache:
    """The cache of compiled code for a project in this directory."""
    return user_cache(os.environ, [os.path.abspath(directory)], MemoryCache) or MemoryCache()


def _within_limits(setup: WorkerSetup, work: Callable[[], Documents]) -> Documents:
    """Evaluates a run within the limits of one run. Raises PlaitError."""
    limits = Limits(**setup.limits)
    if not setup.owns_process:
        with budget_scope(limits):
            return with_stack_headroom(work, first=False)

    with budget_scope(RunBudget(limits, keeper(data_size() + _ROOM))):
        try:
            return within_memory(lambda: with_stack_headroom(work, first=True))
        finally:
            stop_timer()
            unbound_memory()


# Memory in bytes reserved for detecting the limit, and for imports on first use.
_ROOM = 24 << 20


def _directories(run: Run) -> list[str]:
    """The absolute paths of the directories among the settings of a run."""
    found = [path for one in run.settings if is_path_setting(run.command, one.name) for path in run.paths(one)]
    with permitted(run.permissions):
        return [path for path in found if may_read(path) and os.path.isdir(path)]


def _failed(task: Task, error: PlaitError, home: str, rename: Callable[[str], str] | None) -> RunResult:
    # Values of one or two characters also occur inside words.
    axes = {choice.text: axis for axis, choice in task.choices.items() if len(choice.text) > 2}
    messages = messages_of(error)
    return RunResult(
        task.name,
        FAILED,
        error=text_of(error, rename),
        messages=messages if rename is None else [one.renamed(rename) for one in messages],
        same=key_of(error, home=home),
        fault=key_of(error, axes, home=home),
    )


class _Own(local):
    """The state of one thread."""

    shop: FleetWorker | None = None
    token = ""


_OWN = _Own()


def perform(setup: WorkerSetup, tasks: Sequence[Task]) -> list[RunResult]:
    """Renders runs in this thread, which caches files and compiled code. Raises PlaitError."""
    if _OWN.shop is None or _OWN.token != setup.token:
        _OWN.shop, _OWN.token = FleetWorker(setup), setup.token
    return _OWN.shop.perform_all(tasks)
