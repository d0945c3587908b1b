"""`layer --validate-data`: a DataSchema fetches nothing, reads nothing, shows no secret, and ends."""

from __future__ import annotations

import http.server
import pathlib
import threading
import time
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.errors import LayeringError, LimitError
from plait.base.json_schema import JsonSchema, UnusableSchemaError
from plait.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "s3cr3t-words"


def documents(
    schema: plait.Plain, data: plait.Plain, *, policy: str = "cleartext", schema_policy: str | None = None
) -> str:
    control = {"schema": "metadata/Control/v1", "name": "demo/Thing/v1"}
    if schema_policy:
        control["storagePolicy"] = schema_policy
    parts: list[dict[str, plait.Plain]] = [
        {
            "schema": "deckhand/LayeringPolicy/v1",
            "metadata": {"schema": "metadata/Control/v1", "name": "p"},
            "data": {"layerOrder": ["a"]},
        },
        {"schema": "deckhand/DataSchema/v1", "metadata": control, "data": schema},
        {
            "schema": "demo/Thing/v1",
            "metadata": {
                "schema": "metadata/Document/v1",
                "name": "one",
                "storagePolicy": policy,
                "layeringDefinition": {"layer": "a"},
            },
            "data": data,
        },
    ]
    return plait.documents(*parts).to_yaml()


def told(schema: plait.Plain, data: plait.Plain, **policies: Any) -> str:
    """The whole message of a check that fails."""
    with pytest.raises((LayeringError, LimitError)) as caught:
        plait.layer({"d.yml": documents(schema, data, **policies)}, validate_data=True, limits={"seconds": 10})
    return caught.value.report()


class Asked(http.server.BaseHTTPRequestHandler):
    paths: list[str]

    def do_GET(self) -> None:
        type(self).paths.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"enum": ["s3cr3t-words"]}')

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    Asked.paths = []
    with http.server.HTTPServer(("127.0.0.1", 0), Asked) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "URL/a"},
        {"$ref": "URL/a#/definitions/b"},
        {"properties": {"a": {"$ref": "URL/a"}}},
        {"id": "URL/", "properties": {"a": {"$ref": "other.json"}}},
        {"id": "URL/", "properties": {"a": {"id": "b/", "$ref": "c"}}},
        {"$schema": "URL/meta", "$ref": "URL/a"},
        {"allOf": [{"anyOf": [{"$ref": "URL/a"}]}]},
        {"dependencies": {"a": {"$ref": "URL/a"}}},
    ],
)
def test_no_reference_is_fetched(schema: plait.Plain, server: str) -> None:
    text = documents(schema, {"a": 1}).replace("URL", server)
    with pytest.raises(LayeringError) as caught:
        plait.layer({"d.yml": text}, validate_data=True)
    assert Asked.paths == []
    assert "a $ref points outside it" in caught.value.report()


@pytest.mark.parametrize("form", ["file://{}", "{}", "file:{}", "../secret.json", "file://localhost{}"])
def test_no_reference_reads_a_file(form: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"enum": ["s3cr3t-words"]}')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    said = told({"id": f"file://{tmp_path}/below/", "properties": {"a": {"$ref": form.format(secret)}}}, {"a": 1})
    assert SECRET not in said
    assert "a $ref points outside it" in said


