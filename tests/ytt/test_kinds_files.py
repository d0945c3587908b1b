"""Files of schemas: where they are looked for, what a `$ref` may lead to, what is told of files that are wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import plait
from plait.base.limits import Limits, budget_scope
from plait.ytt.json_schema.catalogue import Catalogue, catalogue_of

THING = "apiVersion: example.org/v1\nkind: Thing\nspec: {size: x}\n"


def write(top: Path, files: dict[str, object]) -> None:
    for name, content in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), "utf-8")


def kind(spec: object, **more: object) -> dict[str, object]:
    return {"properties": {"apiVersion": {}, "kind": {}, "spec": spec}, **more}


def told(found: Catalogue, text: str = THING) -> list[str]:
    return [fault.message for document in plait.read({"a.yml": text}).nodes.items for fault in found.check(document)]


def problems(found: Catalogue, top: Path) -> list[str]:
    """What is wrong with files, each with its line."""
    return [f"{str(one.at).removeprefix(f'{top}{os.sep}')}: {one.message}" for one in [*found.problems, *found.notes]]


SIZE = {"properties": {"size": {"type": "integer"}}}
WRONG = ["string where integer is expected"]


@pytest.mark.parametrize(
    ("reference", "others"),
    [
        ("#/definitions/spec", {}),
        ("common.json#/definitions/spec", {"schemas/common.json": {"definitions": {"spec": SIZE}}}),
        ("../more/spec.json", {"schemas/more/spec.json": SIZE}),
        ("../more/spec%20it.json#", {"schemas/more/spec it.json": SIZE}),
        ("common.json#size", {"schemas/common.json": {"$defs": {"a": {"$anchor": "size", **SIZE}}}}),
        ("common.yml#/spec", {"schemas/common.yml": "spec: {properties: {size: {type: integer}}}\n"}),
        ("common.json", {"schemas/common.json": {"$ref": "third.json"}, "schemas/third.json": SIZE}),
        ("https://example.org/own.json#/definitions/spec", {}),
        (
            "https://example.org/common.json",
            {"schemas/common.json": {"$id": "https://example.org/common.json", **SIZE}},
        ),
    ],
)
def test_a_reference_leads_to_files_of_the_directories(tmp_path: Path, reference: str, others: dict[str, Any]) -> None:
    own = kind({"$ref": reference}, **{"$id": "https://example.org/own.json", "definitions": {"spec": SIZE}})
    # Beside each other in one directory of those that are named.
    moved = {name.replace("schemas/common", "schemas/example.org/common"): text for name, text in others.items()}
    moved = {name.replace("schemas/third", "schemas/example.org/third"): text for name, text in moved.items()}
    write(tmp_path, {"schemas/example.org/thing_v1.json": own, **moved})
    found = Catalogue([str(tmp_path / "schemas")])
    assert told(found) == WRONG
    assert problems(found, tmp_path) == []
    schema = found.by_kind("example.org/v1", "Thing")
    assert schema is not None
    below = schema.at(["spec", "size"])
    assert below is not None
    assert below.type_text() == "integer"


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("https://example.org/other.json", "not a local file; nothing is fetched"),
        ("http://[broken/other.json", "target not found"),
        ("file://host/other.json", "not a local file; nothing is fetched"),
        ("../outside.json", "outside of the schema directories"),
        ("link.json", "outside of the schema directories"),
        ("missing.json", "file not found"),
        ("#/definitions/missing", "target not found"),
        ("#missing", "target not found"),
        ("#/properties/kind/title", "target is not a schema"),
        ("broken.json", "cannot use the file"),
    ],
)
def test_a_reference_that_leads_nowhere_is_told_once(tmp_path: Path, reference: str, message: str) -> None:
    spec = {"properties": {"size": {"type": "integer"}, "a": {"$ref": reference}, "b": {"$ref": reference}}}
    own = kind({"allOf": [spec]})
    own["properties"]["kind"] = {"title": "x"}  # type: ignore[index]
    write(tmp_path, {"schemas/thing-example-v1.json": own, "outside.json": SIZE, "schemas/broken.json": "{\n,"})
    (tmp_path / "schemas" / "link.json").symlink_to(tmp_path / "outside.json")
    found = Catalogue([str(tmp_path / "schemas")])
    text = THING.replace("size: x", "size: x, a: 1, b: 1")
    assert told(found, text) == WRONG
    assert told(found, text) == WRONG
    lines = json.dumps(own, indent=1).split("\n")
    at = [number for number, line in enumerate(lines, 1) if "$ref" in line]
    expected = [f'schemas/thing-example-v1.json:{line}: $ref "{reference}": {message}' for line in at]
    messages = sorted(one for one in problems(found, tmp_path) if "$ref" in one)
    assert all(one.startswith(start) for one, start in zip(messages, sorted(expected), strict=True)), messages


def test_links_lead_nowhere_but_within(tmp_path: Path) -> None:
    write(tmp_path, {"schemas/there/other.json": kind(SIZE), "outside.json": kind(SIZE)})
    (tmp_path / "schemas" / "thing-example-v1.json").symlink_to("there/other.json")
    (tmp_path / "schemas" / "gadget-example-v1.json").symlink_to(tmp_path / "outside.json")
    found = Catalogue([str(tmp_path / "schemas")])
    assert told(found) == WRONG
    assert told(found, THING.replace("Thing", "Gadget")) == []
    [problem] = found.problems
    assert "gadget-example-v1.json" in problem.message
    assert "leads out of the directories" in problem.message


def test_a_schema_without_end_comes_to_one(tmp_path: Path) -> None:
    endless = {"allOf": [{"$ref": "#/definitions/a"}], "definitions": {"a": {"anyOf": [{"$ref": "#/definitions/a"}]}}}
    write(tmp_path, {"thing-example-v1.json": kind({**SIZE, "$ref": "#/definitions/a"}, **endless)})
    found = Catalogue([str(tmp_path)])
    assert told(found) == WRONG
    schema = found.by_kind("example.org/v1", "Thing")
    assert schema is not None
    assert schema.at(["spec", "size"]) is not None
    write(tmp_path, {"list-example-v1.json": {"items": {"$ref": "#"}, "properties": {"kind": {}}}})
    assert Catalogue([str(tmp_path)]).by_kind("example.org/v1", "List") is not None


def test_many_alternatives_within_each_other_end_at_a_limit(tmp_path: Path) -> None:
    hostile = {"$defs": {"a": {"anyOf": [{"properties": {"x": {"$ref": "#/$defs/a"}}, "minimum": 1}] * 9, "not": {}}}}
    write(tmp_path, {"s.json": {**hostile, "$ref": "#/$defs/a"}})
    found = Catalogue([(str(tmp_path / "*.yml"), str(tmp_path / "s.json"))])
    document = plait.read({"a.yml": "{x: " * 40 + "1" + "}" * 40}).nodes.items[0]
    with budget_scope(Limits(seconds=20, steps=200_000)), pytest.raises(plait.LimitError, match="steps"):
        found.check(document, [str(tmp_path / "a.yml")])


BAD = """\
{
 "type": "text",
 "required": "a",
 "properties": {
  "apiVersion": {},
  "kind": {"pattern": "(?=x)"},
  "spec": {
   "properties": [1],
   "minLength": true,
   "patternProperties": {"(?<=a)b": {}},
   "additionalProperties": false
  }
 }
}
"""


def test_keywords_with_what_they_cannot_have_are_told_at_their_lines(tmp_path: Path) -> None:
    write(tmp_path, {"thing-example-v1.json": BAD})
    found = Catalogue([str(tmp_path)])
    assert told(found) == []
    pattern = "is not checked"
    assert sorted(problems(found, tmp_path)) == [
        f'thing-example-v1.json:10: the pattern "(?<=a)b" {pattern}',
        f'thing-example-v1.json:11: the pattern "(?<=a)b" {pattern}',
        'thing-example-v1.json:2: "type" cannot be used here',
        'thing-example-v1.json:3: "required" cannot be used here',
        f'thing-example-v1.json:6: the pattern "(?=x)" {pattern}',
        'thing-example-v1.json:8: "properties" cannot be used here',
        'thing-example-v1.json:9: "minLength" cannot be used here',
    ]
    assert len(found.notes) == 3


@pytest.mark.parametrize("before", ["", "a: 1\n---\n"])
def test_a_definition_of_a_resource_is_told_with_its_line(tmp_path: Path, before: str) -> None:
    crd = """\
