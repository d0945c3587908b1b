"""Data values against a schema: what does not conform, and what is filled in."""

from __future__ import annotations

import annotated
from plait.base.errors import SchemaError, render
from plait.tree.nodes import Document, Map, MapItem, from_plain, to_plain
from plait.ytt.schema.build import build
from plait.ytt.schema.check import check
from plait.ytt.schema.defaults import defaults, fill
from plait.ytt.schema.types import ANY

SCHEMA = annotated.document(
    """\
---
name: ""
count: 1
ratio: 0.5
hosts:
- name: h
  #@schema/nullable
  tls:
    cert: ""
    key: ""
#@schema/type any=True
extra: {}
#@schema/nullable
note: ""
""",
    "s.yml",
)


def findings(text: str, against: str | None = None) -> list[tuple[str, str | None, str | None]]:
    declared = build(SCHEMA if against is None else annotated.document(against, "s.yml"))
    return [
        (str(finding.at), finding.found, finding.expected)
        for finding in check(declared, annotated.document(text, "v.yml"))
    ]


def filled(text: str, against: str | None = None) -> object:
    declared = build(SCHEMA if against is None else annotated.document(against, "s.yml"))
    return to_plain(fill(declared, annotated.document(text, "v.yml")).value)


def test_what_conforms() -> None:
    assert (
        findings("name: x\nratio: 1\nhosts:\n- {name: a, tls: null}\n- tls: {cert: c}\nextra: [{}, 1]\nnote: ~\n") == []
    )


def test_wrong_scalars_and_unknown_keys() -> None:
    assert findings("count: 1.5\nname: 1\nnote: {}\n") == [("v.yml:3", "map", "string (by s.yml:14)")]
    assert findings("count: 1.0\nname: 1\nnote: true\nhosts:\n- nam: x\n") == [
        ("v.yml:1", "float", "integer (by s.yml:3)"),
        ("v.yml:2", "integer", "string (by s.yml:2)"),
        ("v.yml:3", "boolean", "string (by s.yml:14)"),
        ("v.yml:5", "nam", "one of { name, tls } (from s.yml:6)"),
    ]


def test_unknown_keys_of_a_map_come_before_what_is_below_it() -> None:
    assert [at for at, _, _ in findings("hosts:\n- name: 1\nzone: 1\ncount: x\n")] == ["v.yml:3", "v.yml:2", "v.yml:4"]


def test_structure_hides_the_rest() -> None:
    assert findings("other: 1\nname: []\nhosts: {}\n") == [
        ("v.yml:2", "array", "string (by s.yml:2)"),
        ("v.yml:3", "map", "array (by s.yml:5)"),
    ]


def test_null_where_it_is_not_allowed() -> None:
    assert findings("name:\nhosts:\n-\n") == [
        ("v.yml:1", "null", "string (by s.yml:2)"),
        ("v.yml:3", "null", "map (by s.yml:6)"),
    ]


def test_words_for_the_keys_that_are_allowed() -> None:
    assert findings("b: 1\n", "a: 1\n")[0][2] == 'a map item with the key named "a" (from s.yml:1)'
    nine = "".join(f"k{n}: 1\n" for n in range(9))
    assert findings("b: 1\n", nine)[0][2] == "one of { k0, k1, k2, k3, k4, k5, k6, k7, k8 } (from s.yml:1)"
    assert findings("b: 1\n", nine + "k9: 1\n")[0][2] == "a key declared in map (from s.yml:1)"
    assert findings("b: 1\n", "{}")[0][2] == "a key declared in map (from s.yml:1)"


def test_near_names_are_suggested() -> None:
    (finding,) = check(build(SCHEMA), annotated.document("Hots: []\n", "v.yml"))
    assert finding.hint == 'did you mean "hosts"?'


def test_keys_of_other_types_are_other_keys() -> None:
    assert findings("1: x\n'1': y\ntrue: z\n", "1: a\ntrue: b\n") == [
        ("v.yml:2", "1", "one of { 1, true } (from s.yml:1)")
    ]


