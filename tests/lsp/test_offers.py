"""What can stand at a place, for the cells of the table that need to know what a run made."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import OPERATIONS, TEMPLATES, Workshop, workshop

from plait.authoring.lsp import completion
from plait.authoring.lsp.features import CompletionItem

HEAD = '#@ load("@ytt:overlay", "overlay")\n'
VALUES = {
    **TEMPLATES,
    "config/schema.yml": """\
#@data/values-schema
---
#@schema/desc "how many there are"
replicas: 1
#@schema/validation one_of=["debug", "info", 'warn']
level: info
app:
  name: web
  port: 80
  public: false
#@schema/nullable
owner: ""
""",
}
THREE = {
    **TEMPLATES,
    "config/more.yml": """\
kind: Deployment
metadata: {name: second, labels: {tier: front}}
---
kind: Service
metadata: {name: third}
spec:
  ports:
  - {name: http, port: 80}
  - {name: admin, port: 81}
""",
}


def offered(made: Workshop, name: str, around: str) -> list[CompletionItem]:
    return completion.complete(made.state, *made.at(name, around))


def labels(made: Workshop, name: str, around: str) -> list[str]:
    return [one.label for one in offered(made, name, around)]


# ---- values files


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("level: |", ["debug", "info", "warn"]),
        ("level: de|", ["debug", "info", "warn"]),
        ("app:\n  public: |", ["true", "false"]),
        ("app: {public: |", ["true", "false"]),
        ("app: {name: x, |", ["name", "port", "public"]),
        ("replicas: |", ["1"]),
        ("owner: |", ["null"]),
    ],
)
def test_what_a_data_value_may_be(tmp_path: Path, typed: str, expected: list[str]) -> None:
    with workshop(tmp_path, VALUES) as made:
        made.open("prod.yml", typed.replace("|", "") + "\n")
        assert labels(made, "prod.yml", typed) == expected


def test_keys_with_what_the_schema_says_of_them(tmp_path: Path) -> None:
    with workshop(tmp_path, VALUES) as made:
        made.open("prod.yml", "re\n")
        said = {one.label: (one.detail, one.documentation, one.text) for one in offered(made, "prod.yml", "re|")}
        assert said["replicas"] == ("3", "integer, default `1`: how many there are", "replicas: ")
        assert said["level"][1] == "string, default `info`, one of `debug`, `info`, `warn`"
        assert said["owner"][1] == "string or null, default `null`"


# ---- overlays


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('by=overlay.subset({"|', ["kind", "metadata", "spec"]),
        ('by=overlay.subset({"kind": "|', ["Deployment", "Service"]),
        ('by=overlay.subset({"kind": |', ['"Deployment"', '"Service"']),
        ('by=overlay.subset({"kind": "Service", "|', ["metadata", "spec"]),
        ('by=overlay.subset({"metadata": {"name": "|', ["proda", "second", "third"]),
        ('by=overlay.subset({"metadata": {"labels": {"|', ["tier"]),
        ('by=overlay.or_op(overlay.subset({"kind": "|', ["Deployment", "Service"]),
    ],
)
def test_subsets_by_values_that_occur(tmp_path: Path, typed: str, expected: list[str]) -> None:
    with workshop(tmp_path, THREE) as made:
        made.open("config/over.yml", f"{HEAD}#@overlay/match {typed.replace('|', '')}\n---\nspec: {{}}\n")
        found = labels(made, "config/over.yml", f"#@overlay/match {typed}")
        assert found[: len(expected)] == expected
        # Names of the program may follow where no string is open.
        assert (found == expected) is (typed.count('"') % 2 == 1)


def test_whole_matchers(tmp_path: Path) -> None:
    with workshop(tmp_path, THREE) as made:
        made.open("config/over.yml", f"{HEAD}#@overlay/match by=\n---\nspec: {{}}\n")
        found = [(one.label, one.detail) for one in offered(made, "config/over.yml", "match by=|")]
        assert found[:3] == [
            ('overlay.subset({"kind": "Deployment"})', "2×"),
            ('overlay.subset({"kind": "Service"})', "1×"),
            ("overlay.all", "3×"),
        ]


def test_the_key_that_items_of_an_array_are_found_by(tmp_path: Path) -> None:
    text = HEAD + '#@overlay/match by=overlay.subset({"kind": "Service"})\n---\nspec:\n  ports:\n'
    with workshop(tmp_path, THREE) as made:
        for typed, expected in [
            ('by="|', ["name", "port"]),
            (
                "by=|",
                ['"name"', 'overlay.subset({"name": "http"})', 'overlay.subset({"name": "admin"})', "overlay.all"],
            ),
            ('by=overlay.subset({"name": "|', ["http", "admin"]),
        ]:
            made.open("config/over.yml", f"{text}  #@overlay/match {typed.replace('|', '')}\n  - name: x\n")
            found = labels(made, "config/over.yml", f"ports:\n  #@overlay/match {typed}")
            assert found[: len(expected)] == expected
            assert (found == expected) is (typed.count('"') % 2 == 1)


def test_keys_and_values_below_what_an_overlay_matches(tmp_path: Path) -> None:
    text = HEAD + '#@overlay/match by=overlay.subset({"kind": "Service"})\n---\nspec:\n  ports:\n'
    with workshop(tmp_path, THREE) as made:
        made.open("config/over.yml", f'{text}  #@overlay/match by="name"\n  - name: http\n    po\n')
        assert labels(made, "config/over.yml", "    po|\n") == ["port"]
        made.open("config/over.yml", f'{text}  #@overlay/match by="name"\n  - name: \n')
        assert labels(made, "config/over.yml", "- name: |") == ["http", "admin"]


# ---- operations


STEPS = """\
- type: replace
  path: /instance_groups/name=web/instances
  value: 3
