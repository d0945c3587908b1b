"""The commit of the line that sets a value, in a hover text."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from client import Editor, editor, run
from lsprotocol import types
from workshop import OPERATIONS, TEMPLATES, Workshop, workshop

from plait.authoring.lsp import commits, hover

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git")


def git(top: Path, *words: str) -> None:
    own = ("-c", "user.name=Ben *B*", "-c", "user.email=b@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *own, *words], cwd=top, check=True, capture_output=True)


def commit(top: Path, subject: str, **files: str) -> str:
    for name, text in files.items():
        (top / name.replace("__", "/")).with_suffix(".yml").write_text(text, "utf-8")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", subject)
    shown = subprocess.run(["git", "rev-parse", "HEAD"], cwd=top, check=True, capture_output=True, text=True)
    return shown.stdout[:10]


@pytest.fixture
def templates(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(tmp_path, TEMPLATES) as made:
        git(tmp_path, "init", "-q")
        yield made


def told(made: Workshop, name: str, around: str) -> str:
    found = hover.hover(made.state, *made.at(name, around))
    assert found is not None
    return commits.commits_text(found.sources)


def test_the_line_that_sets_the_value(templates: Workshop) -> None:
    top = templates.top
    first = commit(top, "first")
    commit(top, "five", prod=TEMPLATES["prod.yml"].replace("3", "5"))
    third = commit(top, "third: <img src=x> [a](b)", config__over=TEMPLATES["config/over.yml"].replace("7", "8"))
    templates.open("config/app.yml")
    text = told(templates, "config/app.yml", "replic|as: #@")
    assert f"config/over.yml:5 was last changed in `{third}` " in text
    assert "Ben \\*B\\*: third: \\<img src=x\\> \\[a\\](b) *(git blame, not verified)*" in text
    assert f"prod.yml:3 was last changed in `{first}`" in told(templates, "config/app.yml", "values.app.na|me")
    # A name in code is the data value, which prod.yml sets.
    assert "prod.yml:1 was last changed in" in told(templates, "config/app.yml", "data.values.repl|icas")


def test_the_text_in_the_editor(templates: Workshop) -> None:
    first = commit(templates.top, "first")
    templates.open("config/over.yml", "#! new\n" + TEMPLATES["config/over.yml"])
    assert f"config/over.yml:6 was last changed in `{first}`" in told(templates, "config/over.yml", "repl|icas: 7")
    templates.open("config/over.yml", TEMPLATES["config/over.yml"].replace("7", "9"))
    assert told(templates, "config/over.yml", "repl|icas: 9") == ""  # not committed


def test_operations(tmp_path: Path) -> None:
    with workshop(tmp_path, OPERATIONS) as made:
        git(tmp_path, "init", "-q")
        first = commit(tmp_path, "first")
        made.open("ops.yml")
        assert f"in `{first}`" in told(made, "ops.yml", "pa|th:")


def test_without_a_repository(tmp_path: Path) -> None:
    with workshop(tmp_path, TEMPLATES) as made:
        made.open("config/app.yml")
        assert told(made, "config/app.yml", "replic|as: #@") == ""


def test_a_file_of_another_repository(tmp_path: Path) -> None:
    """A file of a run may be in a submodule, which has its own configuration."""
    files = {**TEMPLATES, "inner/prod.yml": TEMPLATES["prod.yml"]}
    files["plait.yml"] = files["plait.yml"].replace("prod.yml", "inner/prod.yml")
    with workshop(tmp_path, files) as made:
        for top in (tmp_path / "inner", tmp_path):
            git(top, "init", "-q")
            commit(top, "first")
        made.open("config/app.yml")
        assert told(made, "config/app.yml", "values.app.na|me") == ""
        assert "was last changed in" in told(made, "config/app.yml", "replic|as: #@")


def test_a_shallow_clone_names_no_commit_for_older_lines(tmp_path: Path) -> None:
    with workshop(tmp_path / "whole", TEMPLATES) as made:
        git(made.top, "init", "-q")
        commit(made.top, "first")
        commit(made.top, "second", prod=TEMPLATES["prod.yml"].replace("3", "5"))
        third = commit(made.top, "third", config__over=TEMPLATES["config/over.yml"].replace("7", "8"))
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{tmp_path / 'whole'}", str(tmp_path / "clone"))
    with workshop(tmp_path / "clone", {}) as made:
        made.open("config/app.yml")
        assert f"in `{third}`" in told(made, "config/app.yml", "replic|as: #@")
        assert told(made, "config/app.yml", "values.app.na|me") == ""


def test_a_slow_git_delays_no_hover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n", "utf-8")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")

    async def steps() -> None:
        async with editor(tmp_path / "project") as (client, _):
            text = await _hovered(client, client.open(tmp_path / "project" / "config/app.yml"))
            assert text.startswith("`data.values.replicas`: `3`")
            assert "was last changed in" not in text

    start = time.monotonic()
    run(steps)
    assert time.monotonic() - start < 60


def test_the_hover_of_an_editor(tmp_path: Path) -> None:
    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            git(tmp_path, "init", "-q")
            first = commit(tmp_path, "first")
            text = await _hovered(client, client.open(tmp_path / "config/app.yml"))
            assert text.startswith("`data.values.replicas`: `3`")
            assert f"\n\nprod.yml:1 was last changed in `{first}` " in text

    run(steps)


async def _hovered(client: Editor, uri: str) -> str:
    place = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(12, 30))
    for _ in range(400):
        found = await client.text_document_hover_async(place)
        if found is not None:
            assert isinstance(found.contents, types.MarkupContent)
            return found.contents.value
        await asyncio.sleep(0.02)
    raise AssertionError("nothing is shown")
