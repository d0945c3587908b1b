"""Names in files of plait that YAML reads as true, false or null: each place has an error that says how to write them."""

from __future__ import annotations

import pathlib

import pytest

from plait.cli import main

WORDS = ("n", "y", "no", "Yes", "on", "off", "~", "1.5")
# The files of a project by the place of the name.
PLACES: dict[str, tuple[str, dict[str, str]]] = {
    "run": ("run X", {"plait.yml": "runs: {NAME: {render: {files: [a.yml]}}}\n"}),
    "matrix": ("project", {"plait.yml": "runs: {NAME: {matrix: {axes: {r: [a]}}, render: {files: [a.yml]}}}\n"}),
    "axis": ("project", {"plait.yml": "runs: {w: {matrix: {axes: {NAME: [a]}}, render: {files: [a.yml]}}}\n"}),
    "environment": ("project", {"plait.yml": "runs: {w: {matrix: {environments: [{NAME: a}]}, render: {files: [a.yml]}}}\n"}),
    "setting of a matrix": ("project", {"plait.yml": "runs: {w: {matrix: {axes: {r: [a]}, NAME: a}, render: {files: [a.yml]}}}\n"}),
    "setting of a run": ("project", {"plait.yml": "runs: {w: {render: {files: [a.yml], NAME: a}}}\n"}),
    "key of a run": ("project", {"plait.yml": "runs: {w: {NAME: 1, render: {files: [a.yml]}}}\n"}),
    "variable": ("project", {"plait.yml": "runs: {w: {patch: {base: a.yml, vars: {NAME: 1}}}}\n"}),
    "step": ("compose p.yml", {"p.yml": "steps:\n- NAME: {files: [a.yml]}\n"}),
    "setting of a step": ("compose p.yml", {"p.yml": "steps:\n- render: {files: [a.yml], NAME: 1}\n"}),
    "test": ("test", {"plait.yml": "runs: {w: {render: {files: [a.yml]}}}\n", "w.test.yml": "tests: {NAME: {run: w, equals: {a: 1}}}\n"}),
    "key of a test": ("test", {"plait.yml": "runs: {w: {render: {files: [a.yml]}}}\n", "w.test.yml": "tests: {t: {run: w, NAME: 1}}\n"}),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("word", WORDS)
def test_a_name_that_yaml_reads_otherwise_is_an_error_with_the_fix(
    word: str, place: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    line, files = PLACES[place]
    for name, text in {"a.yml": "a: 1\n", **files}.items():
        pathlib.Path(name).write_text(text.replace("NAME", word), "utf-8")
    assert main(line.split()) in (1, 2)
    told = capfd.readouterr()
    error = told.err + told.out
    assert "put the name in quotes" in error, error
    assert ("YAML reads y, n" in error) == (word not in ("~", "1.5"))
    assert "True" not in error
    assert "False" not in error


@pytest.mark.parametrize("word", WORDS)
def test_in_quotes_it_is_a_name(
    word: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"a.yml": "a: 1\n", "plait.yml": f'runs: {{"{word}": {{render: {{files: [a.yml]}}}}}}\n'}.items():
        pathlib.Path(name).write_text(text, "utf-8")
    assert main(["run", word]) == 0
    assert capfd.readouterr().out == "a: 1\n"
