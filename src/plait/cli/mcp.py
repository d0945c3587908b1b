"""`plait mcp`: tools for AI agents on standard input and output."""

from __future__ import annotations

import os

from plait.base.errors import UsageError
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
    if not os.path.isdir(directory):
        raise UsageError(
            f'"{directory}" is not a directory',
            expected="a directory with projects",
            hint='the settings of a client name it: {"command": "plait", "args": ["mcp", "DIRECTORY"]}',
            code="invalid-value",
        )
    serve(directory)
    return 0
