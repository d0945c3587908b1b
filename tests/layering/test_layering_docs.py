"""The checklist of docs/compatibility/deckhand.md names cases that exist and claim the line."""

from __future__ import annotations

import functools
import pathlib
import re

import yaml as pyyaml

TESTS = pathlib.Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "compatibility" / "deckhand.md").read_text("utf-8")
ROW = re.compile(r"^\| (\d+)(?:-(\d+))? \| (.*?) \| ?(.*?) ?\|$", re.MULTILINE)


def claimed() -> dict[str, list[int]]:
    """Every layering case, with the lines it claims to show."""
    found = {}
    for file in sorted((TESTS / "cases" / "layering").glob("*.yml")):
        for case in pyyaml.safe_load_all(file.read_text("utf-8")):
            found[f"{file.stem}: {case['case']}"] = case["lines"]
    return found


@functools.cache
def of_the_service() -> set[str]:
    """Every case of the service, and every function that tests it."""
    found = set()
    for file in (TESTS / "service").glob("test_*.py"):
        found |= {
            f"{file.stem}: {name}" for name in re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
        }
    for file in (TESTS / "service" / "cases").glob("*.yml"):
        found |= {f"{file.stem}: {case['case']}" for case in pyyaml.safe_load(file.read_text("utf-8"))}
    return found


def test_every_checklist_line_has_a_row() -> None:
    lines: list[int] = []
    for first, last, _, _ in ROW.findall(PAGE):
        lines += range(int(first), int(last or first) + 1)
    assert lines == list(range(1, 240))


def test_rows_name_tests_that_exist() -> None:
    cases = claimed()
    laws = (TESTS / "property" / "test_layering.py").read_text("utf-8")
    shown: set[str] = set()
    for line, _, state, names in ROW.findall(PAGE):
        if state != "done":
            assert state.startswith("not done: ")
            assert names == ""
            continue
        assert names, line
        for name in names.split("; "):
            area, _, title = name.partition(": ")
            if area == "cli":
                assert (TESTS / "cli" / f"{title}.txtar").exists(), name
            elif area == "service":
                assert title in of_the_service(), name
            elif area == "property":
                assert f"def {title}(" in laws, name
            else:
                assert int(line) in cases[name], (line, name)
                shown.add(name)
    assert shown == set(cases), "a case is not in the table"
