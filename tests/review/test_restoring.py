"""A value counts as restored only if the third output really has it: lists may be compared in another way there."""

from __future__ import annotations

import json
import random

import pytest

from plait.base.source import Source
from plait.review.trial import Trial
from plait.review.values import ADDED, CHANGED, REMOVED, Alignment, Change, changes, pairs_of
from plait.tree.nodes import Document, to_plain
from plait.yaml.reader import read


def documents(value: object) -> list[Document]:
    return [*read(Source("a.yml", f"kind: K\nmetadata: {{name: a}}\nlist: {json.dumps(value)}\n")).items]


def restored(base: object, head: object, mixed: object) -> list[tuple[Change, bool]]:
    """The changes from base to head, with True for those that mixed does not have."""
    old, alignment, other = documents(base), Alignment(), Alignment()
    found = changes(pairs_of(old, documents(head)), alignment)
    places = [one.place for one in changes(pairs_of(old, documents(mixed)), other, alignment)]
    trial = Trial(None, [*other.met, *places], is_same=False)
    return [(one, trial.restores(one)) for one in found]


A, B, C = ({"name": name, "v": 1} for name in "abc")
CASES = {
    "as before": ([A, B], [A, {**B, "v": 2}], [A, B], {"list[name=b].v": True}),
    "another value": ([A, B], [A, {**B, "v": 2}], [A, {**B, "v": 3}], {"list[name=b].v": False}),
    "an item twice": ([A], [A, B], [A, A], {"list[name=b]": False}),
    "another value of an item twice": ([B], [{**B, "v": 2}], [B, {**B, "v": 2}], {"list[name=b].v": False}),
    "a new item in place of an old one": ([1, 2], [1, 2, 3], [1, 3], {"list[2]": False}),
    "an old item that is replaced": ([1, 2], [1], [1, 3], {"list[1]": False}),
    "a changed item that is gone": ([1, 2], [1, 3], [1], {"list[1]": False}),
    "the order with another item": ([1, 2, 3], [3, 1, 2], [3, 1], {"list": False}),
    "the order of names": ([A, B], [B, A], [A, C, B], {"list": True}),
    "an item that nobody added": ([1], [1, 2], [1], {"list[1]": True}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_restored(name: str) -> None:
    base, head, mixed, expected = CASES[name]
    assert {change.path: is_restored for change, is_restored in restored(base, head, mixed)} == expected


@pytest.mark.parametrize(("kept", "expected"), [([], True), (["b"], False)])
def test_a_document_that_is_still_there_under_its_new_name_is_not_restored(kept: list[str], expected: bool) -> None:
    def named(*names: str) -> list[Document]:
        text = "".join(
            f"---\nkind: K\nmetadata: {{name: {one}, labels: {{is: {one}}}}}\nlist: [1, 2]\n" for one in names
        )
        return [*read(Source("a.yml", text)).items]

    old, alignment, other = named("a"), Alignment(), Alignment()
    found = changes(pairs_of(old, named("b")), alignment)
    assert [one.path for one in found] == ["", "metadata.name", "metadata.labels.is"]
    differences = changes(pairs_of(old, named("a", *kept)), other, alignment)
    added = [one.place for one in differences if one.kind == ADDED]
    trial = Trial(None, [*other.met, *(one.place for one in differences)], added, is_same=False)
    assert {trial.restores(one) for one in found} == {expected}


def test_what_is_restored_is_there() -> None:
    chance = random.Random(7)

    def items(kind: int) -> list[object]:
        return [
            chance.choice((number := chance.randrange(4), {"name": f"n{number}", "v": chance.randrange(2)}, [number]))
            if kind == 3
            else (number := chance.randrange(4), {"name": f"n{number}", "v": chance.randrange(2)}, [number])[kind]
            for _ in range(chance.randrange(5))
        ]

    for _ in range(3_000):
        kind = chance.randrange(4)
        base, head, mixed = items(kind), items(kind), items(kind)
        for change, is_restored in restored(base, head, mixed):
            if not is_restored or len(change.place) != 3 or change.kind not in (ADDED, REMOVED, CHANGED):
                continue
            if change.kind == ADDED:
                value = to_plain(change.after)
                assert mixed.count(value) <= base.count(value), (base, head, mixed)
            else:
                assert to_plain(change.before) in mixed, (base, head, mixed)
