"""Files of plain merges in the editor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workshop import workshop

from plait.authoring.lsp import completion, diagnostics, hover

if TYPE_CHECKING:
    from pathlib import Path

SPEC = {"replicas": {"type": "integer", "description": "how many"}, "paused": {"type": "boolean"}}
SPEC["selector"] = {"type": "object"}
KIND = {"properties": {"spec": {"properties": SPEC}}}
APP = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, selector: {app: web}}\n"
MERGE = "kind: Deployment\nspec:\n  replicas: 2\n  selector: {app: null}\n"
FILES = {
    "plait.yml": "schemas: [kinds]\nruns:\n  app:\n    render: {files: app.yml, merge: more.yml}\n",
    "kinds/deployment-apps-v1.json": json.dumps(KIND),
    "app.yml": APP,
    "more.yml": MERGE,
}


def test_values_have_a_history(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        for name in ("app.yml", "more.yml"):
            made.open(name)
        for name, around in (("more.yml", "repl|icas"), ("app.yml", "repl|icas")):
            told = hover.hover(made.state, *made.at(name, around))
            assert told is not None
            for text in ("integer: how many", "app.yml:4   written  1 (overridden)", "more.yml:3  merge    2"):
                assert text in told.text


def test_keys_are_completed(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        made.open("more.yml")
        made.open("more.yml", MERGE + "  p\n")
        found = completion.complete(made.state, *made.at("more.yml", "\n  p|"))
        assert "paused" in [one.label for one in found]


def test_what_is_wrong_is_at_its_line(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        for name in ("app.yml", "more.yml"):
            made.open(name)
            assert not diagnostics.problems(made.state, made.path(name))
        made.open("more.yml", MERGE.replace("2", "x"))
        [found] = diagnostics.problems(made.state, made.path("more.yml"))
        assert (found.span.line, found.message.partition("\n")[0]) == (3, "string where integer is expected")
        made.open("more.yml", MERGE.replace("Deployment", "Deploymnt"))
        [found] = diagnostics.problems(made.state, made.path("more.yml"))
        assert (found.span.line, found.code) == (1, "E0511")
        assert "there is no document to merge this one into" in found.message
