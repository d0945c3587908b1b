"""The subcommands of `plait render`. Loaded only for them, and for help and completion."""

from __future__ import annotations

from plait.base.version import __version__
from plait.cli.common_flags import performed, shown
from plait.cli.streams import write_out
from plait.engine.common import GENERAL, ISOLATE, LIMIT, SAFETY
from plait.engine.flags import Command
from plait.engine.options import Heading, Request
from plait.engine.render import Render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.engine.flags import AnyCommand


class RenderFmt(Request):
    """The command line of `plait render fmt`."""

    __slots__ = ()
    summary = "Format YAML templates. Comments are preserved."
    inputs = Render.inputs
    strict = Render.strict
    _1 = Heading(SAFETY)
    offline = Render.offline
    limit = LIMIT
    isolate = ISOLATE
    _2 = Heading(GENERAL)
    debug = Render.debug


class Version(Request):
    """The command line of `plait render version`."""

    __slots__ = ()
    summary = "Print the version."


TEMPLATE = Command(Render, "plait render template")
FMT = Command(RenderFmt, "plait render fmt")
VERSION = Command(Version, "plait render version")

SUBCOMMANDS: dict[str, AnyCommand] = {"template": TEMPLATE, "fmt": FMT, "version": VERSION}


def run(name: str, words: Sequence[str], command: AnyCommand, deliver: Callable[[Request], int]) -> int:
    """Runs a subcommand of a command. Returns the exit status. Raises PlaitError.

    words: the rest of the command line. deliver: evaluates a request and writes its result.
    """
    if name == "fmt":
        from plait.cli.render_fmt import print_formatted

        return performed(FMT, lambda flags: print_formatted(flags, marks_end=True), words)
    if name == "template":
        return performed(TEMPLATE, deliver, words)
    if name == "version":
        return performed(VERSION, lambda _: print_version(), words)
    if name == "help":
        return shown(SUBCOMMANDS.get(words[0] if words else "", command))
    from plait.cli.completing import COMPLETION, main_completion

    return performed(COMPLETION, main_completion, words)


def print_version() -> int:
    """Prints the version. Returns the exit status."""
    write_out(f"plait version {__version__}\n")
    return 0
