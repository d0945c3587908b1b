"""Lines of GitHub's workflow commands are written by plait alone, whatever tests are called, print and compare."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from patience import LONGEST
from plait.cli import main
from plait.insight.workflow import without_commands

if TYPE_CHECKING:
    import pathlib

COMMANDS = ("::set-env name=A::b", "  ::add-mask::x", "\t::stop-commands::t", "##[set-env name=A]b", "text ##[error]x")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("before", ["", "a\n", "a\r", "\n \n"])
def test_no_line_is_a_command(command: str, before: str) -> None:
    text = without_commands(before + command)
    assert not re.search(r"(?:^|[\r\n])\s*::|##\[", text)
    assert text.replace("\\", "") == before + command
    assert without_commands("a::b\na: ::b") == "a::b\na: ::b"


@pytest.mark.parametrize("flag", ["--github", "--tap", "-v"])
@pytest.mark.parametrize("command", COMMANDS)
def test_only_annotations_are_commands(
    command: str, flag: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = json.dumps(f"a\n{command}\n")
    (tmp_path / "a.yml").write_text(f"#@ print({text})\n---\na: #@ {text}\n", "utf-8")
    case = {"render": {"files": ["a.yml"]}, "equals": {"a": f"b\n{command}"}}
    (tmp_path / "a.test.yml").write_text(json.dumps({"tests": {command: case, f"x\n{command}": case}}), "utf-8")
    main(["test", "--github", flag])
    told = capfd.readouterr()
    lines = re.split(r"[\r\n]", told.out + told.err)
    commands = [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
    assert all(line.startswith("::error file=a.test.yml,line=") for line in commands if not line.startswith("##"))
    assert not any("##[" in line for line in lines if not line.startswith("::error "))


ANSWERS = (
    "run app",
    "explain run app a",
    "impact run app a.yml:5",
    "project",
    "coverage",
    "render -f a.yml",
    "render -f missing.yml",
    "diff a.yml b.yml",
    "fmt --diff b.yml",
    "test --list",
    "test -v",
    "test",
    "layer --tree layers.yml",
    "set run app a=1",
    "render --message-format github -f broken.yml",
)


@pytest.mark.parametrize("words", ANSWERS)
def test_a_workflow_takes_no_command_from_an_input(words: str, tmp_path: pathlib.Path) -> None:
    """Everything but the output of a run, which the file of the run decides."""
    bad = "::error file=x::y"
    text = json.dumps(f"a\n{bad}\n")
    files = {
        "a.yml": f"#@ print({text})\n#@ print({json.dumps(bad)})\n#@ x = {text}\n---\na: #@ len(x)\nb: 2\n",
        "b.yml": f"a:\n      b: 1\nc: |\n  x\n  {bad}\n",
        "broken.yml": f"---\na: #@ fail({text})\n",
        "plait.yml": json.dumps({"runs": {"app": {"description": f"x\n{bad}", "render": {"files": ["a.yml"]}}}}),
        "a.test.yml": json.dumps({"tests": {f"x\n{bad}": {"run": "app", "equals": {"a": f"b\n{bad}"}}}}),
        "layers.yml": (
            "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: "
            + text
            + "}\ndata: {layerOrder: [a]}\n"
        ),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "plait", *words.split()],
        cwd=tmp_path,
        env={**os.environ, "GITHUB_ACTIONS": "true", "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert "bug in plait" not in done.stderr
    assert done.stdout + done.stderr
    lines = re.split(r"[\r\n]", done.stdout + done.stderr)
    own = [line for line in lines if line.lstrip().startswith("::")]
    assert len(own) == ("github" in words), (own, done.stdout, done.stderr)
    assert all(line.startswith("::error file=broken.yml,line=2") for line in own), own
