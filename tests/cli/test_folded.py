"""Lines that are no wider than a terminal: all characters are there, colours stay with theirs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.cli.terminal import folded

PIECES = st.lists(st.sampled_from(["a", " ", "word", "\x1b[31m", "\x1b[0m", "\n", "  | ", "ü", "x" * 50]), max_size=60)


@given(PIECES.map("".join), st.integers(40, 90))
def test_no_line_is_wider_and_nothing_is_lost(text: str, width: int) -> None:
    found = folded(text, width)
    plain = re.sub(r"\x1b\[\d+m", "", found)
    assert max(map(len, plain.split("\n"))) <= width
    assert re.sub(r"[ \n]", "", found) == re.sub(r"[ \n]", "", text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        ("  " + "word " * 10, ["  word word word word word word word", "      word word word "]),
        ("x" * 45, ["x" * 40, "    " + "x" * 5]),
        (
            "    a/long/way/to/a/file.yml:12  |   key: value",
            ["    a/long/way/to/a/file.yml:12", "        |   key: value"],
        ),
        ("\x1b[31m" + "y" * 41 + "\x1b[0m", ["\x1b[31m" + "y" * 40, "    y\x1b[0m"]),
    ],
)
def test_where_lines_are_broken(text: str, lines: list[str]) -> None:
    assert folded(text, 40).split("\n") == lines
