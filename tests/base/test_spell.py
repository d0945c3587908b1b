"""Nearest names."""

from __future__ import annotations

import pytest

from plait.base.similar_names import did_you_mean, distance, near, nearest


@pytest.mark.parametrize(
    ("left", "right", "steps"),
    [("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("ab", "ba", 1), ("abc", "ab", 1), ("abc", "xbc", 1),
     ("kitten", "sitting", 3), ("abcdef", "badcfe", 3), ("", "abc", 3), ("ca", "abc", 3)],
)  # fmt: skip
def test_distance(left: str, right: str, steps: int) -> None:
    assert distance(left, right, 9) == distance(right, left, 9) == steps
    for limit in range(9):
        found = distance(left, right, limit)
        assert found == steps if steps <= limit else found > limit


def test_swapped_letters_of_a_short_name() -> None:
    assert nearest("nmae", ["labels", "name", "namespace"]) == "name"


def test_case_and_dashes_do_not_count() -> None:
    assert nearest("data_VALUE", ["data-values", "data-value"]) == "data-value"


def test_a_name_is_not_suggested_for_itself() -> None:
    assert nearest("name", ["name"]) is None
    assert near("name", ["name", "Name", "names"]) == ["Name"]


def test_equally_near_names_are_all_told_up_to_three() -> None:
    assert near("port1", ["port2", "port3", "other", "port4", "port5"]) == ["port2", "port3", "port4"]
    assert did_you_mean("port1", ["port2", "port3"]) == 'did you mean "port2" or "port3"?'
    assert did_you_mean("port1", ["port2", "port3", "port4"]) == 'did you mean "port2", "port3" or "port4"?'


def test_a_nearer_name_leaves_the_others_out() -> None:
    assert near("replica", ["replace", "replicas", "explicit"]) == ["replicas"]


def test_the_beginning_of_a_name() -> None:
    assert near("cert", ["certificate", "password"]) == ["certificate"]
    assert near("ap", ["api", "other"]) == ["api"]


def test_a_name_may_go_on() -> None:
    assert near("hostname", ["host", "port"]) == ["host"]
    assert near("production", ["prod", "dev"]) == ["prod"]
    assert near("production", ["prod", "product"]) == ["product"]
    assert near("portable", ["por", "other"]) == []
    assert near("host.name", ["host"]) == near("Deployment/web:spec.replicas", ["Deployment/web"]) == []
    assert near("x", ["xyz-longer-name"]) == []


def test_nothing_near() -> None:
    assert did_you_mean("zzzzz", ["name", "labels"]) is None
    assert did_you_mean("", ["name"]) is None
