"""Tests of configuration, `plait test`: expectations about the output or the errors of runs (docs/test.md).

    cases        test files, read into cases
    subject      the evaluation of a case
    evaluating   performs all evaluations, and shares their inputs
    expectations, snapshots, functions   the conditions
    collecting, selecting, running       finds, selects and executes cases
    reports      results for people and programs
    command      `plait test`
    pytest_plugin   the same files for pytest

From Python:

>>> from plait.authoring.testing import run_tests  # doctest: +SKIP
>>> [result.id for result in run_tests(["tests"]) if not result.passed]  # doctest: +SKIP
[]
"""

from __future__ import annotations

from plait.base.lazy_exports import first_use

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.authoring.testing.results import CaseResult
    from plait.authoring.testing.running import run_tests

__all__ = ["CaseResult", "run_tests"]

_HOMES = {"CaseResult": "results", "run_tests": "running"}


def __getattr__(name: str) -> object:
    return first_use(__name__, _HOMES.get(name), name)
