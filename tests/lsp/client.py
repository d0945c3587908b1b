"""A real client of the protocol, beside the server as a process of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from workshop import TEMPLATES

from files import write_files
from patience import LONGEST


class Editor(LanguageClient):
    """A client that keeps what it was told."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.told: dict[str, list[types.Diagnostic]] = {}
        self.heard: list[str] = []
        self.versions: dict[str, int] = {}
        self.news = asyncio.Event()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def _(params: types.PublishDiagnosticsParams) -> None:
            self.told[params.uri] = [*params.diagnostics]
            self.heard += [one.message for one in params.diagnostics]
            self.news.set()

    async def until(self, fits: Callable[[], bool]) -> None:
        """Wait for what the server tells."""

        async def wait() -> None:
            while not fits():
                self.news.clear()
                await self.news.wait()

        await asyncio.wait_for(wait(), LONGEST)

    def open(self, path: Path, text: str | None = None) -> str:
        uri = path.as_uri()
        text = path.read_text("utf-8") if text is None else text
        item = types.TextDocumentItem(uri, "yaml", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        self.versions[uri] = 1
        return uri

    def change(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Change an open file."""
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [*changes]))

    def write(self, uri: str, text: str) -> None:
        """Put another text in the place of all of an open file."""
        self.change(uri, types.TextDocumentContentChangeWholeDocument(text))

    def errors(self, uri: str) -> list[str]:
        """What was told last of a file, but for what is not used."""
        return [one.message for one in self.told.get(uri, []) if one.severity == types.DiagnosticSeverity.Error]

    def changed_on_disk(self, *changes: tuple[Path, types.FileChangeType]) -> None:
        """Say what has become of files."""
        events = [types.FileEvent(path.as_uri(), kind) for path, kind in changes]
        self.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))


@asynccontextmanager
async def editor(
    top: Path,
    encodings: list[types.PositionEncodingKind | str] | None = None,
    files: Mapping[str, str] = TEMPLATES,
    workspace: types.WorkspaceClientCapabilities | None = None,
) -> AsyncIterator[tuple[Editor, types.InitializeResult]]:
    write_files(top, files)
    client = Editor()
    await client.start_io(sys.executable, "-m", "plait", "lsp")
    general = types.GeneralClientCapabilities(position_encodings=encodings)
    capabilities = types.ClientCapabilities(general=general, workspace=workspace)
    answer = await client.initialize_async(types.InitializeParams(capabilities=capabilities, root_uri=top.as_uri()))
    client.initialized(types.InitializedParams())
    try:
        yield client, answer
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        assert client._server is not None
        assert await asyncio.wait_for(client._server.wait(), LONGEST) == 0
        await client.stop()  # type: ignore[no-untyped-call]


def run(steps: Callable[[], Awaitable[None]]) -> None:
    async def within() -> None:
        await asyncio.wait_for(steps(), 2 * LONGEST)

    asyncio.run(within())
