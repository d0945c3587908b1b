"""Schemas of templates that are converted from JSON Schemas: the engine accepts and refuses the same values."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

import plait
from plait.base.errors import PlaitError
from plait.cli import main
from plait.tree.plain_data import Plain
from plait.ytt.json_schema.values_schema import ValuesSchema
from plait.ytt.json_schema.ytt_schema import ytt_schema


def converted(tmp_path: pathlib.Path, schema: dict[str, Plain], *extensions: str) -> tuple[str, list[str]]:
    path = tmp_path / "a.schema.json"
    path.write_text(json.dumps(schema), "utf-8")
    text, warnings = ytt_schema(ValuesSchema(str(path)), frozenset(extensions))
    return text, [str(one).partition(": ")[2] for one in warnings]


def accepts(text: str, value: Plain, *extensions: str) -> bool:
    try:
        plait.data_values({"schema.yml": text}, values={"v": value}, extensions=extensions)
    except PlaitError:
        return False
    return True


CLOSED: dict[str, Plain] = {"type": "object", "additionalProperties": False}

# The schema of one value, values that it accepts, values that it refuses.
CASES: list[tuple[dict[str, Plain], list[Plain], list[Plain]]] = [
    ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd", 1]),
    ({"type": "string", "pattern": "^[a-z]+$"}, ["ab"], ["aB", "1"]),
    ({"type": "string", "pattern": "b"}, ["abc"], ["ac"]),
    ({"type": "string", "pattern": "^(?!no).*$"}, ["yes"], ["nope"]),
    ({"type": "string", "pattern": 'a"\\\\\\d'}, ['a"\\1'], ["a1"]),
    ({"type": "string", "enum": ["a", "b"]}, ["a", "b"], ["c"]),
    ({"enum": [1, 2, None]}, [1, None], [3, "1"]),
    ({"const": "x"}, ["x"], ["y", 1]),
    ({"type": "integer", "minimum": 1, "maximum": 3}, [1, 3], [0, 4, "1", 1.5]),
    ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 3}, [2], [1, 3]),
    ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, [2], [1]),
    ({"type": "integer", "multipleOf": 5}, [5, 10], [6]),
    ({"type": "number", "default": 1}, [1, 1.5], ["1"]),
    ({"type": ["number", "null"], "maximum": 2}, [None, 2], [3]),
    ({"type": "boolean"}, [True], ["true", 1]),
    ({"type": "string", "nullable": True, "default": "x"}, [None, "y"], [1]),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, [1, None], ["1"]),
    ({"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1, "maxItems": 2}, [[1], [1, 2]], [[], [0], [1, 2, 3], ["a"]]),
    ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, [[["a"]], [[]]], [["a"], [[1]]]),
    ({"type": "array"}, [[1, "a", {}]], ["a"]),
    ({**CLOSED, "properties": {"a": {"type": "integer"}, "b-c": {"type": "string"}}}, [{"a": 1}, {"b-c": "x"}], [{"a": "x"}, {"d": 1}]),
    ({**CLOSED, "properties": {"yes": {"type": "string"}, "a b: #": {"type": "string"}}}, [{"yes": "x"}, {"a b: #": "x"}], [{"no": "x"}]),
    ({"type": "array", "items": {**CLOSED, "properties": {"a": {"type": "integer"}}}}, [[{"a": 1}], [{}]], [[{"b": 1}], [{"a": "x"}]]),
    ({"allOf": [{**CLOSED, "properties": {"a": {"type": "integer"}}}], "description": "both"}, [{"a": 1}], [{"a": "x"}]),
    ({"$ref": "#/$defs/port"}, [80], [0, "80"]),
    ({**CLOSED, "properties": {"a": {"type": "integer", "default": 1}}, "default": {"a": 2}}, [{"a": 3}, {}], [{"a": "x"}]),
    ({}, [1, "a", [1], {"a": 1}, None], []),
    ({"type": "object"}, [{"any": 1}], []),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "accepted", "refused"), CASES, ids=lambda one: json.dumps(one)[:60])
def test_the_converted_schema_accepts_and_refuses_what_the_json_schema_does(
    schema: dict[str, Plain], accepted: list[Plain], refused: list[Plain], tmp_path: pathlib.Path
) -> None:
    whole: dict[str, Plain] = {
        **CLOSED,
        "$defs": {"port": {"type": "integer", "minimum": 1}},
        "properties": {"v": schema},
    }
    text, warnings = converted(tmp_path, whole)
    path = tmp_path / "a.schema.json"
    assert warnings == []
    for value in (*accepted, *refused):
        is_accepted = value in accepted and any(type(value) is type(one) for one in accepted if one == value)
        assert accepts(text, value) is is_accepted, (value, text)
        try:
            plait.data_values({}, values={"v": value}, schema=path)
            by_json_schema = True
        except PlaitError:
            by_json_schema = False
        assert by_json_schema is is_accepted or value is None, value


REPORTED: list[tuple[dict[str, Plain], str]] = [
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, "oneOf: the alternatives are not checked, any value is accepted"),
    ({"type": ["integer", "string"]}, "type: any type is accepted in place of several"),
    ({"type": "string", "format": "uri"}, "format: not checked"),
    ({"type": "object", "patternProperties": {"^a": {"type": "string"}}}, "patternProperties: not checked (--with keys checks it)"),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "additionalProperties: any map is accepted (--with keys checks its values)"),
    ({"type": "object", "properties": {"a": {}}}, "additionalProperties: keys that the schema does not name are rejected"),
    ({"type": "array", "uniqueItems": True}, "uniqueItems: not checked"),
    ({"type": "array", "contains": {"type": "string"}}, "contains: not checked"),
    ({"type": "array", "items": {"type": ["string", "null"]}}, "type: null as an item is rejected"),
    ({"type": "string", "not": {"const": "a"}}, "not: not checked"),
    ({"if": {"type": "string"}, "then": {"minLength": 1}, "type": "string"}, "if: not checked"),
    ({"type": "string", "pattern": "(a)\\1"}, "is not checked"),
    ({"$ref": "#/$defs/tree"}, "$ref: the schema contains itself, so any value is accepted there"),
    ({"type": "integer", "default": "x"}, "default: the default has a different type, and is ignored"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "message"), REPORTED, ids=lambda one: str(one)[:60])
def test_what_a_schema_of_templates_cannot_express_is_reported(
    schema: dict[str, Plain], message: str, tmp_path: pathlib.Path
) -> None:
    tree: Plain = {**CLOSED, "properties": {"child": {"$ref": "#/$defs/tree"}}}
    text, warnings = converted(tmp_path, {**CLOSED, "$defs": {"tree": tree}, "properties": {"v": schema}})
    assert any(message in one for one in warnings), warnings
    plait.data_values({"schema.yml": text})


def test_required_values_need_the_extension(tmp_path: pathlib.Path) -> None:
    schema: dict[str, Plain] = {**CLOSED, "required": ["v", "w"], "properties": {"v": {"type": "string"}, "w": {"type": "integer", "default": 1}}}  # fmt: skip
    text, warnings = converted(tmp_path, schema)
    assert warnings == ["required: the empty value is the default (--with required demands another)"]
    assert plait.data_values({"schema.yml": text}).to_dict() == {"v": "", "w": 1}
    text, warnings = converted(tmp_path, schema, "required")
    assert warnings == []
    with pytest.raises(PlaitError, match="is required"):
        plait.data_values({"schema.yml": text}, extensions=["required"])


def test_keys_are_checked_with_the_extension(tmp_path: pathlib.Path) -> None:
    schema: dict[str, Plain] = {
        **CLOSED,
        "properties": {
            "v": {
                "type": "object",
                "properties": {"key": {"type": "boolean"}},
                "patternProperties": {"^x-": {"type": "integer"}},
                "additionalProperties": {"type": "string"},
            }
        },
    }
    text, warnings = converted(tmp_path, schema, "keys")
    assert warnings == []
    for value, expected in (
        ({"x-a": 1, "b": "c", "key": True}, True),
        ({"x-a": "1"}, False),
        ({"b": 1}, False),
        ({"key": "x"}, False),
    ):
        assert accepts(text, value, "keys") is expected  # type: ignore[arg-type]


def test_hostile_schemas_are_data(tmp_path: pathlib.Path) -> None:
    evil = '"); fail("x'
    lines = "a\n#@ fail('x')\n--- \u2028#@ fail('y')\x85\t\\n"
    schema: dict[str, Plain] = {
        **CLOSED,
        "description": lines,
        "title": evil,
        "properties": {
            evil: {"type": "string", "description": lines, "default": lines},
            lines: {"type": "string", "enum": [evil, lines], "default": evil, "title": lines},
            "p": {"type": "string", "pattern": evil.replace("(", "[(]").replace(")", "[)]"), "default": "x" + evil},
        },
    }
    text, _ = converted(tmp_path, schema)
    found = plait.data_values({"schema.yml": text}).to_dict()
    assert found == {evil: lines, lines: evil, "p": "x" + evil}


def test_a_pydantic_model_by_its_json_schema(tmp_path: pathlib.Path) -> None:
    pydantic = pytest.importorskip("pydantic")
    server = pydantic.create_model("Server", host=(str, "localhost"), port=(int, pydantic.Field(default=80, ge=1)))
    servers = list.__class_getitem__(server)
    model = pydantic.create_model("App", name=(str, ...), servers=(servers, []), size=(int | None, None))
    text, warnings = converted(tmp_path, model.model_json_schema(), "required")
    assert warnings == ["additionalProperties: keys that the schema does not name are rejected (1 more place)"]
    made = plait.data_values({"s.yml": text}, values={"name": "a", "servers": [{}]}, extensions=["required"])
    assert model.model_validate(made.to_dict()).model_dump() == made.to_dict()
    with pytest.raises(PlaitError):
        plait.data_values({"s.yml": text}, values={"name": "a", "servers": [{"port": 0}]}, extensions=["required"])


CRD = """\
kind: CustomResourceDefinition
spec:
  versions:
  - name: v1
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          kind: {type: string}
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1, description: number of members}
              port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              template: {type: object, x-kubernetes-preserve-unknown-fields: true}
            x-kubernetes-validations: [{rule: "self.size > 1"}]
