"""The other overlay because of which one matches nothing: it is found with few trials."""

from __future__ import annotations

import pytest

import plait

LOAD = '#@ load("@ytt:overlay", "overlay")\n'
OVERLAY = '#@overlay/match by=overlay.subset({"kind": "%s"})\n---\nkind: %s\n'


def refused(overlays: list[tuple[str, str]]) -> plait.PlaitError:
    """The error of overlays that rename kinds, each one document."""
    files = {
        "a.yml": "".join(f"---\nkind: k{number}\n" for number in range(len(overlays))),
        "o.yml": LOAD + "".join(OVERLAY % one for one in overlays),
    }
    with pytest.raises(plait.PlaitError) as caught:
        plait.render(files, limits={"steps": 1_000_000})
    return caught.value


def test_many_overlays_before_one_that_matches_nothing_are_tried_in_a_few_evaluations() -> None:
    error = refused([*((f"k{number}", f"new{number}") for number in range(60)), ("none", "x")])
    assert "later" not in (error.hint or "")
    assert "o.yml:" not in (error.hint or "")


@pytest.mark.parametrize("place", [0, 1, 30, 58, 59])
def test_the_earlier_overlay_is_named_at_any_place(place: int) -> None:
    error = refused([*((f"k{number}", f"new{number}") for number in range(60)), (f"k{place}", "x")])
    assert (error.hint or "").startswith(f"o.yml:{2 + 3 * place + 1} changes the document")


def test_a_later_overlay_with_an_error_of_its_own_is_not_named() -> None:
    error = refused([("none", "x"), ("nothing", "none")])
    assert "later" not in (error.hint or "")


def test_the_later_overlay_that_makes_it_match_is_named() -> None:
    error = refused([("new", "x"), ("k1", "new")])
    assert "put this overlay after that one" in (error.hint or "")
