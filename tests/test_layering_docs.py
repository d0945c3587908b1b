"""docs/layer.md keeps its word: its example runs, its checklist names cases that exist and claim the line."""

from __future__ import annotations

import io
import pathlib
import re
import sys

import pytest
import yaml as pyyaml

from plait.cli import main

TESTS = pathlib.Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "layer.md").read_text("utf-8")
ROW = re.compile(r"^\| (\d+)(?:-(\d+))? \| (.*?) \| ?(.*?) ?\|$", re.MULTILINE)


def claimed() -> dict[str, list[int]]:
    """Every layering case, with the lines it claims to show."""
    found = {}
    for file in sorted((TESTS / "cases" / "layering").glob("*.yml")):
        for case in pyyaml.safe_load_all(file.read_text("utf-8")):
            found[f"{file.stem}: {case['case']}"] = case["lines"]
    return found


def test_every_checklist_line_has_a_row() -> None:
    lines: list[int] = []
    for first, last, _, _ in ROW.findall(PAGE):
        lines += range(int(first), int(last or first) + 1)
    assert lines == list(range(1, 240))


def test_rows_name_tests_that_exist() -> None:
    cases = claimed()
    laws = (TESTS / "property" / "test_layering.py").read_text("utf-8")
    shown: set[str] = set()
    for line, _, state, names in ROW.findall(PAGE):
        if state != "done":
            assert state.startswith("not done: ")
            assert names == ""
            continue
        assert names, line
        for name in names.split("; "):
            area, _, title = name.partition(": ")
            if area == "cli":
                assert (TESTS / "cli" / f"{title}.txtar").exists(), name
            elif area == "property":
                assert f"def {title}(" in laws, name
            else:
                assert int(line) in cases[name], (line, name)
                shown.add(name)
    assert shown == set(cases), "a case is not in the table"


def test_the_example_prints_what_it_shows(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "documents.yml").write_text(blocks[0], "utf-8")
    monkeypatch.chdir(tmp_path)
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert main(["layer", "documents.yml", "--short", "--name", "alpha"]) == 0
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    assert buffer.getvalue().decode() == blocks[1]
