"""Schemas by kind in the editor: completed, described and checked, wherever a value comes from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from workshop import LAYERS, OF_SCHEMAS, Workshop, workshop

from plait.authoring.lsp import completion, diagnostics, hover

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plait.authoring.lsp.features import EditorDiagnostic

DEPLOYMENT = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
        "spec": {"$ref": "#/definitions/spec"},
    },
    "definitions": {
        "spec": {
            "description": "what is wanted",
            "type": "object",
            "properties": {
                "replicas": {"type": "integer", "description": "how many"},
                "paused": {"type": "boolean"},
                "strategy": {"type": "string", "enum": ["Recreate", "RollingUpdate"]},
                "containers": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "image": {"type": "string"}},
                    },
                },
            },
        }
    },
}
CRD = """\
kind: CustomResourceDefinition
spec:
  group: example.org
  names: {kind: Backup}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {schedule: {type: string}}}
"""
APP = """\
#@ load("@ytt:data", "data")
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: #@ data.values.replicas
  strategy: Recreate
  containers:
  - name: web
    image: x
"""
FILES = {
    "plait.yml": """\
schemas:
- kinds
- crd.yml
- {files: "base.yml", schema: manifest.json}
runs:
  prod: {render: {files: config}}
  site: {patch: {base: base.yml, ops: ops.yml}}
""",
    "kinds/deployment-apps-v1.json": json.dumps(DEPLOYMENT),
    "crd.yml": CRD,
    "manifest.json": json.dumps(
        {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "its name"}, "count": {"type": "integer"}},
        }
    ),
    "config/app.yml": APP,
    "config/backup.yml": "apiVersion: example.org/v1\nkind: Backup\nspec:\n  schedule: daily\n",
    "config/over.yml": """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Deployment"})
---
spec:
  #@overlay/match missing_ok=True
  paused: true
""",
    "config/schema.yml": "#@data/values-schema\n---\nreplicas: 1\n",
    "base.yml": "name: a\n",
    "ops.yml": "- type: replace\n  path: /count?\n  value: 3\n",
}


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(tmp_path, FILES) as found:
        yield found


def of_kinds(made: Workshop, name: str) -> list[EditorDiagnostic]:
    return [problem for problem in diagnostics.problems(made.state, made.path(name)) if problem.code in OF_SCHEMAS]


def test_what_is_right_is_not_told(made: Workshop) -> None:
    for name in FILES:
        if name.endswith(".yml"):
            made.open(name)
    assert [problem.message for name in FILES if name.endswith(".yml") for problem in of_kinds(made, name)] == []


def test_plain_parts_of_templates_are_checked(made: Workshop) -> None:
    made.open("config/app.yml", APP.replace("  strategy: Recreate", "  strategie: Recreate"))
    [problem] = of_kinds(made, "config/app.yml")
    assert problem.message == 'there is no key "strategie" here\nhint: did you mean "strategy"?'
    assert (problem.span.line, problem.span.column, problem.span.end) == (8, 3, 12)
    assert [(fix.title, fix.edits[0].text) for fix in problem.fixes] == [("Change to strategy", "strategy")]


def test_values_that_there_may_not_be(made: Workshop) -> None:
    made.open("config/app.yml", APP.replace("Recreate", "recreate").replace("image: x", "image: [x]"))
    assert [problem.message.split("\n")[0] for problem in of_kinds(made, "config/app.yml")] == [
        "the value is not one of Recreate, RollingUpdate",
        "array where string is expected",
    ]


def test_what_expressions_make_is_checked_where_it_is_written(made: Workshop) -> None:
    made.open("config/app.yml", APP.replace("#@ data.values.replicas", '#@ str(data.values.replicas) + "x"'))
    [problem] = of_kinds(made, "config/app.yml")
    assert problem.message.startswith("string where integer is expected")
    assert problem.span.line == 7


def test_overlays_are_checked_and_completed_by_what_they_lie_over(made: Workshop) -> None:
    text = FILES["config/over.yml"]
    made.open("config/over.yml", text.replace("paused: true", "paused: 3"))
    [problem] = of_kinds(made, "config/over.yml")
    assert problem.message.startswith("integer where boolean is expected")
    made.open("config/over.yml", text + "  con\n")
    found = {one.label: one for one in completion.complete(made.state, made.path("config/over.yml"), 7, 6)}
    assert {"containers", "replicas"} <= found.keys()


def test_operations_are_checked(made: Workshop) -> None:
    made.open("ops.yml", FILES["ops.yml"].replace("value: 3", "value: three"))
    [problem] = of_kinds(made, "ops.yml")
    assert problem.message.startswith("string where integer is expected")


def test_custom_resources_are_checked(made: Workshop) -> None:
    made.open("config/backup.yml", FILES["config/backup.yml"].replace("schedule: daily", "shedule: daily"))
    [problem] = of_kinds(made, "config/backup.yml")
    assert problem.message == 'there is no key "shedule" here\nhint: did you mean "schedule"?'


def test_keys_and_values_are_completed_and_described(made: Workshop) -> None:
    path = made.open("config/app.yml")
    made.state.open(path, APP.replace("  strategy: Recreate\n", "  p\n"))
    found = {one.label: one for one in completion.complete(made.state, path, 8, 4)}
    assert found["paused"].detail == "boolean"
    assert "replicas" not in found
    made.state.open(path, APP.replace("  strategy: Recreate\n", "  strategy: \n"))
    assert [one.label for one in completion.complete(made.state, path, 8, 13)] == ["Recreate", "RollingUpdate"]
    made.open("config/app.yml")
    shown = hover.hover(made.state, path, 8, 4)
    assert shown is not None
    assert "string\n" in shown.text


def test_a_schema_that_cannot_be_read_is_told(made: Workshop) -> None:
    (made.top / "kinds" / "deployment-apps-v1.json").write_text("{", "utf-8")
    made.open("config/app.yml")
    made.open("plait.yml")
    messages = [problem.message for problem in diagnostics.problems(made.state, made.path("plait.yml"))]
    assert any("is not JSON" in message for message in messages)


MANIFEST = {
    "type": "object",
    "properties": {
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {}, "size": {"type": "integer"}, "zone": {"enum": ["z1", "z2"]}},
                "additionalProperties": False,
            },
        }
    },
}
GROUPS = {
    "plait.yml": """\
