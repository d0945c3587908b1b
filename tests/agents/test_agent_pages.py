"""The pages for agents: `docs/llms.txt` is current, and a wheel has every page."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import generated
from plait.base.errors import UsageError
from plait.integrations.agents.pages import index, page_of, topics

ROOT = Path(__file__).parents[2]


def test_the_list_of_pages_is_current(update: str | None) -> None:
    generated.check(ROOT / "docs" / "llms.txt", index(topics()), update)


def test_every_page_has_a_topic_and_is_in_a_wheel() -> None:
    docs = ROOT / "docs"
    codes = docs / "reference" / "codes"
    pages = {one.relative_to(docs).as_posix() for one in docs.rglob("*.md") if one.parent != codes}
    assert pages == {f"{topic}.md" for topic in topics()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert all(target == source.replace("docs/", "plait/pages/", 1) for source, target in included.items())
    assert [
        one for one in pages if not any(f"docs/{one}" == way or f"docs/{one}".startswith(f"{way}/") for way in included)
    ] == []


@pytest.mark.parametrize("topic", ["exlpain", "../README", "reference/codes/E0101", "/etc/passwd"])
def test_an_unknown_topic_is_an_error(topic: str) -> None:
    with pytest.raises(UsageError, match="no page has the topic"):
        page_of(topic)
