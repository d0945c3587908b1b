"""Runs cases in this process, and yields each result immediately."""

from __future__ import annotations

from contextlib import nullcontext
from time import perf_counter

from plait.authoring.testing.collecting import Collector
from plait.authoring.testing.evaluating import Evaluator
from plait.authoring.testing.failures import failure_of
from plait.authoring.testing.functions import FunctionCase
from plait.authoring.testing.results import CaseResult
from plait.base.errors import PlaitError
from plait.base.input_view import permitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from plait.authoring.coverage.data import Coverage
    from plait.authoring.testing.cases import Case


def run_tests(paths: Sequence[str] = (), *, update: bool = False) -> list[CaseResult]:
    """Runs the tests of files, directories and ids; by default all below the working directory.

    update: rewrite snapshots. Returns a result for each, in order. Raises PlaitError for test files that cannot be
    read.
    """
    return list(results(Collector().collect(paths).cases, update=update))


def results(
    cases: Sequence[Case | FunctionCase],
    *,
    update: bool = False,
    evaluator: Evaluator | None = None,
    coverage: Coverage | None = None,
) -> Iterator[CaseResult]:
    """Runs cases in this process and yields their results. coverage: receives the counts of each."""
    evaluator = Evaluator() if evaluator is None else evaluator
    counts: dict[Hashable, int] = {}
    for case in cases:
        for subject in case.subjects():
            counts[subject.key] = counts.get(subject.key, 0) + 1
    evaluator.expect(counts)
    for case in cases:
        with nullcontext() if coverage is None else coverage.run(case.id):
            found = run_case(case, evaluator, update=update)
        yield found


def run_case(case: Case | FunctionCase, evaluator: Evaluator, *, update: bool = False) -> CaseResult:
    """Runs one case."""
    start = perf_counter()
    found = CaseResult(case.id, case.file, case.line)
    with evaluator.seen(), permitted(case.subject.run.permissions):
        if isinstance(case, FunctionCase):
            found.failures += case.failures(evaluator, found.printed)
        else:
            _check(case, evaluator, found, update=update)
    found.seconds = perf_counter() - start
    return found


def _check(case: Case, evaluator: Evaluator, found: CaseResult, *, update: bool) -> None:
    outcome = evaluator.outcome(case.subject)
    if outcome.documents is not None:
        found.printed += outcome.documents.printed
    if outcome.error is not None and not case.expects_error:
        found.failures.append(failure_of(outcome.error, case.file, case.line))
        return
    for snapshot in case.snapshots:
        snapshot.is_updating = update
    for one in case.expectations:
        try:
            found.failures += one.failures(outcome, evaluator)
        except PlaitError as error:
            found.failures.append(failure_of(error, case.file, case.line))
    found.notes += [snapshot.note for snapshot in case.snapshots if snapshot.note]
