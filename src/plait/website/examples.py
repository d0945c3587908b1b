"""The examples in the playground's menu, from examples.yml."""

from __future__ import annotations

from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired, TypedDict

    from plait.website.evaluation import File

    class Written(TypedDict):
        """An example as examples.yml has it; files and values: texts by names."""

        group: str
        title: str
        kind: str
        files: dict[str, str]
        values: NotRequired[dict[str, str]]
        shows: str

    class Example(TypedDict):
        """group, title: where it stands in the menu, and as what. shows: a line of what the page shows for it."""

        group: str
        title: str
        kind: str
        files: list[File]
        shows: str


def examples() -> list[Example]:
    """The examples in the form that the page takes."""
    from plait.nodes import to_plain
    from plait.source import Source
    from plait.yaml import read_value

    text = (Path(__file__).parent / "examples.yml").read_text("utf-8")
    written: list[Written] = to_plain(read_value(Source("examples.yml", text)))  # type: ignore[assignment]
    return [
        {
            "group": one["group"],
            "title": one["title"],
            "kind": one["kind"],
            "files": _files(one["files"], "input") + _files(one.get("values", {}), "values"),
            "shows": one["shows"],
        }
        for one in written
    ]


def _files(texts: dict[str, str], role: str) -> list[File]:
    return [{"name": name, "text": text, "role": role} for name, text in texts.items()]
