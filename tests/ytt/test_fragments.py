from __future__ import annotations

import pytest

from plait.base.errors import LimitError, StarlarkError
from plait.base.source import Source
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, documents, from_plain, to_plain
from plait.ytt.data_values import to_struct
from plait.ytt.starlark.containers import Dict, List, Set
from plait.ytt.starlark.structs import Module, Struct
from plait.ytt.starlark.values import Builtin, NoAttribute
from plait.ytt.yaml_fragments import YamlFragment, go_type_name, to_nodes, to_starlark


def fragment(data: object) -> YamlFragment:
    return to_starlark(from_plain(data))  # type: ignore[return-value]


def test_map_fragment_is_indexed_by_key_and_iterates_over_keys() -> None:
    tree = fragment({"a": 1, "b": {"c": [2]}})
    assert tree.index("a") == 1
    assert list(tree.iterate()) == ["a", "b"]
    assert tree.length() == 2
    assert tree.contains("b")
    assert not tree.contains("c")
    inner = tree.index("b")
    assert isinstance(inner, YamlFragment)
    assert dict(inner.mapping() or ())["c"].index(0) == 2  # type: ignore[attr-defined]


def test_array_fragment_is_indexed_by_place_and_contains_places() -> None:
    tree = fragment(["x", {"y": 1}])
    assert tree.index(0) == "x"
    assert tree.contains(1)
    assert not tree.contains(2)
    assert not tree.contains(-1)
    with pytest.raises(StarlarkError, match=r"^key -1 not in yamlfragment$"):
        tree.index(-1)
    with pytest.raises(StarlarkError, match=r"Expected array index to be an int, but was string"):
        tree.index("x")
    assert tree.mapping() is None


def test_document_set_fragment_gives_document_values() -> None:
    tree = YamlFragment(documents([1, from_plain({"a": 2})]))
    assert tree.index(0) == 1
    assert [type(part) for part in tree.iterate()] == [int, YamlFragment]
    assert tree.text() == "yamlfragment(*yamlmeta.DocumentSet)"


def test_missing_key_names_the_nearest() -> None:
    with pytest.raises(StarlarkError) as failure:
        fragment({"replicas": 1}).index("replica")
    assert failure.value.message == 'key "replica" not in yamlfragment'
    assert failure.value.hint == 'did you mean "replicas"?'


def test_map_keys_are_attributes_too() -> None:
    tree = fragment({"metadata": {"name": "x"}})
    assert tree.attr("metadata").attr("name") == "x"  # type: ignore[attr-defined]
    assert tree.attr_names() == []
    for name in ("items", "get", "keys"):
        with pytest.raises(NoAttribute):
            tree.attr(name)


def test_keys_of_every_scalar_type_are_found_by_exact_type() -> None:
    tree = fragment({1: "int", "1": "string", 2.0: "float", None: "null"})
    assert [tree.index(key) for key in (1, "1", 2.0, None)] == ["int", "string", "float", "null"]
    assert not tree.contains(2)
    assert not tree.contains(True)


def test_the_fragment_without_nodes_is_empty_and_null() -> None:
    nothing = YamlFragment(None)
    assert not nothing
    assert nothing.length() == 0
    assert list(nothing.iterate()) == []
    assert nothing.text() == "yamlfragment(<nil>)"
    assert to_nodes(nothing) is None


def test_fragments_refuse_comparison_and_hashing() -> None:
    tree = fragment({})
    with pytest.raises(StarlarkError, match="CompareSameType: Not implemented"):
        tree.same(tree)
    with pytest.raises(TypeError):
        hash(tree)


