"""`plait fmt` as a command."""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from plait.cli import main

if TYPE_CHECKING:
    from pathlib import Path

BEFORE, AFTER = "a:\n    b: 1  \n", "a:\n  b: 1\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "a.yml").write_text(BEFORE, "utf-8")
    (tmp_path / "config" / "b.yml").write_text(AFTER, "utf-8")
    (tmp_path / "config" / "notes.txt").write_text(BEFORE, "utf-8")
    return tmp_path


def test_one_file_is_printed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "config/a.yml"]) == 0
    assert capsys.readouterr() == (AFTER, "")
    assert (here / "config" / "a.yml").read_text("utf-8") == BEFORE


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BEFORE.encode())))
    assert main(["fmt", "-"]) == 0
    assert capsys.readouterr().out == AFTER


def test_write(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = here / "config" / "a.yml"
    path.chmod(0o640)
    assert main(["fmt", "-w", "config"]) == 0
    assert capsys.readouterr() == (f"config{os.sep}a.yml\n", "")
    assert path.read_text("utf-8") == AFTER
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert (here / "config" / "notes.txt").read_text("utf-8") == BEFORE
    assert main(["fmt", "-w", "--check", "config"]) == 0


def test_check(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--check", "-f", "config"]) == 1
    assert capsys.readouterr().out == f"config{os.sep}a.yml\n"
    assert (here / "config" / "a.yml").read_text("utf-8") == BEFORE


def test_diff(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--diff", "config"]) == 0
    name = f"config{os.sep}a.yml"
    assert capsys.readouterr().out == f"--- {name}\n+++ {name}\n@@ -1,2 +1,2 @@\n a:\n-    b: 1  \n+  b: 1\n"
    assert (here / "config" / "a.yml").read_text("utf-8") == BEFORE


def test_a_diff_in_colour(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--diff", "--color", "always", "config/a.yml"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "@@ -1,2 +1,2 @@",
        " a:",
        "\x1b[31m-    b: 1  \x1b[0m",
        "\x1b[32m+  b: 1\x1b[0m",
    ]


def test_a_file_that_is_no_yaml_does_not_keep_the_others(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "config" / "0.yml").write_text("a: [", "utf-8")
    assert main(["fmt", "-w", "config"]) == 1
    out, error = capsys.readouterr()
    assert out == f"config{os.sep}a.yml\n"
    assert error.startswith(f"plait: config{os.sep}0.yml:1: did not find expected node content")
    assert (here / "config" / "0.yml").read_text("utf-8") == "a: ["


def test_a_file_that_is_left_alone_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "odd.yml").write_text("a: 1\u2028\n", "utf-8")
    assert main(["fmt", "-w", "odd.yml"]) == 0
    assert capsys.readouterr().err == "plait: warning: odd.yml is not formatted: it mixes different line breaks\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "no file to format"),
        (["config"], "2 files: choose --write, --check or --diff"),
        (["config/notes.txt"], "config/notes.txt is not a YAML file"),
        (["--check", "config/a.yml", "config/notes.txt"], "config/notes.txt is not a YAML file"),
        (["missing.yml"], "missing.yml"),
        (["--diff", "--color", "sometimes", "config"], 'unknown --color "sometimes"'),
    ],
)
def test_wrong_usage(here: Path, capsys: pytest.CaptureFixture[str], argv: list[str], message: str) -> None:
    assert main(["fmt", *argv]) != 0
    out, error = capsys.readouterr()
    assert out == ""
    assert message in error


def test_standard_input_is_not_written(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BEFORE.encode())))
    assert main(["fmt", "-w", "-"]) != 0
    assert "-w needs files, not standard input" in capsys.readouterr().err
    assert sorted(os.listdir(here)) == ["config"]


def test_nothing_is_written_through_a_link(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = here / "config" / "0.yml"
    link.symlink_to("a.yml")
    (here / "config" / "c.yml").write_text(BEFORE, "utf-8")
    assert main(["fmt", "-w", "--dangerous-allow-all-symlink-destinations", "config/0.yml", "config/c.yml"]) == 1
    assert "config/0.yml is a symbolic link" in capsys.readouterr().err
    assert link.is_symlink()
    assert (here / "config" / "a.yml").read_text("utf-8") == BEFORE
    assert (here / "config" / "c.yml").read_text("utf-8") == AFTER


def test_links_in_a_directory_are_passed_over(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "elsewhere.yml").write_text(BEFORE, "utf-8")
    (here / "config" / "link.yml").symlink_to("../elsewhere.yml")
    assert main(["fmt", "-w", "config"]) == 0
    out, err = capsys.readouterr()
    assert out == f"config{os.sep}a.yml\n"
    assert f"config{os.sep}link.yml is a link and is not followed" in err
    assert (here / "elsewhere.yml").read_text("utf-8") == BEFORE
    # One that is named is no file of a directory.
    assert main(["fmt", "-w", "config/link.yml"]) == 1
    assert "symbolic links are not followed" in capsys.readouterr().err
