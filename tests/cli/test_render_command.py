from __future__ import annotations

import pathlib

import pytest

from plait.cli import main


def test_help_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "--help"]) == 0
    out, err = capsys.readouterr()
    assert "--data-values-file" in out
    assert not err


def test_debug_writes_to_standard_error_only(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.yml"
    file.write_text("a: #@ 1 + 1\n", "utf-8")
    assert main(["render", "-f", str(file), "--debug"]) == 0
    out, err = capsys.readouterr()
    assert out == "a: 2\n"
    assert "a.yml (yaml-template)" in err
    assert "total: " in err


def test_a_value_from_an_empty_directory(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "--data-value-file", f"key={tmp_path}"]) == 1
    out, err = capsys.readouterr()
    assert not out
    assert f"Expected '{tmp_path}' to be a file, but is a directory" in err
    assert "no files" in err
