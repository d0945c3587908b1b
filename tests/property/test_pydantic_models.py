"""Pydantic models that are exported accept the data values that the schema accepts, and have its defaults."""

from __future__ import annotations

import sys
import types
import warnings
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait

pytest.importorskip("pydantic", reason="comes with the extra mcp")

from pydantic import BaseModel, ValidationError

HEAD = "#@data/values-schema\n---\n"
EXTENSIONS = ["alternatives", "keys", "required"]
NUMBERS = count()
# Keys that are no names of fields are among them.
NAMES = ("a", "b-c", "class", "str", "model_x", "copy", "_d", "Values", "é", "1", "a_", "json")


def model_of(text: str) -> tuple[type[BaseModel], list[str]]:
    """The model of the data values, executed, and the warnings about it."""
    found = plait.export_schema({"schema.yml": text}, extensions=EXTENSIONS)
    module = types.ModuleType(f"exported_{next(NUMBERS)}")
    sys.modules[module.__name__] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(found.text, module.__name__, "exec"), module.__dict__)
            models = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, BaseModel)]
    finally:
        del sys.modules[module.__name__]
    return models[-1], found.warnings


def by_model(model: type[BaseModel], values: dict[str, plait.Plain]) -> Any:
    try:
        return model(**values).model_dump(by_alias=True)
    except ValidationError:
        return None


def by_schema(text: str, values: dict[str, plait.Plain]) -> Any:
    try:
        return plait.data_values({"schema.yml": text}, values=values, extensions=EXTENSIONS).to_dict()
    except plait.PlaitError:
        return None


# An entry of a schema: annotations, and the lines of its value; and values, most of which it accepts.
Entry = tuple[list[str], list[str], list[plait.Plain]]
JUNK: list[plait.Plain] = ["x", 1, 1.0, True, None, [], {}, [1], {"a": 1}]
SCALARS: list[Entry] = [
    ([], [' ""'], ["", "x", "a b"]),
    (["#@schema/validation min_len=1, max_len=3"], [' "ab"'], ["", "x", "abc", "abcd"]),
    (['#@schema/validation one_of=["a", "b"]'], [" a"], ["a", "b", "c", ""]),
    (["#@schema/validation min=1, max=5"], [" 0"], [0, 1, 5, 6]),
    (["#@schema/validation one_of=[1, 2]"], [" 1"], [1, 2, 3, True]),
    (["#@schema/nullable", "#@schema/validation min=1"], [" 3"], [None, 0, 2]),
    (["#@schema/nullable", "#@schema/validation not_null=True"], [" x"], [None, "y"]),
    (["#@schema/validation one_of=[True]"], [" true"], [True, False, 1]),
    (["#@schema/validation one_of=[1, 2.5]"], [" 2.5"], [1, 2.5, 3]),
    (["#@schema/validation min=0.5"], [" 2.5"], [0.5, 1, 0.25, 0]),
    (["#@schema/required"], [" x"], ["y", None]),
    (['#@schema/desc "D \\"D\\""', "#@schema/deprecated 'no'", '#@schema/examples ("E", True)'], [" true"], [True, False]),
    (["#@schema/type any=True"], [" null"], JUNK),
]  # fmt: skip


def _array(item: Entry) -> Entry:
    notes, lines, values = item
    kept = [note for note in notes if "nullable" not in note and "required" not in note]
    below = ["", *(f"  {note}" for note in kept), f"  -{lines[0]}", *(f"  {line}" for line in lines[1:])]
    return ["#@schema/validation max_len=2"], below, [[], values[:1], values[:3], *([one] for one in values)]


def _map(entries: list[tuple[str, Entry]], is_nullable: bool, is_open: bool) -> Entry:
    lines, whole, each = [""], {}, []
    for key, (notes, below, values) in entries:
        lines += [*(f"  {note}" for note in notes), f'  "{key}":{below[0]}', *(f"  {line}" for line in below[1:])]
        whole[key] = values[-1]
        each += [{key: one} for one in values]
    if is_open:
        lines += ["  #@schema/key", "  more: 1"]
        each += [{"zz": 1}, {"zz": "x"}]
    return (["#@schema/nullable"] if is_nullable else []), lines, [{}, whole, *each, {"zz": 1}]


def _maps(inner: st.SearchStrategy[Entry]) -> st.SearchStrategy[Entry]:
    entry = st.tuples(st.sampled_from(NAMES), inner)
    entries = st.lists(entry, min_size=1, max_size=4, unique_by=lambda one: one[0])
    return st.builds(_map, entries, st.booleans(), st.booleans())


TREES = st.recursive(st.sampled_from(SCALARS), lambda inner: _maps(inner) | inner.map(_array), max_leaves=8)


@given(_maps(TREES), st.data())
def test_the_models_accept_what_the_schema_accepts(entry: Entry, data: st.DataObject) -> None:
    _, lines, candidates = entry
    text = HEAD + "".join(f"{line[2:]}\n" for line in lines[1:])
    model, warned = model_of(text)
    assert warned == []
    assert by_model(model, {}) == by_schema(text, {}), text
    for values in data.draw(st.lists(st.sampled_from(candidates), max_size=6)):
        assert isinstance(values, dict)
        given_values = {
            **values,
            **data.draw(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(JUNK), max_size=1)),
        }
        assert by_model(model, given_values) == by_schema(text, given_values), (text, given_values)


