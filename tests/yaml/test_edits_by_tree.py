"""The smallest change of a text: comments, names, brackets and line breaks that stay."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from plait.authoring.edit.sites import Text
from plait.base.source import Source
from plait.tree.nodes import from_plain, to_plain
from plait.yaml.format_preserving import keep_format
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate

if TYPE_CHECKING:
    from plait.tree.nodes import Value


def _value(source: Source) -> Value:
    return deduplicate(read(source)).items[0].value


@pytest.mark.parametrize(
    ("text", "new", "expected"),
    [
        ("a: # of a\n  # below\n  b: 1\n", {"a": 2}, "a: # of a\n  # below\n  2\n"),
        ("a:\n  # below\n  b: 1\nc: 3\n", {"a": {"d": [1]}, "c": 3}, "a:\n  # below\n  d:\n  - 1\nc: 3\n"),
        ("a: 1 # one\nb: 2\n", {"z": 1, "b": 2}, "z: 1 # one\nb: 2\n"),
        ("a: 1\nb: 2", {"a": 1}, "a: 1"),
        ("a: 1\r\n# of b\r\nb: 2\r\n", {"a": 1}, "a: 1\r\n"),
        ("- 1\n# of two\n- 2\n", [1, 3, 2], "- 1\n- 3\n# of two\n- 2\n"),
        ("a: [1, 2, 3]\n", {"a": [2]}, "a: [2]\n"),
        ("a: [\n  1,\n  2, # two\n  3\n]\n", {"a": [1, 3]}, "a: [\n  1,\n  3\n]\n"),
    ],
)
def test_the_rest_of_a_text_stays(text: str, new: object, expected: str) -> None:
    source = Source("f.yml", text)
    assert keep_format(source, _value(source), from_plain(new), _value) == expected


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("- [k: v, x]\n", "k", "- [x]\n"),
        ("a: {b: 1}\n", "b", "a: {}\n"),
        ("a:\n  b: 1\n", "b", "a: {}\n"),
        ("- a: 1 # one\n  # of b\n  b: 2\n", "a", "# of b\n- b: 2\n"),
        ("\ufeffa: 1\nb: 2\n", "a", "\ufeffb: 2\n"),
    ],
)
def test_an_item_is_removed_with_nothing_left(text: str, place: str, expected: str) -> None:
    found = Text(text)
    assert found.without(next(site for site in found.sites if site.key == place)) == expected


_WRITTEN = ("1", "'q'", "|\n    x", "\n    m: 1", "\n    - 1", "{m: 1}", "[1, 2]", "", "&a\n    m: 1")
_TEXTS = ("\n", "no\nend", "two\nlines\n", " lead\nx\n", "x\n\n\n")
_BELOW = ("", "\n", "\n\n", "      # deep\n", "  # c\n", "\n    # c\n", "# top\n")


@pytest.mark.parametrize("sign", ["a:", "-"])
@pytest.mark.parametrize("value", _TEXTS)
def test_a_text_of_several_lines_takes_nothing_below_for_its_own(sign: str, value: str) -> None:
    for written, below, more in product(_WRITTEN, _BELOW, (False, True)):
        last = f"  {sign.replace('a', 'b')} 2\n" if more else ""
        text = Text(f"k:\n  {sign} {written}\n{below}{last}")
        new = next(text.replaced(text.sites[1], value))
        top = to_plain(read(Source("", new)).items[0].value)
        assert isinstance(top, dict), new
        inside = top["k"]
        assert [*(inside.values() if isinstance(inside, dict) else inside)] == [value, *([2] if more else [])], new
