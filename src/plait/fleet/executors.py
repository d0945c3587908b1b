"""Renders the runs that are not up to date: in this process, in local processes, or by an executor."""

from __future__ import annotations

import os
from concurrent.futures import Executor

from plait.engine.pipeline import file_source
from plait.fleet.bundle import variables_of
from plait.fleet.cached_results import CachedResult, Results
from plait.fleet.dask import pool_of
from plait.fleet.fleet_worker import FleetWorker, WorkerSetup
from plait.fleet.pools import ExecutorPool, InlinePool, Processes
from plait.fleet.read_sets import joined
from plait.fleet.run_result import RENDERED
from plait.fleet.scheduler import Scheduler, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.authoring.project.file import Project
    from plait.fleet.destinations import Destination
    from plait.fleet.fleet_worker import WorkerOptions
    from plait.fleet.plan import Task
    from plait.fleet.read_sets import ReadSet
    from plait.fleet.run_result import RunResult

# Minimum number of runs for which processes are started.
_MANY = 24


class ExecutorFactory:
    """Evaluates runs. processes, executor, own_process: as for `plait.fleet.fleet`. common: settings of all pools."""

    def __init__(self, processes: int, executor: object, common: WorkerOptions, *, own_process: bool) -> None:
        self._processes = processes
        self._executor = executor
        self._common = common
        self._own_process = own_process

    def make(
        self,
        project: Project,
        tasks: Sequence[Task],
        place: Destination,
        *,
        report: Callable[[Task, RunResult], None],
        tick: Callable[[], None],
        fail_fast: bool,
    ) -> None:
        """Renders runs. report, tick, fail_fast: as in `Scheduler`. Raises PlaitError, UsageError for an invalid
        executor.
        """
        keep = None
        if self._common["results"] and self._is_far:
            # Workers do not access the cache, so it is read and written here.
            shop = FleetWorker(
                WorkerSetup(_source(project), project.directory, "", **self._common, permissions=project.permissions)
            )
            stored = [(task, shop.stored(task)) for task in tasks]
            shop.whole(outcome for _, outcome in stored if outcome is not None)
            tasks = [task for task, outcome in stored if outcome is None]
            for task, outcome in stored:
                if outcome is not None:
                    report(task, put(place, task, outcome))
            keep = _Keeper(Results(self._common["results"], is_shared=self._common["shares_results"]))
        if tasks:
            pool = self._pool(project, tasks, place)
            Scheduler(pool, place, fail_fast=fail_fast, report=report, tick=tick, keep=keep).make(tasks)

    @property
    def _is_far(self) -> bool:
        return self._executor is not None and not isinstance(self._executor, Executor)

    def _pool(self, project: Project, tasks: Sequence[Task], place: Destination) -> ExecutorPool:
        """The pool that evaluates the runs."""
        source, common = _source(project), self._common
        if self._executor is None:
            count = self._processes
            if count == 0:
                count = (os.cpu_count() or 1) if len(tasks) >= _MANY else 1
            if count > 1:
                setup = WorkerSetup(
                    source,
                    project.directory,
                    place.for_workers,
                    **common,
                    permissions=project.permissions,
                    owns_process=True,
                )
                return Processes(count, setup)
            # Only the process that distributes the work can write to a destination in memory.
            setup = WorkerSetup(
                source, project.directory, place.for_workers, **common, permissions=project.permissions,
                owns_process=self._own_process,
            )  # fmt: skip
            return InlinePool(setup, own_process=self._own_process)

        if isinstance(self._executor, Executor):
            # Its processes may have started in another directory.
            top = os.path.abspath(project.directory or os.curdir)
            named = os.path.abspath(source[0]), source[1]
            setup = WorkerSetup(
                named, top, place.for_workers, **common, environment=variables_of(project, tasks),
                permissions=project.permissions,
            )  # fmt: skip
            return ExecutorPool(getattr(self._executor, "_max_workers", 1), setup, self._executor)

        return pool_of(self._executor, source, project, tasks, place, common)


class _Keeper:
    """Caches results sent by workers, except those with secrets."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._parts: dict[str, ReadSet] = {}

    def __call__(self, task: Task, outcome: RunResult) -> None:
        self._parts.update(outcome.news)
        if outcome.status != RENDERED or outcome.is_secret or outcome.contents is None or outcome.reads is None:
            return
        reads = joined([*(self._parts[name] for name in outcome.parts), outcome.reads])
        self._results.keep(
            task.definition, CachedResult(outcome.contents, reads, outcome.warnings, is_secret=False), outcome.version
        )


def _source(project: Project) -> tuple[str, str]:
    source = file_source(project.path)
    return source.name, source.text
