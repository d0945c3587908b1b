"""`plait lsp`: the language server on standard input and output."""

from __future__ import annotations

from plait.engine.common import NO_EFFECT
from plait.engine.flags import Command
from plait.engine.options import Heading, Request, switch, text


class Lsp(Request):
    """The command line of `plait lsp`."""

    __slots__ = ()
    command = "lsp"
    summary = "Serve editors: the language server protocol on standard input and output."
    is_long_running = True
    # Clients add these to the command, whatever the server is: it speaks on standard input and output in any case.
    _1 = Heading(NO_EFFECT)
    stdio = switch("stdio", "", has_effect=False)
    client = text("clientProcessId", "", value="PID", has_effect=False)


LSP = Command(Lsp)


def main(_: Lsp) -> int:
    """Runs `plait lsp`; the exit status. Raises ModuleNotFoundError without its libraries."""
    from plait.authoring.lsp.server import serve

    serve()
    return 0
