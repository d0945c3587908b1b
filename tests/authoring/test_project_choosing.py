"""Which runs tools look at: environments of matrices are among them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_fleet import FILES, many, put

from plait.authoring.lint.linter import lint
from plait.authoring.project import file as project_file
from plait.authoring.project.run_selection import about, choose
from plait.base.errors import UsageError
from plait.cli import main

MATRIX = FILES["plait.yml"].replace("{site.path}", "sites/{site}")
ONE = "  one: {render: {files: one.yml}}\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path, {**FILES, "plait.yml": MATRIX + ONE, "one.yml": "a: 1\n"})
    monkeypatch.chdir(tmp_path)
    return tmp_path


NAMES = {
    "": ["one", "app/eu/lyon", "app/eu/paris", "app/us/paris", "app/ap/paris"],
    "one": ["one"],
    "app": ["app/eu/lyon", "app/eu/paris", "app/us/paris", "app/ap/paris"],
    "app/us/paris": ["app/us/paris"],
    "app/*/lyon": ["app/eu/lyon"],
    "o* app/us/paris one": ["one", "app/us/paris"],
}


@pytest.mark.parametrize("names", NAMES)
def test_runs_are_chosen_by_name(names: str, place: Path) -> None:
    found = choose(project_file.read("."), names.split())
    assert ([run.name for run in found.runs], found.left) == (NAMES[names], [])


def test_a_name_of_nothing(place: Path) -> None:
    for name in ("nothing", "no*"):
        with pytest.raises(UsageError):
            choose(project_file.read("."), [name])


def test_few_of_many_are_looked_at(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    many(place, 60)
    found = choose(project_file.read("."))
    assert ([run.name for run in found.runs[:2]], len(found.runs)) == (["app/e000", "app/e001"], 50)
    assert main(["coverage"]) == 0
    told = b"plait: app: only the first 50 of 60 environments are evaluated; select others by name or pattern\n"
    assert capfdbinary.readouterr().err == told
    assert main(["coverage", "app/*"]) == 0
    assert capfdbinary.readouterr().err == b""


def test_environments_are_found_by_a_file(place: Path) -> None:
    found = project_file.read(".")
    paths = {"sites/paris/values.yml": 3, "sites/lyon/values.yml": 1, "config/app.yml": 4, "one.yml": 0}
    for path, count in paths.items():
        assert len([*about(found, str(place / path), 9)]) == count
    assert [run.name for run in about(found, str(place / "sites/paris/values.yml"), 1)] == ["app/eu/paris"]


def test_lint_looks_at_environments(place: Path) -> None:
    put(place, {"plait.yml": MATRIX, "config/more.star": "def more():\n  return 1\nend\n"})
    # No environment loads it.
    for names in ([], ["app"], ["app/eu/*"]):
        assert [finding.code for finding in lint(project_file.read(str(place)), names)] == ["D110"]
    put(place, {"config/app.yml": '#@ load("more.star", "more")\n' + FILES["config/app.yml"] + "more: #@ more()\n"})
    assert lint(project_file.read(str(place))) == []


def test_coverage_counts_environments(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    text = '#@ load("@ytt:data", "data")\n---\n#@ if data.values.region == "ap":\nonly: 1\n#@ else:\nother: 1\n#@ end\n'
    put(place, {"config/app.yml": text})
    for names, share in (["app"], 100), (["app/eu/*"], 50):
        assert main(["coverage", *names, "--report", f"json:{place}/coverage.json"]) == 0
        counted = json.loads((place / "coverage.json").read_text())
        assert counted
        (told,) = [line for line in capfdbinary.readouterr().out.decode().splitlines() if "app.yml" in line]
        assert ("100 %" in told) == (share == 100)


def test_a_test_names_an_environment(place: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    put(place, {"a.test.yml": "tests: {us: {run: app/us/paris, equals: {region: us, size: 1}}}\n"})
    status = main(["test"])
    assert status == 0, capfdbinary.readouterr()
