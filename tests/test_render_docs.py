"""The checklist and the list of differences of `plait render` name tests that exist."""

from __future__ import annotations

import pathlib
import re

import pytest

TESTS = pathlib.Path(__file__).parent
DOCS = TESTS.parent / "docs" / "compatibility"
PAGE = (DOCS / "ytt-checklist.md").read_text("utf-8")
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
TEST = re.compile(
    r"`((?:[a-z]+/test_\w+\.py::|(?:cli|yaml|starlark|templates|text|overlay|schema|modules|libraries)/)[^`]+)`"
)


def exists(name: str) -> bool:
    """Whether there is a test of this name."""
    area, _, rest = name.partition("/")
    if "::" in name:
        file, _, function = name.partition("::")
        return f"def {function}(" in (TESTS / file).read_text("utf-8")
    if area == "cli":
        return (TESTS / "cli" / f"{rest}.txtar").exists()
    if area == "yaml":
        file, _, heading = rest.partition(": ")
        return f"\n== {heading}\n" in (TESTS / "cases" / "yaml" / f"{file}.txt").read_text("utf-8")
    suffix = "star" if area == "starlark" else "tpltest"
    return (TESTS / "cases" / f"{name}.{suffix}").exists()


def test_every_line_of_the_checklist_has_a_row() -> None:
    assert [int(number) for number, _, _ in ROW.findall(PAGE)] == list(range(1, 341))


@pytest.mark.parametrize("page", ["ytt-checklist.md", "ytt.md"])
def test_the_tests_named_exist(page: str) -> None:
    names = TEST.findall((DOCS / page).read_text("utf-8"))
    assert len(names) > 30
    assert [name for name in names if not exists(name)] == []


def test_a_row_names_tests_or_says_why_not() -> None:
    for _, what, shown in ROW.findall(PAGE):
        assert TEST.findall(shown) or shown.startswith("not done: "), what
