"""Lines of GitHub's workflow commands are written by plait alone, whatever tests are called, print and compare."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

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
