"""Differences of texts: right whatever the texts are, small where little differs, and found in linear time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.base import text_diff
from plait.base.text_diff import GONE, MARKED, NEW, NO_END, SAME, differing, hunks, marked, with_marks

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "{", "}", "x: 1"]), max_size=40)


@given(LINES, LINES)
def test_what_lies_between_differing_ranges_is_the_same(left: list[str], right: list[str]) -> None:
    at = at_other = 0
    for a, b, c, d in differing(left, right):
        assert a >= at
        assert c >= at_other
        assert left[at:a] == right[at_other:c]
        assert left[a:b] != right[c:d]
        at, at_other = b, d
    assert left[at:] == right[at_other:]


@given(LINES, LINES, st.booleans(), st.booleans())
def test_hunks_say_all_of_a_change(left: list[str], right: list[str], end: bool, other_end: bool) -> None:
    before = "\n".join(left) + "\n" * end
    after = "\n".join(right) + "\n" * other_end
    lines = before.split("\n")
    for hunk in reversed(hunks(before, after)):
        (start, count), (_, count_after) = hunk.before, hunk.after
        old = [line for sign, line in hunk.lines if sign in (SAME, GONE)]
        new = [line for sign, line in hunk.lines if sign in (SAME, NEW)]
        assert (len(old), len(new)) == (count, count_after)
        assert lines[start - 1 : start - 1 + count] == old
        if any(sign == NO_END for sign, _ in hunk.lines):
            # The empty rest behind a last line break is no line.
            lines = lines[: start - 1] + new + ([""] if after.endswith("\n") else [])
        else:
            lines[start - 1 : start - 1 + count] = new
    assert "\n".join(lines) == after


def test_one_changed_line_of_many_is_shown_with_three_around_it() -> None:
    before = "".join(f"key{number}: value\n" for number in range(800))
    [hunk] = hunks(before, before.replace("key400: value", "key400: other"))
    assert hunk.header == "@@ -398,7 +398,7 @@"
    assert [sign for sign, _ in hunk.lines] == [SAME] * 3 + [GONE, NEW] + [SAME] * 3


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a", "a\n", "@@ -1 +1 @@|-a|\\no line break at the end|+a"),
        ("a\n", "a\nb", "@@ -1 +1,2 @@| a|+b|\\no line break at the end"),
        ("", "a\n", "@@ -0,0 +1 @@|+a"),
        ("a\n", "", "@@ -1 +0,0 @@|-a"),
        ("a\nb", "a\nc", "@@ -1,2 +1,2 @@| a|-b|+c"),
        ("a\n", "a\n\n", "@@ -1 +1,2 @@| a|+"),
        ("a\n", "a\n", ""),
    ],
)
def test_ends_of_texts(before: str, after: str, shown: str) -> None:
    found = [line for hunk in hunks(before, after) for line in (hunk.header, *map("".join, hunk.lines))]
    assert "|".join(found) == shown


def test_a_long_line_is_shown_by_its_parts_alone_or_among_others() -> None:
    url = "https://example.org/a/path/that/is/long/v1/and/goes/on/for/quite/some/time/until/it/ends/here"
    parts = marked(url, url.replace("v1", "v2"))
    assert parts is not None
    assert with_marks(parts) == "...org/a/path/that/is/long/[-v1-]{+v2+}/and/goes/on/for/quite/s..."
    [hunk] = hunks(f"a\n{url}\nb\n", f"a\n{url.replace('v1', 'v2')}\nb\n")
    assert hunk.lines == [(SAME, "a"), (MARKED, with_marks(parts)), (SAME, "b")]
    assert marked("short v1", "short v2") is None
    assert marked("a" * 100, "b" * 100) is None
    # Whole lines are what a program needs.
    [whole] = hunks(f"{url}\n", f"{url.replace('v1', 'v2')}\n", shorten=False)
    assert [sign for sign, _ in whole.lines] == [GONE, NEW]


def nested(depth: int) -> Iterator[str]:
    """Lines of which only the middle one occurs once, until that is taken as a place to divide at, and so on."""
    for number in range(depth):
        yield from (f"{number}", f"{number}", "pad")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (["x", "y"] * 10_000, ["y", "x"] * 10_000 + ["z"]),
        (list("abcdefgh") * 2_500, list("hgfedcba") * 2_500),
        ([f"{n}" for n in range(20_000)], [f"{-n}" for n in range(20_000)]),
        (list(nested(6_000)), list(nested(6_000))[::-1]),
        ([f"{n // 90}" for n in range(20_000)], [f"{n // 90}" if n % 90 else f"{n}" for n in range(20_000)]),
    ],
    ids=["alternating", "few", "reversed", "nested", "blocks"],
)
def test_no_texts_take_more_than_linear_work(
    left: list[str], right: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = 0
    by_difflib = text_diff._by_difflib

    def counted(
        left: list[str], right: list[str], within: tuple[int, int, int, int]
    ) -> Iterator[tuple[int, int, int, int]]:
        nonlocal compared
        compared += (within[1] - within[0]) * (within[3] - within[2])
        return by_difflib(left, right, within)

    monkeypatch.setattr(text_diff, "_by_difflib", counted)
    differing(left, right)
    assert compared <= 100 * (len(left) + len(right))
