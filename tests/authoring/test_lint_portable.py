"""Each entry of the lists of what differs has a check, or says why it has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from plait.authoring.lint.portable import CODE_OF, entries

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "compatibility"
# Sections that say where there is no difference in what is taken or made.
NO_DIFFERENCES = {
    "As in ytt, although its documentation says otherwise",
    "Wording of messages",
    "Not there yet",
    "Checklist",
}


def listed(target: str) -> list[str]:
    """The entries of a page: the first column of its tables, and its items."""
    parts = re.split(r"^## (.+)\n", (PAGES / f"{target}.md").read_text("utf-8"), flags=re.MULTILINE)
    found = []
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        if heading not in NO_DIFFERENCES:
            rows = [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")]
            found += rows[1:]
            found += [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]
    return found


@pytest.mark.parametrize("target", [*CODE_OF])
def test_every_entry_is_there_once(target: str) -> None:
    found = listed(target)
    assert len(found) >= 15
    assert [entry.text for entry in entries(target)] == found


@pytest.mark.parametrize("target", [*CODE_OF])
def test_every_entry_has_a_check_or_a_reason(target: str) -> None:
    for entry in entries(target):
        assert bool(entry.check) != bool(entry.why), entry.text
        assert bool(entry.check) == bool(entry.says) == bool(entry.hint), entry.text


# What needs a network, or the files of a directory that is not there.
ELSEWHERE = {"a URL with `=` in it is not a rename"}


@pytest.mark.parametrize("target", [*CODE_OF])
def test_every_check_finds_something_in_a_case(target: str) -> None:
    cases = yaml.safe_load((ROOT / "tests" / "cases" / "lint" / "portable.yml").read_text("utf-8"))
    lines = [line for case in cases for line in case["found"]]
    for entry in entries(target):
        if entry.check is not None and entry.text not in ELSEWHERE:
            assert any(line.endswith(f" {entry.says}") for line in lines), entry.text
