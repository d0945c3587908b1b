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


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("command", ["render -f", "render -o json -f", "fmt -f", "patch", "explain render --all -f"])
def test_unbuffered_output_is_written_or_missed(command: str, tmp_path: pathlib.Path) -> None:
    """The system takes a part of a write when there is no room for the rest."""
    (tmp_path / "a.yml").write_text("".join(f"key{number}: {number}\n" for number in range(5000)), "utf-8")
    shell = f"ulimit -f 16; exec '{sys.executable}' -B -m plait {command} a.yml > out"
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "PLAIT_CACHE_DIR": ""}
    done = subprocess.run(["bash", "-c", shell], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert 0 < (tmp_path / "out").stat().st_size <= 16 << 10
    assert (done.returncode, done.stderr) == (1, "plait: Writing standard output: file too large\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes that do not block")
def test_a_reader_that_is_not_ready_is_missed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: " + "x" * 500_000, "utf-8")
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    argv = [*PLAIT, "render", "-f", "a.yml"]
    done = subprocess.run(argv, cwd=tmp_path, env=env, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(reading)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == "plait: Writing standard output: resource temporarily unavailable\n"
