"""`plait render`: templates, overlays, data values, schemas and libraries, with the flags of ytt
(docs/guide-render.md).

Reads the command line and the inputs, runs the phases of the workspace, and writes the documents. Any error ends with
status 1, as in ytt.
"""

from __future__ import annotations

from time import perf_counter

from plait.base.errors import LimitError, PlaitError
from plait.cli.common_flags import performed
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
        from plait.cli.render_subcommands import run

        return run(argv[place], [*argv[:place], *argv[place + 1 :]], RENDER, deliver)
    return performed(RENDER, _run, argv)


def _run(flags: RenderCommand) -> int:
    if flags.version:
        from plait.cli.render_subcommands import print_version

        return print_version()
    return deliver(flags)


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
