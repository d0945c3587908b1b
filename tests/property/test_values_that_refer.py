"""Data values that are made of others: what they come to depends on nothing but what they say."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

import plait

LOAD = '#@ load("@ytt:data", "data")\n'


def planned(draw: st.DrawFn) -> dict[str, tuple[int, list[str]]]:
    """Names in the order in which they depend on each other: a number, and those of the earlier ones that are added."""
    names = [f"v{number}" for number in range(draw(st.integers(2, 9)))]
    plan: dict[str, tuple[int, list[str]]] = {}
    for place, name in enumerate(names):
        others = draw(st.lists(st.sampled_from(names[:place]), max_size=3)) if place else []
        plan[name] = draw(st.integers(-9, 9)), others
    return plan


plans = st.composite(planned)()


def expression(number: int, others: list[str]) -> str:
    return " + ".join([str(number), *(f"data.values.{name}" for name in others)])


def computed(plan: dict[str, tuple[int, list[str]]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, (number, others) in plan.items():
        found[name] = number + sum(found[other] for other in others)
    return found


def given_by(texts: dict[str, str], values: dict[str, int] | None = None) -> object:
    return plait.data_values(texts, values=values, extensions=["values-refer"]).to_dict()


@given(plans, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_keys_and_files_does_not_matter(
    plan: dict[str, tuple[int, list[str]]], chance: random.Random, schema: bool
) -> None:
    names = [*plan]
    chance.shuffle(names)
    if schema:
        body = "".join([f"{name}: #@ {expression(*plan[name])}\n" for name in names])
        texts = {"schema.yml": f"{LOAD}#@data/values-schema\n---\n{body}"}
    else:
        texts = {"a.yml": "#@data/values\n---\n{}\n"}
        for number, name in enumerate(names):
            line = f"#@overlay/match missing_ok=True\n{name}: #@ {expression(*plan[name])}\n"
            texts[f"b{number}.yml"] = f"{LOAD}#@data/values\n---\n{line}"
    assert given_by(texts) == computed(plan)


@given(plans, st.data())
def test_what_overrides_a_value_overrides_it_for_all(
    plan: dict[str, tuple[int, list[str]]], data: st.DataObject
) -> None:
    body = "".join([f"{name}: #@ {expression(*plan[name])}\n" for name in plan])
    changed = data.draw(st.sampled_from([*plan]))
    number = data.draw(st.integers(-99, 99))
    found = given_by({"schema.yml": f"{LOAD}#@data/values-schema\n---\n{body}"}, {changed: number})
    assert found == computed({**plan, changed: (number, [])})
