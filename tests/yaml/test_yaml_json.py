"""JSON to nodes, and nodes to indented JSON."""

from __future__ import annotations

import pytest

from plait.base.errors import LimitError, PlaitError, ReadError
from plait.base.source import Source
from plait.tree.nodes import Map, from_plain
from plait.yaml.json import read_json, write_json
from plait.yaml.writer import write_value


def test_keys_are_sorted_numbers_are_floats_and_the_last_of_a_repeated_key_counts() -> None:
    value = read_json(Source("f.json", '{"z": 1, "b": 2.5, "a": 12345678901234567890, "b": [true, null, {}]}'))
    assert write_value(value) == "a: 1.2345678901234567e+19\nb:\n- true\n- null\n- {}\nz: 1\n"
    assert isinstance(value, Map)
    assert type(value.items[2].value) is float


@pytest.mark.parametrize(
    ("text", "line"), [("{", 1), ('{"a":\n 1x}', 2), ("", 1), ("[1,]", 1), ("[NaN]", 1), ("[Infinity]", 1)]
)
def test_what_is_no_json_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ReadError) as caught:
        read_json(Source("f.json", text))
    assert caught.value.at is not None
    assert caught.value.at.line == line


def test_nesting_is_limited() -> None:
    with pytest.raises(LimitError):
        read_json(Source("f.json", "[" * 100_000))


def test_indented() -> None:
    value = from_plain({"z": [1, {"q": []}], "a": {}, "b": "<&>\u2028"})
    assert write_json(value, indent=2, escape_html=False) == (
        '{\n  "a": {},\n  "b": "<&>\\u2028",\n  "z": [\n    1,\n    {\n      "q": []\n    }\n  ]\n}'
    )
    assert write_json(value) == '{"a":{},"b":"\\u003c\\u0026\\u003e\\u2028","z":[1,{"q":[]}]}'
    assert write_json(from_plain([]), indent=4) == "[]"


@pytest.mark.parametrize("data", [{1: 2}, {"a": {None: 1}}, [float("inf")], {"a": float("nan")}])
def test_what_json_cannot_carry_is_an_error(data: object) -> None:
    with pytest.raises(PlaitError, match="JSON"):
        write_json(from_plain(data))
