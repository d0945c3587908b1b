"""`plait render`: templates, overlays, data values, schemas and libraries, with the flags of ytt
(docs/guide-render.md).

Reads the command line and the inputs, runs the phases of the workspace, and writes the documents. Any error ends with
status 1, as in ytt.
"""

from __future__ import annotations

from time import perf_counter

from plait.base.errors import LimitError, PlaitError
from plait.cli.common_flags import performed, shown
from plait.cli.streams import write_out
from plait.engine.common import keep_limits
from plait.engine.flags import Command
from plait.engine.options import Request, switch
from plait.engine.render import Render, inputs_of, read_inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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


RENDER = Command(RenderCommand)


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
    if place is not None and any(argv[place] == name for name, _ in _SUBCOMMANDS):
        return _run_subcommand(argv[place], [*argv[:place], *argv[place + 1 :]])
    return performed(RENDER, lambda flags: _print_version() if flags.version else deliver(flags), argv)


def _run_subcommand(name: str, words: Sequence[str]) -> int:
    from plait.cli.render_subcommands import FMT, SUBCOMMANDS, TEMPLATE, VERSION

    if name == "fmt":
        from plait.cli.render_fmt import print_formatted

        return performed(FMT, lambda flags: print_formatted(flags, marks_end=True), words)
    if name == "template":
        return performed(TEMPLATE, deliver, words)
    if name == "version":
        return performed(VERSION, lambda _: _print_version(), words)
    if name == "help":
        return shown(SUBCOMMANDS.get(words[0] if words else "", RENDER))
    from plait.cli.completing import COMPLETION, main_completion

    return performed(COMPLETION, main_completion, words)


def _print_version() -> int:
    from plait.base.version import __version__

    write_out(f"plait version {__version__}\n")
    return 0


def deliver(request: Request) -> int:
    """Evaluates a request and writes its result. Returns the exit status. Raises PlaitError."""
    assert isinstance(request, Render)
    if request.watch:
        from plait.cli.watch import watch

        return watch(lambda: (request, None), deliver)
    keep_limits(request)
    start = perf_counter()
    inputs = inputs_of(request)
    files = read_inputs(request, inputs)
    # Loaded last: often an input cannot be read.
    from plait.cli.render import print_rendered

    return print_rendered(request, files, inputs, start)
