"""The place at the end of an unfinished text."""

from __future__ import annotations

import pytest

from plait.yaml.lossless.opened import opened


@pytest.mark.parametrize(
    ("text", "keys", "key", "is_item"),
    [
        ("", [], "", False),
        ("x: 1\n", [], "", False),
        ("a: ", [], "a", False),
        ("a: !t ", [], "a", False),
        ("a: &x !t ", [], "a", False),
        ("a: &x\n  ", ["a"], "", False),
        ("a:\n  b: 1\n  ", ["a"], "", False),
        ("a:\n  b: 1\n    ", ["a", "b"], "", False),
        ("a:\n  b: 1\n", [], "", False),
        ("a:\n- ", ["a"], "", True),
        ("a:\n  - b: 1\n    ", ["a"], "", False),
        ("a:\n- b:\n    c: ", ["a", "b"], "c", False),
        ("- - ", [], "", True),
        ("a: {", ["a"], "", False),
        ("a: {b: 1, ", ["a"], "", False),
        ("a: {b: ", ["a"], "b", False),
        ("a: {b: [1, {c: ", ["a", "b"], "c", False),
        ("a: [", ["a"], "", True),
        ("a: {\n  b: 1,\n  ", ["a"], "", False),
        ("a: !t {b: {}, c: ", ["a"], "c", False),
        ('"a b": ', [], "a b", False),
        ("--- x\n---\na: ", [], "a", False),
    ],
)
def test_the_keys_around_a_place(text: str, keys: list[str], key: str, is_item: bool) -> None:
    found = opened(text)
    assert found is not None
    assert (found.keys, found.key, found.is_item) == (keys, key, is_item)


@pytest.mark.parametrize("text", ["a: |\n  text\n  ", 'a: "b ', "a: b ", "a: 'b\n  "])
def test_in_a_scalar_nothing_can_be_written(text: str) -> None:
    assert opened(text) is None
