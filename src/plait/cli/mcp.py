"""`plait mcp`: tools for AI agents on standard input and output."""

from __future__ import annotations

import os

from plait.cli.tools import only_argument
from plait.engine.flags import Command
from plait.engine.options import Request
from plait.integrations.agents.server import serve


class Mcp(Request):
    """The command line of `plait mcp`."""

    __slots__ = ()
    command = "mcp"
    summary = (
        "Serve AI agents: the Model Context Protocol on standard input and output. The tools answer questions about the "
        "projects in DIRECTORY (default: the working directory), and write nothing."
    )
    usage = "[DIRECTORY]"
    is_long_running = True


MCP = Command(Mcp)


def main(flags: Mcp) -> int:
    """Runs `plait mcp`. Returns the exit status. Raises ModuleNotFoundError if its library is missing."""
    directory = only_argument(MCP, flags, "directory", os.curdir)
    serve(directory)
    return 0
