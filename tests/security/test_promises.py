"""docs/security.md links each of its promises to a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
TEXT = (TOP / "docs" / "security.md").read_text("utf-8")
NAMED = re.compile(r"`((?:tests/(?:[\w/]+/)?)?test_\w+\.py|tests/fuzz/targets\.py)`")


def part(title: str) -> str:
    """The text below a heading."""
    return TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def promises() -> dict[str, str]:
    """The promises by their names, which are in bold."""
    pieces = re.split(r"^\*\*(.+)\.\*\*$", part("Promises"), flags=re.MULTILINE)[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def rows() -> list[str]:
    """The rows of the table of what comes in."""
    return [line for line in part("Inputs").splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("name", sorted({*NAMED.findall(TEXT)}))
def test_what_is_linked_is_there(name: str) -> None:
    path = TOP / name if name.startswith("tests/") else TOP / "tests" / "security" / name
    assert path.exists()
    if path.suffix == ".py":
        assert re.search(r"^ *(?:async )?def test_", path.read_text("utf-8"), re.MULTILINE) or path.stem == "targets"


def test_there_are_promises() -> None:
    assert len(promises()) >= 10
    assert len(rows()) >= 20


@pytest.mark.parametrize("name", promises())
def test_each_promise_links_to_its_test(name: str) -> None:
    assert NAMED.search(promises()[name]), name


@pytest.mark.parametrize("row", rows())
def test_each_row_links_to_its_test(row: str) -> None:
    assert NAMED.search(row.rsplit("|", 2)[1]), row


def test_each_test_of_security_is_linked() -> None:
    """A file without a link tests a promise that nobody can read."""
    own = {path.name for path in Path(__file__).parent.glob("test_*.py")}
    linked = {Path(name).name for name in NAMED.findall(TEXT)}
    assert own - linked == {"test_promises.py"}
