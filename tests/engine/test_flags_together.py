"""Flags that have no effect without another one are errors, and a flag in place of the value of another one is named."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from plait.base.errors import UsageError
from plait.cli import COMMANDS
from plait.cli.commands import node_of
from plait.engine.options import SWITCH, TEXT, TEXTS, Option

if TYPE_CHECKING:
    from plait.engine.flags import AnyCommand


def commands() -> Iterator[AnyCommand]:
    """Every command of plait, with its own flags."""
    for name in COMMANDS:
        node = node_of(name)
        yield node.command
        yield from (child.command for child in node.children.values())


def words_of(flag: Option) -> list[str]:
    value = flag.choices[0] if flag.choices else "1"
    return [f"--{flag.name}"] if flag.kind == SWITCH else [f"--{flag.name}={value}"]


TABLES = {one.name: one for one in commands()}
DEPENDENT = [(name, flag) for name, one in TABLES.items() for flag in one.flags if flag.requires]


def test_these_flags_depend_on_others() -> None:
    assert {flag.name for _, flag in DEPENDENT} == {
        "audience",
        "barbican-token",
        "cov-append",
        "cov-report",
        "fail-under",
        "force",
        "issuer-keys",
        "lenient",
        "merge-key",
        "merge-schemas",
        "no-runs",
        "no-tests",
        "output-by",
        "roles-claim",
        "webhook-key",
    }


@pytest.mark.parametrize(("name", "flag"), DEPENDENT, ids=lambda one: getattr(one, "name", one))
def test_a_flag_needs_one_that_it_requires(name: str, flag: Option) -> None:
    command = TABLES[name]
    with pytest.raises(UsageError) as caught:
        command.parse(words_of(flag))
    needed = [one for one in command.flags if one.attribute in flag.requires]
    assert caught.value.code == "flag-conflict"
    assert all(f"--{one.name}" in str(caught.value) for one in needed)
    assert caught.value.hint is not None
    assert f"add --{needed[0].name}" in caught.value.hint
    assert caught.value.parsed is not None
    for one in needed:
        assert command.parse([*words_of(flag), *words_of(one)]).has(flag)
    # The help, and a run with the other option in the project file.
    assert command.parse([*words_of(flag), "--help"]).help
    assert command.parse(words_of(flag), {needed[0].attribute}).has(flag)


@pytest.mark.parametrize("name", [name for name, one in TABLES.items() if not one.request.usage])
def test_a_flag_that_is_the_value_of_another_one_is_named(name: str) -> None:
    command = TABLES[name]
    valued = [flag for flag in command.flags if flag.kind in (TEXT, TEXTS) and not flag.requires]
    for flag, other in pairwise(valued):
        with pytest.raises(UsageError) as caught:
            command.parse([f"--{flag.name}", f"--{other.name}", "x"])
        assert caught.value.hint is not None
        assert f"--{flag.name} {flag.value} --{other.name} x" in caught.value.hint
