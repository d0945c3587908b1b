"""The command line of ytt, with ytt's messages on standard error.

It also accepts plait's flags, so that a program that calls ytt can use `--limit` and `--isolate`. Warnings that ytt
does not print are not printed, unless a flag or PLAIT_WARNINGS requests them.
"""

from __future__ import annotations

import os

from plait.base.errors import LimitError, PlaitError
from plait.base.version import YTT_VERSION, __version__
from plait.cli import ytt_commands
from plait.cli.common_flags import entered, shown
from plait.cli.render_commands import deliver
from plait.cli.render_fmt import print_formatted
from plait.cli.streams import write_out
from plait.cli.ytt_flags import TEMPLATE, YTT, YTT_FMT, YTT_VERSION_COMMAND, Ytt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from plait.cli.ytt_flags import Template
    from plait.engine.flags import Command

    T = TypeVar("T", bound=Template)

VERSION_VARIABLE = "PLAIT_YTT_VERSION"


def main(argv: Sequence[str]) -> int:
    """Runs one command line of ytt. Returns the exit status. Raises PlaitError with exit status 1, or 3 for a limit."""
    try:
        return _dispatch(argv)
    except PlaitError as error:
        error.exit_status = 3 if isinstance(error, LimitError) else 1
        raise


def _dispatch(argv: Sequence[str]) -> int:
    if argv and argv[0] in _COMPLETE:
        return _about(argv[0], argv[1:])
    place = YTT.first_argument(argv)
    name = "" if place is None else argv[place]
    run = _COMMANDS.get(name)
    if run is None or place is None:
        return _template(YTT, argv)
    return run([*argv[:place], *argv[place + 1 :]])


def _template(command: Command[T], argv: Sequence[str]) -> int:
    flags = command.read(argv)
    if isinstance(flags, Ytt) and flags.version and not flags.help:
        return _print_version()
    entered(command.checked(flags))
    return shown(command) if flags.help else deliver(flags)


def _fmt(argv: Sequence[str]) -> int:
    flags = entered(YTT_FMT.parse(argv))
    return shown(YTT_FMT) if flags.help else print_formatted(flags, marks_end=False)


def _version(argv: Sequence[str]) -> int:
    if YTT_VERSION_COMMAND.parse(argv).help:
        return shown(YTT_VERSION_COMMAND)
    return _print_version()


def _print_version() -> int:
    write_out(f"ytt version {os.environ.get(VERSION_VARIABLE) or YTT_VERSION} (plait {__version__})\n")
    return 0


def _about(name: str, argv: Sequence[str]) -> int:
    """Runs `help`, `completion` or another command about the command line. Returns the exit status. Raises PlaitError."""
    if name in _COMPLETE:
        return ytt_commands.complete(argv, described=name == "__complete")
    run: Callable[[Sequence[str]], int] = {
        "completion": ytt_commands.completion,
        "help": ytt_commands.help_of,
        "website": ytt_commands.website,
    }[name]
    return run(argv)


# Called by completion scripts; everything after it is an argument.
_COMPLETE = ("__complete", "__completeNoDesc")
_COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "template": lambda argv: _template(TEMPLATE, argv),
    "t": lambda argv: _template(TEMPLATE, argv),
    "tpl": lambda argv: _template(TEMPLATE, argv),
    "fmt": _fmt,
    "version": _version,
    "completion": lambda argv: _about("completion", argv),
    "website": lambda argv: _about("website", argv),
    "help": lambda argv: _about("help", argv),
}
