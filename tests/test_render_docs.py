"""docs/render.md and docs/compatibility.md keep their word: the example prints what it shows, every test named exists."""

from __future__ import annotations

import io
import pathlib
import re
import sys

import pytest

from plait.cli import main

TESTS = pathlib.Path(__file__).parent
DOCS = TESTS.parent / "docs"
PAGE = (DOCS / "render.md").read_text("utf-8")
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
TEST = re.compile(r"`((?:cli|unit|property|yaml|starlark|templates|text|overlay|schema|modules|libraries)/[^`]+)`")


def exists(name: str) -> bool:
    """Whether there is a test of this name."""
    area, _, rest = name.partition("/")
    if area == "cli":
        return (TESTS / "cli" / f"{rest}.txtar").exists()
    if area in ("unit", "property"):
        file, _, function = rest.partition("::")
        return f"def {function}(" in (TESTS / area / file).read_text("utf-8")
    if area == "yaml":
        file, _, heading = rest.partition(": ")
        return f"\n== {heading}\n" in (TESTS / "cases" / "yaml" / f"{file}.txt").read_text("utf-8")
    suffix = "star" if area == "starlark" else "tpltest"
    return (TESTS / "cases" / f"{name}.{suffix}").exists()


def test_every_line_of_the_checklist_has_a_row() -> None:
    assert [int(number) for number, _, _ in ROW.findall(PAGE)] == list(range(1, 341))


@pytest.mark.parametrize("page", ["render.md", "compatibility.md"])
def test_the_tests_named_exist(page: str) -> None:
    names = TEST.findall((DOCS / page).read_text("utf-8"))
    assert len(names) > 30
    assert [name for name in names if not exists(name)] == []


def test_a_row_names_tests_or_says_why_not() -> None:
    for _, what, shown in ROW.findall(PAGE):
        assert TEST.findall(shown) or shown.startswith("not done: "), what


def test_the_example_prints_what_it_shows(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = re.findall(r"^`([a-z.]+)`\n\n```yaml\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
    for name, text in files:
        (tmp_path / name).write_text(text, "utf-8")
    example = re.search(r"^`plait ([^`]+)` prints:\n\n```yaml\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
    assert example is not None
    monkeypatch.chdir(tmp_path)
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert main(example[1].split()) == 0
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    assert buffer.getvalue().decode() == example[2]
