"""Schemas by kind in all places that documents are written in: completed, described and checked at each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from workshop import KINDS, OF_SCHEMAS, Workshop, workshop

from plait.authoring.lsp import completion, diagnostics, hover

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The file, and a line within it that is below the schema.
PLACES = {
    "template": ("config/template.yml", "  size: 2"),
    "overlay": ("config/overlay.yml", "  zone: b"),
    "output": ("config/made.yml", "  size: 2"),
    "operation": ("ops.yml", "    size: 2"),
    "layer": ("site/a.yml", "  size: 2"),
}


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(tmp_path, KINDS) as found:
        yield found


def with_line(name: str, line: str, new: str) -> str:
    return KINDS[name].replace(f"{line}\n", f"{new}\n")


def found(made: Workshop, name: str) -> list[tuple[str, int]]:
    """What schemas say of a file: the first line of the message, and the line."""
    problems = diagnostics.problems(made.state, made.path(name))
    return [(one.message.split("\n")[0], one.span.line) for one in problems if one.code in OF_SCHEMAS]


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_told_of_what_is_right(made: Workshop, place: str) -> None:
    name, _ = PLACES[place]
    made.open(name)
    assert found(made, name) == []


@pytest.mark.parametrize("place", PLACES)
def test_a_key_is_checked(made: Workshop, place: str) -> None:
    name, line = PLACES[place]
    indent = line[: len(line) - len(line.lstrip())]
    text = with_line(name, line, f"{line}\n{indent}lable: a")
    made.open(name, text)
    problems = [one for one in diagnostics.problems(made.state, made.path(name)) if one.code in OF_SCHEMAS]
    assert [one.message for one in problems] == ['there is no key "lable" here\nhint: did you mean "label"?']
    span = problems[0].span
    assert text.split("\n")[span.line - 1][span.column - 1 : span.end - 1] == "lable"
    assert [(fix.title, fix.edits[0].span, fix.edits[0].text) for fix in problems[0].fixes] == [
        ("Change to label", span, "label")
    ]


@pytest.mark.parametrize("place", PLACES)
def test_a_value_is_checked(made: Workshop, place: str) -> None:
    name, line = PLACES[place]
    indent = line[: len(line) - len(line.lstrip())]
    text = with_line(name, line, f"{indent}size: 0\n{indent}mode: fats")
    made.open(name, text)
    lines = text.split("\n")
    assert found(made, name) == [
        ("the number is less than 1", lines.index(f"{indent}size: 0") + 1),
        ("the value is not one of fast, slow", lines.index(f"{indent}mode: fats") + 1),
    ]
    [problem] = [one for one in diagnostics.problems(made.state, made.path(name)) if one.fixes]
    edit = problem.fixes[0].edits[0]
    assert lines[edit.span.line - 1][edit.span.column - 1 : edit.span.end - 1] == "fats"
    assert edit.text == "fast"


@pytest.mark.parametrize("place", PLACES)
def test_a_key_is_completed(made: Workshop, place: str) -> None:
    name, line = PLACES[place]
    indent = line[: len(line) - len(line.lstrip())]
    made.open(name)
    made.open(name, with_line(name, line, f"{line}\n{indent}la"))
    offers = completion.complete(made.state, *made.at(name, f"{line}\n{indent}la|"))
    assert {"label"} <= {one.label for one in offers} <= {"label", "mode", "size", "zone"}


@pytest.mark.parametrize("place", PLACES)
def test_a_value_is_completed(made: Workshop, place: str) -> None:
    name, line = PLACES[place]
    indent = line[: len(line) - len(line.lstrip())]
    made.open(name)
    made.open(name, with_line(name, line, f"{indent}mode: "))
    offers = completion.complete(made.state, *made.at(name, f"{indent}mode: |"))
    assert [one.label for one in offers] == ["fast", "slow"]
    assert offers[0].documentation == "how it runs"


@pytest.mark.parametrize("place", PLACES)
def test_a_value_is_described(made: Workshop, place: str) -> None:
    name, line = PLACES[place]
    path = made.open(name)
    number = KINDS[name].split("\n").index(line) + 1
    shown = hover.hover(made.state, path, number, len(line) - len(line.lstrip()) + 1)
    assert shown is not None
    assert ("integer: how large it is" if "size" in line else "string: where it runs") in shown.text
