"""ytt's commands about the command line itself: `help`, `completion`, and `__complete`, which installed scripts run."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest

from plait.cli import main
from plait.cli.completing import SCRIPTS
from plait.cli.ytt_commands import COMPLETION, HELP, SHELL_COMPLETIONS, TREE, WEBSITE
from plait.cli.ytt_flags import YTT
from plait.engine.flags import Command
from plait.engine.helping import help_text

COMMANDS = ["completion", "fmt", "help", "template", "version", "website"]
OUTPUTS = ["--output", "--output-files"]

# Words after __complete, those of ytt's candidates that plait has to have, and ytt's last line.
COMPLETED: list[tuple[list[str], list[str], str]] = [
    ([""], COMMANDS, ":4"),
    (["fm"], ["fmt"], ":4"),
    (["nothing"], [], ":4"),
    (["-"], ["--file", "-f", "--output", "-o", "--strict", "-s", "--help", "-h"], ":4"),
    (["--output"], OUTPUTS, ":4"),
    (["template", "--output"], OUTPUTS, ":4"),
    (["tpl", "--output"], OUTPUTS, ":4"),
    (["-s", "--output"], OUTPUTS, ":4"),
    (["-s", "--strict"], [], ":4"),
    (["-f", "x", "--file"], ["--file", "--file-mark", "--files-inspect"], ":4"),
    (["--output="], [], ":0"),
    (["--output", ""], [], ":0"),
    (["-f", ""], [], ":0"),
    (["-f", "x", ""], [], ":0"),
    (["--", "-"], [], ":4"),
    (["nope", ""], [], ":0"),
    (["fmt", ""], [], ":0"),
    (["fmt", "--"], ["--file", "--help", "--strict"], ":4"),
    (["--nope", ""], [], ":0"),
    (["completion", ""], ["bash", "fish", "powershell", "zsh"], ":4"),
    (["completion", "f"], ["fish"], ":4"),
    (["completion", "bash", ""], [], ":4"),
    (["completion", "bash", "--no"], ["--no-descriptions"], ":4"),
    (["help", ""], COMMANDS, ":4"),
    (["help", "completion", "z"], ["zsh"], ":4"),
]
DIRECTIVES = {":0": "Default", ":4": "NoFileComp"}


@pytest.mark.parametrize(("words", "names", "last"), COMPLETED, ids=[" ".join(words) for words, _, _ in COMPLETED])
def test_complete(words: list[str], names: list[str], last: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["__complete", *words], "ytt") == 0
    out, err = capfd.readouterr()
    *found, end = out.splitlines()
    assert end == last
    assert err == f"Completion ended with directive: ShellCompDirective{DIRECTIVES[last]}\n"
    listed = [line.partition("\t")[0] for line in found]
    assert set(names) <= set(listed)
    assert all(name.startswith(words[-1]) for name in listed)
    assert (listed == []) == (names == [])
    assert all(line.partition("\t")[2] for line in found)

    assert main(["__completeNoDesc", *words], "ytt") == 0
    assert capfd.readouterr().out.splitlines() == [*listed, end]


def test_commands_are_all_described(capfd: pytest.CaptureFixture[str]) -> None:
    assert sorted(TREE.below) == sorted(name for name, _ in YTT.request.commands) == COMMANDS
    assert SHELL_COMPLETIONS.keys() == SCRIPTS.keys()
    for name, node in TREE.below.items():
        assert main(["help", name], "ytt") == 0
        assert capfd.readouterr().out == help_text(node.command)


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        (["help"], YTT),
        (["help", "nope"], YTT),
        (["help", "-h"], HELP),
        (["help", "help"], HELP),
        (["help", "t"], TREE.below["template"].command),
        (["help", "template", "nope"], TREE.below["template"].command),
        (["help", "website"], WEBSITE),
        (["help", "completion", "zsh"], SHELL_COMPLETIONS["zsh"]),
        (["completion"], COMPLETION),
        (["completion", "nope"], COMPLETION),
        (["completion", "fish", "-h"], SHELL_COMPLETIONS["fish"]),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_help(argv: list[str], command: Command[Any], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(argv, "ytt") == 0
    assert capfd.readouterr().out == help_text(command)


@pytest.mark.parametrize("shell", SHELL_COMPLETIONS)
def test_scripts(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    texts = []
    for more in ([], ["--no-descriptions"], ["--no-descriptions=false"]):
        assert main(["completion", shell, *more], "ytt") == 0
        texts.append(capfd.readouterr().out)
    described, bare, again = texts
    assert described == again
    assert "ytt __complete " in described
    assert described.replace("__complete ", "__completeNoDesc ") == bare
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=bare, text=True, check=True)


def test_the_version_comes_before_arguments(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--version", "x"], "ytt") == 0
    assert capfd.readouterr().out.startswith("ytt version ")


@pytest.mark.parametrize("argv", [["-h", "--nope"], ["int", "-h", "--nope"], ["int", "none.yml", "-h", "-o"]])
def test_help_of_bosh_ends_the_command_line(argv: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(argv, "bosh") == 0
    out, err = capfd.readouterr()
    assert "Usage:" in out
    assert err == ""
