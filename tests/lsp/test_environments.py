"""Runs that a matrix stands for, in the editor: the first of them, and those that the files one looks at are of."""

from __future__ import annotations

from pathlib import Path

from test_fleet import FILES
from workshop import workshop

from plait.authoring.lsp import diagnostics

PROJECT = {**FILES, "plait.yml": FILES["plait.yml"].replace("{site.path}", "sites/{site}")}


def test_the_first_environment_and_those_of_files(tmp_path: Path) -> None:
    with workshop(tmp_path, PROJECT) as made:
        state = made.state

        def runs(name: str) -> list[str]:
            return [watched.run.name for watched in state.registry.runs_of(made.path(name))]

        made.open("config/app.yml")
        assert runs("config/app.yml") == ["app/eu/lyon"]
        made.open("sites/paris/values.yml", "size: large\n")
        assert runs("sites/paris/values.yml") == ["app/eu/lyon", "app/eu/paris"]
        made.wait()
        found = diagnostics.problems(state, made.path("sites/paris/values.yml"))
        assert any("size" in one.message or "integer" in one.message for one in found)
        made.open("sites/lyon/values.yml")
        assert runs("config/app.yml") == ["app/eu/lyon", "app/eu/paris"]


def test_a_matrix_that_is_wrong_keeps_the_runs(tmp_path: Path) -> None:
    with workshop(tmp_path, PROJECT) as made:
        made.open("config/app.yml")
        made.open("plait.yml", PROJECT["plait.yml"].replace("directories: sites", "directories: nowhere"))
        names = [watched.run.name for watched in made.state.registry.runs_of(made.path("config/app.yml"))]
        assert names == ["app/eu/lyon"]
        assert made.state.registry.errors
