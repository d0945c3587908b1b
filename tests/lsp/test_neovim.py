"""The server in a real editor: Neovim without a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from workshop import TEMPLATES, workshop

SESSION = Path(__file__).with_name("session.lua")


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_a_session_of_neovim(tmp_path: Path) -> None:
    with workshop(tmp_path / "project", TEMPLATES):
        pass
    out = tmp_path / "out.json"
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(SESSION)],
        env={
            **os.environ,
            "PLAIT_ROOT": str(tmp_path / "project"),
            "PLAIT_OUT": str(out),
            "PLAIT_COMMAND": f"{sys.executable} -m plait lsp",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert out.exists(), done.stderr
    steps = {step["name"]: step["value"] for step in json.loads(out.read_text("utf-8"))}
    assert steps.pop("ok") == "yes"
    assert steps["diagnostic"] == "json is loaded and not used"
    assert steps["hover"].startswith("`data.values.replicas`: `3`")
    assert steps["completion"] >= 2
    assert steps["definition"].endswith("config/schema.yml")
    assert steps["renamed"] == '#@ def called(x, suffix="a"):|  name: #@ called(data.values.app.name)'
    assert steps["formatted"] == "#! a line with spaces at its end"