def test_conversion_keeps_order_types_and_nested_fragments() -> None:
    inner = from_plain([1])
    source = Source("t.yml")
    made = to_nodes(
        Dict([("z", (1, 2.5)), ("a", to_starlark(inner)), ((1, "x"), Set(["s"])), ("m", Struct({"k": None}))]),
        source,
        7,
    )
    assert isinstance(made, Map)
    assert [item.key if type(item.key) is str else to_plain(item.key) for item in made.items] == [
        "z",
        "a",
        [1, "x"],
        "m",
    ]
    assert made.items[1].value is inner
    assert made.items[0].position.line == 7
    assert to_plain(made) == {"z": [1, 2.5], "a": [1], (1, "x"): ["s"], "m": {"k": None}}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (range(3), "unknown type range for conversion to YAML"),
        (Builtin("f", lambda: None), "unknown type builtin_function_or_method for conversion to YAML"),
        (Module("m", {}), "unknown type module for conversion to YAML"),
        (2**64, "integer 18446744073709551616 is out of range for YAML"),
        (-(2**63) - 1, "integer -9223372036854775809 is out of range for YAML"),
    ],
)
def test_what_yaml_cannot_hold_is_refused(value: object, sentence: str) -> None:
    with pytest.raises(StarlarkError) as failure:
        to_nodes(List([value]))
    assert failure.value.message == sentence


def test_the_largest_integers_are_kept() -> None:
    assert to_plain(to_nodes(List([2**64 - 1, -(2**63)]))) == [2**64 - 1, -(2**63)]


def test_a_list_in_itself_is_a_limit_and_no_traceback() -> None:
    circle = List()
    circle.append(circle)
    with pytest.raises(LimitError, match="list is nested too deeply"):
        to_nodes(circle)


def test_a_document_set_does_not_fit_into_a_list() -> None:
    with pytest.raises(StarlarkError, match="this is a document set"):
        to_nodes(List([YamlFragment(documents([1]))]))


def test_go_type_names() -> None:
    values = [None, True, 1, 1.5, "", List(), (), Dict(), Struct({}), fragment([]), fragment({})]
    assert [go_type_name(value) for value in values] == [
        "<nil>", "bool", "int64", "float64", "string", "[]interface {}", "[]interface {}", "*orderedmap.Map",
        "*orderedmap.Map", "*yamlmeta.Array", "*yamlmeta.Map",
    ]  # fmt: skip


# ---- data values


def test_data_values_are_structs_of_structs_and_lists() -> None:
    values = to_struct(from_plain({"a": {"b": 1}, "c-d": [{"e": 2}]}))
    assert isinstance(values, Struct)
    assert values.attr("a").attr("b") == 1  # type: ignore[attr-defined]
    assert values.index("c-d")[0].attr("e") == 2  # type: ignore[index]
    assert values.attr_names() == ["a", "c-d"]
    assert list(values.iterate() or ()) == ["a", "c-d"]
    assert to_plain(to_nodes(values)) == {"a": {"b": 1}, "c-d": [{"e": 2}]}
    with pytest.raises(NoAttribute):
        values.attr("b")
    with pytest.raises(StarlarkError, match='key "b" not in struct'):
        values.index("b")


def test_each_struct_has_lists_of_its_own() -> None:
    tree = from_plain({"list": [1]})
    mine, other = to_struct(tree), to_struct(tree)
    mine.attr("list").append(2)  # type: ignore[attr-defined]
    assert mine.attr("list") == [1, 2]  # type: ignore[attr-defined]
    assert mine.members["list"] == [1, 2]  # type: ignore[attr-defined]
    assert other.attr("list") == [1]  # type: ignore[attr-defined]
    assert to_plain(tree) == {"list": [1]}


def test_keys_that_are_no_strings_are_reached_by_index() -> None:
    values = to_struct(from_plain({1: "one", "two": 2}))
    assert values.index(1) == "one"  # type: ignore[attr-defined]
    assert values.contains(1)  # type: ignore[attr-defined]
    assert values.attr_names() == ["two"]  # type: ignore[attr-defined]
    assert to_plain(to_nodes(values)) == {1: "one", "two": 2}


def test_scalars_are_data_values_as_they_are() -> None:
    assert to_struct(42) == 42
    assert to_struct(None) is None


# ---- giving a tree away


def test_giving_the_tree_or_a_part_away_ends_ownership() -> None:
    tree = Map([MapItem("a", Array([ArrayItem(1)]))])
    for give in (lambda f: f.value, lambda f: f.index("a"), lambda f: list(f.mapping()), to_nodes):
        cell = YamlFragment(None)
        owned: dict[object, object] = {tree: None}
        cell.assign(tree, owned)
        assert cell.peek() is tree
        assert cell.owned
        give(cell)
        assert not cell.owned
