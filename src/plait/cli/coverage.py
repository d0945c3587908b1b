"""`plait coverage`: what the runs of a project use of its files."""

from __future__ import annotations

import os

from plait.cli.project import PROJECT_FLAG
from plait.cli.shared import jobs_of
from plait.cli.streams import complain, write_out
from plait.engine.common import ALLOW_OUTPUT, JOBS, TRUST
from plait.engine.flags import Command
from plait.engine.options import SWITCH, TEXT, TEXTS, Option
from plait.errors import UsageError
from plait.project.choosing import choose
from plait.project.guessing import project_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.coverage.data import Coverage
    from plait.engine.options import Request
    from plait.project.file import Project


COVERAGE = Command(
    "plait coverage",
    "Count which lines, branches, overlays, operations and layering actions the runs of the project use.",
    (
        PROJECT_FLAG,
        TRUST,
        Option(
            "report",
            TEXTS,
            "also write a report: html:DIRECTORY, lcov:FILE, cobertura:FILE or json:FILE; can be repeated",
            value="FORM:PATH",
        ),
        Option("append", TEXTS, "add what an earlier json report holds; can be repeated", value="FILE"),
        JOBS,
        Option("no-runs", SWITCH, "run nothing: report what --append adds"),
        Option("fail-under", TEXT, "fail if less than this much of lines and branches is used", value="PERCENT"),
        ALLOW_OUTPUT,
    ),
    arguments="[NAME...]",
)


def main(argv: Sequence[str]) -> int:
    """Run `plait coverage`; the exit status: 1 if a run failed, or too little is used. Raises PlaitError."""
    flags = COVERAGE.parse(argv)
    if flags.on("help"):
        write_out(COVERAGE.help_text())
        return 0
    from plait.cli.coverage_reports import Reports

    project = project_of(flags.text("project"), os.curdir)
    reports = Reports(flags.texts("report"), flags.text("fail-under"), project.directory)
    coverage = reports.read(flags.texts("append"))
    failed = 0 if flags.on("no-runs") else _count(project, flags, coverage)
    return reports.make(coverage) or int(failed > 0)


def _count(project: Project, flags: Request, coverage: Coverage) -> int:
    """Count runs; how many of them failed. Raises UsageError for one that there is not."""
    from plait.coverage.counting import counted, counted_by_several

    chosen = choose(project, flags.arguments)
    runs = chosen.runs
    complain(chosen.note())
    if not runs:
        raise UsageError("there is no run to count", hint="write a plait.yml, or see `plait init`")
    processes = min(jobs_of(flags), len(runs))
    failed = 0
    for message in (
        counted(project, runs, coverage)
        if processes == 1
        else counted_by_several(runs, coverage, processes, flags.text("project"))
    ):
        failed += 1
        complain(message)
    return failed
