"""The words in which changed values are told (spec layering 18)."""

from __future__ import annotations

import pytest

from plait.base.errors import LimitError
from plait.base.limits import Limits, budget_scope
from plait.service.deepdiff import changes

TYPED = {"old_type": "int", "old_value": 1}
CASES: dict[str, tuple[object, object, dict[str, object]]] = {
    "nothing": ({"v": [1, {"a": None}]}, {"v": [1, {"a": None}]}, {}),
    "value": ({"v": 1}, {"v": 2}, {"values_changed": {"root['v']": {"new_value": 2, "old_value": 1}}}),
    "type": (
        {"v": 1},
        {"v": "one"},
        {"type_changes": {"root['v']": {"new_type": "str", "new_value": "one", **TYPED}}},
    ),
    "to null": (
        {"v": 1},
        {"v": None},
        {"type_changes": {"root['v']": {"new_type": "NoneType", "new_value": None, **TYPED}}},
    ),
    "true is not 1": (
        {"v": 1},
        {"v": True},
        {"type_changes": {"root['v']": {"new_type": "bool", "new_value": True, **TYPED}}},
    ),
    "1.0 is not 1": (
        {"v": 1},
        {"v": 1.0},
        {"type_changes": {"root['v']": {"new_type": "float", "new_value": 1.0, **TYPED}}},
    ),
    "keys": (
        {"v": 1, "q": 1},
        {"v": 1, "w": 1},
        {"dictionary_item_added": ["root['w']"], "dictionary_item_removed": ["root['q']"]},
    ),
    "maps that share little": (
        {"a": {"b": 1, "c": 2}},
        {"a": {"d": 1}},
        {"values_changed": {"root['a']": {"new_value": {"d": 1}, "old_value": {"b": 1, "c": 2}}}},
    ),
    "an item changed and one added": (
        {"l": [1, 2, 3]},
        {"l": [1, 5, 3, 4]},
        {
            "iterable_item_added": {"root['l'][3]": 4},
            "values_changed": {"root['l'][1]": {"new_value": 5, "old_value": 2}},
        },
    ),
    "a list cut short": ([1, 2, 3], [1], {"iterable_item_removed": {"root[1]": 2, "root[2]": 3}}),
    "an item taken out": ([1, 2, 3, 4], [2, 3, 4], {"iterable_item_removed": {"root[0]": 1}}),
    "maps in lists": (
        [{"a": 1}, {"a": 2}],
        [{"a": 2}],
        {
            "iterable_item_removed": {"root[1]": {"a": 2}},
            "values_changed": {"root[0]['a']": {"new_value": 2, "old_value": 1}},
        },
    ),
    "the whole": ("one", "two", {"values_changed": {"root": {"new_value": "two", "old_value": "one"}}}),
    "lines": (
        "l1\nl2\n",
        "l1\nl3\n",
        {
            "values_changed": {
                "root": {
                    "diff": "--- \n+++ \n@@ -1,2 +1,2 @@\n l1\n-l2\n+l3",
                    "new_value": "l1\nl3\n",
                    "old_value": "l1\nl2\n",
                }
            }
        },
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES)
def test_changes(old: object, new: object, expected: dict[str, object]) -> None:
    assert changes(old, new) == expected


def test_many_equal_items_and_lines_are_compared_in_time() -> None:
    items = [i % 2 for i in range(4_900)], [(i // 2) % 2 for i in range(4_900)]
    assert set(changes(*items)) == {"values_changed"}
    lines = ["".join(f"{i * step % 150}\n" for i in range(30_000)) for step in (7, 11)]
    [told] = changes(*lines)["values_changed"].values()  # type: ignore[attr-defined]
    assert told["diff"].count("\n") == 60_002


def alternating(kind: str, count: int) -> list[str]:
    """Lines of which each second one is the same whatever the kind is."""
    return [f"same {number}" if number % 2 else f"{kind} {number}" for number in range(count)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (alternating("a", 40_000), alternating("b", 40_000)),
        (["x", "y"] * 10_000, ["x", "z"] * 10_000),
        (["x"] * 40_000, ["x"] * 20_000 + ["y"] * 20_000),
    ],
    ids=["many blocks", "many pairs", "one line"],
)
def test_what_would_take_difflib_long_differs_as_a_whole(before: list[str], after: list[str]) -> None:
    found = changes({"v": "\n".join(before)}, {"v": "\n".join(after)})
    [told] = found["values_changed"].values()  # type: ignore[attr-defined]
    assert told["diff"].splitlines()[2] == f"@@ -1,{len(before)} +1,{len(after)} @@"
    by_item = changes(before, after)
    assert len(by_item["values_changed"]) == sum(a != b for a, b in zip(before, after, strict=True))  # type: ignore[arg-type]


def test_locations_are_as_long_as_an_output_may_be() -> None:
    key = "k" * 10_000
    before, after = ({key: dict.fromkeys(range(1_000), value)} for value in (1, 2))
    with budget_scope(Limits(output=1 << 20)), pytest.raises(LimitError, match="output=1M"):
        changes(before, after)


def test_a_comparison_ends_with_its_time() -> None:
    with budget_scope(Limits(seconds=1e-9)), pytest.raises(LimitError, match="seconds"):
        changes({"a": 1}, {"a": 2})
