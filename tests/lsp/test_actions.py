"""What can be done at a place, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from workshop import OPERATIONS, TEMPLATES, edited, workshop

from plait.authoring.lsp import code_actions, diagnostics

OVER = TEMPLATES["config/over.yml"]


def done(top: Path, files: Mapping[str, str], name: str, text: str, around: str) -> dict[str, dict[str, str]]:
    """What can be done at a place of a file that has a text in the editor: title -> the texts of all files after it."""
    with workshop(top, files) as made:
        made.open(name, text)
        path, line, column = made.at(name, around)
        found = [fix for _, fix in code_actions.fixes(made.state, path, line, line)]
        found += code_actions.changes(made.state, path, line, column)
        return {fix.title: edited({**files, name: text}, top, fix.edits) for fix in found}


def mended(top: Path, files: Mapping[str, str], name: str) -> list[str]:
    """What is still wrong with a file."""
    with workshop(top, files) as made:
        path = made.open(name)
        return [one.message for one in diagnostics.problems(made.state, path) if one.severity == "error"]


@pytest.mark.parametrize(
    ("name", "before", "after", "title"),
    [
        ("config/app.yml", 'label("web")', 'lable|("web")', "Change to label"),
        ("config/app.yml", "data.values.app.name", "data.values.app.nam|e_", "Change to name"),
        ("config/app.yml", 'label("web")', "label(we|b)", "Quote the value"),
        ("config/app.yml", '#@ load("helpers.star", "label")\n', "", 'Add load("helpers.star", "label")'),
        ("config/app.yml", "#! what it is called", "#| what it is called", "Convert to a template comment: #!"),
        ("config/app.yml", 'def name(x, suffix="a"):', 'def name(x, suffix="a")|', "Add a colon"),
        ("prod.yml", "replicas: 3", "replica|: 3", "Change to replicas"),
        ("config/over.yml", '#@overlay/match by=overlay.subset({"kind": "Deployment"})',
         '#@overlay/match by=overlay.subset({"kind": "Deployed|"})', "Add missing_ok=True"),
    ],
)  # fmt: skip
def test_hints_are_edits_that_mend(tmp_path: Path, name: str, before: str, after: str, title: str) -> None:
    assert before in TEMPLATES[name]
    text = TEMPLATES[name].replace(before, after.replace("|", "", 1), 1)
    around = after if "|" in after else 'la|bel("web")'
    found = done(tmp_path / "a", TEMPLATES, name, text, around)
    assert title in found
    assert mended(tmp_path / "b", found[title], name) == []


def test_a_question_mark_for_a_path(tmp_path: Path) -> None:
    text = OPERATIONS["ops.yml"].replace("name=web/instances", "name=web/vm/size")
    found = done(tmp_path / "a", OPERATIONS, "ops.yml", text, "web/v|m")
    [mending] = [
        one for title, one in found.items() if "?" in title and "missing" in title and "path: " in one["ops.yml"]
    ][:1]
    assert "path: /instance_groups/name=web/vm?/size" in mending["ops.yml"]
    assert mended(tmp_path / "b", mending, "ops.yml") == []


def test_a_question_mark_where_one_wants_it(tmp_path: Path) -> None:
    found = done(tmp_path / "a", OPERATIONS, "ops.yml", OPERATIONS["ops.yml"], "name=web/inst|ances")
    [(title, texts)] = found.items()
    assert title == "Make /instances and everything below it if it is missing: add ?"
    assert "path: /instance_groups/name=web/instances?\n" in texts["ops.yml"]
    text = OPERATIONS["ops.yml"].replace("name=web/", "name=web?/")
    assert done(tmp_path / "b", OPERATIONS, "ops.yml", text, "web?/inst|ances") == {}


def test_a_literal_becomes_a_data_value(tmp_path: Path) -> None:
    found = done(tmp_path / "a", TEMPLATES, "config/over.yml", OVER, "replicas: |7")
    texts = found["Convert to the data value replicas_2"]
    assert texts["config/over.yml"].startswith('#@ load("@ytt:data", "data")\n#@ load("@ytt:overlay", "overlay")\n')
    assert "  replicas: #@ data.values.replicas_2\n" in texts["config/over.yml"]
    assert texts["config/schema.yml"].endswith("  port: 80\nreplicas_2: 7\n")
    assert mended(tmp_path / "b", texts, "config/over.yml") == []


def test_a_key_is_added_to_the_schema(tmp_path: Path) -> None:
    text = "replicas: 3\napp:\n  name: prod\n  hosts:\n  - a\n  - b\nmore: {a: 1}\n"
    found = done(tmp_path / "a", TEMPLATES, "prod.yml", text, "  hos|ts")
    texts = found["Add hosts to the schema"]
    assert texts["config/schema.yml"].endswith("  port: 80\n  hosts:\n  - a\n")
    found = done(tmp_path / "c", texts, "prod.yml", text, "mo|re")
    texts = found["Add more to the schema"]
    assert texts["config/schema.yml"].endswith("  - a\nmore: {a: 1}\n")
    assert mended(tmp_path / "b", texts, "prod.yml") == []
    assert done(tmp_path / "d", TEMPLATES, "prod.yml", "nothing: null\n", "noth|ing") == {}


def test_nothing_can_be_done_where_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert done(tmp_path, TEMPLATES, "prod.yml", TEMPLATES["prod.yml"], "repl|icas") == {}
    assert done(tmp_path, TEMPLATES, "config/app.yml", TEMPLATES["config/app.yml"], "meta|data:") == {}
