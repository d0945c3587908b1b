"""docs/compatibility/index.md says what comes of its cases: what plait does the same as the programs people move over from."""

from __future__ import annotations

import pytest

import moving

ALL = [(program, case) for program in moving.PROGRAMS for case in moving.cases(program)]


@pytest.mark.parametrize(("program", "case"), ALL, ids=lambda one: getattr(one, "title", one))
def test_a_case_is_the_same_or_says_why_not(program: str, case: moving.Case) -> None:
    alike = moving.same(program, case)
    assert alike == (not case.differs), "".join(case.ours()[1:])
    assert "internal error" not in case.ours()[2]


def test_tables_are_current(update: str | None) -> None:
    old = moving.PAGE.read_text("utf-8")
    new = moving.with_tables(old)
    if update == "write":
        moving.PAGE.write_text(new, "utf-8")
    else:
        assert new == old, "run pytest tests/test_moving.py --update"


def test_there_are_enough() -> None:
    assert {program: sum(1 for one, _ in ALL if one == program) >= 20 for program in moving.PROGRAMS} == dict.fromkeys(
        moving.PROGRAMS, True
    )
