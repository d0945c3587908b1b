"""Documents within texts: what comes of a change says what it should, and what it does not touch keeps its bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.errors import ReadError
from plait.base.source import Position, Source
from plait.tree.nodes import Map, MapItem, from_plain, to_plain
from plait.yaml.embedded import FORMS, format_named, rewritten, serialize_new

NOWHERE = Position(None, 0)
NAMES = ["alpha", "b2", "c-d", "e_f"]
names = st.sampled_from(NAMES)
words = st.text("abcxyz 019=:#'\"\\/-.", min_size=0, max_size=8).map(str.strip)
comments = st.sampled_from(["", "# kept\n", "\n"])


def lines_of(keys: dict[str, str], draw: st.DrawFn) -> str:
    return "".join(
        [f"{draw(comments)}{key}{draw(st.sampled_from(['=', ' = ', ': ']))}{value}\n" for key, value in keys.items()]
    )


def written(draw: st.DrawFn, form: str) -> str:
    plain = draw(st.dictionaries(names, st.sampled_from(["1", "two", "x y"]), min_size=1))
    inner = draw(st.dictionaries(names, st.integers(0, 9), min_size=1))
    if form == "json":
        return json.dumps({**plain, "in": inner}, indent=draw(st.sampled_from([None, 2, 4]))) + draw(
            st.sampled_from(["", "\n"])
        )
    if form == "yaml":
        top = "".join([f"{draw(comments)}{key}:  '{value}'   # beside\n" for key, value in plain.items()])
        return top + "in:\n" + "".join([f"    {key}: {value}\n" for key, value in inner.items()])
    if form == "toml":
        top = "".join([f'{draw(comments)}{key} = "{value}"  # beside\n' for key, value in plain.items()])
        return top + "\n[in]\n" + "".join([f"{key}   = {value}\n" for key, value in inner.items()])
    if form == "ini":
        texts = {key: str(value) for key, value in inner.items()}
        return f"{lines_of(plain, draw)}\n; section\n[in]\n{lines_of(texts, draw)}"
    return lines_of(plain, draw)


texts = st.sampled_from([*FORMS]).flatmap(lambda form: st.tuples(st.just(form), st.composite(written)(form)))


def read(form: str, text: str) -> Map:
    found = format_named(form).read(Source("", text))
    assert isinstance(found, Map)
    return found


@given(texts)
def test_no_change_keeps_the_bytes(given: tuple[str, str]) -> None:
    form, text = given
    tree = read(form, text)
    assert rewritten(form, text, tree, tree, NOWHERE) == text


@given(texts, st.data())
def test_a_change_says_what_it_should_and_leaves_the_other_lines(given: tuple[str, str], data: st.DataObject) -> None:
    form, text = given
    tree = read(form, text)
    value = data.draw(words)
    changed = next(item for item in tree.items if not isinstance(item.value, Map))
    wanted = tree.with_items([item.with_value(value) if item is changed else item for item in tree.items])
    result = rewritten(form, text, tree, wanted, NOWHERE)
    assert to_plain(read(form, result)) == to_plain(wanted)
    if form != "json":
        other = [line for line in text.splitlines() if not line.lstrip().startswith(str(changed.key))]
        assert [line for line in result.splitlines() if not line.lstrip().startswith(str(changed.key))] == other


@given(texts, names, words)
def test_keys_come_and_go(given: tuple[str, str], name: str, value: str) -> None:
    form, text = given
    tree = read(form, text)
    added = tree.with_items([*tree.items, MapItem(f"new-{name}", value)])
    with_it = rewritten(form, text, tree, added, NOWHERE)
    known = read(form, with_it)
    assert to_plain(known) == to_plain(added)
    without = known.with_items([item for item in known.items if item.key != f"new-{name}"])
    assert to_plain(read(form, rewritten(form, with_it, known, without, NOWHERE))) == to_plain(tree)


@given(st.sampled_from([*FORMS]), st.dictionaries(names, words, min_size=1))
def test_texts_are_made(form: str, values: dict[str, str]) -> None:
    assert to_plain(read(form, serialize_new(form, from_plain(values), NOWHERE))) == values


@given(texts)
def test_an_overlay_within_is_an_overlay_on_the_tree(given: tuple[str, str]) -> None:
    form, text = given
    tree = read(form, text)
    changed = next(item for item in tree.items if not isinstance(item.value, Map))
    load = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\n'
    overlay = f'{load}data:\n  #@overlay/inside "{form}"\n  text:\n    {json.dumps(changed.key)}: other\n'
    inputs = {"a.yml": json.dumps({"data": {"text": text}}), "o.yml": overlay}
    rendered = plait.render(inputs, extensions=["embedded"]).to_dict()
    result = rendered["data"]["text"]  # type: ignore[index, call-overload]
    assert to_plain(read(form, str(result))) == {**to_plain(tree), changed.key: "other"}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("form", "text"), [("ini", "[a]\nnothing\n"), ("json", "{'a': 1}"), ("toml", "a = \n"), ("yaml", "a: [")]
)
def test_what_is_no_such_text_is_refused(form: str, text: str) -> None:
    with pytest.raises(ReadError):
        format_named(form).read(Source("", text))
