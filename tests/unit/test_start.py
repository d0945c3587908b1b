"""`plait` alone, `plait init`, `plait completion`, and standard input that is a terminal."""

from __future__ import annotations

import io
import os
import pathlib
import select
import shutil
import subprocess
import sys
import time

import pytest

from plait.cli import COMMANDS, main
from plait.cli.start import EXAMPLES, PROJECT, SHELLS, commands


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
        "  hint:     write a plait.yml by hand, or name an empty directory: plait init demo\n"
    )


@pytest.mark.parametrize("argv", [["init", "a", "b"], ["init", "/proc/none"], ["completion", "bsh"]])
def test_what_makes_no_sense(argv: list[str]) -> None:
    assert main(argv) == 2


def test_every_command_completes_its_flags() -> None:
    known = commands()
    assert set(known) == {*COMMANDS, "version"}
    for name, table in known.items():
        if name != "version":
            assert table.request.summary, f"plait.cli has no table {name.upper()}"
    for write in SHELLS.values():
        script = write(known)
        for name, table in known.items():
            assert name in script
            assert all(flag.name in script for flag in table.flags)


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_parse(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell}")
    subprocess.run([program, "-n"], input=SHELLS[shell](commands()), text=True, check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["plait", "rend"], ["render"]),
        (["plait", "render", "--data-values-f"], ["--data-values-file"]),
        (["plait", "patch", "--vars-s"], ["--vars-store"]),
        (["plait", "layer", "--validate-"], ["--validate-data"]),
    ],
)
def test_bash_completes(words: list[str], found: list[str]) -> None:
    ask = f'\nCOMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _plait; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", SHELLS["bash"](commands()) + ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == found


COMPLETED = [
    ("plait rend", ["render"]),
    ("plait render --data-values-f", ["--data-values-file"]),
    ("plait patch --vars-s", ["--vars-store"]),
    ("plait layer --order na", ["name"]),
    ("plait diff --as o", ["ops", "overlay"]),
    ("plait render -o js", ["json", "json-schema"]),
    ("plait completion f", ["fish"]),
    ("plait explain com", ["compose"]),
    ("plait render -f app.y", ["app.yml"]),
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(("line", "found"), COMPLETED)
def test_bash_completes_values_and_files(line: str, found: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "app.yml").touch()
    words = line.split(" ")
    ask = f'\nCOMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _plait; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", SHELLS["bash"](commands()) + ask], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == found


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
@pytest.mark.parametrize(("line", "found"), COMPLETED)
def test_fish_completes(line: str, found: list[str], tmp_path: pathlib.Path) -> None:
    (tmp_path / "app.yml").touch()
    script = f"source plait.fish; complete -C '{line}'"
    (tmp_path / "plait.fish").write_text(SHELLS["fish"](commands()), "utf-8")
    done = subprocess.run(
        ["fish", "--no-config", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert sorted(row.partition("\t")[0] for row in done.stdout.splitlines()) == found


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
@pytest.mark.parametrize(("line", "found"), [row for row in COMPLETED if len(row[1]) == 1])
def test_zsh_completes(line: str, found: list[str], tmp_path: pathlib.Path) -> None:
    pty = pytest.importorskip("pty")
    (tmp_path / "app.yml").touch()
    (tmp_path / "plait.zsh").write_text(SHELLS["zsh"](commands()), "utf-8")
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        env={**os.environ, "HOME": str(tmp_path), "TERM": "dumb", "PS1": "> "},
    )  # fmt: skip
    os.close(theirs)
    try:
        os.write(ours, b"autoload -Uz compinit; compinit -u -d \"$PWD/dump\"; source ./plait.zsh; print rea''dy\n")
        wait_for(ours, "ready\r\n")
        # Control-X, then a key that tells what the line has become.
        os.write(ours, b"tell() { print -r -- \"<$BUFFER>\" >told; }; zle -N tell; bindkey '^G' tell; print do''ne\n")
        wait_for(ours, "done\r\n")
        os.write(ours, line.encode() + b"\t\x07")
        told = tmp_path / "told"
        for _ in range(100):
            if told.exists() and told.read_text("utf-8"):
                break
            time.sleep(0.1)
        assert told.read_text("utf-8").strip("<> \n").split(" ")[-1].rstrip("=") == found[0]
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


def wait_for(terminal: int, text: str) -> None:
    """Read what a terminal shows until a text has come."""
    seen = ""
    while text not in seen:
        ready, _, _ = select.select([terminal], [], [], 20)
        assert ready, seen
        seen += os.read(terminal, 4096).decode("utf-8", "replace")


@pytest.mark.parametrize("argv", [["render", "-f", "-"], ["patch", "-"], ["layer", "-"], ["krm"], ["diff", "-", "-"]])
def test_a_terminal_is_not_waited_for(
    argv: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Terminal()))
    assert main(argv) == 1
    assert "standard input is a terminal" in capfd.readouterr().err