schemas:
- {files: base.yml, schema: manifest.json}
runs:
  site: {patch: {base: base.yml, ops: ops.yml, vars-store: store.yml}}
""",
    "manifest.json": json.dumps(MANIFEST),
    "base.yml": "groups:\n- name: a\n",
    "store.yml": "key: {hunter2: 1}\n",
    "ops.yml": "- type: replace\n  path: /groups/name=a\n  value:\n    name: a\n    zo\n",
}


def test_values_of_operations_are_completed(tmp_path: Path) -> None:
    with workshop(tmp_path, GROUPS) as made:
        made.open("ops.yml")
        found = completion.complete(made.state, *made.at("ops.yml", "    zo|"))
        assert [one.label for one in found] == ["size", "zone"]
        made.open("ops.yml", GROUPS["ops.yml"].replace("    zo\n", "    zone: \n"))
        found = completion.complete(made.state, *made.at("ops.yml", "    zone: |"))
        assert [one.label for one in found] == ["z1", "z2"]


def test_keys_of_secrets_are_not_told(tmp_path: Path) -> None:
    with workshop(tmp_path, GROUPS) as made:
        made.open("ops.yml", "- {type: replace, path: /groups/0, value: ((key))}\n")
        found = [*of_kinds(made, "ops.yml"), *of_kinds(made, "store.yml")]
        assert found
        assert not any("hunter2" in f"{one.message}{one.fixes}" for one in found)


def test_data_of_layers_are_completed_by_a_data_schema(tmp_path: Path) -> None:
    schema = "schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: demo/Server/v1}\ndata: "
    server = {"type": "object", "properties": {"port": {"type": "integer"}, "mode": {"enum": ["on", "off"]}}}
    with workshop(tmp_path, {**LAYERS, "schemas.yml": f"{schema}{json.dumps(server)}\n"}) as made:
        made.open("documents.yml")
        found = completion.complete(made.state, *made.at("documents.yml", "  re|plicas"))
        assert [one.label for one in found] == ["port", "mode"]