kind: CustomResourceDefinition
spec:
  group: example.org
  names: {kind: Thing}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            required: true
            properties:
              size: {type: integer, $ref: "#/nowhere"}
"""
    write(tmp_path, {"crd.yml": before + crd})
    found = Catalogue([str(tmp_path)])
    assert told(found) == WRONG
    first = before.count("\n")
    assert problems(found, tmp_path) == [
        f'crd.yml:{first + 11}: "required" cannot be used here',
        f'crd.yml:{first + 13}: $ref "#/nowhere": target not found',
    ]


def test_a_file_that_is_broken_is_told_with_its_line(tmp_path: Path) -> None:
    write(
        tmp_path, {"thing-example-v1.json": '{\n "a": 1\n "b"\n}', "crd.yml": "kind: CustomResourceDefinition\na: [\n"}
    )
    found = Catalogue([str(tmp_path)])
    assert told(found) == []
    assert [str(one.at).removeprefix(f"{tmp_path}{os.sep}") for one in found.problems] == ["thing-example-v1.json:3"]
    assert told(found, THING.replace("Thing", "CustomResourceDefinition")) == []
    assert [str(one.at).removeprefix(f"{tmp_path}{os.sep}") for one in found.problems] == [
        "thing-example-v1.json:3",
        "crd.yml:2",
    ]


def test_a_file_that_is_too_large_is_said_to_be(tmp_path: Path) -> None:
    write(tmp_path, {"thing-example-v1.json": kind(SIZE)})
    found = Catalogue([str(tmp_path)])
    with budget_scope(Limits(input=10)), pytest.raises(plait.LimitError, match=r"thing-example-v1\.json.*input"):
        told(found)


def test_crds_and_openapi_in_a_directory_are_found_by_their_kinds(tmp_path: Path) -> None:
    crd = """\
