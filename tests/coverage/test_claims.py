"""What coverage says is true of small programs: a point is used if and only if breaking it changes something.

All case files, and programs at random: `python tests/coverage/claims.py`.
"""

from __future__ import annotations

import contextlib
import os

import claims
import pytest

import casefiles
from plait.authoring.coverage.data import Coverage
from plait.base.errors import PlaitError
from plait.tree.context import Context
from plait.tree.provenance import Trace
from typed import evaluate

PROGRAMS = {program.name: program for program in claims.of_list()}


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIT_CACHE_DIR", "")


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_program(program: claims.Program) -> None:
    found = claims.run_claims(iter([program]))
    assert found.false == []
    assert sum(found.broken.values()) > 4 * sum(found.skipped.values())


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_recorded_run_counts_the_same(program: claims.Program) -> None:
    counted = []
    for trace in (None, Trace()):
        coverage = Coverage()
        with claims.laid_out(program.files):
            for command, *words in program.runs:
                context = Context()
                context.trace = trace
                with coverage.run(), contextlib.suppress(PlaitError):
                    evaluate(command, words, context)
        counted.append({os.path.basename(path): file.counts for path, file in coverage.files.items()})
    assert counted[0] == counted[1] != {}


def test_case_files_and_programs_at_random() -> None:
    cases = [case for area in ("templates", "overlay", "schema") for case in casefiles.found(area)][::2]
    programs = [*map(claims.of_case, cases), claims.at_random(1, "render"), claims.at_random(2, "patch")]
    assert len(programs) + len(PROGRAMS) > 50
    assert claims.run_claims(iter(programs)).false == []


def test_a_false_claim_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a.yml": "#@ if False:\na: 1\n#@ end\nb: 1\n"}
    program = claims.Program("false", files, [claims.render_all(files)])
    assert claims.run_claims(iter([program])).false == []
    monkeypatch.setattr(
        "plait.authoring.coverage.data._numbered", lambda points, _: [((p, 0), [1] * len(p[3])) for p in points]
    )
    assert claims.run_claims(iter([program])).false == [
        "false: a.yml:2: nodes: said [True], found [False]",
        "false: a.yml:1: condition: true: said [True], found [False]",
    ]
