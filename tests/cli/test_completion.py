"""Completion: what is suggested for a command line, and that the shells put it there."""

from __future__ import annotations

import os
import pathlib
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import yaml

from patience import LONGEST
from plait.cli import main
from plait.cli.commands import tree
from plait.cli.completing import FILES, SCRIPTS, answer, script
from plait.engine.options import SWITCH


@pytest.fixture(autouse=True)
def project(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A project in the working directory."""
    monkeypatch.chdir(tmp_path)
    assert main(["init", "here"]) == 0
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def suggested(*words: str) -> list[str]:
    return [line.partition("\t")[0] for line in answer(words).splitlines()]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("rend", ["render"]),
        ("help fl", ["fleet"]),
        ("help fleet w", ["why"]),
        ("fleet d", ["diff"]),
        ("serve new-", ["new-token", "new-key"]),
        ("explain com", ["compose"]),
        ("run pro", ["production"]),
        ("explain pro", ["production"]),
        ("explain run pro", ["production"]),
        ("lint pro", ["production"]),
        ("fleet --only pro", ["production"]),
        ("fleet diff pro", ["production"]),
        ("run app --output-f", ["--output-files"]),
        ("explain render --data-values-f", ["--data-values-file"]),
        ("explain render --pre", ["--presence"]),
        ("explain run app --data-values-f", ["--data-values-file"]),
        ("set patch --vars-s", ["--vars-store"]),
        ("render --with val", ["values-refer"]),
        ("explain render --with=val", ["--with=values-refer"]),
        ("patch --with ope", ["operations"]),
        ("render --limit st", ["steps=", "string="]),
        ("layer --limit=ste", ["--limit=steps="]),
        ("lint --select dead-ov", ["dead-overlay"]),
        ("lint --ignore dead,D10", ["dead,D101", "dead,D102", "dead,D103", "dead,D104", "dead,D105", "dead,D106",
                                    "dead,D107", "dead,D108", "dead,D109"]),
        ("layer --order na", ["name"]),
        ("diff --as o", ["ops", "overlay"]),
        ("completion f", ["fish"]),
        ("explain render -f config D", ["Deployment/demo:"]),
        ("explain render -f config Deployment/demo:spec.sel", ["Deployment/demo:spec.selector"]),
        ("explain run app Deployment/demo:meta", ["Deployment/demo:metadata"]),
        ("explain run app Deployment/demo:metadata.na", ["Deployment/demo:metadata.name"]),
        ("explain app Deployment/demo:spec.template.spec.containers[", ["Deployment/demo:spec.template.spec.containers[name=app]"]),
        ("set run app Deployment/demo:spec.rep", ["Deployment/demo:spec.replicas="]),
        ("set -w render -f config Deployment/demo:kin", ["Deployment/demo:kind="]),
    ],
)  # fmt: skip
def test_what_is_suggested(line: str, found: list[str]) -> None:
    assert [one for one in suggested(*line.split(" ")) if one != FILES] == found


def test_every_command_and_flag_is_suggested() -> None:
    assert {*suggested("")} == {*tree()}
    for node in tree().values():
        for one in (node, *node.children.values()):
            found = suggested(*one.words, "-")
            assert {f"--{flag.name}" for flag in one.command.flags} == {*found}, one.words


def test_every_flag_with_a_value_has_suggestions_for_it() -> None:
    for node in tree().values():
        for one in (node, *node.children.values()):
            for flag in one.command.flags:
                if flag.kind != SWITCH:
                    found = suggested(*one.words, f"--{flag.name}", "")
                    assert found, (one.words, flag)
                    assert not flag.choices or found == list(flag.choices)


def test_nothing_is_suggested_for_a_mistake_and_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert suggested("rendr", "") == []
    pathlib.Path("plait.yml").write_text("runs: [", "utf-8")
    assert suggested("run", "") == []
    assert capsys.readouterr().err == ""


def test_a_path_runs_no_program_and_shows_no_secret() -> None:
    pathlib.Path("base.yml").write_text("a: ((word))\n((word)): 1\n", "utf-8")
    pathlib.Path("store.yml").write_text("word: swordfish\n", "utf-8")
    line = ["explain", "patch", "base.yml", "--vars-store", "store.yml", ""]
    assert "swordfish" not in answer(line)
    line = ["explain", "patch", "base.yml", "--secrets", "exec:touch ran", "--allow-exec", ""]
    answer(line)
    assert not pathlib.Path("ran").exists()


# The end of a line, and what becomes of its last word.
TYPED = [
    ("plait rend", "render"),
    ("plait help fl", "fleet"),
    ("plait fleet wh", "why"),
    ("plait run pro", "production"),
    ("plait render --data-values-f", "--data-values-file"),
    ("plait explain render --data-values-f", "--data-values-file"),
    ("plait render --with val", "values-refer"),
    ("plait render --with=val", "--with=values-refer"),
    ("plait layer --limit ste", "steps="),
    ("plait lint --select dead-ov", "dead-overlay"),
    ("plait layer --order na", "name"),
    ("plait render -f plait.y", "plait.yml"),
    ("plait explain run app D", "Deployment/demo:"),
    ("plait explain run app Deployment/demo:spec.sel", "Deployment/demo:spec.selector"),
    ("plait set run app Deployment/demo:spec.rep", "Deployment/demo:spec.replicas="),
]


@pytest.fixture
def plait_on_the_path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "plait"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m plait "$@"\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("shell", SCRIPTS)
def test_scripts_parse(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell}")
    for name in ("plait", "ytt"):
        subprocess.run([program, "-n"], input=script(shell, name), text=True, check=True)


@pytest.mark.usefixtures("plait_on_the_path")
def test_fish_completes(tmp_path: pathlib.Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("there is no fish")
    (tmp_path / "plait.fish").write_text(script("fish"), "utf-8")
    for line, found in TYPED:
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source ../plait.fish; complete -C '{line}'"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert [row.partition("\t")[0] for row in done.stdout.splitlines()] == [found], line


# What each shell reads first, and how a key tells the line.
SHELLS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        'source ../plait.bash; bind -x \'"\\C-g": printf "<%s>" "$READLINE_LINE" >../told\'; echo rea\'\'dy',
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        (
            'autoload -Uz compinit; compinit -u -d "$HOME/dump"; source ../plait.zsh; '
            "tell() { print -rn -- \"<$BUFFER>\" >../told; }; zle -N tell; bindkey '^G' tell; print rea''dy"
        ),
    ),
}


class Typing:
    """A shell at a terminal, with plait's completion."""

    def __init__(self, terminal: int, told: pathlib.Path) -> None:
        self.terminal = terminal
        self._told = told

    def completed(self, line: str) -> str:
        """The line between `<` and `>` after it was typed, and then a Tab."""
        self._told.unlink(missing_ok=True)
        os.write(self.terminal, line.encode() + b"\t\x07")
        began = time.monotonic()
        while not (self._told.exists() and self._told.read_text("utf-8").endswith(">")):
            assert time.monotonic() - began < LONGEST, line
            time.sleep(0.05)
        return self._told.read_text("utf-8")


@contextmanager
def at_a_terminal(shell: str, directory: pathlib.Path) -> Iterator[Typing]:
    """directory: above the working directory; gets the script."""
    pty = pytest.importorskip("pty")
    argv, start = SHELLS[shell]
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    (directory / f"plait.{shell}").write_text(script(shell), "utf-8")
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        argv, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        env={**os.environ, "TERM": "dumb", "PS1": "> ", "INPUTRC": "/dev/null"},
    )  # fmt: skip
    os.close(theirs)
    try:
        os.write(ours, f"{start}\n".encode())
        wait_for(ours, "ready\r\n")
        yield Typing(ours, directory / "told")
    finally:
        running.kill()
        running.wait()
        os.close(ours)