apiVersion: v1
kind: List
items:
- kind: CustomResourceDefinition
  spec:
    group: example.org
    names: {kind: "Thing"}
    versions: [{name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {size: {type: integer}}}}}}}]
"""
    node = {"x-kubernetes-group-version-kind": [{"group": "", "kind": "Amount", "version": "v1"}]}
    quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity"
    amount = {"properties": {"size": {"$ref": f"#/definitions/{quantity}"}, "kind": {}, "apiVersion": {}}, **node}
    api = {"paths": {"/a": {}}, "definitions": {"io.k8s.Amount": amount, quantity: {"type": "string"}}}
    write(tmp_path, {"deep/crds.yml": "a: 1\n---\n" + crd, "swagger.json": api, "plain.yml": "a: ["})
    found = Catalogue([str(tmp_path)])
    assert told(found) == WRONG
    assert told(found, "{apiVersion: v1, kind: Amount, size: 2}") == []
    assert told(found, "{apiVersion: v1, kind: Amount, size: []}") == ["array where string or number is expected"]
    assert found.problems == []


def test_layered_documents_have_schemas_of_their_data(tmp_path: Path) -> None:
    write(tmp_path, {"demo/server_v1.json": SIZE})
    found = Catalogue([str(tmp_path)])
    text = "schema: demo/Server/v1\nmetadata: {}\ndata: {size: x, other: 1}\n"
    [document] = plait.read({"a.yml": text}).nodes.items
    [fault] = found.check(document)
    assert (fault.path, fault.message) == (("data", "size"), WRONG[0])
    assert told(found, text.replace("Server", "Client")) == []


def test_what_is_wrong_is_told_in_the_order_of_the_document(tmp_path: Path) -> None:
    write(
        tmp_path, {"thing-example-v1.json": kind({"properties": {"b": {"type": "integer"}, "a": {"type": "integer"}}})}
    )
    found = Catalogue([str(tmp_path)])
    [document] = plait.read({"a.yml": THING.replace("size: x", "a: x, c: 1, b: x")}).nodes.items
    assert [fault.path[-1] for fault in found.check(document)] == ["a", "c", "b"]
    assert [fault.item.value for fault in found.check(document)] == ["x", 1, "x"]


# ---- what changes


def changed(top: Path, entries: list[str], texts: dict[str, bytes] | None = None) -> bool:
    """Whether another catalogue is made than before."""
    before = catalogue_of(entries)
    told(before)
    return catalogue_of(entries, texts) is not before


def test_the_catalogue_stays_while_schemas_do(tmp_path: Path) -> None:
    write(tmp_path, {"thing-example-v1.json": kind(SIZE), "template.yml": "a: 1\n", "b/other-example-v1.json": {}})
    entries = [str(tmp_path)]
    assert not changed(tmp_path, entries)
    told(catalogue_of(entries), THING.replace("Thing", "Unknown"))  # for which files are looked into
    assert not changed(tmp_path, entries, {str(tmp_path / "template.yml"): b"a: 2\n"})
    write(tmp_path, {"template.yml": "another: 1\n", "not-of-interest.txt": ""})
    assert not changed(tmp_path, entries)
    by_name = [(str(tmp_path / "*.yml"), str(tmp_path / "thing-example-v1.json"))]
    before = catalogue_of(by_name)
    assert before.by_file(str(tmp_path / "template.yml")) is not None
    assert catalogue_of(by_name, {str(tmp_path / "template.yml"): b"a: 3\n"}) is before


@pytest.mark.parametrize(
    "files",
    [
        {"thing-example-v1.json": kind({})},
        {"new.yml": "kind: CustomResourceDefinition\n"},
        {"b/new.json": {}},
        {"template.yml": "kind: CustomResourceDefinition\n"},
        {"common.json": {}},
    ],
    ids=str,
)
def test_what_changes_below_a_directory_is_noticed(tmp_path: Path, files: dict[str, object]) -> None:
    spec = {"$ref": "common.json"}
    write(
        tmp_path, {"thing-example-v1.json": kind(spec), "common.json": SIZE, "template.yml": "a: 1\n", "b/o.json": {}}
    )
    entries = [str(tmp_path)]
    told(catalogue_of(entries), THING.replace("Thing", "Unknown"))
    before = catalogue_of(entries)
    assert told(before) == WRONG
    write(tmp_path, files)
    assert catalogue_of(entries) is not before


@pytest.mark.parametrize("name", ["thing-example-v1.json", "common.yml"])
def test_what_changes_of_a_named_file_is_noticed(tmp_path: Path, name: str) -> None:
    spec = {"$ref": "common.yml"}
    write(tmp_path, {"thing-example-v1.json": kind(spec), "common.yml": json.dumps(SIZE), "more/a.yml": "a: 1\n"})
    entries = [str(tmp_path / "thing-example-v1.json"), str(tmp_path / "more"), str(tmp_path / "common.yml")]
    before = catalogue_of(entries)
    assert told(before) == WRONG
    assert catalogue_of(entries) is before
    write(tmp_path, {name: kind({}) if name.endswith("json") else "{}\n"})
    assert catalogue_of(entries) is not before
    assert told(catalogue_of(entries)) == []


def test_the_first_item_that_has_a_kind_counts(tmp_path: Path) -> None:
    crd = """\
