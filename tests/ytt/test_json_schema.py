"""Schemas of data values as JSON Schemas of values files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = "#@data/values-schema\n---\n"


def described(text: str) -> dict[str, Any]:
    """The JSON Schema of what a schema document declares."""
    made: dict[str, Any] = plait.data_values_schema({"schema.yml": SCHEMA + text}, form="json-schema").to_dict()  # type: ignore[assignment]
    jsonschema.Draft202012Validator.check_schema(made)
    assert made.pop("$schema") == "https://json-schema.org/draft/2020-12/schema"
    return made


def property_of(text: str) -> dict[str, Any]:
    """What is said of the only key of a schema."""
    found: dict[str, Any]
    (found,) = described(text)["properties"].values()
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: x", {"type": "string", "default": "x"}),
        ("a: 1", {"type": "integer", "default": 1}),
        ("a: 0.5", {"type": "number", "default": 0.5}),
        ("a: true", {"type": "boolean", "default": True}),
        ("a: [1]", {"type": "array", "items": {"type": "integer", "default": 1}, "default": []}),
        ("a: {}", {"type": "object", "properties": {}, "additionalProperties": False, "default": {}}),
        (
            '#@schema/default {"b": 2}\na:\n  b: 1',
            {
                "type": "object",
                "properties": {"b": {"type": "integer", "default": 1}},
                "additionalProperties": False,
                "default": {"b": 2},
            },
        ),
        ("#@schema/nullable\na: x", {"type": ["string", "null"], "default": None}),
        ("#@schema/type any=True\na: x", {"default": "x"}),
        (
            '#@schema/title "T"\n#@schema/desc "D"\na: 1',
            {"title": "T", "description": "D", "type": "integer", "default": 1},
        ),
        ('#@schema/deprecated "use b"\na: 1', {"deprecated": True, "type": "integer", "default": 1}),
        ('#@schema/examples ("x", 2)\na: 1', {"type": "integer", "examples": [2], "default": 1}),
        ("#@schema/validation min=1, max=9\na: 1", {"type": "integer", "minimum": 1, "maximum": 9, "default": 1}),
        ("#@schema/validation min_len=1\na: x", {"type": "string", "minLength": 1, "default": "x"}),
        ('#@schema/validation one_of=["x", "y"]\na: x', {"type": "string", "enum": ["x", "y"], "default": "x"}),
        (
            '#@schema/nullable\n#@schema/validation one_of=["x"]\na: x',
            {"type": ["string", "null"], "enum": ["x", None], "default": None},
        ),
        ("#@schema/nullable\n#@schema/validation not_null=True\na: x", {"type": "string", "default": None}),
        (
            '#@schema/validation ("even", lambda v: v % 2 == 0), min=0\na: 2',
            {"type": "integer", "minimum": 0, "default": 2, "$comment": "must be: even"},
        ),
        (
            "#@schema/validation min=3, when=lambda v: v\na: 5",
            {"type": "integer", "default": 5, "$comment": "under a condition, must be: a value >= 3"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_said_of_a_key(text: str, expected: Mapping[str, object]) -> None:
    assert property_of(text) == expected


def test_lengths_of_collections() -> None:
    assert property_of("#@schema/validation max_len=2\na: [1]")["maxItems"] == 2
    assert property_of("#@schema/validation min_len=1\na: {b: 1}")["minProperties"] == 1


def test_one_of_several_keys() -> None:
    made = property_of(
        '#@schema/validation one_not_null=["b", "c"]\na:\n  #@schema/nullable\n  b: x\n  #@schema/nullable\n  c: x'
    )
    check = jsonschema.Draft202012Validator(made)
    assert check.is_valid({"b": "1"})
    assert check.is_valid({"b": "1", "c": None})
    assert not check.is_valid({"b": "1", "c": "2"})
    assert not check.is_valid({})


def test_keys_that_are_no_texts_are_not_refused() -> None:
    assert described("1: a")["properties"] == {}
    assert "additionalProperties" not in described("1: a")


def test_no_schema_accepts_anything() -> None:
    made = plait.data_values_schema({"a.yml": "a: 1\n"}, form="json-schema").to_dict()
    assert jsonschema.Draft202012Validator(made).is_valid({"a": [1]})


def test_another_form() -> None:
    with pytest.raises(plait.UsageError, match="unknown schema format 'xml'"):
        plait.data_values_schema({"a.yml": "a: 1\n"}, form="xml")


SCALARS = st.sampled_from(["x: a", "x: 1", "x: 0.5", "x: true"])
RULES = st.sampled_from(
    [
        "",
        "#@schema/nullable\n",
        "#@schema/validation min=1\n",
        "#@schema/validation one_of=[1, 2]\n",
    ]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.sampled_from(["", "a", "bc"]), st.just(1.5)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("xwz"), inner, max_size=2)),
    max_leaves=4,
)


@st.composite
def schemas(draw: st.DrawFn) -> str:
    """A key with rules that fit its type, as an item of an array, or on its own."""
    scalar, rule = draw(SCALARS), draw(RULES)
    if "min=" in rule and scalar not in ("x: 1", "x: 0.5"):
        rule = ""
    if "one_of" in rule and scalar != "x: 1":
        rule = ""
    below = f"{rule}{scalar}\nw: b\n"
    if draw(st.booleans()):
        return below
    indented = "".join(f"  {line}\n" for line in below.splitlines())
    return f"z:\n{indented}" if draw(st.booleans()) else f"z:\n- {indented.lstrip()}"


@given(schemas(), VALUES)
def test_it_accepts_what_plait_accepts(schema: str, value: Any) -> None:
    validator = jsonschema.Draft202012Validator(described(schema))
    values = value if isinstance(value, dict) else {"x": value}
    try:
        plait.data_values({"schema.yml": SCHEMA + schema}, values=values)
        accepted = True
    except plait.PlaitError:
        accepted = False
    assert validator.is_valid(values) == accepted
