"""Every keyword of schemas, by itself and against the library without what stands around it."""

from __future__ import annotations

import json
import pathlib
from contextlib import suppress
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.limits import Limits, budget_scope
from plait.ytt.json_schema.check import violations
from plait.ytt.json_schema.reference_resolution import schema_of

CASES = yaml.safe_load((pathlib.Path(__file__).parents[1] / "cases" / "kinds" / "keywords.yml").read_text("utf-8"))


def told(schema: dict[str, Any], value: object, *, is_kind: bool = False) -> list[str]:
    """What is wrong with a value: path, message, names that may be meant."""
    found = violations(value, schema_of(json.loads(json.dumps(schema)), is_kind=is_kind))
    return [" / ".join([f"{'.'.join(map(str, one.path))}: {one.message}", *one.meant]) for one in found]


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{json.dumps(case['schema'])[:60]} {json.dumps(case['value'])[:30]}"
)
def test_keyword(case: dict[str, Any]) -> None:
    assert told(case["schema"], case["value"], is_kind=case.get("is_kind", False)) == case["told"]


def test_no_message_shows_a_value() -> None:
    for case in CASES:
        if isinstance(case["value"], str) and not case["schema"].get("enum") and "const" not in case["schema"]:
            found = violations(f"{case['value']}-hunter2", schema_of(case["schema"]))
            assert "hunter2" not in str(found)


NUMBERS = st.integers(-3, 6)
NAMES = st.sampled_from(["a", "b", "cc"])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from([0.5, 2.0, "", "a", "bb", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])
FLAT: dict[str, st.SearchStrategy[Any]] = {
    "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
    "enum": st.lists(VALUES, min_size=1, max_size=3),
    "const": VALUES,
    "minimum": NUMBERS,
    "maximum": NUMBERS,
    "exclusiveMinimum": NUMBERS,
    "exclusiveMaximum": NUMBERS,
    "multipleOf": st.integers(1, 3),
    "minLength": st.integers(0, 2),
    "maxLength": st.integers(0, 2),
    "pattern": st.sampled_from(["^a", "b$", "^[ab]+$"]),
    "minItems": st.integers(0, 2),
    "maxItems": st.integers(0, 2),
    "uniqueItems": st.booleans(),
    "minProperties": st.integers(0, 2),
    "maxProperties": st.integers(0, 2),
    "required": st.lists(NAMES, max_size=2, unique=True),
    "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=2),
    "$ref": st.just("#/$defs/a"),
}


def _deep(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "properties": named,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "c"]), inner, max_size=2),
            "additionalProperties": inner,
            "propertyNames": inner,
            "dependentSchemas": named,
            "items": inner,
            "prefixItems": several,
            "contains": inner,
            "allOf": several,
            "anyOf": several,
            "oneOf": several,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "unevaluatedProperties": inner,
            "minContains": st.integers(0, 2),
            **FLAT,
        },
    )


SCHEMAS = st.recursive(st.booleans() | st.fixed_dictionaries({}, optional=FLAT), _deep, max_leaves=6).filter(
    lambda schema: isinstance(schema, dict)
)
DRAFT = "https://json-schema.org/draft/2020-12/schema"


@given(
    SCHEMAS, st.fixed_dictionaries({}, optional={name: FLAT[name] for name in ("type", "minimum", "required")}), VALUES
)
def test_what_is_valid_is_what_the_library_takes_for_valid(
    schema: dict[str, Any], shared: dict[str, Any], value: object
) -> None:
    whole = {"$schema": DRAFT, **schema, "$defs": {"a": shared}}
    assert (told(whole, value) == []) == jsonschema.Draft202012Validator(whole).is_valid(value)


# What custom resource definitions are made of: schemas of one type, one in another.
STRUCTURAL = st.recursive(
    st.sampled_from(
        [{"type": "string"}, {"type": "integer"}, {"x-kubernetes-int-or-string": True}, {"type": "boolean"}]
    ),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda more: {"type": "object", "additionalProperties": more}, inner),
        st.builds(
            lambda properties, preserved: {
                "type": "object",
                "properties": properties,
                **({"x-kubernetes-preserve-unknown-fields": True} if preserved else {}),
            },
            st.dictionaries(NAMES, inner, min_size=1, max_size=3),
            st.booleans(),
        ),
    ),
    max_leaves=6,
)
GIVEN = st.recursive(
    st.booleans() | NUMBERS | st.sampled_from(["", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    """The same in words of JSON Schema alone."""
    out = {key: value for key, value in schema.items() if not key.startswith("x-")}
    if "x-kubernetes-int-or-string" in schema:
        out["type"] = ["integer", "string"]
    if "properties" in schema:
        out["properties"] = {key: _strict(value) for key, value in schema["properties"].items()}
        out["additionalProperties"] = "x-kubernetes-preserve-unknown-fields" in schema
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            out[key] = _strict(schema[key])
    return out


@given(STRUCTURAL, GIVEN)
def test_objects_of_kubernetes_have_what_is_declared(schema: dict[str, Any], value: object) -> None:
    assert (told(schema, value, is_kind=True) == []) == jsonschema.Draft202012Validator(_strict(schema)).is_valid(value)


# Keywords with whatever may stand behind them, as somebody types them or means harm.
OTHERS = {
    *("properties", "items", "allOf", "anyOf", "not", "if", "then", "contains", "$defs", "definitions", "dependencies"),
    *(
        "$id",
        "id",
        "$anchor",
        "$dynamicRef",
        "$recursiveRef",
        "$schema",
        "format",
        "patternProperties",
        "propertyNames",
    ),
    *("additionalItems", "additionalProperties", "prefixItems", "unevaluatedItems", "unevaluatedProperties"),
}
DRAFTS = ("http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2019-09/schema", DRAFT)
WORDS = (
    "",
    "#",
    "#/",
    "#/$defs/a",
    "#a",
    "a",
    "http://[",
    "urn:x:y",
    "file:///",
    "(",
    "(?=a)",
    "^(?!",
    "object",
    "\ud800",
)
KEYWORDS = st.sampled_from([*FLAT, *sorted(OTHERS)])
TEXTS = st.sampled_from([*WORDS, *DRAFTS])
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.just(float("nan")) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS | NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYWORDS, ANYTHING, max_size=5), ANYTHING, st.booleans())
def test_whatever_a_schema_is_it_comes_to_an_end(schema: dict[str, Any], value: object, is_kind: bool) -> None:
    with budget_scope(Limits(seconds=5, steps=300_000)), suppress(plait.PlaitError):
        made = schema_of(schema, is_kind=is_kind)
        for keys in ([], ["a"], ["a", "b"]):
            below = made.at(keys)
            if below is not None:
                assert below.type_text()
                assert below.inside().choices() is not None
                assert below.description() is not None
        violations(value, made)
