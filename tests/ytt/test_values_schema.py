"""Schemas that somebody else wrote, as those of data values and of the output: where runs are read, and who wrote them."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import plait
from files import write_files
from plait.authoring.project import file as project_file
from plait.base.input_view import InputView
from plait.tree.nodes import Document, from_plain, to_plain
from plait.ytt.json_schema.export import described
from plait.ytt.json_schema.values_schema import ValuesSchema, values_schema

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "default": "web"},
        "ports": {
            "type": "array",
            "items": {"properties": {"protocol": {"default": "TCP"}, "port": {"type": "integer"}}},
        },
        "db": {"default": {}, "$ref": "db.json"},
    },
}
DB: dict[str, Any] = {"properties": {"host": {"type": "string", "default": "localhost"}}, "additionalProperties": False}
APP = "#@ load('@ytt:data', 'data')\n---\nkind: A\napiVersion: v1\nall: #@ data.values\n"
KIND = {"properties": {"all": {"additionalProperties": True, "properties": {"name": {"maxLength": 5}}}}}


@pytest.fixture
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    run = "render: {files: app.yml, schema: values.schema.json, check-output: [kinds], data-values-file: values.yml}"
    files = {
        "values.schema.json": json.dumps(SCHEMA),
        "db.json": json.dumps(DB),
        "kinds/a-v1.json": json.dumps(KIND),
        "app.yml": APP,
        "values.yml": "ports:\n- port: 80\n",
        "plait.yml": f"runs:\n  app:\n    {run}\n",
    }
    write_files(tmp_path, files)
    return tmp_path


def values(**given: plait.Plain) -> object:
    return plait.data_values({"a.yml": ""}, values=given, schema="values.schema.json").to_dict()


@pytest.mark.usefixtures("place")
def test_defaults_are_filled_in_at_each_object() -> None:
    assert values() == {"name": "web", "db": {"host": "localhost"}}
    assert values(ports=[{"port": 1}, {"protocol": "UDP"}])["ports"] == [  # type: ignore[index]
        {"port": 1, "protocol": "TCP"},
        {"protocol": "UDP"},
    ]
    assert values(db={})["db"] == {"host": "localhost"}  # type: ignore[index]


@pytest.mark.usefixtures("place")
def test_findings_name_both_lines() -> None:
    [found] = plait.check_data_values({"a.yml": ""}, values={"db": {"hots": "x"}}, schema="values.schema.json")
    assert found.message == 'db.hots: there is no key "hots" here'
    assert found.expected == "additionalProperties: false (by db.json:1)"
    assert found.hint == 'did you mean "host"?'


def test_values_of_templates_may_have_what_the_schema_names(place: pathlib.Path) -> None:
    (place / "v.yml").write_text(
        "#@ load('@ytt:overlay', 'overlay')\n#@data/values\n---\nports:\n- port: 1\ndb:\n  host: x\n", "utf-8"
    )
    made = plait.data_values(["v.yml"], schema="values.schema.json").to_dict()
    assert made == {"name": "web", "db": {"host": "x"}, "ports": [{"port": 1, "protocol": "TCP"}]}
    (place / "w.yml").write_text(
        "#@ load('@ytt:overlay', 'overlay')\n#@data/values\n---\n#@overlay/match expects=0\ndb: x\n", "utf-8"
    )
    with pytest.raises(plait.OverlayError, match="Expected number of matched nodes to be 0, but was 1"):
        plait.data_values(["w.yml"], schema="values.schema.json")


def test_another_kind_takes_the_place_of_a_default(place: pathlib.Path) -> None:
    (place / "s.json").write_text('{"properties": {"a": {"default": false, "type": ["boolean", "object"]}}}', "utf-8")
    assert plait.data_values({"a.yml": ""}, values={"a": {"b": 1}}, schema="s.json").to_dict() == {"a": {"b": 1}}


def test_a_run_takes_them_and_a_view_notes_them(place: pathlib.Path) -> None:
    run = project_file.read(str(place)).run("app")
    for _ in range(2):  # also of a schema that is known already
        view = InputView()
        made = run.evaluate(view=view).to_dict()
        assert made["all"]["ports"] == [{"port": 80, "protocol": "TCP"}]  # type: ignore[index, call-overload]
        names = {os.path.relpath(path, place) for path in view.files}
        assert {"values.schema.json", "db.json", os.path.join("kinds", "a-v1.json"), "values.yml"} <= names
    changed = json.dumps({**SCHEMA, "properties": {**SCHEMA["properties"], "name": {"default": "longer"}}})
    view = InputView({str(place / "values.schema.json"): changed.encode()})
    with pytest.raises(plait.SchemaError) as caught:
        run.evaluate(view=view)
    [found] = caught.value.findings
    assert found.message == "A: all.name: the text is longer than 5 characters"
    assert run.evaluate(view=view, checks=False).to_dict()["all"]["name"] == "longer"  # type: ignore[index, call-overload]
    assert run.evaluate().to_dict()["all"]["name"] == "web"  # type: ignore[index, call-overload]


def test_a_view_notes_what_could_not_be_used(place: pathlib.Path) -> None:
    for name, text in (("db.json", '{"type": 1}'), ("values.schema.json", "{")):
        (place / name).write_text(text, "utf-8")
        view = InputView()
        with pytest.raises(plait.UsageError):
            project_file.read(str(place)).run("app").evaluate(view=view)
        assert str(place / name) in view.files


def test_a_default_says_which_alternative_it_is(place: pathlib.Path) -> None:
    kinds = [{"properties": {"kind": {"const": one}, one: {"default": 1}}} for one in ("a", "b")]
    schema = {"properties": {"kind": {"default": "b"}}, "oneOf": kinds}
    (place / "s.json").write_text(json.dumps(schema), "utf-8")
    assert plait.data_values({"a.yml": ""}, schema="s.json").to_dict() == {"kind": "b", "b": 1}


def test_a_changed_schema_is_read_again(place: pathlib.Path) -> None:
    assert values_schema("values.schema.json") is values_schema("values.schema.json")
    (place / "db.json").write_text(json.dumps({"properties": {"host": {"default": "elsewhere"}}}), "utf-8")
    assert values()["db"] == {"host": "elsewhere"}  # type: ignore[index]


@pytest.mark.usefixtures("place")
def test_a_secret_is_not_told() -> None:
    with pytest.raises(plait.PlaitError) as caught:
        plait.render("app.yml", secrets={"name": 12345, "hunter2": "hunter2"}, schema="values.schema.json")
    assert "12345" not in caught.value.report()
    found = plait.check_data_values("app.yml", secrets={"name": 12345}, schema="values.schema.json")
    assert "12345" not in found.report()
    with pytest.raises(plait.PlaitError) as caught:
        plait.render("app.yml", secrets={"name": "hunter2"}, schema="values.schema.json", check_output=["kinds"])
    assert "hunter2" not in caught.value.report()


def test_compose_checks_its_output(place: pathlib.Path) -> None:
    (place / "p.yml").write_text("steps:\n- values: {set: {name: toolong}}\n- render: {files: [app.yml]}\n", "utf-8")
    with pytest.raises(plait.SchemaError, match="the output does not"):
        plait.compose("p.yml", check_output=["kinds"])


HOSTILE = {
    "references": {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}}},
    "pattern": {"properties": {"name": {"pattern": "^(a+)+$"}}},
    "doubled": {
        "$defs": {
            **{
                f"d{n}": {"properties": {"x": {"default": {}, "$ref": f"#/$defs/d{n + 1}"}, "y": {"default": {}, "$ref": f"#/$defs/d{n + 1}"}}}
                for n in range(40)
            },
            "d40": {},
        },
        "$ref": "#/$defs/d0",
    },
    "nested": json.loads('{"properties": {"a": ' * 300 + '{"default": 1}' + "}}" * 300),
    "out": {"$ref": "../../../../../../../../etc/passwd"},
    "fetched": {"$ref": "https://example.org/schema.json"},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_ends_in_an_error_or_not_at_all(name: str, place: pathlib.Path) -> None:
    (place / "s.json").write_text(json.dumps(HOSTILE[name]), "utf-8")
    with suppress(plait.PlaitError):
        made = plait.render("app.yml", values={"name": "a" * 50 + "b"}, schema="s.json", limits={"seconds": 10})
        assert name in ("nested", "pattern", "references")
        assert made.to_dict()["all"]["name"] == "a" * 50 + "b"  # type: ignore[index, call-overload]


def test_a_link_does_not_lead_out(place: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other") / "secret.json"
    other.write_text('{"properties": {"password": {"default": "hunter2"}}}', "utf-8")
    (place / "link.json").symlink_to(other)
    (place / "s.json").write_text('{"$ref": "link.json"}', "utf-8")
    with pytest.raises(plait.UsageError) as caught:
        plait.data_values({"a.yml": ""}, schema="s.json")
    assert "outside of the schema directories" in caught.value.report()


def test_rules_in_cel_are_told(place: pathlib.Path) -> None:
    (place / "s.json").write_text('{"x-kubernetes-validations": [{"rule": "self.a > 1"}]}', "utf-8")
    made = plait.render("app.yml", schema="s.json")
    assert made.warnings == ["s.json:1: rules in CEL are not checked"]
    assert yaml.safe_load(yaml.safe_dump(made.warnings)) == made.warnings
    assert made.warned[0].diagnostic.code == "schema-not-checked"


def test_history_begins_with_the_default(place: pathlib.Path) -> None:
    made = plait.render("app.yml", values={"db": {}}, schema="values.schema.json", trace=True)
    [history] = plait.explain(made, "A:all.db.host")
    assert "db.json:1  schema default  localhost" in history.to_text()


@pytest.mark.parametrize("form", ["json-schema", "openapi-v3"])
def test_what_a_schema_refers_to_goes_out_with_it(form: str, place: pathlib.Path) -> None:
    tree = {
        "$ref": "#/$defs/node",
        "$defs": {"node": {"properties": {"below": {"$ref": "#/$defs/node"}, "n": {"default": 1}}}},
    }
    schema = {
        "properties": {"db": {"$ref": "db.json"}, "tree": {"$ref": "tree.json"}, "again": {"$ref": "#/properties/db"}}
    }
    (place / "tree.json").write_text(json.dumps(tree), "utf-8")
    (place / "s.json").write_text(json.dumps(schema), "utf-8")
    out = plait.data_values_schema({"a.yml": ""}, form=form, schema="s.json")
    (place / "out").mkdir()
    (place / "out" / "s.yml").write_text(out.to_yaml(), "utf-8")
    assert plait.data_values_schema({"a.yml": ""}, form=form, schema="out/s.yml").to_yaml() == out.to_yaml()
    given: dict[str, plait.Plain] = {"db": {}, "again": {"hots": 1}, "tree": {"below": {"below": {}}}}
    for one in ("s.json", "out/s.yml"):
        made = plait.data_values({"a.yml": ""}, values=given, schema=one, validate=False).to_dict()
        assert made["tree"] == {"below": {"below": {"n": 1}, "n": 1}, "n": 1}
        [found] = plait.check_data_values({"a.yml": ""}, values=given, schema=one)
        assert found.message == 'again.hots: there is no key "hots" here'


ALTERNATIVES = """\
#@ def s3():
kind: s3
bucket: b
#@ end
#@ def disk():
kind: disk
path: /data
inner: {a: 1}
#@ end
#@data/values-schema
---
#@schema/one-of s3(), disk(), by="kind"
storage:
  kind: s3
