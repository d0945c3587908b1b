"""The operations that make one document of another."""

from __future__ import annotations

import pytest

from plait.base.source import Source
from plait.insight.item_names import identifying
from plait.ops.difference import diff
from plait.ops.job import patch
from plait.ops.operation_files import operations_of
from plait.ops.operations import to_nodes
from plait.tree.equality import alike
from plait.tree.nodes import from_plain, to_plain


def shown(left: object, right: object, *, tests: bool = True) -> list[str]:
    return [
        " ".join(
            [operation.kind, str(operation.pointer), *(str(to_plain(field.value)) for field in operation.fields()[2:])]
        )
        for operation in diff(from_plain(left), from_plain(right), tests=tests)
    ]


@pytest.mark.parametrize("same", [None, 1, {"a": [1, {"b": 2}]}, []])
def test_equal_documents_give_no_operations(same: object) -> None:
    assert shown(same, same) == []


def test_integral_floats_are_the_integers_they_print_as() -> None:
    assert shown({"a": 1, "b": 2.5}, {"a": 1.0, "b": 2.5}) == []
    assert shown({"a": 1}, {"a": "1"}) == ["test /a 1", "replace /a 1"]


def test_changed_value() -> None:
    assert shown({"a": {"b": 1}}, {"a": {"b": 2}}) == ["test /a/b 1", "replace /a/b 2"]
    assert shown({"a": {"b": 1}}, {"a": {"b": 2}}, tests=False) == ["replace /a/b 2"]


def test_added_and_removed_keys_in_printed_order() -> None:
    assert shown({"b": 1, "c": 2}, {"a": 3, "c": 2}) == [
        "test /a True",
        "replace /a? 3",
        "test /b 1",
        "remove /b",
    ]


def test_longer_and_shorter_lists() -> None:
    assert shown({"l": [1]}, {"l": [1, 2, 3]}) == [
        "test /l/1 True",
        "replace /l/- 2",
        "test /l/2 True",
        "replace /l/- 3",
    ]
    assert shown([1, 2, 3], [4]) == ["test /0 1", "replace /0 4", "test /1 2", "remove /1", "test /1 3", "remove /1"]


def test_change_of_type_replaces_the_whole() -> None:
    assert shown({"a": [1]}, {"a": {"b": 1}}) == ["test /a [1]", "replace /a {'b': 1}"]
    assert shown({"a": 1}, [1]) == ["test  {'a': 1}", "replace  [1]"]


def test_keys_are_escaped() -> None:
    assert shown({}, {"a/b:c~d": 1}) == ["test /a~1b~7c~0d True", "replace /a~1b~7c~0d? 1"]


@pytest.mark.parametrize("key", ["5", "-", "a=b", "k?", "-07", 5, True, None, 1.5])
def test_a_key_that_no_path_spells_replaces_the_map_around_it(key: object) -> None:
    left, right = {"in": {key: 1, "x": 1}}, {"in": {key: 2, "x": 2}}
    assert [line.split()[:2] for line in shown(left, right)] == [["test", "/in"], ["replace", "/in"]]
    assert shown({"in": {key: 1, "x": 1}}, {"in": {key: 1, "x": 2}}) == ["test /in/x 1", "replace /in/x 2"]


def test_an_empty_key_at_the_root() -> None:
    for left, right in (({}, {"": 1}), ({"": 1}, {"": 2}), ({"": 1, "a": 2}, {"a": 2})):
        a, b = from_plain(left), from_plain(right)
        assert alike(patch(a, diff(a, b)), b)


def test_nan_is_not_tested() -> None:
    nan = float("nan")
    assert shown({"a": nan}, {"a": nan}) == []
    assert shown({"a": [nan]}, {"a": 1}) == ["replace /a 1"]


def test_operations_can_be_written_and_read_again() -> None:
    left, right = from_plain({"a": 1, "b": [1, 2], "c": 1}), from_plain({"a": None, "b": [2], "d": {"e": None}})
    written = to_nodes(diff(left, right))
    again = operations_of(written, Source("ops.yml"), null_values=True)
    assert alike(patch(left, again), right)


def named(*texts: str, **changed: object) -> list[dict[str, object]]:
    return [{"name": text, "v": changed.get(text, 1)} for text in texts]


BY_NAME = {
    "changed": (named("a", "b"), named("a", "b", b=2), ["replace /l/name=b/v 2"]),
    "removed": (named("a", "b", "c"), named("a", "c"), ["remove /l/name=b"]),
    "last": (named("a"), named("a", "b"), ["replace /l/name=b? {'name': 'b', 'v': 1}"]),
    "first": (named("b"), named("a", "b"), ["replace /l/name=b:before {'name': 'a', 'v': 1}"]),
    "several": (
        named("a", "d", "e"),
        named("b", "c", "d", "f", "g", d=2),
        [
            "remove /l/name=a",
            "replace /l/name=d/v 2",
            "remove /l/name=e",
            "replace /l/name=d:before {'name': 'b', 'v': 1}",
            "replace /l/name=d:before {'name': 'c', 'v': 1}",
            "replace /l/name=f? {'name': 'f', 'v': 1}",
            "replace /l/name=g? {'name': 'g', 'v': 1}",
        ],
    ),
    "escaped": (named("a/b:c~d=e"), named("a/b:c~d=e", **{"a/b:c~d=e": 2}), ["replace /l/name=a~1b~7c~0d=e/v 2"]),
    # Indexes where a name does not select one item, or items moved.
    "moved": (named("a", "b"), named("b", "a"), ["replace /l/0/name b", "replace /l/1/name a"]),
    "all others": (named("a"), named("b"), ["replace /l/0/name b"]),
    "empty": (named(""), named("", **{"": 2}), ["replace /l/0/v 2"]),
    "optional": (named("a?"), named("a?", **{"a?": 2}), ["replace /l/0/v 2"]),
    "variable": (named("((a))"), named("((a))", **{"((a))": 2}), ["replace /l/0/v 2"]),
    "twice": (named("a", "a", "b"), named("a", "a", "b", b=2), ["replace /l/2/v 2"]),
    "numbers": ([{"port": 1, "v": 1}], [{"port": 1, "v": 2}], ["replace /l/0/v 2"]),
}


@pytest.mark.parametrize("case", BY_NAME)
def test_items_are_selected_by_name_where_one_item_has_it(case: str) -> None:
    old, new, wanted = BY_NAME[case]
    left, right = from_plain({"l": old}), from_plain({"l": new})
    found = diff(left, right, tests=False, identifying=identifying)
    assert [
        " ".join([one.kind, str(one.pointer), *(str(to_plain(field.value)) for field in one.fields()[2:])])
        for one in found
    ] == wanted
    written = operations_of(to_nodes(diff(left, right, identifying=identifying)), Source("ops.yml"), null_values=True)
    assert alike(patch(left, written), right)


def test_items_by_name_are_tested_with_their_old_value() -> None:
    left, right = from_plain({"l": named("a", "b")}), from_plain({"l": named("a", a=2)})
    found = [f"{one.kind} {one.pointer}" for one in diff(left, right, identifying=identifying)]
    assert found == ["test /l/name=a/v", "replace /l/name=a/v", "test /l/name=b", "remove /l/name=b"]
