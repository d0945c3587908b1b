"""The tree of commands: groups, summaries, subcommands, examples, and help at any depth. Loaded only for help and
completion.
"""

from __future__ import annotations

import sys

from plait.base.errors import UsageError, did_you_mean
from plait.cli import COMMANDS, module_of
from plait.cli.command_examples import example_of
from plait.cli.tools import table
from plait.engine import DIALECTS
from plait.engine.flags import Command
from plait.engine.options import SWITCH, Request, switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from plait.engine.flags import AnyCommand
    from plait.engine.options import Option

# The commands by purpose, each with its summary.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Render": {
        "render": "evaluate templates, overlays, schemas and data values (ytt)",
        "patch": "apply operations files and variables (bosh interpolate)",
        "layer": "layer documents, and substitute values among them (Deckhand)",
        "compose": "run a pipeline with steps of all three",
        "run": "evaluate a run of the project file",
        "fleet": "render all runs of the project, for many environments",
    },
    "Ask": {
        "explain": "show where a value of the output comes from",
        "impact": "show which values of the output a line affects",
        "origin": "report another tool's findings at the source lines to fix",
        "log": "list the commits in which a value of the output changed",
        "blame": "print the output with the commit behind each line",
        "diff": "show the differences between two files, or write them as a patch",
        "review": "show what a change does to the output, and which lines cause it",
        "project": "list the runs of the project",
    },
    "Check": {
        "reduce": "find the smallest input that still shows a behaviour",
        "lint": "report unused code, no-ops, order dependence and ambiguous YAML",
        "test": "run the tests of the project",
        "coverage": "measure which lines and branches the runs execute",
    },
    "Change": {
        "set": "change an output value in its source file",
        "fmt": "format YAML files and preserve comments",
    },
    "Set up": {
        "init": "create a project, or a project file for a repository",
        "schema": "convert a JSON Schema or a CRD to a schema of templates",
        "ci": "write the job that reviews each pull request",
        "trust": "show and grant a project's permissions outside of its repository",
        "completion": "print a script that completes command lines in a shell",
        "shims": "write programs named ytt and bosh that run plait",
    },
    "Serve": {
        "lsp": "serve an editor (extra: lsp)",
        "mcp": "serve an AI agent (extra: mcp)",
        "serve": "store documents in revisions and serve them over HTTP (extra: serve)",
        "website": "serve the playground to a browser on this machine",
        "krm": "run as a function of Kustomize or kpt",
    },
    "Help": {
        "help": "print the help of a command, or explain a code such as E0101",
        "version": "print the version",
    },
}


class Node:
    """A command. words: its name with those of its parents. children: its subcommands by name."""

    __slots__ = ("children", "command", "words")

    def __init__(self, words: Sequence[str], command: AnyCommand) -> None:
        self.words = words
        self.command = command
        self.children: dict[str, Node] = {}

    @property
    def example(self) -> str:
        """An example command line."""
        return example_of(self.words)


class Help(Request):
    """The command line of `plait help`."""

    __slots__ = ()
    command = "help"
    summary = "Print the help of a command, or the page of a code of an error, a warning or a finding."
    usage = "[COMMAND...|CODE]"
    man = switch("man", "print a manual page for man instead, such as plait help --man render | man -l -")


class _Version(Request):
    """The command line of `plait version`."""

    __slots__ = ()
    command = "version"
    summary = "Print the version."


# Modules that only subcommands need.
_SUBCOMMANDS = {"render": "plait.cli.render_subcommands", "fleet": "plait.cli.fleet_answers"}
OTHERS: Mapping[str, type[Request]] = {"help": Help, "version": _Version}


def node_of(name: str) -> Node:
    """A command with its subcommands. name: one of COMMANDS, `help` or `version`. Raises UsageError for an unknown one."""
    if name in OTHERS:
        return Node([name], Command(OTHERS[name]))
    if name not in COMMANDS:
        raise unknown("", name, [*COMMANDS, *OTHERS])
    module = _module(module_of(name))
    found = getattr(module, name.upper())
    assert isinstance(found, Command)
    node = Node([name], found)
    known = getattr(_module(_SUBCOMMANDS[name]) if name in _SUBCOMMANDS else module, "SUBCOMMANDS", {})
    for one, summary in found.request.commands:
        node.children[one] = Node([name, one], known.get(one) or _variant(found, f"plait {name} {one}", summary))
    if _contains_dialects(found):
        for one in (*DIALECTS, "run"):
            node.children[one] = Node([name, one], _nested(found, one))
    return node


def _module(name: str) -> ModuleType:
    # Without importing importlib first.
    __import__(name)
    return sys.modules[name]


def tree() -> dict[str, Node]:
    """All commands by name."""
    return {name: node_of(name) for group in GROUPS.values() for name in group}


def commands() -> dict[str, AnyCommand]:
    """The commands and their flags, by name."""
    return {name: node_of(name).command for name in (*COMMANDS, "version")}


def _contains_dialects(command: AnyCommand) -> bool:
    """True if a command line of a dialect follows the command's own flags."""
    return "render|patch|layer|compose" in command.request.usage


def _variant(command: AnyCommand, name: str, summary: str) -> AnyCommand:
    """A subcommand with the flags of its command."""
    about = type(
        "Variant", (command.request,), {"__slots__": (), "summary": _sentence(summary), "usage": "", "commands": ()}
    )
    return Command(about, name)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _nested(command: AnyCommand, name: str) -> AnyCommand:
    """The command line of a dialect, or of `run`, inside that of a command."""
    outer = command.request
    if name == "run":
        from plait.cli.project import RUN

        inner: AnyCommand = RUN
    else:
        inner = table(name, [one for one in outer.options if one.kind == SWITCH])
    asked = outer.usage.rpartition("] ")[2] if outer.usage.endswith(("PATH", "LINE", "VALUE", "REPORT", "...")) else ""
    own: dict[str, Option] = {one.attribute: one for one in outer.options if one.kind == SWITCH}
    known = {one.attribute for one in inner.request.options}
    attributes = {
        "__slots__": (),
        "summary": outer.summary,
        "usage": " ".join(filter(None, (inner.request.usage.replace("PATH", "INPUT"), asked))),
        "commands": (),
        **{key: one for key, one in own.items() if key not in known},
    }
    return Command(type("Around", (inner.request,), attributes), f"{command.name} {name}")


def unknown(above: str, word: str, known: Sequence[str]) -> UsageError:
    """The error for an unknown command. above: the command that has the known ones."""
    return UsageError(
        f'unknown command "{f"{above} {word}".strip()}"',
        expected=", ".join(known) if above else None,
        hint=did_you_mean(word, known) or "plait help lists the commands",
        code="unknown-command",
    )
