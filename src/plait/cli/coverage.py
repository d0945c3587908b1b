"""`plait coverage`: the parts of a project's files that its runs execute."""

from __future__ import annotations

import os

from plait.authoring.coverage.collect import counted, counted_by_several
from plait.authoring.project.discovery import project_of
from plait.authoring.project.run_selection import choose
from plait.authoring.project.unknown_names import no_runs
from plait.base.equal_errors import grouped
from plait.base.similar_names import counted as nouns
from plait.cli.coverage_reports import Reports
from plait.cli.evaluation_messages import complain_of_messages
from plait.cli.messages import is_text
from plait.cli.progress import stepped, working
from plait.cli.runs import announced
from plait.cli.streams import complain, note
from plait.cli.tools import jobs_of
from plait.engine.common import ALLOW_OUTPUT, JOBS, PROJECT, TRUST
from plait.engine.flags import Command
from plait.engine.options import Request, switch, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.coverage.data import Coverage
    from plait.authoring.project.file import Project


class Cover(Request):
    """The command line of `plait coverage`."""

    __slots__ = ()
    command = "coverage"
    summary = "Measure which lines, branches, overlays, operations and layering actions the project's runs execute."
    usage = "[NAME...]"
    project = PROJECT
    trust = TRUST
    report = texts(
        "report",
        "also write a report: html:DIRECTORY, lcov:FILE, cobertura:FILE or json:FILE",
        value="FORM:PATH",
    )
    append = texts("append", "add the counts of an earlier JSON report", value="FILE")
    jobs = JOBS
    no_runs = switch("no-runs", "run nothing; report the counts that --append adds", requires=("append",))
    fail_under = text("fail-under", "fail if line and branch coverage is below PERCENT", value="PERCENT")
    output_links = ALLOW_OUTPUT


COVERAGE = Command(Cover)


def main(flags: Cover) -> int:
    """Runs `plait coverage`. Returns the exit status: 1 if a run failed, or the coverage is too low. Raises PlaitError."""
    with working("looking for runs"):
        project = project_of(flags.project, os.curdir)
    announced(project)
    reports = Reports(flags.report, flags.fail_under, project.directory)
    coverage = reports.read(flags.append)
    failed = 0 if flags.no_runs else _count(project, flags, coverage)
    return reports.make(coverage) or int(failed > 0)


def _count(project: Project, flags: Cover, coverage: Coverage) -> int:
    """Counts runs. Returns the number of failed ones. Raises UsageError for an unknown one."""
    chosen = choose(project, flags.arguments)
    runs = chosen.runs
    note(chosen.note())
    if not runs:
        raise no_runs("measure")
    processes = min(jobs_of(flags), len(runs))
    with working(f"evaluating {nouns(len(runs), 'run')}") as context:
        failed = [
            *(
                counted(project, stepped(context, runs), coverage)
                if processes == 1
                else counted_by_several(runs, coverage, processes, flags.project)
            )
        ]
    for group in grouped(failed, lambda one: one.same):
        others = ", ".join(one.name for one in group[1:])
        if is_text():
            complain(f"plait: {group[0].text}\n" + (f"  also in:  {others}\n" if others else ""))
        else:
            complain_of_messages(group[0].messages, group[0].text, f"also in: {others}" if others else "")
    return len(failed)
