"""Tags that are kept: what is read is written, and other documents are written as they are without tags."""

from __future__ import annotations

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.base.errors import LimitError, UsageError
from plait.base.extensions import TAGS
from plait.base.source import Source
from plait.tree.nodes import Array, ArrayItem, DocumentSet, documents, equal, from_plain, to_plain
from plait.yaml.reader import read
from plait.yaml.tags import check_untagged, is_tag, write_tagged
from plait.yaml.writer import write

TEXTS = st.text("ab 0:#-\n\t'\"!&*[]{},éx", max_size=12) | st.sampled_from(
    ["null", "0x1F", "yes", "", "~", "1e3", "<<"]
)
NAMES = st.sampled_from(["!Ref", "!If", "!a.b:c/d", "!reference"])


def trees(*, tags: bool) -> st.SearchStrategy[object]:
    def around(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
        plain = inner.filter(lambda value: not (isinstance(value, dict) and any(map(is_tag, value))))
        found = st.lists(inner, max_size=3) | st.dictionaries(
            TEXTS.filter(lambda text: not is_tag(text) and text != "<<"), inner, max_size=3
        )
        return found | st.tuples(NAMES, plain).map(lambda pair: {pair[0]: pair[1]}) if tags else found

    return st.recursive(TEXTS | st.integers(0, 9) | st.booleans(), around, max_leaves=12)


def again(text: str) -> DocumentSet:
    source = Source("again.yml", text)
    source.extensions = frozenset([TAGS])
    return read(source)


def with_texts(value: object, *, below_tag: bool = False) -> object:
    """What a tag stands before is text, whatever it looks like."""
    if isinstance(value, list):
        return [with_texts(one) for one in value]
    if isinstance(value, dict):
        return {key: with_texts(one, below_tag=is_tag(key)) for key, one in value.items()}
    if not below_tag or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


@given(trees(tags=True))
def test_what_is_written_is_read_again(value: object) -> None:
    tree = documents([from_plain(value)])
    text = write_tagged(tree)
    found = again(text)
    assert to_plain(found.items[0].value) == with_texts(value)
    assert write_tagged(found) == text


@given(trees(tags=False))
def test_documents_without_tags_are_written_as_ever(value: object) -> None:
    tree = documents([from_plain(value), from_plain(value)])
    assert write_tagged(tree) == write(tree)
    check_untagged(tree, "JSON")


@given(trees(tags=True))
def test_another_reader_finds_the_same_tags(value: object) -> None:
    def tags(value: object) -> list[str]:
        if isinstance(value, dict):
            own = [key for key in value if is_tag(key)]
            return [*own, *(tag for one in value.values() for tag in tags(one))]
        return [tag for one in value for tag in tags(one)] if isinstance(value, list) else []

    text = write_tagged(documents([from_plain(value)]))
    found = [str(tag) for event in pyyaml.parse(text) if (tag := getattr(event, "tag", None))]
    assert [tag for tag in found if tag.startswith("!")] == tags(value)


def test_without_the_addition_tags_are_dropped() -> None:
    text = "a: !Ref b\nc: !If [1]\n"
    assert equal(read(Source("a.yml", text)).items[0].value, from_plain({"a": "b", "c": [1]}))


def test_a_text_beside_tags_is_refused_where_it_cannot_be_kept() -> None:
    for text in ("!Ref a: b\n", "{!Ref a: b}\n", "? !Ref [a]\n: b\n", "a: !a,b c\n"):
        with pytest.raises(plait.PlaitError, match="cannot be kept"):
            again(text)
    assert to_plain(again("a: ! 1\nb: ! [!!str 2]\n").items[0].value) == {"a": "1", "b": ["2"]}
    assert to_plain(again("a: !Ref\nb: !Ref ''\n").items[0].value) == {"a": {"!Ref": None}, "b": {"!Ref": ""}}


def test_a_tag_of_a_tag_is_refused() -> None:
    with pytest.raises(UsageError, match="one tag"):
        write_tagged(documents([from_plain({"!A": {"!B": 1}})]))


def test_deep_documents() -> None:
    value: Array | int = 1
    for _ in range(100_000):
        value = Array([ArrayItem(value)])
    with pytest.raises(LimitError):
        write_tagged(documents([value]))


def test_the_api_has_tags() -> None:
    text = "a: !Ref b\n"
    assert plait.render({"a.yml": text}, extensions=["tags"]).to_yaml() == text
    isolated = plait.render({"a.yml": text}, extensions=["tags"], isolated=True)
    assert (isolated.to_yaml(), isolated.to_dict()) == (text, {"a": {"!Ref": "b"}})
    assert plait.render({"a.yml": text}, extensions=["tags"]).files == {"a.yml": text}
    assert plait.render({"a.yml": text}, extensions=["tags"]).to_dict() == {"a": {"!Ref": "b"}}
    operation: plait.Plain = {"type": "replace", "path": "/a", "value": {"!GetAtt": "x.y"}}
    assert (
        plait.patch({"a.yml": text}, plait.documents([operation]), extensions=["tags"]).to_yaml() == "a: !GetAtt x.y\n"
    )
