"""Lint finds what the cases say, and nothing where they say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import lint_cases
from lint_cases import Case
from plait.authoring.lint.codes import CODES

CASES = Path(__file__).parents[1] / "cases" / "lint"


def cases() -> list[tuple[str, Case]]:
    return [
        (path.stem, case) for path in sorted(CASES.glob("*.yml")) for case in yaml.safe_load(path.read_text("utf-8"))
    ]


@pytest.mark.parametrize(
    "case", [case for _, case in cases()], ids=[f"{stem}: {case['title']}" for stem, case in cases()]
)
def test_case(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIT_TRUST", str(tmp_path))
    assert lint_cases.found(case, tmp_path / "found") == case["found"]
    if "fixed" in case:
        assert lint_cases.mended(case, tmp_path / "fixed") == {**case["files"], **case["fixed"]}


def test_every_code_is_found_in_some_case() -> None:
    found = {line.partition(" ")[0] for _, case in cases() for line in case["found"]}
    assert {code for code, one in CODES.items() if one.severity == "finding"} - found == set()
