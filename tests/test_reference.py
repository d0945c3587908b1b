"""docs/reference.md is what the tables in the code say."""

from __future__ import annotations

import pathlib

import generated
from plait.templates.directives import KNOWN_BY_NAME

DOCS = pathlib.Path(__file__).parent.parent / "docs"


def test_page_is_what_the_tables_say(update: str | None) -> None:
    generated.check(DOCS / "reference.md", generated.reference_page(), update)


def test_every_annotation_is_described() -> None:
    assert sorted(f"@{name}" for name in generated.ANNOTATIONS) == sorted(KNOWN_BY_NAME)
