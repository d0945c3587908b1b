"""Items and documents that a secret names are called by their numbers, in every answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import plait
from plait.cli import main

CANARY = "canary-7d2"
FILES = {
    "base.yml": """\
users:
- name: ((pw))
  port: 1
- name: web
  port: 2
hosts:
- {name: a, port: 3}
- {name: b, port: 4}
""",
    "set.yml": "- type: replace\n  path: /users/name=web/port\n  value: 9\n",
    "store.yml": f"pw: {CANARY}\n",
    "app.yml": """\
#@ load("@ytt:data", "data")
kind: App
metadata:
  name: #@ data.values.name
spec:
  size: 1
---
kind: App
metadata:
  name: other
spec:
  size: 2
""",
    "schema.yml": "#@data/values-schema\n---\nname: x\n",
    "keys.yml": f"name: {CANARY}\n",
    "over.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"metadata": {"name": "x"}}), expects="0+"
---
spec:
  size: 3
#@overlay/match by=overlay.subset({"kind": "None"}), expects="0+"
---
spec:
  size: 4
""",
    "plait.yml": """\
runs:
  p: {patch: {base: base.yml, ops: [set.yml], vars-store: store.yml}}
  r: {render: {files: [app.yml, schema.yml, over.yml], secrets: ['file:keys.yml'], with: [secrets]}}
tests:
  names:
    run: p
    equals: {"users[1].port": 8}
""",
}
PATCH = ["patch", "base.yml", "-o", "set.yml", "--vars-store", "store.yml"]
RENDER = [
    "render",
    "-f",
    "app.yml",
    "-f",
    "schema.yml",
    "-f",
    "over.yml",
    "--secrets",
    "file:keys.yml",
    "--with",
    "secrets",
]


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """What a command prints, wherever it prints it, checked for the secret."""
    main([*argv])
    text = "".join(capsys.readouterr())
    assert CANARY not in text
    return text


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        pytest.param([*PATCH, "users[0].port"], "users[0].port: 1", id="an item"),
        pytest.param([*PATCH, "users[1].port"], "users[1].port: 9", id="an item beside one"),
        pytest.param([*PATCH, "hosts[1].port"], "hosts[name=b].port: 4", id="names that are none"),
        pytest.param([*PATCH, "--all"], "users[0].name: (secret)", id="all items"),
        pytest.param(
            [*PATCH, "users[name=wbe]"],
            'no item "name=wbe" in users of the document\n  found:    an array of 2 items: web',
            id="no item",
        ),
        pytest.param(["-o", "json", *PATCH, "--all"], '"path": "users[0].name"', id="json"),
        pytest.param([*RENDER, "--all"], "App/other:spec.size: 2", id="a document beside it"),
        pytest.param(["-o", "json", *RENDER, "--all"], '"document": "App/other"', id="documents in json"),
        pytest.param(
            [*RENDER, "App/none"], 'no document has the name "App/none"\n  found:    App/other', id="no document"
        ),
        pytest.param([*RENDER, "App/*:spec.none"], 'no key "none" in spec of App/other', id="no key"),
        pytest.param(
            ["--not", *RENDER, "--all"],
            "every overlay item matched, or a secret decides whether it does",
            id="matches nothing",
        ),
    ],
)
def test_explain(capsys: pytest.CaptureFixture[str], argv: list[str], shown: str) -> None:
    assert shown in told(capsys, "explain", *argv)


def test_explain_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing is below" not in told(capsys, "explain", "--not", *PATCH, "users[0].prot")
    assert "is there" in told(capsys, "explain", "--not", *PATCH, "users[0].port")


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(["set", *PATCH, "users[0].port=5"], id="set"),
        pytest.param(["set", *PATCH, "users[0]=5"], id="set a whole item"),
        pytest.param(["set", *PATCH, "users[*].port=5"], id="set several"),
        pytest.param(["test"], id="test"),
        pytest.param(["impact", *PATCH, "base.yml:3"], id="impact"),
    ],
)
def test_other_answers(capsys: pytest.CaptureFixture[str], argv: list[str]) -> None:
    assert told(capsys, *argv)


def test_a_document_that_a_secret_may_match_is_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "explain", *RENDER, "--all")
    assert "App/other" in text
    assert "document 1" not in text
    assert told(capsys, "lint") == "", "whether an overlay matches nothing depends on a secret"


def test_set_from_an_edited_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(PATCH) == 0
    made = capsys.readouterr().out
    assert CANARY in made
    (tmp_path / "edited.yml").write_text(made.replace("port: 1", "port: 7").replace("port: 4", "port: 5"), "utf-8")
    assert "users[name=(secret)].port: 1 -> 7" in told(capsys, "set", "--from", "edited.yml", *PATCH)
    (tmp_path / "edited.yml").write_text(made.replace("port: 2", "port: 7"), "utf-8")
    told(capsys, "set", "--from", "edited.yml", *PATCH)


def test_the_api() -> None:
    rendered = plait.render(
        {"app.yml": FILES["app.yml"], "schema.yml": FILES["schema.yml"]}, secrets={"name": CANARY}, trace=True
    )
    found = plait.explain(rendered)
    assert [(one.document, one.path) for one in found if one.path == "spec.size"] == [
        ("document 1", "spec.size"),
        ("App/other", "spec.size"),
    ]
    assert CANARY not in repr(found)
    assert CANARY not in "".join(map(str, found))
