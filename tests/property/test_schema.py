"""Laws of schemas, for any schema and any data values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem, equal, from_plain
from plait.ytt.schema.build import build
from plait.ytt.schema.check import check
from plait.ytt.schema.defaults import defaults, fill
from plait.ytt.schema.openapi import openapi
from plait.ytt.schema.types import ANY
from plait.ytt.schema.validations import validate

if TYPE_CHECKING:
    from plait.tree.nodes import Value

KEYS = st.one_of(st.text("abc", min_size=1, max_size=3), st.integers(0, 3), st.booleans())
SCALARS = st.one_of(st.text(max_size=3), st.integers(-3, 3), st.floats(allow_nan=False, width=16), st.booleans())
# What a schema shows: no nulls, and arrays of exactly one item.
SHOWN = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=1), st.dictionaries(st.text("abc", max_size=2), inner, max_size=4)
    ),
    max_leaves=12,
)
DATA = st.recursive(
    st.one_of(SCALARS, st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


def document(value: object) -> Document:
    return Document(from_plain(value))


def without_keys(value: Value, drawn: st.DataObject) -> Value:
    """The value with some keys of its maps left out."""
    if isinstance(value, Map):
        return Map(
            [MapItem(item.key, without_keys(item.value, drawn)) for item in value.items if drawn.draw(st.booleans())]
        )
    if isinstance(value, Array):
        return Array([ArrayItem(without_keys(item.value, drawn)) for item in value.items])
    return value


@given(SHOWN)
def test_defaults_conform(shown: object) -> None:
    declared = build(document(shown))
    values = defaults(declared)
    assert values is not None
    assert check(declared, values) == []
    assert fill(declared, values) is values


@given(SHOWN)
def test_the_shown_value_conforms(shown: object) -> None:
    given_document = document(shown)
    declared = build(given_document)
    assert check(declared, given_document) == []
    assert fill(declared, given_document) is given_document


@given(SHOWN, st.data())
def test_filling_completes_what_conforms(shown: object, drawn: st.DataObject) -> None:
    declared = build(document(shown))
    partial = Document(without_keys(document(shown).value, drawn))
    assert check(declared, partial) == []
    done = fill(declared, partial)
    assert check(declared, done) == []
    assert fill(declared, done) is done


@given(SHOWN, DATA)
def test_filling_changes_neither_the_findings_nor_what_was_there(shown: object, values: object) -> None:
    declared = build(document(shown))
    before, again = document(values), document(values)
    found = check(declared, before)
    done = fill(declared, before)
    assert equal(before.value, again.value)
    assert fill(declared, done) is done
    assert [finding.found for finding in check(declared, done)] == [finding.found for finding in found]


@given(DATA)
def test_without_schema_everything_conforms(values: object) -> None:
    assert check(ANY, document(values)) == []
    validate(ANY, document(values))


@given(SHOWN)
def test_every_schema_can_be_described(shown: object) -> None:
    assert isinstance(openapi(build(document(shown))).value, Map)


@given(SHOWN, st.data(), DATA)
def test_knowing_what_conformed_changes_nothing(shown: object, drawn: st.DataObject, other: object) -> None:
    declared = build(document(shown))
    before = fill(declared, Document(without_keys(document(shown).value, drawn)))
    after = Document(replaced(before.value, from_plain(other), drawn))
    with_before, without = fill(declared, after, before), fill(declared, after)
    assert equal(with_before.value, without.value)
    found = [(finding.message, finding.found) for finding in check(declared, without)]
    assert [(finding.message, finding.found) for finding in check(declared, with_before, before)] == found


def replaced(value: Value, by: Value, drawn: st.DataObject) -> Value:
    """The value with some part replaced, the rest shared."""
    if not isinstance(value, Map | Array) or not value.items or drawn.draw(st.integers(0, 3)) == 0:
        return by
    place = drawn.draw(st.integers(0, len(value.items) - 1))
    items = list(value.items)
    items[place] = items[place].with_value(replaced(items[place].value, by, drawn))  # type: ignore[attr-defined]
    return value.with_items(items)  # type: ignore[arg-type]