@pytest.mark.usefixtures("plait_on_the_path")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_at_a_terminal_completes(shell: str, tmp_path: pathlib.Path) -> None:
    with at_a_terminal(shell, tmp_path) as typing:
        for line, found in TYPED:
            shown = typing.completed(line)[1:-1].replace("\\", "")
            assert shown.rstrip(" ") == f"{line.rpartition(' ')[0]} {found}", line
            os.write(typing.terminal, b"\x15")


HOSTILE = "a;touch PWNED; $(touch PWNED) `touch PWNED` ' \" \\ \x1b[31m"


@pytest.mark.usefixtures("plait_on_the_path")
@pytest.mark.parametrize("line", ["plait run a", "plait explain render -f plain.yml A"])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_takes_names_of_files_for_text(shell: str, line: str, tmp_path: pathlib.Path) -> None:
    """A checkout's names of runs and keys are no part of a command, once they are completed and Enter is typed."""
    pathlib.Path("plait.yml").write_text(
        yaml.safe_dump({"runs": {HOSTILE: {"render": {"files": ["plain.yml"]}}}}), "utf-8"
    )
    pathlib.Path("plain.yml").write_text(yaml.safe_dump({"kind": f"A{HOSTILE}", "b": 1}), "utf-8")
    with at_a_terminal(shell, tmp_path) as typing:
        assert "PWNED" in typing.completed(line), "nothing was completed"
        os.write(typing.terminal, b"\necho do''ne\n")
        wait_for(typing.terminal, "done")
    assert not [*pathlib.Path().rglob("PWNED*"), *tmp_path.rglob("PWNED*")]


def wait_for(terminal: int, text: str) -> None:
    """Read what a terminal shows until a text has come."""
    seen = ""
    while text not in seen:
        ready, _, _ = select.select([terminal], [], [], LONGEST)
        assert ready, seen
        seen += os.read(terminal, 4096).decode("utf-8", "replace")
