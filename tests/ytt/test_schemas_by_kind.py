"""Schemas by kind: where they are found, what they say, what is not as they say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import plait
from plait.ytt.json_schema.catalogue import Catalogue, catalogue_of
from plait.ytt.json_schema.check import faults
from plait.ytt.json_schema.reference_resolution import schema_of

if TYPE_CHECKING:
    from pathlib import Path

JOB = {
    "type": "object",
    "properties": {"kind": {"type": "string"}, "spec": {"type": "object", "description": "wanted"}},
}


def told(schema: dict[str, object], text: str, *, is_kind: bool = True) -> list[str]:
    """What is wrong in a document, with the names that may have been meant."""
    document = plait.read({"a.yml": text}).nodes.items[0]
    found = faults(document, schema_of(schema, is_kind=is_kind))
    return [" / ".join([fault.message, *fault.meant]) for fault in found]


@pytest.mark.parametrize(
    ("name", "version", "kind"),
    [
        ("job-batch-v1.json", "batch/v1", "Job"),
        ("v1.29.0-standalone-strict/job-batch-v1.json", "batch/v1", "Job"),
        ("certificate-cert-manager-v1.json", "cert-manager.io/v1", "Certificate"),
        ("service-v1.json", "v1", "Service"),
        ("cert-manager.io/certificate_v1.json", "cert-manager.io/v1", "Certificate"),
    ],
)
def test_files_that_are_named_by_kinds(tmp_path: Path, name: str, version: str, kind: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(JOB), "utf-8")
    found = Catalogue([str(tmp_path)])
    schema = found.by_kind(version, kind)
    assert schema is not None
    assert schema.properties().keys() == {"kind", "spec"}
    assert found.by_kind(version, "Other") is None
    assert found.by_kind(None, kind) is None


@pytest.mark.parametrize("around", ["definitions", "components"])
def test_an_openapi_document(tmp_path: Path, around: str) -> None:
    node = {**JOB, "x-kubernetes-group-version-kind": [{"group": "batch", "version": "v1", "kind": "Job"}]}
    several = {"io.k8s.Job": node}
    top = {"definitions": several} if around == "definitions" else {"components": {"schemas": several}}
    (tmp_path / "api.json").write_text(json.dumps(top), "utf-8")
    schema = Catalogue([str(tmp_path / "api.json")]).by_kind("batch/v1", "Job")
    assert schema is not None
    assert schema.at(["spec"]) is not None


def test_an_old_custom_resource_definition(tmp_path: Path) -> None:
    (tmp_path / "crd.yml").write_text(
        "kind: CustomResourceDefinition\n"
        "spec:\n"
        "  group: example.org\n"
        "  version: v1beta1\n"
        "  names: {kind: Backup}\n"
        "  validation: {openAPIV3Schema: {properties: {spec: {type: object, properties: {size: {type: integer}}}}}}\n",
        "utf-8",
    )
    schema = Catalogue([str(tmp_path / "crd.yml")]).by_kind("example.org/v1beta1", "Backup")
    assert schema is not None
    assert schema.properties().keys() == {"apiVersion", "kind", "metadata", "spec"}


def test_files_by_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(JOB), "utf-8")
    found = Catalogue([(str(tmp_path / "*.manifest.yml"), str(tmp_path / "s.json"))])
    assert found.by_file(str(tmp_path / "a.manifest.yml")) is not None
    assert found.by_file(str(tmp_path / "a.yml")) is None


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    for key in ("kind", "longer"):
        path.write_text(json.dumps({"properties": {key: {}}}), "utf-8")
        schema = catalogue_of([("*", str(path))]).by_file("a.yml")
        assert schema is not None
        assert schema.properties().keys() == {key}


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "is not JSON"), ("[]", "has no JSON Schema"), ("[" * 100_000, "is not JSON")],
)
def test_what_is_no_schema(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "s.json").write_text(text, "utf-8")
    found = Catalogue([("*", str(tmp_path / "s.json"))])
    assert found.by_file("a.yml") is None
    [problem] = found.problems
    assert message in problem.message
    assert problem.at is not None
    assert problem.at.line == 1


def test_what_has_no_schema(tmp_path: Path) -> None:
    (tmp_path / "s.yml").write_text("a: 1\n", "utf-8")
    [problem] = Catalogue([str(tmp_path / "s.yml")]).problems
    assert "does not define the schema of any kind" in problem.message
    (tmp_path / "there.json").write_text("{}", "utf-8")
    [problem] = Catalogue([str(tmp_path / "their.json")]).problems
    assert "cannot read the schema" in problem.message
    assert problem.hint == f'did you mean "{tmp_path / "there.json"}"?'


@pytest.mark.parametrize(
    ("schema", "text", "expected"),
    [
        ({"type": "integer"}, "x", ["string where integer is expected"]),
        ({"type": ["integer", "null"]}, "~", []),
        ({"type": "number"}, "1", []),
        ({"properties": {"name": {}}}, "nmae: 1", ['there is no key "nmae" here / name']),
        (
            {"properties": {"name": {}}, "additionalProperties": {"type": "string"}},
            "other: 1",
            ["integer where string is expected"],
        ),
        ({"properties": {"a": {}}, "x-kubernetes-preserve-unknown-fields": True}, "b: 1", []),
        ({"properties": {}, "type": "object"}, "b: 1", []),
        ({"required": ["a"]}, "b: 1", ['the key "a" is missing']),
        ({"enum": ["Always", "Never"]}, "always", ["the value is not one of Always, Never / Always"]),
        ({"anyOf": [{"enum": ["a"]}, {"type": "string"}]}, "b", []),
        ({"x-kubernetes-int-or-string": True}, "80%", []),
        ({"x-kubernetes-int-or-string": True}, "[]", ["array where integer or string is expected"]),
        ({"items": {"type": "string"}}, "[a, 1]", ["integer where string is expected"]),
        (
            {"$ref": "#/definitions/a", "definitions": {"a": {"type": "integer"}}},
            "x",
            ["string where integer is expected"],
        ),
        ({"$ref": "#", "type": "integer"}, "x", ["string where integer is expected"]),
        (
            {"allOf": [{"$ref": "#/definitions/a"}], "definitions": {"a": {"allOf": [{"$ref": "#/definitions/a"}]}}},
            "x",
            [],
        ),
        ({"$ref": "https://example.org/schema.json"}, "x", []),
        ({"$ref": "other.json#/a"}, "x", []),
        ({"$ref": 5, "properties": 5, "items": 5, "required": 5, "type": 5, "enum": 5}, "x", []),
    ],
    ids=str,
)
def test_faults(schema: dict[str, object], text: str, expected: list[str]) -> None:
    assert told(schema, text) == expected


@pytest.mark.parametrize(
    ("schema", "choices"),
    [
        ({"enum": ["a", "b"]}, ["a", "b"]),
        ({"oneOf": [{"const": "a"}, {"const": 1}, {"enum": ["a", True]}]}, ["a", 1, True]),
        ({"type": "boolean"}, [True, False]),
        ({"type": "string"}, []),
        ({"if": {}, "then": {"enum": ["x"]}, "else": {"const": None}}, ["x", None]),
    ],
    ids=str,
)
def test_choices(schema: dict[str, object], choices: list[object]) -> None:
    assert schema_of({"additionalProperties": schema}).below("key").choices() == choices  # type: ignore[union-attr]


def test_a_recursive_schema_goes_as_deep_as_the_document() -> None:
    schema: dict[str, object] = {"properties": {"a": {"$ref": "#"}}, "type": "object"}
    assert told(schema, "{a: " * 50 + "{b: 1}" + "}" * 50) == ['there is no key "b" here']


def test_no_value_is_told() -> None:
    assert "secret" not in str(told({"type": "integer"}, "secret") + told({"enum": [1]}, "secret"))
