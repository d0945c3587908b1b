"""The MCP server: tools and resources on standard input and output.

Each call runs in a worker process with the limits of the editor. If the client cancels it, the process is killed.
"""

from __future__ import annotations

import os
from contextvars import copy_context
from typing import cast
from urllib.parse import unquote

from plait.api.cancellation import CURRENT, Canceller
from plait.api.workers import call_in_worker
from plait.authoring.interactive import INTERACTIVE
from plait.base.errors import PlaitError, UsageError
from plait.base.version import __version__
from plait.insight.diagnostic_formats import data_of
from plait.integrations.agents.pages import page_of, topics
from plait.integrations.agents.result_pages import MOST, fitting, text_of
from plait.integrations.agents.tools import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeVar

    from anyio import CapacityLimiter
    from mcp import types

    from plait.integrations.agents.result_pages import Page
    from plait.tree.plain_data import Plain

    T = TypeVar("T")

INSTRUCTIONS = (
    "plait renders YAML from templates, overlays, operations and layered documents, and knows the line behind every "
    "value. Start with runs, then search for a value by words, explain it, and set it to get a patch. Nothing is "
    "written, secrets are hidden, and long results continue with offset."
)
_RUNS, _DOCS = "plait://runs", "plait://docs"


def called(tool: str, arguments: Mapping[str, Plain]) -> Page:
    """The result of a tool, evaluated in a worker process. Raises PlaitError, TypeError and ValueError."""
    limits = {**INTERACTIVE, "seconds": TOOLS[tool].seconds}
    given = {"tool": tool, "arguments": arguments, "limits": limits}
    return cast("Page", call_in_worker("plait.integrations.agents.tools.answer", given))


def resource(uri: str) -> str:
    """The text of a resource. Raises PlaitError."""
    if uri == _DOCS or uri.startswith(_DOCS + "/"):
        return page_of(uri.removeprefix(_DOCS).removeprefix("/"))
    if uri == _RUNS:
        return text_of(called("runs", {}))
    run, slash, document = uri.removeprefix(_RUNS + "/").partition("/documents")
    if uri.startswith(_RUNS + "/") and slash and run:
        return text_of(called("render", {"run": unquote(run), "path": unquote(document.removeprefix("/"))}))
    raise UsageError(
        f'no resource is called "{uri}"',
        expected=f"{_RUNS}, {_RUNS}/RUN/documents, {_DOCS}/TOPIC",
        code="unknown-choice",
    )


def tools() -> types.ListToolsResult:
    """The tools, with their schemas."""
    from mcp import types

    hints = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=one.name,
                description=one.description,
                input_schema=one.input_schema,
                output_schema=one.output_schema,
                annotations=hints,
            )
            for one in TOOLS.values()
        ]
    )


def resources() -> types.ListResourcesResult:
    """The resources that have no parameters."""
    from mcp import types

    found = [
        types.Resource(uri=_RUNS, name="runs", description="the runs of the project", mime_type="text/plain"),
        types.Resource(uri=_DOCS, name="docs", description="the pages of the documentation", mime_type="text/plain"),
    ]
    found += [types.Resource(uri=f"{_DOCS}/{one}", name=one, mime_type="text/markdown") for one in topics()]
    return types.ListResourcesResult(resources=found)


def resource_templates() -> types.ListResourceTemplatesResult:
    """The resources with parameters."""
    from mcp import types

    rows = (
        (f"{_RUNS}/{{run}}/documents", "the documents of a run, as YAML"),
        (f"{_RUNS}/{{run}}/documents/{{document}}", "a document of a run, or a value of it by its PATH"),
        (f"{_DOCS}/{{+topic}}", "a page of the documentation"),
    )
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(uri_template=uri, name=about, description=about) for uri, about in rows
        ]
    )


def failed(text: str, diagnostics: Sequence[Mapping[str, object]] = ()) -> types.CallToolResult:
    """The result of a call that failed, with its diagnostics as data."""
    from mcp import types

    data = {"diagnostics": [*diagnostics]} if diagnostics else None
    text = text if len(text) <= MOST else f"{text[: MOST - 40]}\n... the rest of the message is left out"
    content = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=[*content], structured_content=data, is_error=True)


async def in_thread(work: Callable[[], T], limiter: CapacityLimiter) -> T:
    """Runs work in a thread; if the request is cancelled, its worker process is killed."""
    from anyio.to_thread import run_sync

    stop = Canceller()

    def run() -> T:
        CURRENT.set(stop)
        return work()

    try:
        return await run_sync(copy_context().run, run, abandon_on_cancel=True, limiter=limiter)
    finally:
        stop.set()


def serve(directory: str) -> None:
    """Serves a directory until the client ends the connection. Raises ModuleNotFoundError without the extra."""
    from mcp import types  # first: the message about a missing module names its extra

    # isort: split
    import anyio
    import jsonschema
    from mcp.server import Server, ServerRequestContext
    from mcp.server.stdio import stdio_server
    from mcp.shared.exceptions import MCPError

    os.chdir(directory)
    # Calls at the same time; made inside of the event loop.
    limiters: list[anyio.CapacityLimiter] = []

    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        return tools()

    async def list_resources(_: object, __: object) -> types.ListResourcesResult:
        return resources()

    async def list_templates(_: object, __: object) -> types.ListResourceTemplatesResult:
        return resource_templates()

    async def call_tool(_: ServerRequestContext[object], params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"unknown tool: {params.name[:80]}")
        arguments = params.arguments or {}
        try:
            jsonschema.validate(arguments, tool.input_schema)
            found = await in_thread(lambda: called(tool.name, arguments), limiters[0])
        except jsonschema.ValidationError as error:
            where = ".".join(map(str, error.path))
            return failed(f"invalid arguments of {tool.name}: {where + ': ' if where else ''}{error.message}")
        except PlaitError as error:
            return failed(error.report(), fitting(data_of(error)))
        except (TypeError, ValueError) as error:
            return failed(str(error))
        data = {name: value for name, value in found.items() if name != "text"}
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text_of(found))], structured_content=data
        )

    async def read_resource(
        _: ServerRequestContext[object], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text = await in_thread(lambda: resource(uri), limiters[0])
        except PlaitError as error:
            raise MCPError(types.INVALID_PARAMS, error.report()[:MOST]) from None
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, text=text)])

    server = Server(
        "plait",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )

    async def run() -> None:
        limiters.append(anyio.CapacityLimiter(os.cpu_count() or 1))
        async with stdio_server() as (requests, answers):
            await server.run(requests, answers, server.create_initialization_options())

    anyio.run(run)
