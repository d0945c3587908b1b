"""The pictures of a review show what a review says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ci
from plait.review import to_markdown

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git")


def test_the_comment_of_the_pictures_is_that_of_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ci.DIRECTORY)
    pictures = ci.load("review_pictures")
    pictures.repository(tmp_path / "shop")
    recorded = pictures.RECORD.read_text("utf-8")
    assert to_markdown(pictures.compared(tmp_path / "shop")) == recorded, "nox -s screenshots takes them again"


def test_every_width_has_both_themes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ci.DIRECTORY)
    pictures = ci.load("review_pictures")
    for theme in ("light", "dark"):
        for width, height in pictures.WIDTHS.items():
            picture = pictures.screenshots.PICTURES / f"review-{width}-{theme}.png"
            assert pictures.screenshots.size(picture) == (width, height)
