"""The hint for the name of a type that JSON Schema does not have."""

from __future__ import annotations

import pytest

from plait.ytt.json_schema.keyword_types import meant_type, unfit


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("int", "integer"),
        ("Integer", "integer"),
        ("strng", "string"),
        ("str", "string"),
        ("bool", "boolean"),
        ("float", "number"),
        ("list", "array"),
        ("map", "object"),
        ("None", "null"),
    ],
)
def test_the_type_of_a_program_has_a_hint_with_one_of_json_schema(name: str, meant: str) -> None:
    assert unfit({"type": name})
    assert not unfit({"type": meant})
    assert meant_type(name) == f'did you mean "{meant}"?'


@pytest.mark.parametrize("name", ["", "x", 1, None, ["string"]])
def test_other_values_have_none(name: object) -> None:
    assert meant_type(name) is None
