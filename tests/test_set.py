"""`plait set` and `plait.edit`: edits at the origin, in every dialect, and what is refused."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from edits import generated, outcome
from plait import project
from plait.cli import COMMANDS
from plait.edit import Refused, set_value
from plait.edit.command import SET
from plait.errors import ReadError, UsageError

FILES = {
    "config/app.yml": '#@ load("@ytt:data", "data")\n---\nname: #@ data.values.name\nport: 80\nsame: &x 1\nother: *x\n',
    "config/schema.yml": "#@data/values-schema\n---\nname: a\n",
    "values.yml": "name: b  # of the shop\n",
    "plait.yml": "runs:\n  app: {render: {files: config, data-values-file: values.yml}}\n",
}


@pytest.fixture
def run(tmp_path: Path) -> project.Run:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return project.read(str(tmp_path)).run("app")


@pytest.mark.parametrize("part", range(3))
def test_an_edit_changes_one_value_or_is_refused_with_a_true_reason(part: int, request: pytest.FixtureRequest) -> None:
    """Checklist 6: programs of all dialects with a value of their output and another one; see `edits`."""
    count = 100 * (40 if request.config.getoption("--long") else 1)
    counts = Counter(outcome(generated(seed), random.Random(seed)) for seed in range(part * count, (part + 1) * count))
    assert counts["edited"] > count / 4
    assert {"also", "computed", "fails"} <= set(counts)


def test_an_edit_is_written_when_it_is_told_to(run: project.Run, tmp_path: Path) -> None:
    edit = set_value(run, "name", "c")
    assert edit.texts == {str(tmp_path / "values.yml"): b"name: c  # of the shop\n"}
    assert [(one.path, one.before, one.after) for one in edit.differences] == [("name", "b", "c")]
    assert (tmp_path / "values.yml").read_text("utf-8") == FILES["values.yml"]
    edit.write()
    assert run.evaluate().to_dict()["name"] == "c"


def test_what_changes_more_is_written_only_if_that_is_accepted(run: project.Run, tmp_path: Path) -> None:
    edit = set_value(run, "same", 2)
    assert edit.also == ["b:other"]
    with pytest.raises(Refused) as refused:
        edit.write()
    assert (refused.value.reason, refused.value.changes) == ("also", ["b:other"])
    edit.write(also=True)
    assert "same: &x 2\n" in (tmp_path / "config" / "app.yml").read_text("utf-8")


def test_the_value_behind_an_alias_is_edited_alone(run: project.Run, tmp_path: Path) -> None:
    set_value(run, "other", 2).write()
    assert (tmp_path / "config" / "app.yml").read_text("utf-8").endswith("same: &x 1\nother: 2\n")


def test_a_file_that_was_changed_meanwhile_is_not_written(run: project.Run, tmp_path: Path) -> None:
    edit = set_value(run, "name", "c")
    (tmp_path / "values.yml").write_text("name: z\n", "utf-8")
    with pytest.raises(ReadError, match="changed meanwhile"):
        edit.write()
    assert (tmp_path / "values.yml").read_text("utf-8") == "name: z\n"


def test_a_link_is_not_written_to(run: project.Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.yml").write_text("name: b\n", "utf-8")
    (tmp_path / "values.yml").unlink()
    (tmp_path / "values.yml").symlink_to(tmp_path / "elsewhere.yml")
    with pytest.raises(Refused) as refused:
        set_value(run, "name", "c", words=["--dangerous-allow-all-symlink-destinations"])
    assert refused.value.reason == "link"


def test_a_path_means_one_value(run: project.Run) -> None:
    with pytest.raises(UsageError, match="means 4 values"):
        set_value(run, "*", 1)
    with pytest.raises(UsageError, match='no key "prt"'):
        set_value(run, "prt", 1)


def test_its_flags_are_no_others() -> None:
    """They may stand anywhere on the command line, so the commands have none of the same name."""
    from plait.cli.start import commands

    own = {flag.name for flag in SET.flags} - {"help"}
    short = {flag.short for flag in SET.flags if flag.short} - {"h"}
    for name in ("render", "patch", "layer", "compose"):
        table = commands()[name]
        assert not own & {flag.name for flag in table.flags}, name
        assert not short & {flag.short for flag in table.flags}, name
    assert "set" in COMMANDS
