"""`plait render`: templates, overlays, data values, schemas and libraries, with the flags of ytt
(docs/guide-render.md).

Reads the command line and the inputs, runs the phases of the workspace, and writes the documents. Any error ends with
status 1, as in ytt.
"""

from __future__ import annotations

from plait.base.errors import LimitError, PlaitError
from plait.cli.common_flags import (
    performed,
    shown,
)
from plait.cli.streams import write_out
from plait.engine.common import GENERAL, ISOLATE, LIMIT, SAFETY
from plait.engine.flags import Command
from plait.engine.options import Heading, Request, switch
from plait.engine.render import Render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.engine.flags import AnyCommand
    from plait.engine.options import Declared

_SUBCOMMANDS = (
    ("fmt", "format YAML templates"),
    ("template", "the same as render without a command"),
    ("version", "print the version"),
    ("completion", "print a script that completes commands and flags in a shell"),
    ("help", "print help"),
)

# Declared separately, because `render template` has a command `version` in place of the flag.
VERSION_FLAG: Declared = switch("version", "print the version", setting="")


class RenderCommand(Render):
    """The command line of `plait render`."""

    __slots__ = ()
    commands = _SUBCOMMANDS
    version = VERSION_FLAG


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


RENDER = Command(RenderCommand)
TEMPLATE = Command(Render, "plait render template")
FMT = Command(RenderFmt, "plait render fmt")
VERSION = Command(Version, "plait render version")

SUBCOMMANDS: dict[str, AnyCommand] = {"template": TEMPLATE, "fmt": FMT, "version": VERSION}


def main(argv: Sequence[str]) -> int:
    """Runs `plait render`. Returns the exit status. Raises PlaitError with exit status 1, or 3 for a limit."""
    try:
        return _dispatch(argv)
    except PlaitError as error:
        raise with_status(error) from None


def with_status(error: PlaitError) -> PlaitError:
    """The error with exit status 1, as in ytt; ytt has no limits."""
    error.exit_status = 3 if isinstance(error, LimitError) else 1
    return error


def _dispatch(argv: Sequence[str]) -> int:
    place = RENDER.first_argument(argv)
    name = "" if place is None else argv[place]
    rest = argv if place is None else [*argv[:place], *argv[place + 1 :]]
    if name == "fmt":
        from plait.cli.render_fmt import print_formatted

        return performed(FMT, lambda flags: print_formatted(flags, marks_end=True), rest)
    if name == "template":
        return performed(TEMPLATE, _deliver, rest)
    if name == "version":
        return performed(VERSION, lambda _: _version(), rest)
    if name == "help":
        return shown(SUBCOMMANDS.get(rest[0] if rest else "", RENDER))
    if name == "completion":
        from plait.cli.completing import COMPLETION, main_completion

        return performed(COMPLETION, main_completion, rest)
    return performed(RENDER, lambda flags: _version() if flags.version else _deliver(flags), argv)


def _version() -> int:
    from plait.base.version import __version__

    write_out(f"plait version {__version__}\n")
    return 0


def _deliver(flags: Render) -> int:
    from plait.cli.render import deliver

    return deliver(flags)
