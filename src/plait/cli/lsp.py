"""`plait lsp`: the language server on standard input and output."""

from __future__ import annotations

from plait.cli.streams import write_out
from plait.engine.flags import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LSP = Command(
    "plait lsp", "Serve editors: the language server protocol on standard input and output.", is_long_running=True
)

# What clients add to the command, whatever the server is: it speaks on standard input and output in any case.
_OF_CLIENTS = ("--stdio", "--clientProcessId=")


def main(argv: Sequence[str]) -> int:
    """Run `plait lsp`; the exit status. Raises ModuleNotFoundError without its libraries."""
    flags = LSP.parse([word for word in argv if not word.startswith(_OF_CLIENTS)])
    if flags.on("help"):
        write_out(LSP.help_text())
        return 0
    from plait.lsp.server import serve

    serve()
    return 0
