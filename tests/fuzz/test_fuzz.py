"""The fuzz targets on hypothesis: a few inputs each in the quick suite, many with `pytest tests/fuzz --long`."""

from __future__ import annotations

import pathlib
import sys

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from targets import SEEDS, TARGETS, WORDS

# Running templates raises it; hypothesis warns when that happens while it looks.
sys.setrecursionlimit(max(12_000, sys.getrecursionlimit()))

FINDS = pathlib.Path(__file__).parent / "finds"
QUICK, LONG = 100, 5_000


def inputs(name: str) -> st.SearchStrategy[bytes]:
    """Words in a row, and seeds with words put in, taken out and doubled."""
    words = st.sampled_from(WORDS) | st.text(max_size=3)
    rows = st.lists(words, max_size=40).map("".join)

    @st.composite
    def changed(draw: st.DrawFn) -> str:
        text = draw(st.sampled_from(SEEDS[name]))
        for _ in range(draw(st.integers(1, 4))):
            at = draw(st.integers(0, len(text)))
            to = min(len(text), at + draw(st.sampled_from([0, 0, 1, 2, 5, 20])))
            text = text[:at] + draw(words | st.just(text[at:to] * 2)) + text[to:]
        return text

    texts = (changed() | rows).map(lambda text: text.encode("utf-8", "surrogatepass"))
    return texts | st.binary(max_size=60)


@pytest.mark.parametrize("name", TARGETS)
def test_any_input_gives_a_result_or_a_named_error(name: str, request: pytest.FixtureRequest) -> None:
    count = LONG if request.config.getoption("--long") else QUICK

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=count == QUICK,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(inputs(name))
    def check(data: bytes) -> None:
        TARGETS[name](data)

    check()


@pytest.mark.parametrize("find", sorted(FINDS.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_once_a_find(find: pathlib.Path) -> None:
    TARGETS[find.parent.name](find.read_bytes())


def test_every_target_has_seeds_that_come_through() -> None:
    assert len(TARGETS) >= 10
    assert SEEDS.keys() == TARGETS.keys()
    for name, seeds in SEEDS.items():
        for seed in seeds:
            TARGETS[name](seed.encode())
