"""Chunked programs: `tests/cases/starlark/*.star`.

Chunks are parted by `---`. A line that ends in `### "message"` must be the place of an error with that message (the
first line of it); a chunk without one must run. `eq(a, b)`, `error_of(function)` and `frozen` are there for the asking.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plait.base.errors import Finding, PlaitError
from plait.base.extensions import F_STRINGS
from plait.base.source import Position, Source
from plait.tree.context import Context
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.comparison import equals
from plait.ytt.starlark.containers import Dict, List, freeze
from plait.ytt.starlark.program import compile_program
from plait.ytt.starlark.program_parts import CodePart
from plait.ytt.starlark.structs import Struct
from plait.ytt.starlark.value_text import repr_of
from plait.ytt.starlark.values import Builtin

CASES = Path(__file__).parents[1] / "cases" / "starlark"
PRELUDE = 'load("@test", "eq", "error_of", "frozen", "struct")'


def chunks() -> list[tuple[str, int, str]]:
    found = []
    for file in sorted(CASES.glob("*.star")):
        line = 1
        for text in file.read_text("utf-8").split("\n---\n"):
            found.append((file.name, line, text))
            line += text.count("\n") + 2
    return found


def eq(found: object, wanted: object) -> None:
    assert equals(found, wanted), f"{repr_of(found)} is not {repr_of(wanted)}"


def error_of(function: object) -> str | None:
    try:
        call(function)
    except PlaitError as error:
        return error.message
    return None


def frozen() -> List:
    result = List([1, List([2]), Dict([("k", List())])])
    freeze(result)
    return result


def load(path: str, _at: Position) -> dict[str, object]:
    assert path == "@test"
    return {
        "eq": Builtin("eq", eq),
        "error_of": Builtin("error_of", error_of),
        "frozen": Builtin("frozen", frozen),
        "struct": Builtin("struct", lambda **members: Struct(members)),
    }


def _all(error: PlaitError) -> list[PlaitError | Finding]:
    return [error, *error.findings]


@pytest.mark.parametrize(("name", "line", "text"), chunks(), ids=lambda value: str(value)[:24] if value else "")
def test_chunk(name: str, line: int, text: str) -> None:
    wanted: list[tuple[int, str]] = []
    lines = []
    for number, written in enumerate(text.split("\n"), line):
        code, mark, message = written.partition("###")
        lines.append(code if mark else written)
        if mark:
            wanted.append((number, json.loads(message)))
    source = Source(name, "\n".join(lines), line)
    if name == "f_strings.star":
        source.extensions = frozenset({F_STRINGS})
    found: list[tuple[int, str]] = []
    try:
        compile_program([CodePart(PRELUDE, 0), CodePart("\n".join(lines), line)], source).run(Context(), load)
    except PlaitError as error:
        found = [(fault.at.line if fault.at else 0, fault.message) for fault in _all(error)]
    assert found == wanted
