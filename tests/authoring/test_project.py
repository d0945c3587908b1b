"""Projects: runs as the tools get them, files seen through a view, and the schema of the project file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

import plait
from files import write_files
from plait.authoring.project import file as project_file
from plait.authoring.project.file import of_source
from plait.authoring.project.project_schema import schema
from plait.authoring.project.run_inference import guess
from plait.base.input_view import InputView
from plait.base.source import Source

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "tests" / "cli" / "project_runs.txtar"
MISTAKES = ROOT / "tests" / "cli" / "project_mistakes.txtar"

FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nname: #@ data.values.name\n',
    "config/schema.yml": "#@data/values-schema\n---\nname: a\n",
    "values.yml": "name: b\n",
    "base.yml": "secret: ((made))\n",
    "plait.yml": """\
runs:
  app: {render: {files: config, data-values-file: values.yml}}
  manifest: {patch: {base: base.yml, vars-store: store.yml}}
""",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_files(tmp_path, FILES)
    return tmp_path


def test_a_run_is_evaluated_from_elsewhere(place: Path) -> None:
    found = project_file.find(str(place / "config" / "app.yml"))
    assert found == str(place / "plait.yml")
    runs = project_file.read(found).runs
    assert [*runs] == ["app", "manifest"]
    documents = runs["app"].evaluate(trace=True)
    assert documents.to_yaml() == "name: b\n"
    [history] = plait.explain(documents, "name")
    assert [entry.place for entry in history.entries[-1].origins][-1] == f"{place / 'values.yml'}:1"


def test_texts_stand_in_the_place_of_files(place: Path) -> None:
    view = InputView({str(place / "values.yml"): b"name: c\n", str(place / "config" / "new.yml"): b"new: file\n"})
    run = project_file.read(str(place)).run("app")
    assert run.evaluate(view=view).to_yaml() == "name: c\n---\nnew: file\n"
    assert run.evaluate().to_yaml() == "name: b\n"


def test_a_view_notes_what_was_read(place: Path) -> None:
    view = InputView()
    project_file.read(str(place)).run("app").evaluate(view=view)
    names = {os.path.relpath(path, place): content for path, content in view.files.items()}
    assert names == {name: FILES[name].encode() for name in ("config/app.yml", "config/schema.yml", "values.yml")}
    assert view.directories == {str(place / "config")}


def test_a_view_notes_files_that_are_not_there(place: Path) -> None:
    view = InputView()
    assert project_file.read(str(place)).run("manifest").evaluate(view=view).to_yaml() == "secret: ((made))\n"
    assert view.files[str(place / "store.yml")] is None


def test_a_store_is_not_written_through_a_view(place: Path) -> None:
    (place / "base.yml").write_text("secret: ((made))\nvariables:\n- {name: made, type: password}\n", "utf-8")
    run = project_file.read(str(place)).run("manifest")
    made = run.evaluate(view=InputView()).to_dict()["secret"]
    assert isinstance(made, str)
    assert len(made) == 20
    assert not (place / "store.yml").exists()
    run.evaluate(view=InputView(is_read_only=False))
    assert (place / "store.yml").exists()


def test_limits_hold_for_a_run(place: Path) -> None:
    (place / "config" / "app.yml").write_text("a: #@ [x for x in range(100000)]\n", "utf-8")
    with pytest.raises(plait.LimitError):
        project_file.read(str(place)).run("app").evaluate(limits={"steps": 1000})


def test_what_a_run_reads_changes_nothing_outside_of_it(place: Path) -> None:
    project_file.read(str(place)).run("app").evaluate(view=InputView({str(place / "values.yml"): b"name: c\n"}))
    assert plait.read(str(place / "values.yml"))[0] == {"name": "b"}


def test_the_published_schema_is_the_present_one(update: str | None) -> None:
    page = ROOT / "docs" / "project.schema.json"
    if update == "write":
        page.write_text(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert json.loads(page.read_text("utf-8")) == schema()


def _projects(case: Path) -> dict[str, object]:
    parts = (part.partition(" --\n") for part in case.read_text("utf-8").split("\n-- ")[1:])
    return {
        name: plait.read({name: text})[0]
        for name, _, text in parts
        if name.endswith(".yml") and ("runs:" in text or text.startswith("steps:"))
    }


def test_the_schema_takes_what_is_right() -> None:
    [data] = _projects(RUNS).values()
    jsonschema.validate(data, schema())


@pytest.mark.parametrize("name", ["switch", "key", "setting", "near", "list", "map", "both", "steps", "abstract"])
def test_the_schema_refuses_what_is_wrong(name: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(_projects(MISTAKES)[f"{name}.yml"], schema())


def test_a_guess_ends_where_others_may_write_and_below_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "work" / "config"
    config.mkdir(parents=True)
    (config / "app.yml").write_text("a: #@ 1\n", "utf-8")
    (tmp_path / "stray.yml").write_text("#@data/values\n---\nb: 1\n", "utf-8")

    def guessed() -> str:
        return guess(str(config)).run("render").directory

    assert os.path.abspath(guessed()) == str(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert os.path.abspath(guessed()) == str(config)
    monkeypatch.setenv("HOME", os.sep)
    tmp_path.chmod(0o1777)
    assert os.path.abspath(guessed()) == str(config)


def test_a_setting_of_the_wrong_kind_names_no_values_file() -> None:
    text = "runs: {a: {render: {files: x, data-values-file: [[prod.yml]]}}}\n"
    run = of_source(Source("plait.yml", text), os.curdir).run()
    assert not run.is_values_file(os.path.abspath("prod.yml"))


def test_runs_of_a_matrix_have_schemas_too(tmp_path: Path) -> None:
    text = """\
schemas: [shared]
runs:
  a: {matrix: {axes: {env: [dev]}}, render: {files: x}}
  b: {schemas: [own, {files: "*.yml", schema: s.json}], matrix: {axes: {env: [dev]}}, render: {files: x}}
  c: {base: b, matrix: {axes: {env: [test]}}, schemas: []}
"""
    made = of_source(Source("plait.yml", text), str(tmp_path))
    cells = {matrix.name: [matrix.run(cell) for cell in matrix.cells()] for matrix in made.matrices.values()}
    shared, own = str(tmp_path / "shared"), str(tmp_path / "own")
    assert [run.schemas for run in cells["a"]] == [(shared,)]
    assert [run.schemas for run in cells["b"]] == [(own, (str(tmp_path / "*.yml"), str(tmp_path / "s.json")))]
    assert [run.schemas for run in cells["c"]] == [()]
