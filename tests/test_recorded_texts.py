"""Standard error in the place of ytt and of bosh, byte for byte, on failing command lines of which both were recorded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TypedDict

import pytest
import yaml

from plait.cli import PROGRAMS, main


class Case(TypedDict, total=False):
    name: str
    argv: list[str]
    files: dict[str, str]
    env: dict[str, str]
    stderr: str


RECORDED: dict[str, list[Case]] = {
    program: yaml.safe_load((Path(__file__).parent / "cases" / "reference" / f"{program}.yml").read_text("utf-8"))
    for program in PROGRAMS
}
# The longest wait for one process, on a machine that is busy.
LONGEST = 120


@pytest.mark.parametrize(
    ("program", "case"),
    [pytest.param(program, case, id=f"{program}-{case['name']}") for program in PROGRAMS for case in RECORDED[program]],
)
def test_text(
    program: str,
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name, text in case["files"].items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    for name, value in case.get("env", {}).items():
        monkeypatch.setenv(name, value)
    assert main(case["argv"], program) == 1
    out, err = capfd.readouterr()
    assert err == case["stderr"].replace("{directory}", str(tmp_path))
    # BOSH prints an empty line to standard output, between the lines of an error.
    assert out == ("\n" if program == "bosh" else "")


def test_names_are_unique() -> None:
    for cases in RECORDED.values():
        names = [case["name"] for case in cases]
        assert len(names) == len(set(names))


def test_both_streams_in_one(tmp_path: Path) -> None:
    """A program that merges the streams gets the texts in the order in which BOSH writes them."""
    with (tmp_path / "out").open("wb") as merged:
        command = [sys.executable, "-m", "plait", "int", str(tmp_path / "none.yml")]
        environment = {**os.environ, "PLAIT_AS": "bosh"}
        done = subprocess.run(command, stdout=merged, stderr=merged, env=environment, timeout=LONGEST, check=False)
    assert done.returncode == 1
    path = tmp_path / "none.yml"
    assert (tmp_path / "out").read_text("utf-8") == (
        f"Opening file {path}:\n  open {path}: no such file or directory\n\nExit code 1\n"
    )
