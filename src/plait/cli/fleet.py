"""`plait fleet`: all runs of a project, and those of its matrices."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from plait.cli.endings import interrupted_by_sigterm
from plait.cli.shared import only_argument, size_of
from plait.cli.streams import complain, write_out
from plait.engine.common import ALLOW_OUTPUT, GENERAL, LIMIT, TRUST
from plait.engine.flags import Command
from plait.engine.options import SWITCH, TEXT, TEXTS, Option
from plait.errors import UsageError
from plait.fleet.finding import project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.engine.options import Request
    from plait.fleet.api import Report
    from plait.fleet.progress import Watcher

_SUBCOMMANDS = (
    ("why", "which value each environment has, and the line that decided"),
    ("diff", "where environments differ"),
    ("impact", "which environments and paths a line reaches"),
)

FLEET = Command(
    "plait fleet",
    "Make all runs of the project file, and those that its matrices stand for, each in a place of its own.",
    (
        "Which runs",
        Option(
            "only",
            TEXTS,
            "this run, the runs of this matrix, or those that a pattern means, and no others",
            value="NAME",
        ),
        "Where they are made",
        Option("jobs", TEXT, "processes of this machine; by default one for each processor", short="j", value="N"),
        Option("dask", TEXT, "the scheduler of a Dask cluster, such as tcp://host:8786", value="ADDRESS"),
        "Results",
        Option(
            "output",
            TEXT,
            "where the results go, a directory or a URL; by default out beside the project file",
            value="PLACE",
        ),
        Option("fail-fast", SWITCH, "stop at the first run that fails"),
        Option(
            "resume", SWITCH, "go on with a fleet that was stopped; also keep results that depend on more than files"
        ),
        "What earlier fleets made",
        Option("no-cache", SWITCH, "make every run, and keep nothing"),
        Option(
            "cache",
            TEXT,
            "keep what runs make in this directory, or below this URL, which others may share",
            value="PLACE",
        ),
        Option(
            "cache-shared",
            SWITCH,
            "also take from this directory what other users and machines put there: they decide what runs make",
        ),
        Option("cache-size", TEXT, "bytes that the directory may have", value="BYTES", default=("1G",)),
        Option("cache-secrets", SWITCH, "also keep what runs with secrets make"),
        GENERAL,
        Option("events", TEXT, "tell programs on standard output how it goes on", value="FORM", choices=("json",)),
        Option("quiet", SWITCH, "tell nothing but errors"),
        TRUST,
        LIMIT,
        ALLOW_OUTPUT,
    ),
    arguments="[FILE]",
    commands=_SUBCOMMANDS,
    is_long_running=True,
)


def main(argv: Sequence[str]) -> int:
    """Run `plait fleet`; the exit status, 1 when a run has failed. Raises PlaitError."""
    if argv and argv[0] in dict(_SUBCOMMANDS):
        from plait.cli.fleet_answers import answer

        with _many_runs():
            return answer(argv[0], argv[1:])
    flags = FLEET.parse(argv)
    if flags.on("help"):
        write_out(FLEET.help_text())
        return 0
    project = only_argument(FLEET, flags, "project file", "")
    with _many_runs(), interrupted_by_sigterm():
        report = _made(flags, project_file(project))
    if not flags.given("events"):
        _tell(report, flags)
    return 0 if report.is_whole else 1


@contextmanager
def _many_runs() -> Iterator[None]:
    """One fleet is many runs: what bounds one, and lets one live without a collector, is not for all of them together."""
    import gc

    from plait.limits import Limits, limited
    from plait.process import stop_timer, unbound_memory

    stop_timer()
    unbound_memory()
    was_enabled, threshold = gc.isenabled(), gc.get_threshold()
    gc.enable()
    # Ten thousand environments are no garbage, however often they are looked through.
    gc.set_threshold(100_000, 20, 50)
    try:
        with limited(Limits()):
            yield
    finally:
        gc.set_threshold(*threshold)
        if not was_enabled:
            gc.disable()


def _made(flags: Request, project: str) -> Report:
    from plait.fleet.api import fleet
    from plait.limits import parse

    watcher = _watcher(flags)
    executor = None
    if flags.given("dask"):
        from plait.fleet.dask import connect

        executor = connect(flags.text("dask"))
    try:
        return fleet(
            project,
            output=flags.text("output") or None,
            names=flags.texts("only"),
            processes=_number(flags, "jobs") if flags.given("jobs") else 0,
            executor=executor,
            cache=False if flags.on("no-cache") else flags.text("cache") or True,
            cache_shared=flags.on("cache-shared"),
            cache_secrets=flags.on("cache-secrets"),
            cache_size=size_of(flags, "cache-size"),
            afresh=flags.on("no-cache") and not flags.on("resume"),
            resume=flags.on("resume"),
            fail_fast=flags.on("fail-fast"),
            limits=parse(flags.texts(LIMIT.name)).given,
            own_process=True,
            watcher=watcher,
        )
    finally:
        if executor is not None:
            executor.close()  # type: ignore[attr-defined]


def _watcher(flags: Request) -> Watcher:
    from plait.cli.fleet_progress import Events, for_people
    from plait.fleet.progress import Silent

    if flags.given("events"):
        if flags.text("events") != "json":
            raise UsageError(f'unknown form "{flags.text("events")}"', expected="json")
        return Events()
    return Silent() if flags.on("quiet") else for_people()


def _number(flags: Request, name: str) -> int:
    text = flags.text(name)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 1024:
        raise UsageError(f'invalid --{name} "{text}"', expected="a number of processes, 1 or more")
    return int(text)


def _tell(report: Report, flags: Request) -> None:
    from plait.fleet.remote import is_url
    from plait.fleet.summary import counts_line, faults_text, warnings_text
    from plait.project.run import from_here

    complain(faults_text(report.failed))
    if flags.on("quiet"):
        return
    complain(warnings_text(report.warned))
    place = report.output if is_url(report.output) else from_here(report.output) or os.curdir
    if report.left_over:
        shown = ", ".join(os.path.join(place, one) for one in report.left_over[:3])
        more = f" and {len(report.left_over) - 3} more" if len(report.left_over) > 3 else ""
        complain(f"plait: warning: no run writes these any more: {shown}{more}\n")
    sys.stderr.flush()
    write_out(counts_line(report.counts, report.seconds, place))