list:
#@schema/one-of s3(), disk(), by="kind"
- kind: s3
#@schema/one-of 0, ""
port: 80
"""


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"storage": {"kind": "disk"}},
        {"storage": {"kind": "disk", "path": "x", "inner": {}}},
        {"storage": {"bucket": "c"}},
        {"storage": {"path": "c"}},
        {"storage": {"kind": "tape"}},
        {"list": [{"kind": "disk"}, {"kind": "s3", "bucket": "x"}]},
        {"port": "http"},
        {"port": [1]},
    ],
    ids=json.dumps,
)
def test_alternatives_that_a_key_tells_apart_come_in_again(given: dict[str, plait.Plain], place: pathlib.Path) -> None:
    files, extensions = {"schema.yml": ALTERNATIVES}, ["alternatives"]
    out = plait.data_values_schema(files, form="json-schema", extensions=extensions)
    (place / "s.yml").write_text(out.to_yaml(), "utf-8")
    try:
        expected = plait.data_values(files, values=given, extensions=extensions).to_yaml()
    except plait.SchemaError:
        assert plait.check_data_values({"a.yml": ""}, values=given, schema="s.yml")
    else:
        assert plait.data_values({"a.yml": ""}, values=given, schema="s.yml").to_yaml() == expected


def test_a_package_and_several_documents(place: pathlib.Path) -> None:
    package = "kind: Package\nspec:\n  valuesSchema:\n    openAPIv3: {properties: {a: {default: 1}}}\n"
    (place / "package.yml").write_text(package, "utf-8")
    assert plait.data_values({"a.yml": ""}, schema="package.yml").to_dict() == {"a": 1}
    (place / "two.yml").write_text(f"{package}---\nkind: Other\n", "utf-8")
    assert plait.data_values({"a.yml": ""}, schema="two.yml").to_dict() == {"a": 1}
    part = "two.yml#/documents/0/spec/valuesSchema/openAPIv3/properties/a"
    with pytest.raises(plait.UsageError, match="data values must be a map"):
        plait.data_values({"a.yml": ""}, schema=part)


NAMES = st.sampled_from("abc")
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["", "x"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            [
                "object",
                "array",
                "string",
                "integer",
                ["object", "null"],
                "null",
                ["integer", "string", "null"],
                ["array", "object"],
            ]
        ),
        "default": PLAIN,
        "minimum": st.integers(-1, 2),
        "enum": st.lists(PLAIN, min_size=1, max_size=3),
        "const": st.sampled_from(["", "x"]),
    },
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "default": PLAIN,
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=1),
            "additionalProperties": inner | st.booleans(),
            "items": inner | st.booleans(),
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "required": st.lists(NAMES, max_size=1),
        },
    ),
    max_leaves=6,
)


@given(SCHEMAS, st.dictionaries(NAMES, PLAIN, max_size=3))
def test_verdicts_are_those_of_the_library(schema: dict[str, Any], values: dict[str, Any]) -> None:
    """Of the same values with the defaults; filling in twice is filling in once, and nothing that was given is lost."""
    made = _schema(schema)
    filled = made.fill(Document(from_plain(values)))
    assert made.fill(filled) is filled
    assert _is_within(values, to_plain(filled.value))
    is_right = _outcome(made, values)[1]
    assert is_right == jsonschema.Draft202012Validator(schema).is_valid(to_plain(filled.value))


@given(SCHEMAS, st.lists(st.dictionaries(NAMES, PLAIN, max_size=3), min_size=1, max_size=4))
def test_another_form_says_the_same(schema: dict[str, Any], several: list[dict[str, Any]]) -> None:
    """As OpenAPI, unless that has no word for something, and from there as a JSON Schema again."""
    made = _schema(schema)
    document, notes = described(made, as_json=False)
    if not notes:
        assert [*_not_of_openapi(to_plain(document.value))] == []
        openapi = _schema(to_plain(document.value))
        back, others = described(openapi, as_json=True)
        assert others == []
        for values in several:
            expected = _outcome(made, values)
            assert _outcome(openapi, values) == expected
            assert _outcome(_schema(to_plain(back.value)), values) == expected


def _not_of_openapi(node: Any) -> Iterator[str]:
    """What OpenAPI 3.0 does not have."""
    for inner in node.get("components", {}).get("schemas", {}).values():
        yield from _not_of_openapi(inner)
    if "type" in node and node["type"] not in ("object", "array", "string", "integer", "number", "boolean"):
        yield f"type: {node['type']}"
    yield from (name for name in ("const", "$defs", "prefixItems") if name in node)
    below = [*node.get("properties", {}).values(), *(node[name] for name in ("items", "not") if name in node)]
    below += [one for name in ("allOf", "anyOf", "oneOf") for one in node.get(name, [])]
    for inner in below:
        if isinstance(inner, dict):
            yield from _not_of_openapi(inner)
        else:
            yield f"{inner} for a schema"


KEYWORDS = st.sampled_from(
    [
        "$anchor",
        "$defs",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "allOf",
        "anyOf",
        "const",
        "default",
        "dependencies",
        "enum",
        "example",
        "examples",
        "exclusiveMinimum",
        "if",
        "items",
        "minimum",
        "not",
        "nullable",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "required",
        "then",
        "type",
        "x-kubernetes-validations",
    ]
)
ANYTHING = st.recursive(
    PLAIN | st.sampled_from(["#", "#/properties/a", "object", "(", "https://example.org/a", {"type": "object"}, 1e308]),
    lambda inner: st.dictionaries(KEYWORDS | NAMES, inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=8,
)


@given(st.dictionaries(KEYWORDS, ANYTHING, max_size=4), st.dictionaries(NAMES, PLAIN, max_size=2))
def test_whatever_stands_in_a_schema_is_taken_or_refused(schema: dict[str, Any], values: dict[str, Any]) -> None:
    with suppress(plait.PlaitError):
        made = _schema(schema)
        _outcome(made, values)
        for as_json in (True, False):
            described(made, as_json=as_json)


def _schema(plain: object) -> ValuesSchema:
    return ValuesSchema("schema.json", {os.path.abspath("schema.json"): json.dumps(plain).encode()})


def _outcome(schema: ValuesSchema, values: dict[str, Any]) -> tuple[object, bool]:
    filled = schema.fill(Document(from_plain(values)))
    with suppress(plait.SchemaError):
        schema.check(filled)
        return to_plain(filled.value), True
    return to_plain(filled.value), False


def _is_within(small: Any, large: Any) -> bool:
    """Whether a value is another one with keys added to its maps."""
    if isinstance(small, dict):
        return isinstance(large, dict) and all(
            key in large and _is_within(one, large[key]) for key, one in small.items()
        )
    if isinstance(small, list):
        return isinstance(large, list) and len(small) == len(large) and all(map(_is_within, small, large))
    return type(small) is type(large) and bool(small == large)