- type: remove
  path: /instance_groups/name=db
- type: replace
  path: /instance_groups/name=cache?
  value: {name: cache}
- type: replace
  path: /
  value: 1
"""


def test_paths_by_what_the_operations_before_have_made(tmp_path: Path) -> None:
    with workshop(tmp_path, OPERATIONS) as made:
        made.open(
            "ops.yml", STEPS.replace("  path: /\n  value: 1\n", "  path: /instance_groups/-\n  value: {name: x}\n")
        )
        made.open("ops.yml", STEPS.replace("  path: /\n  value: 1\n", "  path: /instance_groups/\n  value: 1\n"))
        assert labels(made, "ops.yml", "path: /instance_groups/|\n") == ["name=web", "name=cache", "-"]
        assert labels(made, "ops.yml", "path: /instance_groups/|name=db") == ["name=web", "name=db", "-"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("/instance_groups/name=|", ["name=web", "name=db", "-"]),
        ("/instance_groups/name=web/|", ["name", "instances", "jobs"]),
        ("/instance_groups/name=web/jobs?/0/|", ["name", "properties"]),
        ("/instance_groups/1/|", ["name", "instances"]),
    ],
)
def test_each_token_of_a_path(tmp_path: Path, typed: str, expected: list[str]) -> None:
    with workshop(tmp_path, OPERATIONS) as made:
        made.open("ops.yml", f"- type: remove\n  path: {typed.replace('|', '')}\n")
        assert labels(made, "ops.yml", f"path: {typed}") == expected


def test_keys_of_operations(tmp_path: Path) -> None:
    with workshop(tmp_path, OPERATIONS) as made:
        made.open("ops.yml", "- type: replace\n  \n")
        assert labels(made, "ops.yml", "replace\n  |") == ["path", "value"]
        made.open("ops.yml", "- \n")
        assert labels(made, "ops.yml", "- |") == ["type", "path", "value"]


# ---- layered documents


LAYERED = """\
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: base
  labels: {role: web, zone: a}
  layeringDefinition: {layer: global, abstract: true}
data:
  port: 80
  hosts: [{name: x}]
---
schema: demo/Key/v1
metadata:
  schema: metadata/Document/v1
  name: key
  labels: {role: key}
  layeringDefinition: {layer: global}
data:
  value: abc
---
schema: demo/Server/v1
metadata:
  schema: metadata/Document/v1
  name: north
