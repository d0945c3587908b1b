"""`plait set` and `plait.authoring.edit`: edits at the origin, in every dialect, and what is refused."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from edits import generated, outcome, outcome_elsewhere, outcome_of_output
from files import write_files
from plait.authoring.edit.edit_errors import EditError
from plait.authoring.edit.public_functions import remove_value, set_output, set_value
from plait.authoring.project import file as project_file
from plait.authoring.project.run import Run
from plait.base.errors import ReadError, UsageError
from plait.base.writing import targets as writing
from plait.cli import COMMANDS
from plait.cli.set import SET
from plait.engine.options import Use
from plait.engine.render import Render

if TYPE_CHECKING:
    from collections.abc import Callable

    from edits import Program

FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nname: #@ data.values.name\nport: 80\nsame: &x 1\nother: *x\n',
    "config/schema.yml": "#@data/values-schema\n---\nname: a\n",
    "values.yml": "name: b  # of the shop\n",
    "plait.yml": "runs:\n  app: {render: {files: config, data-values-file: values.yml}}\n",
}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    write_files(tmp_path, FILES)
    return project_file.read(str(tmp_path)).run("app")


@pytest.mark.parametrize(
    ("tried", "count", "outcomes"),
    [
        (outcome, 160, {"edited", "also", "computed", "fails", "given"}),
        (outcome_elsewhere, 60, {"in: done", "as: done", "at: done"}),
        (outcome_of_output, 40, {"put back", "in part", "not"}),
    ],
    ids=["one value", "elsewhere", "a whole output"],
)
def test_an_edit_changes_what_it_says_or_is_refused_with_a_true_reason(
    tried: Callable[[Program, random.Random], str], count: int, outcomes: set[str], request: pytest.FixtureRequest
) -> None:
    """Checklist 6: programs of all dialects with values of their output and other ones; see `edits`."""
    count *= 50 if request.config.getoption("--long") else 1
    counts = Counter(tried(generated(seed), random.Random(seed)) for seed in range(count))
    assert outcomes <= set(counts)


def test_an_edit_is_written_when_it_is_told_to(run: Run, tmp_path: Path) -> None:
    edit = set_value(run, "name", "c")
    assert edit.texts == {str(tmp_path / "values.yml"): b"name: c  # of the shop\n"}
    assert [(one.path, one.before, one.after) for one in edit.differences] == [("name", "b", "c")]
    assert (tmp_path / "values.yml").read_text("utf-8") == FILES["values.yml"]
    edit.write()
    assert run.evaluate().to_dict()["name"] == "c"


def test_what_changes_more_is_written_only_if_that_is_accepted(run: Run, tmp_path: Path) -> None:
    edit = set_value(run, "same", 2)
    assert edit.also == ["b:other"]
    with pytest.raises(EditError) as refused:
        edit.write()
    assert (refused.value.reason, refused.value.changes) == ("also", ["b:other"])
    edit.write(also=True)
    assert "same: &x 2\n" in (tmp_path / "config" / "app.yml").read_text("utf-8")


def test_the_value_behind_an_alias_is_edited_alone(run: Run, tmp_path: Path) -> None:
    set_value(run, "other", 2).write()
    assert (tmp_path / "config" / "app.yml").read_text("utf-8").endswith("same: &x 1\nother: 2\n")


def test_a_file_that_was_changed_meanwhile_is_not_written(run: Run, tmp_path: Path) -> None:
    edit = set_value(run, "name", "c")
    (tmp_path / "values.yml").write_text("name: z\n", "utf-8")
    with pytest.raises(ReadError, match="has changed since"):
        edit.write()
    assert (tmp_path / "values.yml").read_text("utf-8") == "name: z\n"


def test_a_link_is_not_written_to(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.yml").write_text("name: b\n", "utf-8")
    (tmp_path / "values.yml").unlink()
    (tmp_path / "values.yml").symlink_to(tmp_path / "elsewhere.yml")
    with pytest.raises(EditError) as refused:
        set_value(run, "name", "c", uses=[Use(Render.allow_all_links, value=True)])
    assert refused.value.reason == "link"


def test_a_path_means_one_value(run: Run) -> None:
    with pytest.raises(UsageError, match="means 4 values"):
        set_value(run, "*", 1)
    with pytest.raises(UsageError, match='no key "prt"'):
        set_value(run, "prt", 1)


def test_its_flags_are_no_others() -> None:
    """They may stand anywhere on the command line, so the commands have none of the same name."""
    from plait.cli.commands import commands

    own = {flag.name for flag in SET.flags} - {"help", "trust"}  # which `main` takes off
    short = {flag.short for flag in SET.flags if flag.short} - {"h"}
    for name in ("render", "patch", "layer", "compose"):
        table = commands()[name]
        assert not own & {flag.name for flag in table.flags}, name
        assert not short & {flag.short for flag in table.flags}, name
    assert "set" in COMMANDS


def test_files_are_written_all_or_none(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = run.evaluate().to_list()
    documents[0]["name"], documents[0]["port"] = "c", 81  # type: ignore[index]
    edit, refused = set_output(run, documents)
    assert refused == []
    assert len(edit.files) == 2
    before = {path: Path(path).read_bytes() for path in edit.files}
    last = [*edit.files][-1]

    def full(path: str, *arguments: object, **named: object) -> None:
        if path == last:
            raise OSError(28, "No space left on device")
        writing.write_file(path, *arguments, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr("plait.authoring.edit.edited_files.write_file", full)
        with pytest.raises(ReadError, match="No space left"):
            edit.write()
    assert {path: Path(path).read_bytes() for path in edit.files} == before
    edit.write()
    assert run.evaluate().to_list() == documents


def test_an_item_is_taken_out_and_a_key_added(run: Run, tmp_path: Path) -> None:
    remove_value(run, "port").write()
    set_value(run, "host", {"a": 1}, add=True).write()
    assert (tmp_path / "config" / "app.yml").read_text("utf-8").endswith("same: &x 1\nother: *x\nhost:\n  a: 1\n")


def test_a_document_that_the_edit_takes_away_is_not_mistaken_for_the_next(tmp_path: Path) -> None:
    control = "metadata: {schema: metadata/Control/v1, name: p}"
    texts = [f"schema: deckhand/LayeringPolicy/v1\n{control}\ndata: {{layerOrder: [site]}}\n"]
    for name in ("a", "b"):
        layering = "layeringDefinition: {layer: site, abstract: false}"
        texts.append(
            f"schema: x/Y/v1\nmetadata: {{schema: metadata/Document/v1, name: {name}, {layering}}}\ndata: {{}}\n"
        )
    (tmp_path / "docs.yml").write_text("---\n".join(texts), "utf-8")
    (tmp_path / "plait.yml").write_text("runs: {a: {layer: {files: [docs.yml]}}}\n", "utf-8")
    run = project_file.read(str(tmp_path)).run("a")
    with pytest.raises(EditError) as caught:
        set_value(run, "x/Y/v1/a:metadata.layeringDefinition.abstract", True)
    assert (caught.value.code, caught.value.expected, caught.value.found) == ("edit-otherwise", "true", "nothing")
    assert set_value(run, "x/Y/v1/a:metadata.name", "c").also == []


def test_what_differs_with_every_run_is_nobodys_change(tmp_path: Path) -> None:
    files = {
        "base.yml": "a: 1\npassword: ((p))\nvariables:\n- {name: p, type: password}\n",
        "plait.yml": "runs: {a: {patch: {base: base.yml, vars-store: store.yml}}}\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    edit = set_value(project_file.read(str(tmp_path)).run("a"), "a", 2)
    assert edit.also == []
    assert not (tmp_path / "store.yml").exists()


def test_line_breaks_stay_what_they_are(run: Run, tmp_path: Path) -> None:
    (tmp_path / "values.yml").write_bytes(b"name: b\r\nextra: &y\r\n  - 1\r\n")
    (tmp_path / "config" / "schema.yml").write_text("#@data/values-schema\n---\nname: a\nextra: [0]\n", "utf-8")
    set_value(run, "name", "two\nlines").write()
    assert (tmp_path / "values.yml").read_bytes() == b"name: |-\r\n  two\r\n  lines\r\nextra: &y\r\n  - 1\r\n"
