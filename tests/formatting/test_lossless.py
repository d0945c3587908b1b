"""Formatting loses nothing, and formats what it has formatted to the same."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formatted import texts
from plait.authoring.formatting import formatter
from plait.authoring.formatting.formatter import format_text
from plait.base.errors import ReadError
from plait.base.source import Source
from plait.tree.nodes import equal
from plait.yaml.reader import read
from plait.yaml.writer import write

ROOT = Path(__file__).parents[2]
CASES = yaml.safe_load((ROOT / "tests" / "cases" / "fmt" / "lossless.yml").read_text("utf-8"))
FILES = sorted([*(ROOT / "examples").rglob("*.yml"), *(ROOT / ".github").rglob("*.yml")])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    formatted = format_text(case["before"])
    assert formatted.text == case["after"]
    assert bool(formatted.left_alone) == case.get("left_alone", False)
    assert format_text(formatted.text).text == formatted.text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_examples_are_formatted(path: Path) -> None:
    formatted = format_text(path.read_text("utf-8"), path.name)
    assert not formatted.is_changed
    assert not formatted.left_alone


def test_what_is_no_yaml() -> None:
    with pytest.raises(ReadError, match="did not find expected node content"):
        format_text("a: [")


def test_line_breaks_of_more_than_one_kind() -> None:
    assert format_text("a: 1\rb:   2\n").left_alone == "it mixes different line breaks"


@pytest.mark.parametrize("text", ["a:\n    b: 1\n\ufeffc: 2", "\ufeff\ufeff\ufeffa", "\ufeff\ufeffa"])
def test_marks_of_byte_order_within_a_text(text: str) -> None:
    assert format_text(text).left_alone == "it contains a byte order mark that is not at its start"
    assert format_text("\ufeffa:\n    b: 1\n").text == "\ufeffa:\n  b: 1\n"


INDENTS = st.integers(1, 5)
SCALARS = st.sampled_from(
    ["1", "x y", "'q'", '"d  d"', "[1, {a: b}]", "|\n@text\n@  more\n", ">-\n@folded\n@\n@text\n", "&a 1"]
)


@st.composite
def trees(draw: st.DrawFn, depth: int = 3, column: int = 0) -> str:
    """The lines of a collection that begins at a column, indented in any way, with comments and blank lines."""
    pad = " " * column
    out = []
    is_map = draw(st.booleans())
    for number in range(draw(st.integers(1, 3))):
        if draw(st.integers(0, 5)) == 0:
            out.append(draw(st.sampled_from(["\n", f"{pad}# note\n", "# left\n", f"{pad}#@ x = 1\n"])))
        head = f"{pad}k{number}:" if is_map else f"{pad}-"
        if depth and draw(st.booleans()):
            inner = column + draw(INDENTS)
            below = draw(trees(depth - 1, inner))
            if not is_map and draw(st.booleans()) and not below.lstrip(" ").startswith(("#", "\n")):
                out.append(
                    f"{pad}-{' ' * (inner - column - 1)}{below.lstrip(' ')}"
                    if inner > column + 1
                    else f"{head}\n{below}"
                )
            else:
                out.append(f"{head}{draw(st.sampled_from(['', '  ', ' # beside']))}\n{below}")
        else:
            scalar = draw(SCALARS)
            content = " " * (column + draw(INDENTS))
            first, _, rest = scalar.partition("\n")
            body = "".join(f"{content}{line[1:]}\n" if line[1:] else "\n" for line in rest.splitlines())
            out.append(f"{head} {first}{draw(st.sampled_from(['', '   '])) if not rest else ''}\n{body}")
    return "".join(out)


@given(trees())
def test_any_indentation(text: str) -> None:
    try:
        before = read(Source("a.yml", text))
    except ReadError:
        return
    formatted = format_text(text)
    assert not formatted.left_alone
    assert equal(read(Source("a.yml", formatted.text)), before)
    assert format_text(formatted.text).text == formatted.text
    assert formatted.text.split() == text.split()


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(texts())
def test_any_text(text: str) -> None:
    formatted = format_text(text)
    assert not formatted.left_alone
    assert format_text(formatted.text).text == formatted.text
    assert write(read(Source("a.yml", formatted.text))) == write(read(Source("a.yml", text)))


@pytest.mark.parametrize(
    "wrong", [["a:", '    b: "1"'], ["a:", "    b: !!str '1'"], ["", "a:", "    b: '1'"], ["a: {b: '1'}"]]
)
def test_another_style_or_line_is_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch, wrong: list[str]) -> None:
    monkeypatch.setattr(formatter, "_written", lambda *_: wrong)
    formatted = format_text("a:\n    b: '1'\n")
    assert formatted.left_alone.startswith("formatting would change its content")
    assert not formatted.is_changed


@pytest.mark.parametrize("line", ["    # c\n", "    -   b\n", "    -   [b,\n  c]\n"])
def test_work_is_linear(line: str) -> None:
    def calls(count: int) -> int:
        made = 0

        def note(*_: object) -> None:
            nonlocal made
            made += 1

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            format_text("a:\n    - 1\n" + line * count)
        finally:
            sys.setprofile(before)
        return made

    assert calls(1_000) < 2.2 * calls(500)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.integers(0, 30), st.integers(0, 6))
def test_lines_of_any_text(text: str, first: int, more: int) -> None:
    """What is not asked for stays, byte by byte, and nothing says anything else."""
    formatted = format_text(text, lines=(first, first + more))
    before, after = text.split("\n"), formatted.text.split("\n")
    assert after[:first] == before[:first]
    rest = before[first + more + 1 :]
    assert not rest or after[-len(rest) :] == rest
    assert equal(read(Source("a.yml", formatted.text)), read(Source("a.yml", text)))
    assert formatted.text.split() == text.split()


@pytest.mark.parametrize(
    ("lines", "made"),
    [
        pytest.param((0, 9), "a:\n  b: 1\n  c:\n    d:   #@ 2\ne: 3\n", id="all"),
        pytest.param((1, 3), "a:\n  b: 1\n  c:\n    d:   #@ 2\ne: 3   \n\n\n", id="a whole map"),
        pytest.param(
            (3, 3), "a:\n    b: 1   \n    c:\n         d:   #@ 2\ne: 3   \n\n\n", id="a line that cannot be moved"
        ),
        pytest.param(
            (1, 1), "a:\n    b: 1\n    c:\n         d:   #@   2\ne: 3   \n\n\n", id="one of two that belong together"
        ),
        pytest.param((4, 9), "a:\n    b: 1   \n    c:\n         d:   #@   2\ne: 3\n", id="the end"),
    ],
)
def test_lines_alone(lines: tuple[int, int], made: str) -> None:
    assert format_text("a:\n    b: 1   \n    c:\n         d:   #@   2\ne: 3   \n\n\n", lines=lines).text == made
