"""Fragments of the changelog have a known kind and one sentence for users."""

from __future__ import annotations

import pathlib

import pytest

FRAGMENTS = sorted((pathlib.Path(__file__).parent.parent / "changelog.d").glob("*"))


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_fragment(path: pathlib.Path) -> None:
    _, kind, suffix = path.name.split(".")
    assert kind in {"added", "changed", "fixed", "removed", "faster"}
    assert suffix == "md"
    text = path.read_text("utf-8")
    assert text.strip().endswith(".")
    assert text.endswith("\n")
