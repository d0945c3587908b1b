"""`plait test` from Python, its reports read by their readers, several processes, and the schema of test files."""

from __future__ import annotations

import json
from pathlib import Path

from plait.testing.schema import schema

ROOT = Path(__file__).parents[1]


def test_the_published_schema_is_the_present_one(update: str | None) -> None:
    page = ROOT / "docs" / "test.schema.json"
    if update == "write":
        page.write_text(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert json.loads(page.read_text("utf-8")) == schema()