"""
POLICY = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: order}
data: {layerOrder: [global, site]}
"""


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("  layeringDefinition:\n    layer: |", ["global", "site"]),
        ("  layeringDefinition:\n    layer: s|", ["global", "site"]),
        ("  layeringDefinition: {layer: |}", ["global", "site"]),
        ("  layeringDefinition:\n    parentSelector:\n      |", ["role", "zone"]),
        ("  layeringDefinition:\n    parentSelector: {|}", ["role", "zone"]),
        ("  layeringDefinition:\n    parentSelector:\n      role: |", ["key", "web"]),
        ("  labels:\n    zone: |", ["a"]),
        ("  layeringDefinition:\n    actions:\n    - method: |", ["merge", "replace", "delete"]),
        ("  layeringDefinition:\n    actions:\n    - path: |", [".", ".hosts", ".hosts[0]", ".hosts[0].name", ".port"]),
        ("  layeringDefinition:\n    |", ["abstract", "actions", "layer", "parentSelector"]),
        ("  substitutions:\n  - src:\n      schema: |", ["deckhand/LayeringPolicy/v1", "demo/Key/v1", "demo/Server/v1"]),
        ("  substitutions:\n  - src:\n      schema: demo/Key/v1\n      name: |", ["key"]),
        ("  substitutions:\n  - src:\n      schema: demo/Key/v1\n      name: key\n      path: |", [".", ".value"]),
        ("  storagePolicy: |", ["cleartext", "encrypted"]),
        ("  |", ["labels", "layeringDefinition", "replacement", "storagePolicy", "substitutions"]),
    ],
)  # fmt: skip
def test_parts_of_layered_documents(tmp_path: Path, typed: str, expected: list[str]) -> None:
    with workshop(tmp_path, {"all.yml": LAYERED + POLICY}) as made:
        made.open("all.yml", f"{LAYERED}{typed.replace('|', '')}\n{POLICY}")
        assert sorted(labels(made, "all.yml", f"name: north\n{typed}")) == sorted(expected)


# ---- the project file


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("|", ["runs", "steps", "lint", "schemas", "tests"]),
        ("runs:\n  b:\n    |", ["base", "abstract", "description", "steps", "render", "patch", "layer", "compose"]),
        ("runs:\n  a: {render: {files: x}}\n  b:\n    base: |", ["a"]),
        ("runs:\n  b:\n    abstract: |", ["true", "false"]),
        ("runs:\n  b:\n    render:\n      output: |", ["yaml", "json", "pos", "openapi-v3", "json-schema"]),
        ("runs:\n  b:\n    render:\n      files: [|", ["config/", "plait.yml", "prod.yml"]),
        (
            "runs:\n  b:\n    render:\n      files:\n      - config/|",
            ["app.yml", "helpers.star", "over.yml", "schema.yml"],
        ),
        ("runs:\n  b:\n    render:\n      data-values-file: p|", ["config/", "plait.yml", "prod.yml"]),
        ("runs:\n  b:\n    patch:\n      base: |", ["config/", "plait.yml", "prod.yml"]),
        ("steps:\n- |", ["name", "render", "layer", "patch", "overlay", "values", "compose"]),
        ("steps:\n- overlay:\n    files: |", ["config/", "plait.yml", "prod.yml"]),
    ],
)
def test_parts_of_the_project_file(tmp_path: Path, typed: str, expected: list[str]) -> None:
    with workshop(tmp_path, TEMPLATES) as made:
        made.open("plait.yml", typed.replace("|", "") + "\n")
        found = labels(made, "plait.yml", typed)
        assert [one for one in found if one in expected] == expected
        assert not any(one in found for one in ("match", "kind"))


def test_settings_say_what_they_are(tmp_path: Path) -> None:
    with workshop(tmp_path, TEMPLATES) as made:
        made.open("plait.yml", "runs:\n  b:\n    render:\n      \n")
        said = {one.label: one.documentation for one in offered(made, "plait.yml", "render:\n      |")}
        assert "accept only a strict subset of YAML" in said["strict"]
        assert said["files"]
