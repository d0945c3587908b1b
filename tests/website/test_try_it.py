"""The playground below the examples of the documentation: .ci/try_it.py."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest

import ci
from plait.integrations.playground.examples import examples
from plait.integrations.playground.questions import respond

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.integrations.playground.evaluation import File

try_it = ci.load("try_it")
DOCS = Path(__file__).parents[2] / "docs"
TRIED = {
    page.relative_to(DOCS).as_posix(): found
    for page in sorted(DOCS.glob("**/*.md"))
    if (found := list(try_it.tried(page.read_text("utf-8"))))
}


def decoded(link: str) -> tuple[str, list[File]]:
    """The command and the files of a link, as static/share.js reads it."""
    name, _, code = link.partition("/")
    example = next((one for one in examples() if one["name"] == name), None)
    data = (
        json.loads(zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)), wbits=-15)) if code else {}
    )
    edited = {one["name"]: one for one in data.get("files", [])}
    files = [] if example is None else [one for one in example["files"] if one["name"] not in data.get("removed", [])]
    files = [edited.pop(one["name"], one) for one in files] + list(edited.values())
    return data["kind"] if example is None else example["kind"], files


def test_pages_of_every_dialect_have_examples_to_try() -> None:
    assert {"guide-render.md", "guide-patch.md", "guide-layer.md", "reference/overlays.md"} <= set(TRIED)


@pytest.mark.parametrize("page", TRIED)
def test_a_link_gives_what_the_page_shows(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    for end, kind, files in TRIED[page]:
        assert decoded(try_it.link(kind, files)) == (kind, files)
        shown = text[:end].rpartition("```console\n")[2].removesuffix("```").partition("\n")[2]
        answer = json.loads(respond(json.dumps({"kind": kind, "files": files})))
        if "google-re2" in shown:
            continue  # the page shows how it is without a package
        # A terminal shows warnings and codes of errors besides.
        assert answer["output"] in shown
        assert all(error["message"].splitlines()[0].rstrip(":") in shown for error in answer["errors"])
        assert bool(answer["errors"]) == bool(answer["report"])


def test_a_link_of_an_example_has_the_edits_alone() -> None:
    for example in examples():
        assert try_it.link(example["kind"], example["files"]) == example["name"]
        files: list[File] = [{**one} for one in example["files"]]
        files[-1]["text"] += "# edited\n"
        link = try_it.link(example["kind"], files)
        name, _, code = link.partition("/")
        if name:
            assert json.loads(zlib.decompress(base64.urlsafe_b64decode(code + "=="), wbits=-15)) == {
                "files": files[-1:]
            }
        assert decoded(link) == (example["kind"], files)


def test_a_page_has_the_playground_below_its_example(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / "guide-render.md").read_text("utf-8")
    page = SimpleNamespace(url="guide-render/")
    monkeypatch.delenv("TRY_IT", raising=False)
    assert try_it.on_page_markdown(text, page=page) == text
    monkeypatch.setenv("TRY_IT", "playground")
    found = try_it.on_page_markdown(text, page=page)
    assert re.sub(r"\n\n<details class=\"try-it\">.*?</details>", "", found) == text
    assert re.findall(r'src="([^"#]+)', found) == ["../playground/?embed"] * len(TRIED["guide-render.md"])
