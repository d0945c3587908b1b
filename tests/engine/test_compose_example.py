"""The example that uses all dialects: its output, what README says of it, and one trace through all steps."""

from __future__ import annotations

import json
import pathlib
import re

import pytest

from plait.cli import main

ROOT = pathlib.Path(__file__).parents[2]
PIPELINE = "examples/three-dialects/plait.yml"


def printed(argv: list[str], monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> str:
    monkeypatch.chdir(ROOT)
    assert main(argv) == 0
    return capfdbinary.readouterr().out.decode()


def test_it_prints_what_is_expected(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    expected = (ROOT / "examples" / "three-dialects.expected").read_text("utf-8")
    assert printed(["compose", PIPELINE], monkeypatch, capfdbinary) == expected


def test_readme_shows_what_explain_prints(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    block = re.search(
        r"^(plait explain compose .*)\n```\n\nprints:\n\n```text\n(.*?)```", readme, re.DOTALL | re.MULTILINE
    )
    assert block is not None
    assert printed(block[1].split()[1:], monkeypatch, capfdbinary) == block[2]


def test_every_value_has_a_history(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    histories = json.loads(printed(["explain", "--all", "-o", "json", "compose", PIPELINE], monkeypatch, capfdbinary))
    actions = {entry["action"] for history in histories for entry in history["history"]}
    assert {"written", "expression", "replace", "variable", "layering merge", "overlay/merge"} <= actions
    assert all(history["history"][-1]["state"] == "current" for history in histories)
    assert len(histories) == len((ROOT / "examples" / "three-dialects.expected").read_text("utf-8").splitlines()) - 7
