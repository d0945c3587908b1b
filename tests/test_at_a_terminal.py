"""What a person at a terminal sees: progress of long runs, no waiting for input that nobody knows of, no colours unasked."""

from __future__ import annotations

import os
import pathlib
import select
import subprocess
import sys
import time

import pytest

from plait.passes import FAST

pty = pytest.importorskip("pty")

# Takes seconds, with the optimizer or without.
DEPTH, FOUND = (24, 46368) if FAST else (22, 17711)
SLOW = f"#@ def f(n):\n#@   return f(n - 1) + f(n - 2) if n > 1 else n\n#@ end\na: #@ f({DEPTH})\n"


def at_terminal(
    argv: list[str], directory: pathlib.Path, *, out: bool = False, env: dict[str, str] | None = None
) -> tuple[int, str, bytes]:
    """Status, what the terminal got (standard error, and with `out` standard output), and standard output otherwise."""
    ours, theirs = pty.openpty()
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", *argv], cwd=directory, stdin=theirs, stderr=theirs,
        stdout=theirs if out else subprocess.PIPE, env={**os.environ, "TERM": "xterm", **(env or {})},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while True:
        ready, _, _ = select.select([ours], [], [], 0.1)
        if ready:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                piece = b""
            if not piece:
                break
            seen += piece
        elif process.poll() is not None:
            break
        elif time.monotonic() - start > 60:
            process.kill()
            process.communicate()
            pytest.fail("it waits")
    printed = b"" if process.stdout is None else process.stdout.read()
    status = process.wait()
    if process.stdout is not None:
        process.stdout.close()
    os.close(ours)
    return status, seen.decode(), printed


@pytest.fixture
def slow(tmp_path: pathlib.Path) -> pathlib.Path:
    for number in range(60):
        (tmp_path / f"file{number:02}.yml").write_text(SLOW, "utf-8")
    return tmp_path


def test_a_long_run_says_what_it_does_and_leaves_nothing(slow: pathlib.Path) -> None:
    status, seen, printed = at_terminal(["render", "--no-code-cache", "--limit", "steps=1G", "-f", "."], slow)
    assert status == 0
    assert printed.count(b"a: %d\n" % FOUND) == 60
    lines = [line for line in seen.replace("\r\x1b[K", "\n").split("\n") if line]
    assert lines
    assert all(line.startswith("plait: ") and " s " in line for line in lines), lines
    assert any("of 60)" in line for line in lines)
    assert seen.endswith("\r\x1b[K")
    assert "\x1b[3" not in seen


def test_nothing_of_it_where_lines_cannot_be_taken_back(slow: pathlib.Path) -> None:
    assert at_terminal(["render", "--limit", "steps=1G", "-f", "."], slow, env={"TERM": "dumb"})[1] == ""


def test_a_short_run_shows_nothing(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    assert at_terminal(["render", "-f", "a.yml"], tmp_path, out=True)[:2] == (0, "a: 1\r\n")


@pytest.mark.parametrize(
    "argv",
    [
        ["render", "-f", "-"], ["patch", "-"], ["layer", "-"], ["krm"], ["diff", "-", "a.yml"], ["fmt", "-f", "-"],
        ["patch", "a.yml", "-o", "-"], ["explain", "render", "-f", "-", "a"], ["render", "-f", "a.yml", "-d", "-"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_command_waits_for_a_person_to_type(argv: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    status, seen, _ = at_terminal(argv, tmp_path)
    assert status in (1, 2)
    assert seen.startswith("plait: ")


@pytest.mark.parametrize(
    "argv", [[], ["help"], ["version"], ["compose"], ["render"], ["completion", "bash"]], ids=" ".join
)
def test_nor_one_without_inputs(argv: list[str], tmp_path: pathlib.Path) -> None:
    at_terminal(argv, tmp_path)


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_on_a_terminal_only_and_not_against_a_wish(
    env: dict[str, str], coloured: bool, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    (tmp_path / "b.yml").write_text("a: 2\n", "utf-8")
    _, seen, _ = at_terminal(["diff", "a.yml", "b.yml"], tmp_path, out=True, env=env)
    assert ("\x1b[31m" in seen) == coloured
    _, _, printed = at_terminal(["diff", "a.yml", "b.yml"], tmp_path, env=env)
    assert b"\x1b" not in printed
