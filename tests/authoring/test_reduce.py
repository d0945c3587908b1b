"""A reduced input shows the same error, and few evaluations find it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from plait.authoring.reduce.behaviours import ErrorBehaviour
from plait.authoring.reduce.candidates import Candidate, Workspace
from plait.authoring.reduce.reducer import Reducer
from plait.base.writing.directory import temporary
from plait.engine import dialect
from plait.engine.options import Use

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with temporary("reduce-test-") as directory:
        yield Workspace(directory, "render", None)


def candidate(files: dict[str, str]) -> Candidate:
    option = next(one for one in dialect("render").options if one.name == "file")
    return Candidate({name: text.encode() for name, text in files.items()}, [Use(option, name) for name in files])


def shows(behaviour: ErrorBehaviour, workspace: Workspace, files: dict[str, str]) -> bool:
    one = candidate(files)
    workspace.fill(one)
    return behaviour.shows(workspace, one)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b: #@ missing\n", True),
        ("a: 1\n\nb: #@ missing\n", True),
        ("a: #@ data.values.a\nb: #@ missing\n", True),  # with another one
        ("a: #@ data.values.a\n", False),
        ("b: #@ missin\n", False),
        ("c: #@ missing\n", False),
    ],
)
def test_an_error_is_the_same_if_its_text_and_line_are(workspace: Workspace, text: str, expected: bool) -> None:
    behaviour = ErrorBehaviour()
    assert shows(behaviour, workspace, {"a.yml": "x: 1\nb: #@ missing\n"})
    assert shows(behaviour, workspace, {"a.yml": text}) is expected


def test_an_error_in_another_file_is_another_one(workspace: Workspace) -> None:
    behaviour = ErrorBehaviour()
    assert shows(behaviour, workspace, {"a.yml": "b: #@ missing\n"})
    assert not shows(behaviour, workspace, {"b.yml": "b: #@ missing\n"})


def test_what_is_left_of_a_line_may_be_less(workspace: Workspace) -> None:
    behaviour = ErrorBehaviour()
    assert shows(behaviour, workspace, {"a.yml": "a: {b: 1, c: *x}\n"})
    assert shows(behaviour, workspace, {"a.yml": "a: {c: *x}\n"})
    assert not shows(behaviour, workspace, {"a.yml": "a: {c: *x, e: 1}\n"})


def test_a_candidate_without_the_line_of_the_error_is_not_evaluated(workspace: Workspace) -> None:
    behaviour = ErrorBehaviour()
    assert shows(behaviour, workspace, {"a.yml": "a: 1\nb: #@ missing\n"})
    assert behaviour.can_show(candidate({"a.yml": "b: #@ missing\n"}))
    assert not behaviour.can_show(candidate({"a.yml": "a: 1\n"}))
    assert not behaviour.can_show(candidate({"c.yml": "b: #@ missing\n"}))


VALUES = (
    "#@data/values\n---\n"
    + "".join(f"other{number}:\n  a: 1\n" for number in range(30))
    + "db:\n  name: x\n  port: 1\n"
)
TEMPLATE = '#@ load("@ytt:data", "data")\n' + "".join(f"k{number}: 1\n" for number in range(30))
TEMPLATE += "name: #@ data.values.db.name\npassword: #@ data.values.db.password\n"
OPERATIONS = "".join(f"- type: replace\n  path: /a{number}?\n  value: 1\n" for number in range(20))


@pytest.mark.parametrize(
    ("files", "code", "most", "size"),
    [
        # The record names the map without the attribute, in another file.
        ({"t.yml": TEMPLATE, "v.yml": VALUES}, "unknown-attribute", 24, 8),
        # A text that cannot be read: the lines beside the one of the error.
        ({"t.yml": TEMPLATE.replace("k20: 1", "  k20: [1"), "v.yml": VALUES}, "", 12, 3),
    ],
)
def test_few_evaluations(workspace: Workspace, files: dict[str, str], code: str, most: int, size: int) -> None:
    reducer = Reducer(workspace, ErrorBehaviour(code), 500)
    found = reducer.reduced(candidate(files))
    assert (found.size, reducer.is_minimal) == (size, True)
    assert reducer.evaluations <= most


def test_operations_that_cannot_be_read_need_no_base(workspace: Workspace) -> None:
    options = {one.name: one for one in dialect("patch").options}
    base = "".join(f"a{number}: {{b: 1}}\n" for number in range(50))
    broken = OPERATIONS.replace("path: /a13?\n", "paths: /a13?\n")
    uses = [
        Use(next(one for one in dialect("patch").options if one.is_argument), "base.yml"),
        Use(options["ops-file"], "o.yml"),
    ]
    with temporary("reduce-test-") as directory:
        reducer = Reducer(Workspace(directory, "patch", None), ErrorBehaviour(), 500)
        found = reducer.reduced(Candidate({"base.yml": base.encode(), "o.yml": broken.encode()}, uses))
    assert found.files["base.yml"] == b""
    assert "paths: /a13?" in found.files["o.yml"].decode() or found.size < 8
    assert reducer.evaluations <= 20
