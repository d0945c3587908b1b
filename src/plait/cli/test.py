"""`plait test`: runs the tests of a project."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from time import perf_counter

from plait.authoring.testing import reports
from plait.authoring.testing.cases import Case
from plait.authoring.testing.collecting import Collector, misnamed, nothing_found
from plait.authoring.testing.last_failed import remember, selected
from plait.authoring.testing.parallel import results_of_several
from plait.authoring.testing.reports import junit
from plait.authoring.testing.running import results
from plait.authoring.testing.snapshots import obsolete, remove
from plait.base.errors import UsageError, did_you_mean
from plait.base.limits import current_budget
from plait.base.process import goes_on, stop_timer
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import write_file
from plait.cli.colour import in_colour
from plait.cli.coverage_reports import Reports
from plait.cli.evaluation_messages import complain_of_failure
from plait.cli.progress import working
from plait.cli.runs import announced
from plait.cli.streams import in_workflow, note, write_answer, write_out
from plait.cli.test_output import TerminalReporter, obsolete_note
from plait.cli.test_watch import watch
from plait.cli.tools import jobs_of
from plait.engine.common import ALLOW_OUTPUT, JOBS, TRUST
from plait.engine.flags import Command
from plait.engine.options import SHARED, Heading, Request, switch, text, texts
from plait.insight.workflow import without_commands
from plait.tree.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.coverage.data import Coverage
    from plait.authoring.testing.collecting import Collected
    from plait.authoring.testing.functions import FunctionCase
    from plait.authoring.testing.results import CaseResult


class Test(Request):
    """The command line of `plait test`."""

    __slots__ = ()
    command = "test"
    summary = (
        "Run tests: expected outputs and errors of the project's runs. PATH is a test file, a directory, or FILE::NAME."
    )
    usage = "[PATH...]"
    _1 = Heading("Selection")
    keyword = text(
        "keyword",
        "run tests whose id matches this expression, such as 'web and not slow'",
        short="k",
        value="EXPRESSION",
    )
    lf = switch("lf", "run the tests that failed last time, or all if none did")
    list = switch("list", "print the test ids without running them")
    _2 = Heading("Execution")
    exitfirst = switch("exitfirst", "stop at the first failure", short="x")
    watch = switch("watch", "when an input changes, run the tests that read it again, until interrupted")
    jobs = JOBS
    update = switch("update", "rewrite changed snapshots and delete obsolete ones")
    _3 = Heading("Reports")
    verbose = SHARED.verbose.replaced(short="v")
    junit = text("junit", "write a JUnit XML report to a file", value="FILE")
    tap = switch("tap", "print results as TAP only")
    github = switch("github", "also print annotations for GitHub Actions")
    _4 = Heading("Coverage")
    cov = switch("cov", "measure which lines, branches, overlays and operations the tests execute")
    cov_report = texts(
        "cov-report",
        "also write a report: html:DIRECTORY, lcov:FILE, cobertura:FILE or json:FILE",
        value="FORM:PATH",
        requires=("cov",),
    )
    cov_append = texts("cov-append", "add the counts of an earlier JSON report", value="FILE", requires=("cov",))
    fail_under = text(
        "fail-under", "fail if line and branch coverage is below PERCENT", value="PERCENT", requires=("cov",)
    )
    _5 = Heading("General")
    project = text(
        "project",
        "project file of all tests (default: plait.yml in the nearest directory above each)",
        value="PATH",
    )
    output_links = ALLOW_OUTPUT
    trust = TRUST


TEST = Command(Test)

NO_TESTS = 5
# Tests that a hint lists.
_FEW = 3


def main(flags: Test) -> int:
    """Runs `plait test`. Returns the exit status: 0 if all passed, 1 if some failed, 2 for wrong usage, 5 if there are
    no tests.

    Raises PlaitError.
    """
    goes_on()
    reports = _coverage_reports(flags)
    if flags.watch:
        watch(lambda: _collected(flags)[1], verbose=flags.verbose, update=flags.update)
        return 0
    jobs = jobs_of(flags)
    start = perf_counter()
    with working("looking for tests", steps=False):
        collected, cases = _collected(flags)
    if flags.list:
        write_answer("".join(f"{case.id}\n" for case in cases))
        return 0 if cases else NO_TESTS
    if not cases:
        selected = f"no test matches -k {flags.keyword}" if flags.keyword else "no test is selected"
        write_out("no tests were found\n" if not collected.cases else f"{selected}\n")
        if collected.cases:
            words = [word for case in collected.cases for word in re.findall(r"\w[\w-]*", case.id)]
            ids = [case.id for case in collected.cases]
            note(
                f"  found:    {_some(ids)}\n"
                f"  hint:     {did_you_mean(flags.keyword, words) or 'plait test --list prints the ids, with all their words'}\n"
            )
        if not collected.cases:
            note(f"  hint:     {nothing_found(collected, flags.arguments)}\n")
        return NO_TESTS
    told = misnamed(flags.arguments)
    if told is not None:
        note(f"plait: warning: {told}, so they do not run\n")
    if current_budget().keeper is not None:
        stop_timer()  # each test has its own limit
    coverage = None if reports is None else reports.read(flags.cov_append)
    done = _run(flags, cases, collected, jobs, start, coverage)

    remember(done)
    _write_junit(flags, done)
    status = 0 if reports is None or coverage is None else reports.make(coverage, table=not flags.tap)
    return status if all(one.passed for one in done) else 1


def _some(ids: Sequence[str]) -> str:
    more = len(ids) - _FEW
    return ", ".join(ids[:_FEW]) + (f", and {more} more" if more > 0 else "")


def _collected(flags: Test) -> tuple[Collected, list[Case | FunctionCase]]:
    """The tests in the arguments, and the selected ones. Raises PlaitError."""
    collected = Collector(flags.project).collect(flags.arguments)
    for project in collected.inferred:
        announced(project)
    return collected, selected(collected, flags.keyword, failed=flags.lf)


def _coverage_reports(flags: Test) -> Reports | None:
    """The requested coverage reports, or None. Raises UsageError."""
    if not flags.cov:
        return None
    if flags.watch:
        raise UsageError(
            "--cov cannot be combined with --watch",
            expected="only one of them",
            code="flag-conflict",
        )

    return Reports(flags.cov_report, flags.fail_under, "")


def _run(
    flags: Test,
    cases: Sequence[Case | FunctionCase],
    collected: Collected,
    jobs: int,
    start: float,
    coverage: Coverage | None,
) -> list[CaseResult]:
    """Runs the cases and prints their results."""
    teller = TerminalReporter(
        len(cases),
        verbose=flags.verbose or flags.debug,
        quiet=flags.quiet,
        colour=in_colour(),
        in_workflow=flags.github or in_workflow(),
    )
    done: list[CaseResult] = []
    # A bar on standard output replaces the line on standard error.
    with (
        nullcontext(Context()) if sys.stdout.isatty() else working("running tests", len(cases), steps=False) as context
    ):
        for one in _results(flags, cases, jobs, coverage):
            context.done += 1
            done.append(one)
            if not flags.tap:
                teller.result(one)
            for failure in one.failures:
                complain_of_failure(failure.diagnostic)
            if flags.exitfirst and not one.passed:
                break
    notes = _obsolete(flags, collected)
    if flags.tap:
        text = reports.tap(done)
        write_out(without_commands(text) if flags.github or in_workflow() else text)
    else:
        teller.end(done, notes, perf_counter() - start)
    if flags.github:
        write_out(reports.github(done))
    return done


def _results(
    flags: Test, cases: Sequence[Case | FunctionCase], jobs: int, coverage: Coverage | None
) -> Iterator[CaseResult]:
    update = flags.update
    if jobs > 1 and len(cases) > 1:
        several = min(jobs, len(cases))
        return results_of_several(cases, several, flags.project, update=update, coverage=coverage)
    return results(cases, update=update, coverage=coverage)


def _obsolete(flags: Test, collected: Collected) -> list[str]:
    """Messages about snapshots that no case uses. Only files whose cases all ran are considered."""
    used = {one.file for case in collected.cases if isinstance(case, Case) for one in case.snapshots}
    found = [path for file in collected.files if file in collected.whole for path in obsolete(file, used)]
    if flags.update:
        for path in found:
            remove(path)
    return obsolete_note(found, removed=flags.update)


def _write_junit(flags: Test, done: Sequence[CaseResult]) -> None:
    path = flags.junit
    if not path:
        return

    try:
        write_file(path, [junit(done).encode()], new_mode=0o666)
    except OSError as error:
        raise failure(path, error) from None
