"""The tree of commands: each has a group, an example that can be read, and help by every way to ask for it."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from plait.cli import COMMANDS, main
from plait.cli.command_examples import EXAMPLES
from plait.cli.commands import GROUPS, tree
from plait.cli.help import help_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.cli.commands import Node


def nodes() -> Iterator[Node]:
    for node in tree().values():
        yield node
        yield from node.children.values()


NODES = {" ".join(node.words): node for node in nodes()}


def test_every_command_is_in_one_group() -> None:
    named = [name for group in GROUPS.values() for name in group]
    assert sorted(named) == sorted([*COMMANDS, "help", "version"])


def test_no_example_is_left_over() -> None:
    assert not set(EXAMPLES) - set(NODES)


@pytest.mark.parametrize("name", NODES)
def test_a_command_has_an_example_with_flags_that_exist(name: str) -> None:
    node = NODES[name]
    typed = re.sub(r"^source <\(|\)$", "", node.example).partition(" > ")[0].partition(" < ")[0]
    program, *words = shlex.split(typed)
    assert program == "plait"
    first, *_ = node.words
    assert words[0] == first
    known = {flag.name: flag for one in (tree()[first], *tree()[first].children.values()) for flag in one.command.flags}
    if "run" in words:
        known |= {flag.name: flag for flag in NODES["render"].command.flags}
    letters = {flag.short for flag in known.values()}
    for word in words[1:]:
        if word.startswith("--"):
            assert word[2:] in known, word
        elif word.startswith("-"):
            assert word[1:] in letters, word


@pytest.mark.parametrize("name", NODES)
def test_help_is_the_same_by_every_way_to_ask(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    def told(*words: str) -> str:
        assert main(words) == 0
        return capsys.readouterr().out

    words = name.split()
    text = told("help", *words)
    assert f"\nExample:\n  {NODES[name].example[:20]}" in text
    assert NODES[name].command.request.summary[:20] in text
    if words[0] in COMMANDS and name not in ("render help", "render completion"):
        assert told(*words, "--help") == text
        assert told(*words, "-h") == text
    if len(words) == 1 and words[0] in COMMANDS:
        assert told(name, "help") == text
    for flag in NODES[name].command.flags:
        assert flag.shown in text, flag


def test_a_terminal_of_few_columns_gets_short_lines() -> None:
    for node in nodes():
        for line in help_text(node, 60).splitlines():
            if not line.lstrip().startswith(("-", "plait")) and "  " not in line.strip():
                assert len(line) <= 60, line


def test_an_unknown_subcommand_is_told_with_its_neighbours(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "fleet", "wyh"]) == 2
    assert 'unknown command "plait fleet wyh"' in capsys.readouterr().err
    assert main(["help", "explian"]) == 2
    assert 'did you mean "explain"?' in capsys.readouterr().err
