"""A JSON Schema as the schema of data values, and of the output, in the editor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workshop import OF_SCHEMAS, workshop

from plait.authoring.lsp import completion, diagnostics, hover

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "description": "what it is called", "default": "web"},
        "mode": {"enum": ["fast", "slow"]},
        "kept": {"type": "object", "properties": {"days": {"type": "integer"}}},
    },
}
KIND = {"properties": {"spec": {"properties": {"name": {"type": "string", "maxLength": 5}}}}}
FILES = {
    "plait.yml": "runs:\n  app:\n    render: {files: app.yml, schema: values.json, data-values-file: v.yml, check-output: kinds}\n",
    "values.json": json.dumps(SCHEMA),
    "kinds/app-v1.json": json.dumps(KIND),
    "app.yml": '#@ load("@ytt:data", "data")\n---\nkind: App\napiVersion: v1\nspec:\n  name: #@ data.values.name\n',
    "v.yml": "kept:\n  days: 1\n",
}


def test_keys_and_values_are_completed(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        made.open("v.yml")
        made.open("v.yml", "kept:\n  days: 1\nm\n")
        found = completion.complete(made.state, *made.at("v.yml", "\nm|"))
        assert {"mode", "name"} <= {one.label for one in found}
        made.open("v.yml", "kept:\n  days: 1\nmode: \n")
        found = completion.complete(made.state, *made.at("v.yml", "mode: |"))
        assert {"fast", "slow"} <= {one.label for one in found}
        made.open("app.yml")
        found = completion.complete(made.state, *made.at("app.yml", "data.values.|"))
        assert [one.documentation for one in found if one.label == "name"] == [
            "string, default `web`: what it is called"
        ]
        told = hover.hover(made.state, *made.at("app.yml", "data.values.na|me"))
        assert told is not None
        assert "what it is called" in repr(told)


def test_what_is_wrong_is_at_its_line(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        made.open("v.yml")
        assert not [*diagnostics.problems(made.state, made.path("v.yml"))]
        made.open("v.yml", "kept:\n  days: x\n")
        [found] = diagnostics.problems(made.state, made.path("v.yml"))
        assert found.span.line == 2
        assert "kept.days: string where integer is expected" in found.message


def test_output_is_checked_as_by_schemas_of_the_project(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        made.open("app.yml", FILES["app.yml"].replace("#@ data.values.name", "far-too-long"))
        [found] = [one for one in diagnostics.problems(made.state, made.path("app.yml")) if one.code in OF_SCHEMAS]
        assert found.span.line == 6
        assert "longer than 5" in found.message


def test_a_change_of_the_schema_counts_at_once(tmp_path: Path) -> None:
    with workshop(tmp_path, FILES) as made:
        made.open("v.yml")
        made.open("values.json", json.dumps(SCHEMA).replace('"integer"', '"string"'))
        [found] = diagnostics.problems(made.state, made.path("v.yml"))
        assert "integer where string is expected" in found.message
