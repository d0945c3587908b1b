"""`plait.fleet.fleet`: renders all runs of a project."""

from __future__ import annotations

import os
from time import monotonic

from plait.authoring.project.file import read
from plait.base.errors import PlaitError
from plait.base.limits import Limits
from plait.fleet.cached_results import MOST_BYTES, Results, default_directory
from plait.fleet.destinations import place_of
from plait.fleet.executors import ExecutorFactory
from plait.fleet.manifest import Manifest
from plait.fleet.plan import tasks_of
from plait.fleet.progress import NullReporter
from plait.fleet.read_sets import DiskState
from plait.fleet.remote_files import local_path
from plait.fleet.run_result import FAILED, SKIPPED
from plait.fleet.summary import faults_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.authoring.project.file import Project
    from plait.fleet.destinations import Destination
    from plait.fleet.fleet_worker import WorkerOptions
    from plait.fleet.plan import Task
    from plait.fleet.progress import FleetReporter
    from plait.fleet.run_result import RunResult


class FleetReport:
    """The result of a fleet.

    output: the directory of the results. counts: the number of runs by status. failed: the outcomes of failed runs, in
    the order of the project file. warned: the outcomes with warnings. left_over: obsolete destinations of earlier
    fleets. seconds: duration. statistics: numbers of reused and of new objects, by type.
    """

    def __init__(
        self,
        output: str,
        outcomes: Sequence[RunResult],
        left_over: Sequence[str],
        seconds: float,
    ) -> None:
        self.output = output
        self.counts: dict[str, int] = {}
        for outcome in outcomes:
            self.counts[outcome.status] = self.counts.get(outcome.status, 0) + 1
        self.failed = [outcome for outcome in outcomes if outcome.has_failed]
        self.warned = [outcome for outcome in outcomes if outcome.warnings]
        self.left_over = left_over
        self.seconds = seconds
        self.statistics: dict[str, tuple[int, int]] = {}
        for outcome in outcomes:
            for name, (reused, new) in outcome.statistics.items():
                before = self.statistics.get(name, (0, 0))
                self.statistics[name] = before[0] + reused, before[1] + new

    def __repr__(self) -> str:
        return f"<Report: {', '.join(f'{count} {status}' for status, count in self.counts.items())}>"

    @property
    def is_whole(self) -> bool:
        """True if every run has its results."""
        return not self.counts.get(FAILED) and not self.counts.get(SKIPPED)

    def check(self) -> FleetReport:
        """Returns the report. Raises a PlaitError that lists each distinct error once if a run failed."""
        if self.failed:
            raise PlaitError(faults_text(self.failed, "").rstrip(), code="fleet-failed")
        return self


def fleet(
    project: str | os.PathLike[str] = ".",
    *,
    output: str | os.PathLike[str] | None = None,
    names: Sequence[str] = (),
    processes: int = 1,
    executor: object = None,
    cache: bool | str | os.PathLike[str] = False,
    cache_shared: bool = False,
    cache_secrets: bool = False,
    cache_size: int = MOST_BYTES,
    reuse: bool = True,
    afresh: bool = False,
    resume: bool = False,
    fail_fast: bool = False,
    limits: Mapping[str, float] | None = None,
    trust: bool = False,
    own_process: bool = False,
    watcher: FleetReporter | None = None,
) -> FleetReport:
    """Renders all runs of a project, including those of its matrices, as `plait fleet` does. Failures of runs are in
    the report.

    project: project file or its directory. output: the destination of the results, a directory or a URL; by default
    `out` next to the project file. names: the names of runs and matrices; by default all. processes: the number of
    local processes; 1 means only this process, 0 the number of processors if the fleet is large enough. executor:
    replaces local processes: a `concurrent.futures.Executor`, or a `dask.distributed.Client`, whose workers receive the
    inputs and send back the results. cache: a directory or URL for cached results, or True for the user's cache
    directory; results of earlier fleets of this user are reused. cache_shared: also reuse results written by others,
    who can thereby change the output; always set for a URL. cache_secrets: also cache results of runs with secrets.
    cache_size: maximum size at the end, in bytes. reuse: False to evaluate every run from scratch; the results are the
    same. afresh: render all runs, even if up to date. resume: continue an interrupted fleet, and also reuse finished
    results that depend on more than files. fail_fast: stop at the first failure. limits: the limits of each run, as for
    `plait.render`. trust: grant the permissions that the project file needs outside its repository, as `--trust` does.
    own_process: this process does nothing else, so that the system can enforce the limits. watcher: receives progress.

    Raises PlaitError for an invalid project, and if the output cannot be written.

    >>> from plait.fleet import fleet
    >>> fleet("plait.yml", processes=4).check()  # doctest: +SKIP
    <Report: 1200 rendered>
    """
    start = monotonic()
    Limits(**(limits or {}))  # reports invalid limits now
    read_project = read(os.fspath(project), trust=trust)
    watcher = NullReporter() if watcher is None else watcher
    every = tasks_of(read_project)
    tasks = tasks_of(read_project, names) if names else every
    top = os.path.abspath(read_project.directory or os.curdir)
    place = _default_place(read_project, top) if output is None else place_of(os.fspath(output))
    stored = _directory_of(cache)
    kept: WorkerOptions = {
        "results": stored, "shares_results": cache_shared, "keeps_secrets": cache_secrets, "limits": limits,
        "reuses": reuse,
    }  # fmt: skip
    makers = ExecutorFactory(processes, executor, kept, own_process=own_process)
    outcomes: dict[str, RunResult] = {}
    manifest = Manifest(place, os.path.basename(read_project.path))

    def told(task: Task, outcome: RunResult) -> None:
        if outcome.status != SKIPPED:
            manifest.enter(task, outcome)
        outcome.parts, outcome.news, outcome.reads, outcome.files = (), {}, None, {}
        outcomes[task.name] = outcome
        watcher.outcome(outcome)

    try:
        if not afresh:
            outcomes.update(_kept(manifest, tasks, read_project, resumed=resume))
        rest = [task for task in tasks if task.name not in outcomes]
        watcher.begin(len(tasks), len(outcomes))
        if rest:
            makers.make(read_project, rest, place, report=told, tick=watcher.tick, fail_fast=fail_fast)
        manifest.finish(every)
        left_over = manifest.left_over(every)
    finally:
        manifest.close()
    if stored and rest:
        Results(stored).bound(cache_size, len(rest))
    report = FleetReport(place.name, [outcomes[task.name] for task in tasks], left_over, monotonic() - start)
    watcher.end(report.counts, report.seconds)
    return report


def _default_place(project: Project, top: str) -> Destination:
    """The destination `out` in the directory of a project. Raises PermissionDeniedError."""
    name = os.path.join(top, "out")
    if project.permissions is not None:
        project.permissions.check_write(name)
    return place_of(name, top=top)


def _kept(manifest: Manifest, tasks: Sequence[Task], project: Project, *, resumed: bool) -> dict[str, RunResult]:
    """The outcomes of runs that are up to date, by name."""
    disk = DiskState(project.directory or os.curdir, permissions=project.permissions)
    found = {}
    for task in tasks:
        outcome = manifest.kept(task, disk, resumed=resumed)
        # The files of a run are compared, but a run with secrets may depend on other accesses.
        if outcome is not None and (not outcome.is_secret or task.run(project).is_permitted()):
            found[task.name] = outcome
    return found


def _directory_of(cache: bool | str | os.PathLike[str]) -> str:
    if isinstance(cache, bool):
        return default_directory(os.environ) if cache else ""
    name = os.fspath(cache)
    local = local_path(name)
    return name if local is None else os.path.abspath(local)
