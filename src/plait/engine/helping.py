"""Formats the help of commands."""

from __future__ import annotations

from plait.base.styles import PLAIN
from plait.engine.common import NO_EFFECT
from plait.engine.options import LISTS, SHARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.base.styles import StyledLine, Styles
    from plait.engine.flags import AnyCommand
    from plait.engine.options import Option

_WIDTH = 80
_COLUMN = 32


def help_text(command: AnyCommand, *, example: str = "", width: int | None = None, styles: Styles | None = None) -> str:
    """The text of `--help`, at most 80 columns wide, or as wide as a narrower terminal.

    example: a command line. width: in columns.
    """
    most = _WIDTH if width is None else min(width, _WIDTH)
    column = min(_COLUMN, most // 2)
    usage = " ".join(filter(None, (command.name, "[flags]", command.request.usage)))
    out = [*_plain(_wrapped(command.request.summary, most)), [], *_title("Usage", most), *_plain(indented(usage, most))]
    commands = command.request.commands
    if commands:
        longest = max(len(name) for name, _ in commands)
        out += [*_plain([f"  {command.name} [command]"]), [], *_title("Commands", most)]
        out += [[("flag", f"  {name:<{longest}}"), ("", f"  {summary}")] for name, summary in commands]
    if example:
        out += [[], *_title("Example", most), *_plain(indented(example, most))]
    for heading, flags in command.groups.items():
        if heading != NO_EFFECT:
            out += [[], *_title(heading, most), *(line for flag in flags for line in _lines(flag, most, column))]
    if NO_EFFECT in command.groups:
        names = ", ".join(f"{flag.shown} {flag.value}".rstrip() for flag in command.groups[NO_EFFECT])
        out += [[], *_title(NO_EFFECT, most), *_plain(indented(names, most))]
    if command.request.program == "plait":
        shared = [f"--{flag.name}" for flag in SHARED.shared]
        out += [
            [],
            *_plain(
                _wrapped(
                    f"All commands accept {', '.join(shared[:-1])} and {shared[-1]}; plait help describes them.", most
                )
            ),
        ]
    return "".join([(styles or PLAIN).line(line) + "\n" for line in out])


def shared_lines(*, styles: Styles, width: int | None) -> list[str]:
    """The lines about the options of all commands. width: in columns."""
    most = _WIDTH if width is None else min(width, _WIDTH)
    return [styles.line(line) for option in SHARED.shared for line in _lines(option, most, min(_COLUMN, most // 2))]


def _title(text: str, most: int) -> list[StyledLine]:
    return [[("title", line)] for line in _wrapped(f"{text}:", most)]


def _plain(lines: Iterable[str]) -> list[StyledLine]:
    return [[("", line)] for line in lines]


def _lines(option: Option, most: int, column: int) -> list[StyledLine]:
    """The help lines about an option."""
    head = f"  {'-' + option.short + ',' if option.short else '   '} --{option.name} {option.value}".rstrip()
    text = option.help
    if option.kind in LISTS:
        text += " (repeatable)"
    if option.default:
        text += f" (default {','.join(option.default)})"
    lines = _wrapped(text, most - column)
    rest = _plain(" " * column + line for line in lines[1:])
    if len(head) > column - 2:
        return [[("flag", head)], *_plain([" " * column + line for line in lines[:1]]), *rest]
    return [[("flag", head.ljust(column) if lines else head), ("", lines[0] if lines else "")], *rest]


def indented(text: str, maximum: int = _WIDTH) -> list[str]:
    """A text, wrapped and indented, with further indentation after the first line. maximum: width."""
    return _wrapped(text, maximum, "  ", "    ")


def _wrapped(text: str, width: int, indent: str = "", further: str = "") -> list[str]:
    """A text in lines of at most this width, broken at spaces. indent: before the first line. further: before the others.

    `textwrap` loads `re`, which takes longer than all other work for help.
    """
    lines: list[str] = []
    line = begin = indent
    for word in text.split():
        rest = word
        while True:
            gap = " " if line != begin else ""
            room = width - len(line) - len(gap)
            if len(rest) <= room:
                break
            # A word that is too long for a line fills this one.
            most = room if gap else max(room, 1)
            if len(rest) > width - len(begin) and most > 0:
                line += gap + rest[:most]
                rest = rest[most:]
            lines.append(line)
            line = begin = further
        line += gap + rest
    return [*lines, line] if line != begin else lines