def test_report() -> None:
    found = check(build(SCHEMA), annotated.document("count: 1.5\nnam: x\n", "v.yml"))
    assert (
        render(SchemaError("One or more data values were invalid", findings=found))
        == """\
plait: One or more data values were invalid

v.yml:2: Given data value is not declared in schema

    v.yml:2  | nam: x
    s.yml:1  | ---
    s.yml:2  | name: ""

  expected: one of { count, extra, hosts, name, note, ratio } (from s.yml:1)
  found:    nam
  hint:     did you mean "name"?

v.yml:1: Given data value is not of the declared type

    v.yml:1  | count: 1.5
    s.yml:3  | count: 1

  expected: integer (by s.yml:3)
  found:    float
  hint:     use a value of the declared type, or change the declaration
"""
    )


def test_missing_keys_are_filled_after_those_that_are_there() -> None:
    assert filled("hosts:\n- tls: {key: k}\ncount: 7\n") == {
        "hosts": [{"tls": {"key": "k", "cert": ""}, "name": "h"}],
        "count": 7,
        "name": "",
        "ratio": 0.5,
        "extra": {},
        "note": None,
    }


def test_what_is_complete_is_the_same_object() -> None:
    declared = build(SCHEMA)
    document = defaults(declared)
    assert document is not None
    assert fill(declared, document) is document


def test_what_does_not_change_is_shared() -> None:
    declared = build(SCHEMA)
    document = annotated.document("extra: {a: [1]}\nhosts:\n- {name: a, tls: ~}\n- name: b\n", "v.yml")
    done = fill(declared, document)
    before, after = document.value, done.value
    assert isinstance(before, Map)
    assert isinstance(after, Map)
    assert after.items[0] is before.items[0]
    old, new = before.items[1].value, after.items[1].value
    assert old.items[0] is new.items[0]  # type: ignore[union-attr]
    assert old.items[1] is not new.items[1]  # type: ignore[union-attr]


def test_what_does_not_conform_is_left_alone() -> None:
    assert filled("hosts: 3\nname: []\n")["hosts"] == 3  # type: ignore[index]
    assert filled("5") == 5


def test_any_accepts_anything_and_fills_nothing() -> None:
    document = annotated.document("a: [1, {b: ~}]\n")
    assert check(ANY, document) == []
    assert fill(ANY, document) is document


def test_cost_grows_with_the_number_of_keys() -> None:
    # Ten thousand keys: looked up one by one in a list this would take minutes.
    text = "".join(f"key{n}: {n}\n" for n in range(10_000))
    declared = build(annotated.document(text, "s.yml"))
    values = annotated.document(text[len("key0: 0\n") :], "v.yml")
    assert check(declared, values) == []
    assert len(fill(declared, values).value.items) == 10_000  # type: ignore[union-attr]


def test_calculated_values_are_shown() -> None:
    declared = build(annotated.document("a: 1\nl:\n- 1\n", "s.yml"))
    values = Document(from_plain({"a": "x", "l": [None], "c": {}}))
    assert [finding.message.partition("\n")[2] for finding in check(declared, values)] == [
        "calculated data value: c: map",
        'calculated data value: a: "x"',
        "calculated data value: - None",
    ]


def test_what_conformed_before_is_not_looked_at_again() -> None:
    declared = build(SCHEMA)
    before = fill(declared, annotated.document("name: x\nhosts:\n- name: a\n", "v.yml"))
    assert isinstance(before.value, Map)
    host = before.value.items[1]
    for changed, expected in (
        (host.with_value(3), ["integer"]),
        (host.with_value(from_plain([{"name": 1}, {"nam": "b"}])), ["nam", "integer"]),
        (MapItem("host", host.value), ["host"]),
    ):
        after = before.with_value(before.value.with_items([before.value.items[0], changed, *before.value.items[2:]]))
        filled_after = fill(declared, after, before)
        found = [finding.found for finding in check(declared, filled_after, before)]
        assert sorted(map(str, found)) == sorted(expected)
        assert found == [finding.found for finding in check(declared, fill(declared, after))]
    assert fill(declared, before, before) is before
    assert check(declared, before, before) == []