def test_references_within_the_schema_and_to_the_metaschema_are_followed() -> None:
    schema = {
        "definitions": {"port": {"type": "integer"}},
        "properties": {
            "port": {"$ref": "#/definitions/port"},
            "schema": {"$ref": "http://json-schema.org/draft-04/schema#"},
            "more": {"$ref": "#"},
        },
    }
    good = documents(schema, {"port": 1, "schema": {"type": "string"}, "more": {"port": 2}})
    assert len(plait.layer({"d.yml": good}, validate_data=True)) == 3
    assert "'x' is not of type 'integer'" in told(schema, {"more": {"more": {"port": "x"}}})
    assert "path .data.schema.type" in told(schema, {"schema": {"type": 5}})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": 5},
        {"$ref": [1]},
        {"$ref": None},
        {"$ref": {"a": 1}},
        {"$ref": "#/definitions/none"},
        {"$ref": "#/properties/a/b/c", "properties": {"a": 1}},
        {"$ref": "http://["},
        {"id": "http://[", "$ref": "#/a"},
        {"id": "http://[", "properties": {"a": {"$ref": "b"}}},
        {"id": 5},
        {"properties": {"a": {"id": "http://[", "$ref": "x"}}},
        {"properties": {"a": {"id": 7, "type": "string"}}},
        {"$schema": 5},
        {"patternProperties": {"[": {}}},
        {"patternProperties": {"(": {}}, "additionalProperties": False},
        {"pattern": "["},
        {"type": "nothing"},
        {"properties": []},
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {
            "definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}},
            "$ref": "#/definitions/a",
        },
        {"multipleOf": 1e-320, "properties": {"a": {"multipleOf": 1e-320}}},
        [],
        "text",
        5,
    ],
    ids=repr,
)
def test_a_broken_schema_is_a_finding(
    schema: plait.Plain, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "d.yml"
    file.write_text(documents(schema, {"a": 10**30, "b": "text"}))
    status = main(["layer", "--validate-data", str(file)])
    said = capsys.readouterr().err
    if status:
        assert status == 1
        assert "D002 [deckhand/DataSchema/v1] demo/Thing/v1: its data" in said or "D002 [demo/Thing/v1" in said
        assert "internal error" not in said
    else:
        assert schema in ({"$schema": 5}, {"id": "http://["}), "only what nothing refers to goes unnoticed"


def doubled(levels: int) -> dict[str, object]:
    """A few lines that check 2**levels times."""
    definitions: dict[str, object] = {"d0": {"type": "object"}}
    for level in range(1, levels + 1):
        definitions[f"d{level}"] = {"allOf": [{"$ref": f"#/definitions/d{level - 1}"}] * 2}
    return {"definitions": definitions, "$ref": f"#/definitions/d{levels}"}


@pytest.mark.parametrize(
    ("schema", "data", "limit"),
    [
        (doubled(23), {"a": 1}, "steps"),
        (doubled(23), 5, "steps"),
        ({"anyOf": [doubled(22)["definitions"]["d22"]], **doubled(23)}, 1, "steps"),  # type: ignore[index]
        ({"items": {"uniqueItems": True}}, [[{"a": n} for n in range(3000)]], "steps"),
        ({"items": {"enum": [{"a": n} for n in range(4000)]}}, [{"a": -1}] * 800, "steps"),
        ({"allOf": [{"enum": [{"a": n} for n in range(2000)]}], "$schema": "http://json-schema.org/draft-07/schema#"}, 1, "steps"),
        ({"pattern": "(a+)+$"}, "a" * 60 + "b", "pattern"),
        ({"allOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "(a+)+$"}]}, "a" * 60 + "b", "pattern"),
        ({"allOf": [{"$schema": "http://json-schema.org/draft-04/schema#", "pattern": "(a+)+$"}]}, "a" * 60 + "b", "pattern"),
        ({"patternProperties": {"(a+)+$": {}}}, {"a" * 60 + "b": 1}, "pattern"),
        ({"patternProperties": {"(a+)+$": {}}, "additionalProperties": False}, {"a" * 60 + "b": 1}, "pattern"),
        ({"additionalProperties": False, "patternProperties": {"^(([a-z])+.)+[A-Z]([a-z])+$": {}}}, {"a" * 60: 1}, "pattern"),
    ],
)  # fmt: skip
def test_a_check_ends(schema: plait.Plain, data: plait.Plain, limit: str) -> None:
    text = documents(schema, data)
    start = time.process_time()
    with pytest.raises(LimitError) as caught:
        plait.layer({"d.yml": text}, validate_data=True, limits={"pattern": 0.5})
    assert caught.value.limit == limit
    assert time.process_time() - start < 20


def test_a_pattern_ends_on_any_thread() -> None:
    text = documents({"pattern": "(a+)+$"}, "a" * 60 + "b")
    outcome: list[object] = []

    def work() -> None:
        try:
            outcome.append(plait.layer({"d.yml": text}, validate_data=True))
        except (LayeringError, LimitError) as error:
            outcome.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(20)
    assert isinstance(outcome[0], LayeringError)
    assert "does not match" in outcome[0].report()


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"enum": ["x"]}}},
        {"properties": {"a": {"pattern": "^x$"}}},
        {"properties": {"a": {"type": "integer"}}},
        {"patternProperties": {"(s3cr3t-words+)+$": {"type": "object"}, "a": {"type": "object"}}},
        {"properties": {"a": {"$ref": "#/definitions/s3cr3t"}}},
        {"not": {}},
    ],
)
def test_values_of_encrypted_documents_are_not_shown(schema: dict[str, plait.Plain]) -> None:
    said = told(schema, {"a": SECRET}, policy="encrypted")
    assert SECRET not in "".join(line for line in said.splitlines() if "|" not in line)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"enum": [SECRET]}}},
        {"properties": {"a": {"pattern": SECRET}}},
        {"properties": {"a": {"pattern": f"({SECRET}+)+("}}},
        {"properties": {"a": {"type": SECRET}}},
        {"properties": {"a": {"$ref": f"http://127.0.0.1:1/{SECRET}"}}},
        {"patternProperties": {f"{SECRET}(": {}}},
        {"required": [SECRET]},
        {"additionalProperties": False, "patternProperties": {SECRET: {}}},
        {"properties": {"a": {"pattern": f"(a+)+$|{SECRET}"}}},
    ],
)
def test_values_of_encrypted_schemas_are_not_shown(schema: dict[str, plait.Plain]) -> None:
    assert SECRET not in told(schema, {"a": "a" * 60 + "b"}, schema_policy="encrypted")


NAMES = st.sampled_from(["a", "b", "ab", "x1", "y"])
VALUES = st.recursive(
    st.one_of(st.integers(-2, 2), st.sampled_from(["a", "ab", "", "x1"]), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
PATTERNS = st.sampled_from(["a", "^b", "[0-9]$", "x|y", "^$"])
SCHEMAS = st.recursive(
    st.fixed_dictionaries({}, optional={"type": st.sampled_from(["string", "object", "array"]), "pattern": PATTERNS}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAMES, inner, max_size=2),
            "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "items": inner,
            "uniqueItems": st.booleans(),
            "required": st.lists(NAMES, min_size=1, max_size=2, unique=True),
            "pattern": PATTERNS,
        },
    ),
    max_leaves=5,
)


@given(SCHEMAS, VALUES)
def test_the_bounded_keywords_say_what_the_library_says(schema: dict[str, object], value: object) -> None:
    wanted = [
        (error.message, [*error.absolute_path], [*error.absolute_schema_path], error.validator)
        for error in jsonschema.Draft4Validator(schema).iter_errors(value)
    ]
    found = [
        (error.message, [*error.absolute_path], [*error.absolute_schema_path], error.validator)
        for error in JsonSchema(schema).violations(value)
    ]
    assert sorted(map(repr, found)) == sorted(map(repr, wanted))


def test_a_schema_that_is_none_says_where() -> None:
    with pytest.raises(UnusableSchemaError) as caught:
        JsonSchema({"properties": {"a": {"type": 5}}})
    assert caught.value.path == ["properties", "a", "type"]
