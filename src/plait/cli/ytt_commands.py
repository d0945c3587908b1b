"""ytt's commands about the command line itself: `help`, `completion`, and `__complete`, which completion scripts call.

`__complete` follows cobra: one candidate per line with a tab and its description, then a line with the directive for
the script, a number.
"""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.cli.common_flags import performed, shown
from plait.cli.completing import script
from plait.cli.streams import complain, write_out
from plait.cli.website import Website
from plait.cli.website import main as serve
from plait.cli.ytt_flags import PROGRAM, TEMPLATE, YTT, YTT_FMT, YTT_VERSION_COMMAND
from plait.engine.flags import Command
from plait.engine.options import LISTS, Request, switch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.engine.flags import AnyCommand


class Help(Request):
    """The command line of `ytt help`."""

    __slots__ = ()
    program = PROGRAM
    summary = "Print help."
    usage = "COMMAND"


class Completion(Request):
    """The command line of `ytt completion`."""

    __slots__ = ()
    program = PROGRAM
    summary = "Print a script that completes commands and flags in a shell."
    usage = "SHELL"
    commands = (
        ("bash", "print the script for bash"),
        ("fish", "print the script for fish"),
        ("powershell", "print the script for PowerShell"),
        ("zsh", "print the script for zsh"),
    )


class ShellCompletion(Request):
    """The command line of `ytt completion SHELL`."""

    __slots__ = ()
    program = PROGRAM
    summary = "Print a script that completes commands and flags in this shell."
    usage = ""
    no_descriptions = switch("no-descriptions", "complete without descriptions")


class Node:
    """A command with its subcommands. takes_files: False if its arguments are never files."""

    __slots__ = ("below", "command", "takes_files")

    def __init__(self, command: AnyCommand, below: dict[str, Node] | None = None, *, takes_files: bool = True) -> None:
        self.command = command
        self.below = {} if below is None else below
        self.takes_files = takes_files


HELP = Command(Help, "ytt help")
COMPLETION = Command(Completion, "ytt completion")
WEBSITE = Command(Website, "ytt website")
SHELL_COMPLETIONS = {name: Command(ShellCompletion, f"ytt completion {name}") for name, _ in Completion.commands}

TREE = Node(
    YTT,
    {
        "completion": Node(
            COMPLETION, {name: Node(command, takes_files=False) for name, command in SHELL_COMPLETIONS.items()}
        ),
        "fmt": Node(YTT_FMT),
        "help": Node(HELP, takes_files=False),
        "template": Node(TEMPLATE),
        "version": Node(YTT_VERSION_COMMAND),
        "website": Node(WEBSITE),
    },
)
# Aliases of commands.
ALIASES = {"t": "template", "tpl": "template"}

# The word after which words are not flags.
END = "--"
# Directives for a completion script: complete files, or nothing.
DEFAULT, NO_FILES = 0, 4
DIRECTIVES = {DEFAULT: "Default", NO_FILES: "NoFileComp"}


def website(argv: Sequence[str]) -> int:
    """Runs `ytt website`. Returns the exit status. Raises PlaitError."""
    return performed(WEBSITE, serve, argv)


def help_of(argv: Sequence[str]) -> int:
    """Runs `ytt help`. Returns the exit status. Raises UsageError."""
    flags = HELP.parse(argv)
    return shown(HELP if flags.help else _descended(flags.arguments)[0].command)


def completion(argv: Sequence[str]) -> int:
    """Runs `ytt completion`. Returns the exit status. Raises UsageError."""
    node, rest = _descended(["completion", *argv])
    flags = node.command.read(rest)
    if flags.help or node.command is COMPLETION:
        return shown(node.command)
    if flags.arguments:
        raise UsageError(f'unknown command "{flags.arguments[0]}" for "{node.command.name}"', code="unknown-command")

    ask = "__completeNoDesc" if flags.value(ShellCompletion.no_descriptions) else "__complete"
    write_out(script(node.command.name.rpartition(" ")[2], PROGRAM, ask))
    return 0


def complete(argv: Sequence[str], *, described: bool) -> int:
    """Runs `ytt __complete`, which prints the candidates for the last word. Returns the exit status. Raises UsageError."""
    if not argv:
        raise UsageError("requires at least 1 arg(s), only received 0", code="missing-argument")
    *before, current = argv
    current = "" if current == '""' else current
    node, rest = _descended(before)
    found, directive = _candidates(node, rest, current)
    lines = [f"{name}\t{text}" if described and text else name for name, text in found]
    write_out("".join(f"{line}\n" for line in (*lines, f":{directive}")))
    complain(f"Completion ended with directive: ShellCompDirective{DIRECTIVES[directive]}\n")
    return 0


def _descended(words: Sequence[str]) -> tuple[Node, list[str]]:
    """The command selected by the first words of a command line, and the remaining words."""
    node, rest = TREE, list(words)
    while (place := node.command.first_argument(rest)) is not None:
        below = node.below.get(ALIASES.get(rest[place], rest[place]))
        if below is None:
            break
        node = below
        del rest[place]
    return node, rest


def _candidates(node: Node, before: Sequence[str], current: str) -> tuple[list[tuple[str, str]], int]:
    """The words that can replace `current`, with descriptions, and the directive."""
    command = node.command
    try:
        flags = command.read(before)
    except UsageError:
        # A mistake, or a final flag whose value may be a file.
        return [], DEFAULT
    if current.startswith("-") and END not in before:
        return ([], DEFAULT) if "=" in current else (list(_flags(command, flags, current)), NO_FILES)
    below = node.below
    if command is HELP:
        below = _descended(flags.arguments)[0].below
    elif flags.arguments or flags.uses:
        below = {}
    found = [(name, _summary(one.command)) for name, one in below.items() if name.startswith(current)]
    return found, NO_FILES if below or not node.takes_files else DEFAULT


def _flags(command: AnyCommand, given: Request, current: str) -> Iterator[tuple[str, str]]:
    """The flags that start with a word, without used flags that cannot be repeated."""
    for flag in sorted(command.flags, key=lambda one: one.name):
        if flag.kind not in LISTS and given.has(flag):
            continue
        for name in (f"--{flag.name}", f"-{flag.short}" if flag.short else ""):
            if name and name.startswith(current):
                yield name, " ".join(flag.help.split())


def _summary(command: AnyCommand) -> str:
    return " ".join(command.request.summary.split())
