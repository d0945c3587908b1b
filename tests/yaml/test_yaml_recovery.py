"""Repairs of broken texts: the smallest change of a line with which the rest can be read, in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.yaml.lossless import recovery
from plait.yaml.lossless.flow_collections import TreeError
from plait.yaml.lossless.recovery import MOST, repairs
from plait.yaml.lossless.scanner import scan

AROUND = "a:\n  b: 1\n{}\n  c: [2, 3]\nd:\n- e: 4\n  f: 5\n"
PIECES = [
    "a: ",
    "- ",
    "b:\n",
    "\n  ",
    "\n",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "x",
    ", ",
    "|\n",
    "&",
    "*",
    "!",
    "? ",
    ": ",
    "#",
]


def repaired(text: str) -> str:
    lines = text.split("\n")
    for one in repairs(text):
        lines[one.number - 1] = one.new
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("  newk", "  "),
        ("  key: [x", "  "),
        ("  key: {x: 1", "  "),
        ('  key: "x', "  "),
        ("  foo: bar: baz", "  "),
        ("  @x", "  "),
        ("  key: *", "  "),
        ("  key: &", "  "),
        ("  !", "  "),
        ("  ]", "  "),
        ("   g: 1", "  g: 1"),
        (" g: 1", "  g: 1"),
        ("  g:] 1", "  g: 1"),
        ("[  g: 1", "  g: 1"),
    ],
)
def test_a_broken_line_costs_nothing_but_itself(line: str, new: str) -> None:
    assert repaired(AROUND.format(line)) == AROUND.format(new)


def test_a_quote_that_is_open_at_the_end_is_closed_there() -> None:
    assert repaired("a: 1\nb: 'two\n  lines\n") == "a: 1\nb: 'two\n  lines'\n"


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_a_text_has_a_tree_when_it_is_repaired(text: str) -> None:
    found = repairs(text)
    lines = text.split("\n")
    assert all(0 < one.number <= len(lines) and "\n" not in one.new for one in found)
    try:
        scan(repaired(text))
    except TreeError:
        assert len(found) > 0


@pytest.mark.parametrize(
    "unit",
    [
        "a: [\n",
        "- ",
        "- - - x\n",
        "a: 'b\n",
        "  x\n y\n",
        "a: b: c\n",
        "[",
        "]\n",
        "\t- a\n",
        "&a\n",
        "k: |\n x\n",
        "x" * 50,
    ],
)
def test_the_work_is_bounded_by_the_length_of_the_text(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fault costs one pass at most over the text, and windows of bounded numbers of lines."""
    sizes: list[int] = []

    class Counted(recovery._Strict):
        def advance(self, until: int) -> None:
            sizes.append(until - self.at)
            super().advance(until)

    monkeypatch.setattr(recovery, "_Strict", Counted)
    for count in (500, 5000):
        sizes.clear()
        text = "k: v\n" * 100 + unit * count
        repairs(text)
        assert sum(sizes) <= 60 * MOST * len(text)
