"""The server in a real editor: Neovim without a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from test_libraries import FILES
from workshop import TEMPLATES, workshop

from patience import LONGEST

SESSION, LIBRARY, FIX = (Path(__file__).with_name(name) for name in ("session.lua", "library.lua", "fix.lua"))


def answers(tmp_path: Path, files: Mapping[str, str], session: Path) -> dict[str, Any]:
    """The results of the steps of a session, by name."""
    with workshop(tmp_path / "project", files):
        pass
    out = tmp_path / "out.json"
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(session)],
        env={
            **os.environ,
            "PLAIT_ROOT": str(tmp_path / "project"),
            "PLAIT_OUT": str(out),
            "PLAIT_PATIENCE": str(LONGEST),
            "PLAIT_COMMAND": f"{sys.executable} -m plait lsp",
        },
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert out.exists(), done.stderr
    return {step["name"]: step["value"] for step in json.loads(out.read_text("utf-8"))}


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_a_session_of_neovim(tmp_path: Path) -> None:
    steps = answers(tmp_path, TEMPLATES, SESSION)
    assert steps.pop("ok") == "yes"
    assert steps["diagnostic"] == "json is loaded but never used"
    assert steps["hover"].startswith("`data.values.replicas`: `3`")
    assert steps["completion"] >= 2
    assert steps["definition"].endswith("config/schema.yml")
    assert steps["renamed"] == '#@ def called(x, suffix="a"):|  name: #@ called(data.values.app.name)'
    assert steps["formatted"] == "#! a line with spaces at its end"


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_a_session_of_neovim_in_a_library(tmp_path: Path) -> None:
    steps = answers(tmp_path, FILES, LIBRARY)
    assert steps.pop("ok") == "yes"
    assert steps["hover"].startswith("`data.values.name`: `passed` *(run a, library lib)*")
    assert steps["completion"].split() == ["name", "port"]
    assert steps["definition"].endswith("lib/schema.yml")
    assert steps["renamed"] == "4: name: #@ data.values.title"
    assert "Change to @yaml/text-templated-strings" in steps["actions"]


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#@ if x == 1:\na: 1\n#@ else if x == 2:\na: 2\n#@ end", "#@ elif x == 2:"),
        ("a: #@ x == 1 && x == 2", "a: #@ x == 1 and x == 2"),
        ("a: #@ x == 1 || x == 2", "a: #@ x == 1 or x == 2"),
    ],
)
def test_an_operator_of_another_language_is_replaced_in_neovim(tmp_path: Path, before: str, after: str) -> None:
    steps = answers(tmp_path, {"ops.yml": f"#@ x = 1\n{before}\n"}, FIX)
    assert steps.pop("ok") == "yes"
    assert steps["message"].startswith("got ")
    assert after in steps["text"].split("\n")
    assert steps["gone"]


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_a_fix_in_neovim(tmp_path: Path) -> None:
    files = {
        "plait.yml": "runs:\n  a:\n    patch: {base: base.yml, ops: [ops.yml]}\n",
        "base.yml": "name: shop\nport: 80\n",
        "ops.yml": "- type: remove\n  path: /port\n  value: 80\n",
    }
    steps = answers(tmp_path, files, FIX)
    assert steps.pop("ok") == "yes"
    assert steps["line"] == 2
    assert steps["message"].startswith('remove operation [0]: takes no "value"')
    assert steps["title"] == "Remove it"
    assert steps["text"] == "- type: remove\n  path: /port"
    assert steps["gone"]


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_a_merge_conflict_is_resolved_in_neovim(tmp_path: Path) -> None:
    conflict = "<<<<<<< HEAD\nreplicas: 2\n=======\nreplicas: 3\n>>>>>>> feature\n"
    steps = answers(tmp_path, {"ops.yml": f"name: web\n{conflict}port: 80\n"}, FIX)
    assert steps.pop("ok") == "yes"
    assert steps["line"] == 1
    assert steps["message"].startswith("the conflict of a merge is not resolved")
    assert steps["title"] == "Keep the lines of HEAD"
    assert steps["text"] == "name: web\nreplicas: 2\nport: 80"
    assert steps["gone"]
