"""Templates, text templates, overlays, schemas and modules as files a user could have written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import casefiles

if TYPE_CHECKING:
    from pathlib import Path

AREAS = ["templates", "text", "overlay", "schema", "modules", "libraries"]


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{area}/{case.stem}") for area in AREAS for case in casefiles.found(area)]
)
def test_case(case: Path) -> None:
    casefiles.check(case)


def test_there_are_cases_of_every_area() -> None:
    assert all(casefiles.found(area) for area in ("templates", "text"))
