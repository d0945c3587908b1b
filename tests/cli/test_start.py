"""`plait` alone, `plait init`, and standard input that is a terminal."""

from __future__ import annotations

import io
import os
import pathlib
import sys

import pytest

from plait.cli import main
from plait.cli.init import EXAMPLES, PROJECT


class Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True

    def read(self, _size: int | None = -1) -> bytes:
        raise AssertionError("nobody may wait for a terminal")


def test_plait_alone_shows_three_examples(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main([]) == 0
    out, err = capfdbinary.readouterr()
    assert out.decode() == EXAMPLES
    assert err == b""
    assert len([line for line in EXAMPLES.splitlines() if line.startswith("  plait ")]) == 3
    assert len(EXAMPLES.splitlines()) < 12


def test_init_makes_a_project_that_renders(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "demo"]) == 0
    said = capfdbinary.readouterr().out.decode()
    assert sorted(line.split()[1] for line in said.splitlines() if line.startswith("created ")) == [
        os.path.join("demo", *path.split("/")) for path in sorted(PROJECT)
    ]
    shown = [line.strip() for line in said.splitlines() if "plait render" in line]
    assert len(shown) == 2
    for line in shown:
        monkeypatch.chdir(tmp_path)
        directory, _, command = line.removeprefix("cd ").partition(" && plait ")
        monkeypatch.chdir(directory)
        assert main(command.split()) == 0
    out = capfdbinary.readouterr().out.decode()
    assert "replicas: 1\n" in out
    assert "replicas: 3\n" in out
    assert "memory: 256Mi\n" in out


def test_init_here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    assert main(["init"]) == 0
    assert main(["render", "-f", "config"]) == 0


def test_init_finds_no_run_in_a_directory_without_configuration(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["init"]) == 2
    assert os.listdir(tmp_path) == ["mine.txt"]
    assert capfd.readouterr().err == (
        "plait: no run was found in .\n"
        "  expected: annotated YAML, a LayeringPolicy, or a script that calls ytt, bosh or plait\n"
        "  hint:     write a plait.yml, such as runs: {app: {patch: {base: app.yml, ops: [ops.yml]}}}, "
        "or name an empty directory: plait init demo\n"
    )


@pytest.mark.parametrize("argv", [["init", "a", "b"], ["init", "/proc/none"], ["completion", "bsh"]])
def test_what_makes_no_sense(argv: list[str]) -> None:
    assert main(argv) == 2


@pytest.mark.parametrize("argv", [["render", "-f", "-"], ["patch", "-"], ["layer", "-"], ["krm"], ["diff", "-", "-"]])
def test_a_terminal_is_not_waited_for(
    argv: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Terminal()))
    assert main(argv) == 1
    assert "standard input is a terminal" in capfd.readouterr().err