kind: CustomResourceDefinition
spec:
  group: example.org
  names: {kind: Thing}
  versions: [{name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {size: {type: boolean}}}}}}}]
"""
    write(tmp_path, {"a/thing-example-v1.json": kind(SIZE), "b/crd.yml": crd})
    entries = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert told(Catalogue(entries)) == WRONG
    assert told(Catalogue(entries[::-1])) == ["string where boolean is expected"]


def test_texts_stand_in_the_place_of_files(tmp_path: Path) -> None:
    path = tmp_path / "thing-example-v1.json"
    write(tmp_path, {path.name: kind(SIZE)})
    entries = [str(tmp_path)]
    assert told(catalogue_of(entries)) == WRONG
    text = json.dumps(kind({"properties": {"size": {"type": "boolean"}}})).encode()
    assert told(catalogue_of(entries, {str(path): text})) == ["string where boolean is expected"]
    assert told(catalogue_of(entries)) == WRONG


def test_only_what_a_document_asks_for_is_read(tmp_path: Path) -> None:
    write(tmp_path, {f"k{number}-example-v1.json": kind(SIZE) for number in range(50)})
    write(tmp_path, {"thing-example-v1.json": kind(SIZE)})
    found = Catalogue([str(tmp_path)])
    assert told(found) == WRONG
    assert sorted(os.path.basename(path) for path in found.paths()) == [tmp_path.name, "thing-example-v1.json"]