"""


def test_the_command_converts_a_custom_resource_definition(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("crd.yml").write_text(CRD, "utf-8")
    assert main(["schema", "import", "crd.yml"]) == 0
    done = capsys.readouterr()
    pathlib.Path("schema.yml").write_text(done.out, "utf-8")
    assert sorted(line.partition("crd.yml:")[2] for line in done.err.splitlines()) == [
        "15: required: the empty value is the default (--with required demands another)",
        "16: x-kubernetes-int-or-string: any value is accepted",
        "18: rules in CEL are not checked",
    ]
    pathlib.Path("v.yml").write_text("kind: Db\nspec: {size: 2, port: http, template: {a: [1]}}\n", "utf-8")
    assert main(["render", "-f", "schema.yml", "-d", "v.yml", "--data-values-inspect"]) == 0
    assert "port: http" in capsys.readouterr().out
    pathlib.Path("v.yml").write_text("spec: {size: 0}\n", "utf-8")
    assert main(["render", "-f", "schema.yml", "-d", "v.yml", "--data-values-inspect"]) == 1
    assert main(["schema", "import", "crd.yml#/spec/versions/0/schema/openAPIV3Schema/properties/kind"]) == 2
    assert main(["schema", "imprt", "crd.yml"]) == 2
    assert main(["schema", "import", "none.yml"]) == 1
    assert 'did you mean "import"' in capsys.readouterr().err


def by_command(words: list[str], text: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "plait", "schema", *words], input=text, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_standard_input_is_imported_and_exported() -> None:
    schema = '{"spec":\n {"type": "object", "properties": {"a": {"type": ["integer", "string"]}, "b": {"default": 1}}}}'
    status, out, err = by_command(["import", "--", "-#/spec"], schema)
    assert status == 0
    assert out == "#@data/values-schema\n---\n#@schema/type any=True\na: null\nb: 1\n"
    assert "stdin.yml:2: type: any type is accepted in place of several" in err
    status, out, err = by_command(["export", "-"], out)
    assert (status, err) == (0, "")
    assert out.endswith("class DataValues(Values):\n    a: Any = None\n    b: int = 1\n")
    status, exported, _ = by_command(["export", "-", "-o", "json-schema"], "#@data/values-schema\n---\na: 1\n")
    assert json.loads(exported)["properties"] == {"a": {"type": "integer", "default": 1}}


def test_the_command_line_names_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in {
        "schema": "needs a command",
        "schema exprot a.yml": 'did you mean "export"?',
        "schema export": "needs a file",
        "schema export a.yml -o json": "json-schema",
        "schema import a b": "exactly one file",
    }.items():
        assert main(words.split()) == 2
        assert message in capsys.readouterr().err, words


def test_plain_data_are_imported() -> None:
    found = plait.import_schema(
        {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}
    )
    assert "#@schema/type any=True\na: null\n" in found.text
    assert any("oneOf: the alternatives are not checked, any value is accepted" in one for one in found.warnings)
    with pytest.raises(PlaitError, match="not plain data"):
        plait.import_schema({"type": object()})  # type: ignore[dict-item]
