"""Runs cases in this process or in several, and yields each result as it comes."""

from __future__ import annotations

from contextlib import nullcontext
from time import perf_counter

from plait.authoring.coverage.data import Coverage
from plait.authoring.testing.collecting import Collector
from plait.authoring.testing.evaluating import Evaluator
from plait.authoring.testing.functions import FunctionCase, failure_of
from plait.authoring.testing.results import CaseResult, ExpectationFailure
from plait.base.children.pool import in_several
from plait.base.errors import PlaitError
from plait.base.input_view import permitted
from plait.base.trust import assenting, is_assenting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from plait.authoring.testing.cases import Case

# Cases per batch: enough to share their inputs, and few enough for several batches per process.
_CHUNK = 25
_PARTS = 4


def run_tests(paths: Sequence[str] = (), *, update: bool = False) -> list[CaseResult]:
    """Runs the tests of files, directories and ids; by default all below the working directory.

    update: rewrite snapshots. Returns a result for each, in order. Raises PlaitError for test files that cannot be read.
    """
    return list(results(Collector().collect(paths).cases, update=update))


def results(
    cases: Sequence[Case | FunctionCase],
    *,
    update: bool = False,
    evaluator: Evaluator | None = None,
    coverage: Coverage | None = None,
) -> Iterator[CaseResult]:
    """The results of cases run in this process. coverage: receives the counts of each."""
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
    """The result of one case."""
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


# ---- several processes


def results_of_several(
    cases: Sequence[Case | FunctionCase],
    processes: int,
    project: str = "",
    *,
    update: bool = False,
    coverage: Coverage | None = None,
) -> Iterator[CaseResult]:
    """The results of cases run in several processes, in the order of the cases.

    project: as for a `Collector`. coverage: receives the counts of the processes.
    """
    ids = [case.id for case in cases]
    size = max(_CHUNK, len(ids) // (processes * _PARTS))
    chunks = [(ids[start : start + size], update, coverage is not None) for start in range(0, len(ids), size)]
    for (names, *_), documents_or_error in zip(
        chunks, in_several(processes, _run_part, chunks, _begin, (project, is_assenting())), strict=True
    ):
        if documents_or_error is None:
            text = "the process of this test ended; it had too little memory, or too small a stack"
            yield from (CaseResult(id, id.partition("::")[0], 0, [ExpectationFailure(text)]) for id in names)
            continue
        found, counts = documents_or_error
        if coverage is not None and counts is not None:
            coverage.merge(counts)
        yield from found


_COLLECTOR: list[Collector] = []
_READ: dict[str, dict[str, Case | FunctionCase]] = {}
_EVALUATORS: list[Evaluator] = []


def _begin(project: str, assents: bool) -> None:
    assenting(assents=assents).__enter__()
    _COLLECTOR.append(Collector(project))
    _EVALUATORS.append(Evaluator())


def _run_part(part: tuple[Sequence[str], bool, bool]) -> tuple[list[CaseResult], Coverage | None]:
    """The results of cases by id, in a process that has read their files, and their coverage if requested."""
    ids, update, counts = part
    found = []
    for id in ids:
        file = id.partition("::")[0]
        if file not in _READ:
            _READ[file] = {case.id: case for case in _COLLECTOR[0].file(file)}
        found.append(_READ[file][id])
    coverage = None
    if counts:
        coverage = Coverage()
    return list(results(found, update=update, evaluator=_EVALUATORS[0], coverage=coverage)), coverage
