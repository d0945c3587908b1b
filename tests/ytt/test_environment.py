"""Data values by the names of environment variables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.errors import UsageError

KEYS = st.sampled_from(["a", "b", "a_b", "a-b", "A", "B2"])
VALUES = st.recursive(
    st.integers(0, 9) | st.sampled_from(["", "x"]), lambda inner: st.dictionaries(KEYS, inner, min_size=1), max_leaves=8
)


def leaves(value: plait.Plain, way: tuple[str, ...] = ()) -> dict[tuple[str, ...], plait.Plain]:
    if not isinstance(value, dict):
        return {way: value}
    return {found: leaf for key, inner in value.items() for found, leaf in leaves(inner, (*way, str(key))).items()}


def values(schema: dict[str, plait.Plain], environment: dict[str, str]) -> plait.Plain:
    text = "#@data/values-schema\n---\n" + plait.documents(schema).to_yaml()
    return plait.data_values({"schema.yml": text}, environment=environment)[0]


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
def test_each_name_sets_its_value_and_no_other(schema: dict[str, plait.Plain]) -> None:
    """A variable changes the one value that has its name; one that has two is refused; others change nothing."""
    ways = leaves(schema)
    for way, default in ways.items():
        name = "_".join(way).upper().replace("-", "_")
        alike = [one for one in ways if "_".join(one).upper().replace("-", "_") == name]
        environment = {name: "7", "OTHER_NAME": "8", f"{name}_X_Y_Z": "9"}
        if len(alike) > 1:
            with pytest.raises(UsageError, match="would set two data values"):
                values(schema, environment)
        else:
            expected = "7" if isinstance(default, str) else 7
            assert leaves(values(schema, environment)) == {**ways, way: expected}
    assert values(schema, {}) == schema


def test_values_of_the_call_win() -> None:
    schema = "#@data/values-schema\n---\na: 1\nb: 1\nc: 1\n"
    found = plait.data_values(
        {"s.yml": schema}, values={"a": 3}, values_files={"v.yml": "a: 2\nb: 2"}, environment={"A": "9", "B": "9"}
    )
    assert found.to_dict() == {"a": 3, "b": 9, "c": 1}


def test_a_secret_stays_hidden() -> None:
    """What the schema says is secret is so as well where the environment gives it."""
    schema = "#@data/values-schema\n---\n#@schema/secret\npw: ''\n"
    template = '#@ load("@ytt:data", "data")\n#@ fail(data.values.pw)\n---\na: 1\n'
    with pytest.raises(plait.PlaitError) as caught:
        plait.render({"s.yml": schema, "t.yml": template}, environment={"PW": "canary"}, extensions=["secrets"])
    assert "canary" not in caught.value.report()
