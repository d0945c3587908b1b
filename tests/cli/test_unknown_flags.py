"""An unknown flag is reported first, whatever else is wrong with a command line, and wherever the flag is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from plait.cli import main
from plait.cli.commands import Node, tree

FLAG = "--no-such-flag"
PROJECTS = {
    "without a project": "",
    "with two runs": "runs:\n  a: {render: {files: [a.yml]}}\n  b: {layer: {inputs: [a.yml]}}\n",
    "with a broken project": "runs: [\n",
}


def command_lines() -> Iterator[list[str]]:
    """Each command and subcommand, with an argument that is wrong for most before and after the flag, and without."""

    def below(node: Node) -> Iterator[list[str]]:
        yield [*node.words]
        for one in node.children.values():
            yield from below(one)

    for node in tree().values():
        for words in below(node):
            if words[-1:] == ["help"] and len(words) > 1:
                continue  # it prints the help, whatever follows
            yield from ([*words, FLAG], [*words, FLAG, "nosuch"], [*words, "nosuch", f"{FLAG}=1"])


@pytest.mark.parametrize("project", PROJECTS)
def test_an_unknown_flag_is_reported_first(
    project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if PROJECTS[project]:
        Path("plait.yml").write_text(PROJECTS[project], "utf-8")
    wrong = {}
    for words in command_lines():
        status = main([*words, "--message-format=json"])
        told = capsys.readouterr().err
        names = [json.loads(line)["name"] for line in told.splitlines() if line.startswith("{")]
        # Commands of reference programs have their status.
        if (status, names) != (1 if words[0] in ("render", "patch") else 2, ["unknown-flag"]):
            wrong[" ".join(words)] = status, told
    assert wrong == {}


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (["run", "--stict"], "--strict"),
        (["set", "run", "nosuch", "--data-valeu=a=1", "a=1"], "--data-value"),
        (["explain", "nosuch", "--no-exolain"], None),
        (["origin", "-Z"], None),
    ],
)
@pytest.mark.usefixtures("_elsewhere")
def test_the_hint_names_a_flag_of_any_command_in_the_line(
    words: list[str], flag: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "unknown" in told.partition("\n")[0]
    assert f'did you mean "{flag}"' in told if flag else "--help lists the flags" in told


@pytest.mark.parametrize(
    "words",
    [
        ["run", "nosuch", "--strict"],
        ["run", "nosuch", "--data-value", "--no-such-flag"],
        ["run", "nosuch", "--", "--no-such-flag"],
        ["reduce", "run", "nosuch", "--", "sh", "--no-such-flag"],
    ],
)
@pytest.mark.usefixtures("_elsewhere")
def test_known_flags_values_and_words_after_dashes_are_no_unknown_flags(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith('plait: unknown run "nosuch"')


@pytest.fixture
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
