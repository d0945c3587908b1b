"""The client of the SDK, beside `plait mcp` as a process of its own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

pytest.importorskip("mcp.client.stdio", reason="needs the extra mcp")

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent

from patience import LONGEST

PROGRAM = [sys.executable, "-P", "-m", "plait", "mcp"]


@asynccontextmanager
async def session(directory: Path, **environment: str) -> AsyncIterator[ClientSession]:
    """A session with a server for a directory."""
    state = {"HOME": str(directory.parent), "XDG_STATE_HOME": str(directory.parent / "state"), "PLAIT_CACHE_DIR": ""}
    server = StdioServerParameters(
        command=PROGRAM[0], args=[*PROGRAM[1:], str(directory)], env={**os.environ, **state, **environment}
    )
    async with stdio_client(server) as (requests, answers), ClientSession(requests, answers) as client:
        await client.initialize()
        yield client


def run(steps: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        with anyio.fail_after(LONGEST):
            await steps()

    anyio.run(limited)


def text_of(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


def all_of(result: CallToolResult) -> str:
    """Everything that an agent sees."""
    return text_of(result) + json.dumps(result.structured_content)


def answers(
    directory: Path, calls: Sequence[tuple[str, Mapping[str, object]]], **environment: str
) -> list[CallToolResult]:
    """The results of calls in one session."""
    found: list[CallToolResult] = []

    async def steps() -> None:
        async with session(directory, **environment) as client:
            found.extend([await client.call_tool(name, dict(arguments)) for name, arguments in calls])

    run(steps)
    return found
