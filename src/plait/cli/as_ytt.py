"""plait in the place of ytt: ytt's command line, ytt's text on standard error.

The command line is ytt's with plait's flags beside its own, so that `--limit` and `--isolate` can be used in a program
that calls ytt. Nothing is warned of that ytt does not warn of, unless a flag or PLAIT_WARNINGS asks for it.
"""

from __future__ import annotations

import os

from plait.cli.render import FMT, run_render
from plait.cli.streams import write_out
from plait.engine.common import WARNINGS, WARNINGS_HIDDEN
from plait.engine.flags import Command, command_of
from plait.engine.options import SWITCH, Option
from plait.engine.render import Render
from plait.errors import LimitError, PlaitError, UsageError
from plait.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# The newest release of ytt all of whose changes plait has (see docs/compatibility/ytt.md).
YTT_VERSION = "0.49.0"
VERSION_VARIABLE = "PLAIT_YTT_VERSION"

PROGRAM = "ytt"
_FLAGS = tuple(WARNINGS_HIDDEN if row is WARNINGS else row for row in Render.rows)
YTT = Command(
    "ytt",
    "ytt performs YAML templating. This is plait, in its place.",
    (*_FLAGS, Option("version", SWITCH, "print the version")),
    commands=(
        ("completion", "print a script that completes commands and flags in a shell"),
        ("fmt", "format YAML templates"),
        ("help", "print help"),
        ("template", "the same as ytt without a command (also t, tpl)"),
        ("version", "print the version"),
        ("website", "serve the playground to the browsers of this machine"),
    ),
    program=PROGRAM,
    request=Render,
)
TEMPLATE = command_of(Render, "ytt template", summary=YTT.summary, flags=_FLAGS, program=PROGRAM)
YTT_FMT = Command(
    "ytt fmt", FMT.summary, (flag for flag in FMT.flags if flag.name != "help"), program=PROGRAM, request=Render
)
YTT_VERSION_COMMAND = Command("ytt version", "Print the version.", program=PROGRAM)
HELP_COMMAND = Command("ytt help", "Print help.", arguments="COMMAND", program=PROGRAM)
COMPLETION = Command(
    "ytt completion", "Print a script that completes commands and flags in a shell.", arguments="SHELL", program=PROGRAM
)


def main(argv: Sequence[str]) -> int:
    """Run one command line of ytt; the exit status. Raises PlaitError with exit status 1, or 3 for a limit."""
    try:
        return _dispatch(argv)
    except PlaitError as error:
        error.exit_status = 3 if isinstance(error, LimitError) else 1
        raise


def _dispatch(argv: Sequence[str]) -> int:
    place = YTT.first_argument(argv)
    name = "" if place is None else argv[place]
    run = _COMMANDS.get(name)
    if run is None or place is None:
        return _template(YTT, argv)
    return run([*argv[:place], *argv[place + 1 :]])


def _template(command: Command, argv: Sequence[str]) -> int:
    if command is YTT and command.parse(argv).on("version"):
        return _print_version()
    return run_render(command, argv)


def _fmt(argv: Sequence[str]) -> int:
    from plait.cli.formatted import print_formatted

    flags = YTT_FMT.parse(argv)
    return _help(YTT_FMT) if flags.on("help") else print_formatted(flags, marks_end=False)


def _version(argv: Sequence[str]) -> int:
    if YTT_VERSION_COMMAND.parse(argv).on("help"):
        return _help(YTT_VERSION_COMMAND)
    return _print_version()


def _print_version() -> int:
    write_out(f"ytt version {os.environ.get(VERSION_VARIABLE) or YTT_VERSION} (plait {__version__})\n")
    return 0


def _completion(argv: Sequence[str]) -> int:
    from plait.cli.start import SHELLS

    flags = COMPLETION.parse(argv)
    write = SHELLS.get(flags.arguments[0]) if flags.arguments else None
    if flags.on("help") or write is None:
        return _help(COMPLETION)
    if len(flags.arguments) > 1:
        raise UsageError(f'unknown command "{flags.arguments[1]}" for "ytt completion {flags.arguments[0]}"')
    commands = {"template": TEMPLATE, "fmt": YTT_FMT, "version": YTT_VERSION_COMMAND, "completion": COMPLETION}
    write_out(write(commands, PROGRAM, YTT))
    return 0


def _website(argv: Sequence[str]) -> int:
    from plait.cli.website import main as serve

    return serve(argv)


def _help(command: Command) -> int:
    write_out(command.help_text())
    return 0


def _help_of(argv: Sequence[str]) -> int:
    HELP_COMMAND.parse(argv)
    named = YTT.first_argument(argv)
    return _help(YTT if named is None else _DESCRIBED.get(argv[named], YTT))


_COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "template": lambda argv: _template(TEMPLATE, argv),
    "t": lambda argv: _template(TEMPLATE, argv),
    "tpl": lambda argv: _template(TEMPLATE, argv),
    "fmt": _fmt,
    "version": _version,
    "completion": _completion,
    "website": _website,
    "help": _help_of,
}
_DESCRIBED = {
    "template": TEMPLATE,
    "t": TEMPLATE,
    "tpl": TEMPLATE,
    "fmt": YTT_FMT,
    "version": YTT_VERSION_COMMAND,
    "completion": COMPLETION,
}
