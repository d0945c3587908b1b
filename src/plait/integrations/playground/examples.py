"""The examples of the playground, from examples.yml."""

from __future__ import annotations

import re
from pathlib import Path

from plait.base.source import Source
from plait.tree.nodes import to_plain
from plait.yaml.reader import read_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired, TypedDict

    from plait.integrations.playground.evaluation import File

    class Written(TypedDict):
        """An example in examples.yml. files and values: texts by names."""

        group: str
        title: str
        kind: str
        about: str
        view: NotRequired[str]
        files: dict[str, str]
        values: NotRequired[dict[str, str]]
        shows: str

    class Example(TypedDict):
        """An example. name: in links. group, title, about: in the list. view: the view of the result. shows: a
        line of its result.
        """

        name: str
        group: str
        title: str
        about: str
        kind: str
        view: str
        files: list[File]
        shows: str


def examples() -> list[Example]:
    """The examples in the form that the page accepts."""
    text = (Path(__file__).parent / "examples.yml").read_text("utf-8")
    written: list[Written] = to_plain(read_value(Source("examples.yml", text)))  # type: ignore[assignment]
    return [
        {
            "name": re.sub(r"[^a-z0-9]+", "-", one["title"].lower()).strip("-"),
            "group": one["group"],
            "title": one["title"],
            "about": one["about"],
            "kind": one["kind"],
            "view": one.get("view", "output"),
            "files": _files(one["files"], "input") + _files(one.get("values", {}), "values"),
            "shows": one["shows"],
        }
        for one in written
    ]


def _files(texts: dict[str, str], role: str) -> list[File]:
    return [{"name": name, "text": text, "role": role} for name, text in texts.items()]