DEFAULTS = {
    "a map's default": '#@schema/default {"a": 2}\nv: {a: 1, b: {c: 3}}\n',
    "a deep default": '#@schema/default {"b": {"c": 4}}\nv: {a: 1, b: {c: 3, d: 5}}\n',
    "an array's default": "#@schema/default [{'a': 2}, {}]\nv:\n- {a: 1, b: 2}\n",
    "a nullable map with a default": '#@schema/nullable\n#@schema/default {"a": 2}\nv: {a: 1, b: 2}\n',
    "any": "#@schema/type any=True\nv: {a: [1, {b: null}], c: .inf}\n",
    "texts": 'v: "\'\\"\\\\ \\u2028\\n\\t é \\U0001F600 {x} # %s"\n',
    "numbers": "v: .inf\nw: -.inf\nx: 1e300\nyy: 123456789012345678901234567890\nz: -0.0\n",
}


@pytest.mark.parametrize("kind", DEFAULTS)
def test_the_defaults_are_those_of_the_schema(kind: str) -> None:
    text = HEAD + DEFAULTS[kind]
    model, _ = model_of(text)
    cases: list[dict[str, plait.Plain]] = [{}, {"v": {"a": 5}}, {"v": {}}, {"v": {"b": {}}}, {"v": None}, {"v": [{}]}]
    for values in cases:
        if kind != "any" or not values:  # maps of any type are merged by plait
            assert by_model(model, values) == by_schema(text, values), values


# A rule without a form in a model, and a value that only the model accepts.
UNTOLD: list[tuple[str, str, plait.Plain]] = [
    ('#@schema/validation ("even", lambda v: v % 2 == 0)\nv: 2\n', "even", 3),
    ("#@schema/validation one_of=[[1]]\nv: [0]\n", "one of [[1]]", [2]),
    ("#@schema/validation min_len=1\nv: {a: 1}\n", "minProperties", {}),
    ("#@schema/validation one_not_null=True\nv:\n  #@schema/nullable\n  a: 1\n  #@schema/nullable\n  b: 1\n", "not null", {"a": 1, "b": 1}),
    ('v:\n  #@schema/key "[a-z]"\n  a: 1\n', "[a-z]", {"b": "x"}),
    ("#@schema/type any=True\n#@schema/validation not_null=True\nv: 1\n", "not null", None),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "message", "value"), UNTOLD)
def test_a_rule_without_a_form_is_reported_and_a_comment(schema: str, message: str, value: plait.Plain) -> None:
    files = {"schema.yml": HEAD + schema}
    exported = plait.export_schema(files, extensions=EXTENSIONS)
    [warning] = exported.warnings
    assert message in warning
    assert "v: not in the models" in warning
    assert f"# Not checked: {warning.partition('models: ')[2]}" in exported.text
    model, _ = model_of(HEAD + schema)
    if "minProperties" not in message:  # a map has its keys even so
        assert by_model(model, {"v": value}) is not None


ALTERNATIVES = [
    ('#@schema/one-of 0, "x"\nv: 0\n', [1, "y", 1.5, None, True, []]),
    (
        '#@schema/one-of {"kind": "s3", "bucket": ""}, {"kind": "disk", "path": "/"}, by="kind"\nv: {kind: s3}\n',
        [{"kind": "disk"}, {"kind": "disk", "path": "/a"}, {"bucket": "b"}, {"kind": "disk", "bucket": "b"}, {"kind": "x"}],
    ),
    ('#@schema/one-of {"http": "/health", "codes": [200]}, {"command": ""}\nv: {http: /a}\n', [{"command": "c"}, {"codes": [1]}, {"codes": "x"}, {"a": 1}]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "given_values"), ALTERNATIVES)
def test_alternatives_are_a_union(schema: str, given_values: list[plait.Plain]) -> None:
    text = HEAD + schema
    model, warned = model_of(text)
    assert warned == []
    assert by_model(model, {}) == by_schema(text, {})
    for value in given_values:
        assert (by_model(model, {"v": value}) is None) is (by_schema(text, {"v": value}) is None), value


def test_the_module_is_the_same_each_time_and_independent_of_keys_in_use() -> None:
    text = HEAD + "DataValues: {Values: {Field: 1}}\nValues: [{Any: x}]\nBaseModel: 1\n"
    first = plait.export_schema({"schema.yml": text})
    assert first == plait.export_schema({"schema.yml": text})
    model, _ = model_of(text)
    assert by_model(model, {"DataValues": {"Values": {"Field": 2}}}) == by_schema(
        text, {"DataValues": {"Values": {"Field": 2}}}
    )


def test_names_of_attributes_are_no_fields() -> None:
    names = [name for name in dir(BaseModel) if not name.startswith("_")]
    text = HEAD + "".join(f"{name}: 1\n" for name in names)
    model, _ = model_of(text)
    assert by_model(model, {}) == dict.fromkeys(names, 1)


def test_a_model_is_imported_by_its_json_schema() -> None:
    class Model(BaseModel):
        port: int = 80
        name: str | None = None

    found = plait.import_schema(Model.model_json_schema(), extensions=EXTENSIONS)
    assert plait.data_values({"schema.yml": found.text}, extensions=EXTENSIONS).to_dict() == {"port": 80, "name": None}
    again, _ = model_of(found.text)
    assert again().model_dump() == Model().model_dump()
