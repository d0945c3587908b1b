from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

PLAIT = [sys.executable, "-m", "plait"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("argv", [["version"], ["render", "--help"], ["--help"]], ids=" ".join)
def test_a_full_disk_is_said(argv: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PLAIT, *argv], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr == "plait: Writing standard output: no space left on device\n"
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_closed_streams_are_empty(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    for closed in ("<&-", ">&-", "2>&-"):
        command = f"exec '{sys.executable}' -m plait fmt -f a.yml {closed}"
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), closed
        assert done.stdout == ("" if closed == ">&-" else "a: 1\n"), closed


def test_bytes_pass_through(tmp_path: pathlib.Path) -> None:
    (tmp_path / "é.yml").write_bytes(b"a: \xc3\xa9\n")
    done = subprocess.run(
        [*PLAIT, "fmt", "-f", "é.yml"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    )
    assert done.stdout == b"a: \xc3\xa9\n"
