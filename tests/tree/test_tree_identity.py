"""Values that are the same in everything that can be seen of them."""

from __future__ import annotations

import pytest

from plait.tree.identity import identical
from plait.tree.nodes import from_plain


@pytest.mark.parametrize(
    ("one", "other", "are_identical"),
    [
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        (1, True, False),
        (1, 1.0, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        ("a", "a", True),
        ({}, [], False),
    ],
)
def test_identical(one: object, other: object, *, are_identical: bool) -> None:
    assert identical(from_plain(one), from_plain(other)) is are_identical


def test_identical_tuples_and_other_values() -> None:
    assert identical((1, ("a", 0.0)), (1, ("a", 0.0)))
    assert not identical((1, ("a", 0.0)), (1, ("a", -0.0)))
    function = identical
    assert not identical((function,), (function,)), "what a program can call may do something else the next time"


def test_tuples_that_share_parts_are_compared_in_bounded_time() -> None:
    one: object = ()
    other: object = ()
    for _ in range(100):
        one, other = (one, one), (other, other)
    assert not identical(one, other)
