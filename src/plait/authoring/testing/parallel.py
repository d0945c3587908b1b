"""Runs cases in several processes."""

from __future__ import annotations

from plait.authoring.coverage.data import Coverage
from plait.authoring.testing.collecting import Collector
from plait.authoring.testing.evaluating import Evaluator
from plait.authoring.testing.failures import failure_of
from plait.authoring.testing.results import CaseResult
from plait.authoring.testing.running import results
from plait.base.children.pool import in_several
from plait.base.errors import PlaitError
from plait.base.trust import assenting, is_assenting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.testing.cases import Case
    from plait.authoring.testing.functions import FunctionCase

# Number of cases per batch: enough to share inputs, and few enough for several batches per process.
_CHUNK = 25
_PARTS = 4


def results_of_several(
    cases: Sequence[Case | FunctionCase],
    processes: int,
    project: str = "",
    *,
    update: bool = False,
    coverage: Coverage | None = None,
) -> Iterator[CaseResult]:
    """Runs cases in several processes. Yields the results in the order of the cases.

    project: as for a `Collector`. coverage: receives the counts of the processes.
    """
    ids = [case.id for case in cases]
    size = max(_CHUNK, len(ids) // (processes * _PARTS))
    chunks = [(ids[start : start + size], update, coverage is not None) for start in range(0, len(ids), size)]
    for (names, *_), documents_or_error in zip(
        chunks, in_several(processes, _run_part, chunks, _begin, (project, is_assenting())), strict=True
    ):
        if documents_or_error is None:
            error = PlaitError(
                "the process of this test ended; it may have exceeded its memory or stack", code="process-ended"
            )
            yield from (CaseResult(id, id.partition("::")[0], 0, [failure_of(error, "", 0)]) for id in names)
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
    """Runs cases by id in a worker process. Returns their results, and their coverage if requested."""
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
