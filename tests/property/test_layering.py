"""Laws of layering: the order of the inputs does not matter, trees are shared, the fast merge equals the obvious one."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from layersets import layer_set
from plait.base.errors import LayeringError
from plait.base.source import Source
from plait.layering.actions import merged
from plait.layering.data_paths import PathError, compile_path
from plait.layering.deckhand_differences import compare
from plait.layering.document import read_documents
from plait.layering.path_edits import MISSING, find, find_all, without, write
from plait.layering.rendering import LayeringOptions, render, written
from plait.tree.context import Context
from plait.tree.nodes import Array, Map, documents, equal, from_plain, to_plain

LAYERS = ("fleet", "zone", "host")
keys = st.sampled_from("abc")
scalars = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "x", "PUT x"])
values = st.recursive(
    scalars, lambda inner: st.dictionaries(keys, inner, max_size=3) | st.lists(inner, max_size=3), max_leaves=8
)
maps = st.dictionaries(keys, values, max_size=3)
steps = st.one_of(
    keys.map(lambda key: f".{key}"),
    st.integers(0, 2).map(lambda index: f"[{index}]"),
    st.sampled_from([".*", "[*]", "[-1]", "[0:2]", "..a", ".a,b", ".'a'"]),
)
paths = st.lists(steps, max_size=4).map("".join).map(lambda text: text if text.startswith(".") else f".{text}")


@st.composite
def document_sets(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Documents whose identities are distinct; labels are rarely shared, so that most sets render."""
    found: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 6))):
        layer = draw(st.sampled_from(LAYERS))
        metadata: dict[str, Any] = {
            "schema": "metadata/Document/v1",
            "name": f"d{number}",
            "labels": {"is": str(draw(st.sampled_from([number, number, number, 0])))},
            "layeringDefinition": {"layer": layer, "abstract": draw(st.sampled_from([True, False, False]))},
        }
        if found and draw(st.sampled_from([True, False])):
            parent = draw(st.sampled_from(found))
            metadata["layeringDefinition"]["parentSelector"] = dict(parent["metadata"]["labels"])
            metadata["layeringDefinition"]["actions"] = [
                {"method": draw(st.sampled_from(["merge", "merge", "replace", "delete"])), "path": path}
                for path in draw(st.lists(st.sampled_from([".", ".a", ".a.b", ".b[0]"]), min_size=1, max_size=2))
            ]
        if found and draw(st.sampled_from([True, False])):
            source = draw(st.sampled_from(found))
            metadata["substitutions"] = [
                {
                    "src": {
                        "schema": "demo/Thing/v1",
                        "name": source["metadata"]["name"],
                        "path": draw(st.sampled_from([".", ".a"])),
                    },
                    "dest": {"path": draw(st.sampled_from([".", ".c", ".a.c", ".b[1]"]))},
                }
            ]
        found.append({"schema": "demo/Thing/v1", "metadata": metadata, "data": draw(maps)})
    found.append(
        {
            "schema": "deckhand/LayeringPolicy/v1",
            "metadata": {"schema": "metadata/Control/v1", "name": "order"},
            "data": {"layerOrder": list(LAYERS)},
        }
    )
    return found


def outcome(given_documents: list[dict[str, Any]]) -> object:
    """What rendering gives, whatever its order: documents by name, or the kinds of all failures."""
    source = Source("given.yml")
    try:
        nodes = written(
            render(
                read_documents([documents([from_plain(one, source, 1) for one in given_documents], source)]),
                LayeringOptions(cleartext_secrets=True),
                Context(),
            )
        )
    except LayeringError as error:
        found = [finding.message for finding in error.findings] or [error.message]
        return sorted({message.partition(":")[0] for message in found})
    return sorted(repr(to_plain(one.value)) for one in nodes.items)


@settings(max_examples=60, deadline=None)
@given(document_sets(), st.randoms(use_true_random=False))
def test_the_order_of_inputs_does_not_matter(given_documents: list[dict[str, Any]], chance: Any) -> None:
    turned = list(given_documents)
    chance.shuffle(turned)
    assert outcome(turned) == outcome(given_documents)


