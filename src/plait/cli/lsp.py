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
    # Flags that clients add to the command of any server. They have no effect, because the server always uses standard
    # input and output.
    _1 = Heading(NO_EFFECT)
    stdio = switch("stdio", "", has_effect=False)
    client = text("clientProcessId", "", value="PID", has_effect=False)


LSP = Command(Lsp)


def main(_: Lsp) -> int:
    """Runs `plait lsp`. Returns the exit status. Raises ModuleNotFoundError if its libraries are missing."""
    from plait.authoring.lsp.server import serve

    serve()
    return 0
