"""The table of the tools' claims runs on a project, and a false claim is seen."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
from pathlib import Path

import pytest

import truth
from plait.lsp.answers import Edit, Span
from truth.projects import Subject
from truth.rows import HEAD, Row

EXAMPLE = Path(__file__).parent.parent / "examples" / "three-dialects"
OURS = ("completion", "definition", "fixes", "rename")


def test_every_row_has_a_check() -> None:
    modules = {one.name for one in pkgutil.iter_modules(truth.__path__)}
    assert set(OURS) <= modules


@pytest.mark.parametrize("name", OURS)
def test_no_claim_on_the_example_is_false(tmp_path: Path, name: str) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "project")
    row = importlib.import_module(f"truth.{name}").check(tmp_path / "project", 1, 6)
    assert isinstance(row, Row)
    assert row.wrong == []
    assert len(row.line()) == len(HEAD)


def test_an_edit_that_changes_an_output_is_seen(tmp_path: Path) -> None:
    (tmp_path / "plait.yml").write_text("runs:\n  a:\n    render: {files: [a.yml]}\n", "utf-8")
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    subject = Subject(tmp_path)
    try:
        place = Span(str(tmp_path / "a.yml"), 1, 4, 5)
        assert subject.differences([Edit(place, "1 ")]) == []
        assert len(subject.differences([Edit(place, "2")])) == 1
    finally:
        subject.close()
