"""`plait fleet`: all runs of a project, including those of its matrices."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import contextmanager

from plait.authoring.project.run import relative_to_cwd
from plait.base.errors import UsageError, warning
from plait.base.limits import Limits, budget_scope, parse
from plait.base.process import stop_timer, unbound_memory
from plait.cli.common_flags import performed
from plait.cli.evaluation_messages import complain_of_messages
from plait.cli.fleet_answers import answer
from plait.cli.fleet_progress import EventReporter, for_people
from plait.cli.messages import complain_of_warning, is_text
from plait.cli.signals import interrupted_by_sigterm
from plait.cli.streams import complain, write_out
from plait.cli.tools import only_argument, size_of
from plait.engine.common import ALLOW_OUTPUT, GENERAL, LIMIT, TRUST
from plait.engine.flags import Command
from plait.engine.options import Heading, Request, switch, text, texts
from plait.fleet.api import fleet
from plait.fleet.dask import connect
from plait.fleet.progress import NullReporter
from plait.fleet.project_lookup import project_file
from plait.fleet.remote_files import is_url
from plait.fleet.summary import by_error, counts_line, faults_text, statistics_text, warnings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.fleet.api import FleetReport
    from plait.fleet.progress import FleetReporter

_SUBCOMMANDS = (
    ("why", "list the value of a path in each environment, with its line"),
    ("diff", "list the differences between environments"),
    ("impact", "list the environments and output paths that a line affects"),
)


class Fleet(Request):
    """The command line of `plait fleet`."""

    __slots__ = ()
    command = "fleet"
    summary = "Render all runs of the project, one per environment of a matrix, each to its own directory or file."
    usage = "[FILE]"
    commands = _SUBCOMMANDS
    is_long_running = True
    takes_words = True
    _1 = Heading("Selection")
    only = texts(
        "only",
        "select a run, the environments of a matrix, or all names that match a pattern",
        value="NAME",
    )
    _2 = Heading("Workers")
    jobs = text("jobs", "number of worker processes on this machine (default: one per processor)", short="j", value="N")
    dask = text("dask", "render on the Dask cluster with this scheduler, such as tcp://host:8786", value="ADDRESS")
    _3 = Heading("Results")
    output = text(
        "output", "directory or URL for the results (default: out, next to the project file)", value="DIR|URL"
    )
    fail_fast = switch("fail-fast", "stop after the first failed run")
    resume = switch(
        "resume", "resume an interrupted fleet; also reuse finished results of runs that use secrets or URLs"
    )
    _4 = Heading("Cache")
    no_cache = switch("no-cache", "render every run and cache no results")
    no_reuse = switch("no-reuse", "evaluate every run from scratch; the results are the same")
    cache = text(
        "cache", "cache results in this directory or URL, which fleets and machines may share", value="DIR|URL"
    )
    cache_shared = switch(
        "cache-shared",
        "also accept entries that other users and machines wrote; they can then change your results",
    )
    cache_size = text("cache-size", "maximum size of the cache directory in bytes", value="BYTES", default=("1G",))
    cache_secrets = switch("cache-secrets", "also cache results of runs that use secrets")
    _5 = Heading(GENERAL)
    events = text(
        "events",
        "print progress events to standard output, one JSON object per line",
        value="FORMAT",
        choices=("json",),
    )
    statistics = switch("statistics", "also print the numbers of reused and new objects")
    quiet = Request.quiet
    trust = TRUST
    limit = LIMIT
    output_links = ALLOW_OUTPUT


FLEET = Command(Fleet)


def main(argv: Sequence[str]) -> int:
    """Runs `plait fleet`. Returns the exit status: 1 if a run failed. Raises PlaitError."""
    if argv and argv[0] in dict(_SUBCOMMANDS):
        with _many_runs():
            return answer(argv[0], argv[1:])
    return performed(FLEET, _fleet, argv)


def _fleet(flags: Fleet) -> int:
    project = only_argument(FLEET, flags, "project file", "")
    with _many_runs(), interrupted_by_sigterm():
        report = _made(flags, project_file(project, dict(_SUBCOMMANDS)))
    if not flags.has(Fleet.events):
        _tell(report, flags)
    if flags.statistics:
        # Standard output is used for events.
        (complain if flags.has(Fleet.events) else write_out)(statistics_text(report.statistics))
    return 0 if report.is_whole else 1


@contextmanager
def _many_runs() -> Iterator[None]:
    """Disables the limits and the garbage collection settings of a single run, because a fleet consists of many runs."""
    stop_timer()
    unbound_memory()
    was_enabled, threshold = gc.isenabled(), gc.get_threshold()
    gc.enable()
    # Ten thousand environments contain no garbage, so collecting would waste time.
    gc.set_threshold(100_000, 20, 50)
    try:
        with budget_scope(Limits()):
            yield
    finally:
        gc.set_threshold(*threshold)
        if not was_enabled:
            gc.disable()


def _made(flags: Fleet, project: str) -> FleetReport:
    watcher = _watcher(flags)
    executor = None
    if flags.has(Fleet.dask):
        executor = connect(flags.dask)
    try:
        return fleet(
            project,
            output=flags.output or None,
            names=flags.only,
            processes=_number(flags.jobs) if flags.has(Fleet.jobs) else 0,
            executor=executor,
            cache=False if flags.no_cache else flags.cache or True,
            cache_shared=flags.cache_shared,
            cache_secrets=flags.cache_secrets,
            cache_size=size_of(flags, Fleet.cache_size),
            reuse=not flags.no_reuse,
            afresh=flags.no_cache and not flags.resume,
            resume=flags.resume,
            fail_fast=flags.fail_fast,
            limits=parse(flags.limit).given,
            own_process=True,
            watcher=watcher,
        )
    finally:
        if executor is not None:
            executor.close()  # type: ignore[attr-defined]


def _watcher(flags: Fleet) -> FleetReporter:
    if flags.has(Fleet.events):
        if flags.events != "json":
            raise UsageError(f'unknown form "{flags.events}"', expected="json", code="unknown-choice")
        return EventReporter()
    return NullReporter() if flags.quiet else for_people(verbose=flags.verbose or flags.debug)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not 0 < int(text) <= 1024:
        raise UsageError(
            f'invalid --jobs "{text}"',
            expected="a number of processes from 1 to 1024, such as --jobs 4",
            code="invalid-value",
        )
    return int(text)


def _tell(report: FleetReport, flags: Fleet) -> None:
    if is_text():
        complain(faults_text(report.failed))
    else:
        for group in by_error(report.failed):
            names = ", ".join(one.name for one in group)
            complain_of_messages(group[0].messages, group[0].error, f"in the runs {names}")
    if flags.quiet:
        return
    for warned in warnings_of(report.warned):
        complain_of_warning(warned)
    place = report.output if is_url(report.output) else relative_to_cwd(report.output) or os.curdir
    if report.left_over:
        shown = ", ".join(os.path.join(place, one) for one in report.left_over[:3])
        more = f" and {len(report.left_over) - 3} more" if len(report.left_over) > 3 else ""
        complain_of_warning(warning(f"no run writes these files now: {shown}{more}", code="left-over-files"))
    sys.stderr.flush()
    write_out(counts_line(report.counts, report.seconds, place))
