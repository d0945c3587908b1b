"""The help of commands, and the list of all commands."""

from __future__ import annotations

from os.path import lexists

from plait.base.version import __version__
from plait.cli import COMMANDS
from plait.cli.colour import styles_of
from plait.cli.command_examples import example_of
from plait.cli.commands import GROUPS, OTHERS, Help, Node, node_of, unknown
from plait.cli.man_pages import man_page, man_page_of_all
from plait.cli.messages import without_shared_flags
from plait.cli.streams import line_width
from plait.engine.flags import Command
from plait.engine.helping import help_text as text_of
from plait.engine.helping import indented, shared_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def help_text(node: Node, width: int | None) -> str:
    """The text of `--help`. width: in columns."""
    return text_of(node.command, example=node.example, width=width, styles=styles_of())


def help_of(words: Sequence[str]) -> str | None:
    """The help for a subcommand with `--help`, or for `help` in place of a subcommand; None if the command itself
    handles the words. words: the command, and the words after it.
    """
    node = node_of(words[0])
    before: list[str] = []
    for word in words[1:]:
        if word in ("--help", "-h") or word == "--":
            break
        before.append(word)
    if before[:1] == ["help"] and "help" not in node.children and not lexists("help"):
        return help_text(_described(node, before[1:]), line_width())
    if len(before) == len(words) - 1:
        return None
    for word in before:
        if word in node.children:
            return help_text(node.children[word], line_width())
    return None


def help_for(words: Sequence[str]) -> str:
    """The text that `plait help WORDS` prints. Raises UsageError for an unknown flag, command or code."""
    flags = Command(Help).parse(words)
    words = flags.arguments
    if flags.man:
        return man_page(_described(node_of(words[0]), words[1:])) if words else man_page_of_all()
    if not words:
        return help_text(node_of("help"), line_width()) if flags.help else overview()
    if words[0] not in COMMANDS and words[0] not in OTHERS:
        from plait.cli.pages import is_code, page_of

        if is_code(words[0]):
            return page_of(words[0], line_width() or 80)
    return help_text(_described(node_of(words[0]), words[1:]), line_width())


def text_for(name: str, words: Sequence[str]) -> str:
    """The text of `plait help`, `plait version` and `plait --help`. name: a command or a flag.
    Raises UsageError.
    """
    if not name.endswith("version"):
        return help_for(without_shared_flags(words))
    node = node_of("version")
    return help_text(node, line_width()) if node.command.parse(words).help else f"plait {__version__}\n"


def _described(node: Node, words: Sequence[str]) -> Node:
    for word in words:
        if not node.children:
            break
        child = node.children.get(word)
        if child is None:
            raise unknown(" ".join(("plait", *node.words)), word, [*node.children])
        node = child
    return node


def overview() -> str:
    """The list of commands, by group."""
    show = styles_of()
    width = max(len(name) for group in GROUPS.values() for name in group)
    out = ["plait patches, templates and layers YAML, and tells you where every value came from.", ""]
    out += [show("title", "Usage:"), *indented("plait COMMAND [flags] [arguments]"), ""]
    for heading, group in GROUPS.items():
        rows = [f"{show('flag', f'  {name:<{width}}')}  {short}" for name, short in group.items()]
        out += [show("title", f"{heading}:"), *rows, ""]
    out += [show("title", "Example:"), f"  {example_of(('explain', 'render'))}", ""]
    out += [
        "plait COMMAND --help lists the flags of a command. All commands accept:",
        *shared_lines(styles=show, width=line_width()),
    ]
    return "\n".join(out) + "\n"
