"""Fragments of the changelog have a known kind and one sentence for users, and become a section of a version."""

from __future__ import annotations

import pathlib

import pytest

import ci

ROOT = pathlib.Path(__file__).parent.parent
FRAGMENTS = sorted((ROOT / "changelog.d").glob("*.md"))
changelog = ci.load("changelog")


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_fragment(path: pathlib.Path) -> None:
    _, kind, suffix = path.name.split(".")
    assert kind in changelog.KINDS
    assert suffix == "md"
    text = path.read_text("utf-8")
    assert text.strip().endswith(".")
    assert text.endswith("\n")


def test_fragments_become_a_new_section(tmp_path: pathlib.Path) -> None:
    (tmp_path / "b.fixed.md").write_text("B is\nfixed.\n", "utf-8")
    (tmp_path / "a.added.md").write_text("A is there.\n", "utf-8")
    text = changelog.entries(tmp_path)
    assert text == "### Added\n\n- A is there.\n\n### Fixed\n\n- B is fixed.\n\n"
    assert changelog.with_section("# Changes\n\n## 0.1.0, unreleased\n\nFirst.\n", "0.2.0", text) == (
        "# Changes\n\n## 0.2.0\n\n### Added\n\n- A is there.\n\n### Fixed\n\n- B is fixed.\n\n## 0.1.0, unreleased\n\nFirst.\n"
    )


def test_fragments_join_the_section_of_their_version() -> None:
    page = "# Changes\n\n## 0.2.0, unreleased\n\nSecond.\n\n## 0.1.0\n\nFirst.\n"
    assert changelog.with_section(page, "0.2.0", "### Added\n\n- A.\n\n") == (
        "# Changes\n\n## 0.2.0, unreleased\n\nSecond.\n\n### Added\n\n- A.\n\n## 0.1.0\n\nFirst.\n"
    )
