"""The table of the tools' claims runs on a project, and a false claim is seen."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
from pathlib import Path

import truth
from plait.authoring.lsp.features import FileEdit, FileRange
from truth.projects import Subject, opened
from truth.rows import HEAD, Row

EXAMPLE = Path(__file__).parents[2] / "examples" / "three-dialects"
OURS = (
    "completion", "definition", "diagnostics", "explained", "fixes", "folding", "hovering", "impact", "inference",
    "insertion", "recorded", "rename", "setting", "sources", "tokens", "undo",
)  # fmt: skip


def test_every_row_has_a_check() -> None:
    modules = {one.name for one in pkgutil.iter_modules(truth.__path__)}
    assert set(OURS) <= modules


def test_no_claim_on_the_example_is_false(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "project")
    with opened(tmp_path / "project") as subject:
        for name in OURS:
            row = importlib.import_module(f"truth.{name}").check(subject, 1, 6)
            assert isinstance(row, Row)
            assert row.wrong == []
            assert len(row.line()) == len(HEAD)


def test_a_list_of_command_lines_is_a_project(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "b.yml").write_text("b: 1\n", "utf-8")
    (tmp_path / "o.yml").write_text("- {type: replace, path: /b, value: 2}\n", "utf-8")
    lines = tmp_path / "commands"
    lines.write_text("ytt -f config\nbosh int b.yml -o o.yml\ncd config && ytt -f a.yml\n", "utf-8")
    with opened(lines) as subject:
        assert {name: made.to_yaml() for name, made in subject.made.items()} == {
            "run-1": "a: 1\n", "run-2": "b: 2\n", "run-3": "a: 1\n",
        }  # fmt: skip


def test_an_edit_that_changes_an_output_is_seen(tmp_path: Path) -> None:
    (tmp_path / "plait.yml").write_text("runs:\n  a:\n    render: {files: [a.yml]}\n", "utf-8")
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    subject = Subject(tmp_path)
    try:
        place = FileRange(str(tmp_path / "a.yml"), 1, 4, 5)
        assert subject.differences([FileEdit(place, "1 ")]) == []
        assert len(subject.differences([FileEdit(place, "2")])) == 1
    finally:
        subject.close()
