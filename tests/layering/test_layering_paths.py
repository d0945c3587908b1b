"""Paths: what can be read, what cannot, and what shares."""

from __future__ import annotations

import pytest

from plait.layering.data_paths import Below, DataPath, Every, PathError, action_path, compile_path, destination_path
from plait.layering.path_edits import find, write
from plait.tree.nodes import Map, from_plain


def test_plain_steps_are_keys_and_indexes() -> None:
    assert compile_path(".a.b[2][-1].7").steps == ("a", "b", 2, -1, "7")
    assert compile_path("$.a").steps == compile_path("a").steps == ("a",)
    assert compile_path(".").steps == compile_path("$").steps == ()


def test_space_between_parts_does_not_matter() -> None:
    assert compile_path("$ . a [ 0 ] . 'b c'").steps == ("a", 0, "b c")


def test_quotes_may_be_escaped() -> None:
    assert compile_path(r".'it\'s'").steps == ("it's",)


def test_everything_else_is_an_object() -> None:
    steps = compile_path("..a.*").steps
    assert [type(step) for step in steps] == [Below, str, Every]
    assert compile_path(".a[0:2]").plain is False


@pytest.mark.parametrize(
    "text",
    ["..", ".a.", ".a b", ".1a", ".a[", ".a[]", ".a[0", ".'a", ".a[?(@.b)]", "$x", ".a[1:2:0]", ".a,", "", ".(a)"],
)
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(PathError, match="cannot read the path"):
        compile_path(text)


def test_a_path_is_compiled_once() -> None:
    assert compile_path(".once.only") is compile_path(".once.only")


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.layering.data_paths._LIMIT", 4)
    for number in range(9):
        compile_path(f".bounded{number}")
    assert compile_path(".").steps == ()


@pytest.mark.parametrize(
    ("text", "steps"),
    [("", ()), (".data", ()), ("$.data[0]", (0,)), (".data.a", ("a",)), (".database", ("database",)), ("a", ("a",))],
)
def test_action_paths(text: str, steps: tuple[object, ...]) -> None:
    assert action_path(text).steps == steps


def test_destinations_start_with_a_dot() -> None:
    assert destination_path("$.a").steps == ("a",)
    for text in ("a", "$[0]", "['a']"):
        with pytest.raises(PathError):
            destination_path(text)


def test_writing_shares_what_lies_beside_the_path() -> None:
    tree = from_plain({"a": {"x": 1}, "b": {"y": [1, {"z": 2}]}})
    changed = write(tree, compile_path(".a.x"), 5)
    assert type(tree) is Map
    assert type(changed) is Map
    assert changed.items[1] is tree.items[1]


def test_a_star_is_a_key_where_nothing_matches() -> None:
    changed = write(from_plain({}), compile_path(".x.*"), 1)
    assert find(changed, DataPath("", ("x", "*"), None)) == 1
