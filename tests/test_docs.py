"""README and examples do what they show."""

from __future__ import annotations

import io
import pathlib
import re
import sys

import pytest

from weft.cli import main

ROOT = pathlib.Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"`([a-z.]+\.yml)`.*?\n\n```yaml\n(.*?)```", re.DOTALL)
COMMANDS = (
    "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/weft render -f examples/quickstart",
    "python3 -m venv .venv && .venv/bin/pip install -q '.[test]' && .venv/bin/pytest -q",
)


def rendered(argv: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert main(argv) == 0
    stream.flush()
    return buffer.getvalue().decode()


def test_readme_shows_the_two_commands() -> None:
    assert [line for line in README.splitlines() if line.startswith("python3 -m venv")] == list(COMMANDS)


def test_readme_example_prints_what_it_shows(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = dict(BLOCK.findall(README))
    assert set(files) == {"config.yml", "production.yml"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    shown = re.search(r"prints:\n\n```yaml\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    monkeypatch.chdir(tmp_path)
    assert rendered(["render", "-f", "config.yml", "-f", "production.yml"], monkeypatch) == shown[1]


def test_quickstart_prints_what_is_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = (ROOT / "examples" / "quickstart.expected").read_text("utf-8")
    assert rendered(["render", "-f", str(ROOT / "examples" / "quickstart")], monkeypatch) == expected


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