@settings(max_examples=40, deadline=None)
@given(document_sets())
def test_rendering_leaves_its_inputs_alone(given_documents: list[dict[str, Any]]) -> None:
    source = Source("given.yml")
    nodes = documents([from_plain(one, source, 1) for one in given_documents], source)
    read = read_documents([nodes])
    for _ in range(2):
        try:
            render(read, LayeringOptions(), Context())
        except LayeringError:
            pass
        assert [to_plain(one.value) for one in nodes.items] == given_documents


def obvious_merge(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    out = dict(left)
    for key, value in right.items():
        old = out.get(key)
        out[key] = obvious_merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return out


@given(maps, maps)
def test_merging_is_the_obvious_merge(left: dict[str, Any], right: dict[str, Any]) -> None:
    a, b = from_plain(left), from_plain(right)
    assert type(a) is Map
    assert type(b) is Map
    assert equal(merged(a, b), from_plain(obvious_merge(left, right)))
    assert equal(a, from_plain(left))


@given(maps)
def test_merging_nothing_gives_the_same_object(left: dict[str, Any]) -> None:
    tree = from_plain(left)
    assert type(tree) is Map
    assert merged(tree, Map([])) is tree
    assert equal(merged(tree, tree), tree)


@given(values, paths, scalars)
def test_what_was_written_is_found(data: Any, text: str, value: Any) -> None:
    tree = from_plain(data)
    path = compile_path(text)
    try:
        changed = write(tree, path, value)
    except PathError:
        assert find(tree, path) is MISSING
    else:
        found = list(find_all(changed, path))
        assert found
        assert any(one == value and type(one) is type(value) for one in found)
    assert equal(tree, from_plain(data))


@given(values, paths)
def test_find_is_the_first_of_all(data: Any, text: str) -> None:
    tree, path = from_plain(data), compile_path(text)
    assert find(tree, path) is next(find_all(tree, path), MISSING)


@given(values, paths)
def test_taking_away_takes_one_place(data: Any, text: str) -> None:
    tree, path = from_plain(data), compile_path(text)
    if not path.steps:
        return
    smaller = without(tree, path)
    if find(tree, path) is MISSING:
        assert smaller is tree
    else:
        assert smaller is not tree
        assert equal(tree, from_plain(data))


def results(sets: list[Any], *, like_deckhand: bool) -> dict[Any, Any] | None:
    options = LayeringOptions(cleartext_secrets=True, like_deckhand=like_deckhand)
    try:
        return {one.identity: one.data for one in render(read_documents(sets), options, Context())}
    except LayeringError:
        return None


def test_what_a_comparison_tells_is_what_differs() -> None:
    """For sets of documents most of which render: no difference means the same values, and a difference other ones."""
    source = Source("given.yml")
    same = differ = 0
    for seed in range(200):
        sets = [documents([from_plain(one, source, 1) for one in layer_set(random.Random(seed))], source)]
        own, theirs = (results(sets, like_deckhand=like) for like in (False, True))
        if own is None and theirs is None:
            continue
        found = compare(sets, LayeringOptions(cleartext_secrets=True), Context())
        if own is None or theirs is None:
            assert found.refused is not None
            assert found.refused[0] == ("plait" if own is None else "Deckhand")
            continue
        assert own.keys() == theirs.keys()
        changed = {identity for identity, data in own.items() if typed(data) != typed(theirs[identity])}
        assert {one.document.identity for one in found.differences} == changed, seed
        same += not changed
        differ += bool(changed)
    assert same > 50
    assert differ > 15


def typed(value: Any) -> object:
    """Plain data in which 1 is not true, and in which the order of keys does not count."""
    if isinstance(value, Map):
        return {item.key: typed(item.value) for item in value.items}
    plain = to_plain(value)
    return [typed(item.value) for item in value.items] if isinstance(value, Array) else (type(plain), plain)
