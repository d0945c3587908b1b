"""One connection to an editor: conversion of positions, and notifications.

The protocol counts lines and columns from 0, in negotiated units; the features count from 1, in characters.
"""

from __future__ import annotations

import asyncio
import logging
import os
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer

from plait.authoring.lsp import diagnostics
from plait.authoring.lsp.asking import ask
from plait.authoring.lsp.protocol import Protocol
from plait.authoring.lsp.resource_schemas import find_faults
from plait.authoring.lsp.state import ServerState
from plait.authoring.lsp.unused_diagnostics import NOTE, UNUSED, WARNING
from plait.base.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

    from plait.authoring.lsp.features import EditorDiagnostic, FileEdit, FileRange

_SEVERITIES = {
    diagnostics.ERROR: types.DiagnosticSeverity.Error,
    WARNING: types.DiagnosticSeverity.Warning,
    NOTE: types.DiagnosticSeverity.Information,
    UNUSED: types.DiagnosticSeverity.Hint,
}
# Seconds that a request waits for a trace. Then the last one is used.
_WAITS = 1.0
# Polling interval in seconds, for an editor that does not watch files.
_LOOKS = 2.0


class UnconfirmedError(Exception):
    """Raised for unverified edits if the client cannot ask the user to confirm them."""


class Connection(LanguageServer):
    """One connection to an editor."""

    def __init__(self) -> None:
        sync = types.TextDocumentSyncKind.Incremental
        super().__init__("plait", __version__, text_document_sync_kind=sync, protocol_cls=Protocol)
        self.state = ServerState(self._evaluated, find_faults)
        self.loop: asyncio.AbstractEventLoop | None = None
        # The URI of each open file by path, as the client wrote it, because a client may not recognize another
        # spelling.
        self._uris: dict[str, str] = {}
        # True if there are other files than the open ones.
        self.has_disk = True
        # True if long work can be done in another thread.
        self.has_threads = True
        # The directories of projects about which the user was asked.
        self.asked: set[str] = set()
        self._asking: set[asyncio.Task[None]] = set()
        # Published diagnostics of files that are not open, by path.
        self._told: dict[str, list[types.Diagnostic]] = {}
        self._looking: asyncio.Task[None] | None = None

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Logs an error, instead of showing a message for each request. Mistakes of the client have no traceback."""
        is_clients = source is JsonRpcException or isinstance(error, JsonRpcInvalidParams | JsonRpcMethodNotFound)
        logging.getLogger(__name__).error("%s: %s", source.__name__, error, exc_info=not is_clients)

    async def apart(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Runs a function that evaluates runs. With threads, other requests are answered meanwhile."""
        if self.has_threads:
            return await asyncio.to_thread(work, *arguments, **named)
        return work(*arguments, **named)

    async def traced(self, path: str) -> None:
        """Waits a short time until the runs that read a file are traced with its current text."""
        if self.has_threads:
            await asyncio.to_thread(self.state.wait_for_trace, path, _WAITS)

    # ---- files

    def opened(self, uri: str) -> str:
        """Records that a file is open. Returns its path."""
        path = path_of(uri)
        self._uris[path] = uri
        return path

    def closed(self, uri: str) -> str:
        """Records that a file was closed. Returns its path."""
        path = path_of(uri)
        self._uris.pop(path, None)
        return path

    def uri_of(self, path: str) -> str:
        """The URI of a file: the client's own for an open file."""
        return self._uris.get(path) or uri_of(path)

    def request_permissions(self, path: str) -> None:
        """Asks the user about the project of a file, if needed."""
        if not self.has_disk:
            return
        task = asyncio.ensure_future(self._ask(path))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _ask(self, path: str) -> None:
        changed = await ask(path, self.asked, self.window_show_message_request_async)
        if changed is not None:
            self.state.touch(changed)
            self.publish_all()

    # ---- positions

    def place(self, uri: str, position: types.Position) -> tuple[str, int, int]:
        """The path, line and column of a request."""
        path = path_of(uri)
        file = self.state.file(path)
        text = "" if file is None else file.line(position.line + 1)
        found = self.workspace.position_codec.position_from_client_units(
            [f"{text}\n"], types.Position(0, position.character)
        )
        return path, position.line + 1, found.character + 1

    def units(self, path: str, line: int, column: int) -> int:
        """A column of a line, in the client's units from 0."""
        if column == 1:
            return 0
        file = self.state.file(path)
        text = "" if file is None else file.line(line)
        return int(self.workspace.position_codec.client_num_units(text[: column - 1]))

    def range(self, span: FileRange) -> types.Range:
        """A span in the client's units."""
        return types.Range(
            types.Position(span.line - 1, self.units(span.path, span.line, span.column)),
            types.Position((span.last or span.line) - 1, self.units(span.path, span.last or span.line, span.end)),
        )

    def location(self, span: FileRange) -> types.Location:
        return types.Location(self.uri_of(span.path), self.range(span))

    def edits(self, edits: Iterable[FileEdit], *, doubt: str = "") -> types.WorkspaceEdit:
        """Edits for the client. doubt: the reason why they are not verified; then the user must confirm them.

        Raises UnconfirmedError for a client without confirmation.
        """
        by_uri: dict[str, list[FileEdit]] = {}
        for edit in edits:
            by_uri.setdefault(self.uri_of(edit.span.path), []).append(edit)
        if not doubt or not by_uri:
            return types.WorkspaceEdit(
                changes={
                    uri: [types.TextEdit(self.range(one.span), one.text) for one in those]
                    for uri, those in by_uri.items()
                }
            )
        capabilities = self.client_capabilities.workspace
        supported = None if capabilities is None else capabilities.workspace_edit
        if supported is None or not supported.document_changes or supported.change_annotation_support is None:
            raise UnconfirmedError(f"not verified: {doubt}")
        annotation = types.ChangeAnnotation("Not verified", needs_confirmation=True, description=doubt)
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(uri),
                    [types.AnnotatedTextEdit("doubt", self.range(one.span), one.text) for one in those],
                )
                for uri, those in by_uri.items()
            ],
            change_annotations={"doubt": annotation},
        )

    # ---- notifications

    def _evaluated(self) -> None:
        """Called in the evaluating thread when an evaluation ends. Notifies the editor from the server's loop."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.publish_all)

    def publish_all(self) -> None:
        """Publishes the problems of open files, and refreshes lenses and hints."""
        for path in [*self.state.texts]:
            self.publish(path)
        self._publish_unopened()
        capabilities = self.client_capabilities.workspace
        if capabilities is not None and capabilities.inlay_hint and capabilities.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if capabilities is not None and capabilities.code_lens and capabilities.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def publish(self, path: str) -> None:
        """Publishes the problems of an open file."""
        found = [self.diagnostic(problem) for problem in diagnostics.problems(self.state, path)]
        document = self.workspace.text_documents.get(self.uri_of(path))
        version = None if document is None else document.version
        self._told.pop(path, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(self.uri_of(path), found, version))

    def _publish_unopened(self) -> None:
        """Publishes errors in closed files, which a change in an open file may have caused."""
        for path in (self.state.concerned() | {*self._told}) - {*self.state.texts}:
            found = [
                self.diagnostic(problem)
                for problem in diagnostics.problems(self.state, path)
                if problem.severity == diagnostics.ERROR
            ]
            if found != self._told.get(path, []):
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(self.uri_of(path), found))
            self._told[path] = found
            if not found:
                del self._told[path]

    def diagnostic(self, problem: EditorDiagnostic) -> types.Diagnostic:
        return types.Diagnostic(
            range=self.range(problem.span),
            message=problem.message,
            severity=_SEVERITIES[problem.severity],
            source="plait",
            code=problem.code or None,
            tags=[types.DiagnosticTag.Unnecessary] if problem.severity == UNUSED else None,
            related_information=[
                types.DiagnosticRelatedInformation(self.location(span), text) for span, text in problem.also
            ],
        )

    # ---- files that change outside of the editor

    async def watch(self) -> None:
        """Registers for file changes; if the editor cannot report them, the server polls."""
        if not self.has_disk:
            return
        capabilities = self.client_capabilities.workspace
        watching = None if capabilities is None else capabilities.did_change_watched_files
        if watching is None or not watching.dynamic_registration:
            self._looking = asyncio.ensure_future(self._look())
            return
        # Templates read files of any kind, so all files are watched.
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
        registration = types.Registration("plait-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        await self.client_register_capability_async(types.RegistrationParams([registration]))

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_LOOKS)
            changed = self.state.look()
            for path, has_come_or_gone in changed.items():
                self.state.touch(path, has_come_or_gone=has_come_or_gone)
            if changed:
                self.publish_all()

    def end(self) -> None:
        """Ends the connection."""
        if self._looking is not None:
            self._looking.cancel()
        self.state.shut_down()


def path_of(uri: str) -> str:
    """The absolute path of a file, or the path of a URI of another scheme. Raises JsonRpcInvalidParams."""
    try:
        path = uris.to_fs_path(uri)
        found = unquote(urlsplit(uri).path) if path is None else os.path.abspath(path)
    except ValueError as error:
        raise JsonRpcInvalidParams(f"{uri}: {error}") from None
    if "\0" in found:
        raise JsonRpcInvalidParams("a URI contains a null byte")
    return found


def uri_of(path: str) -> str:
    found = uris.from_fs_path(path)
    return path if found is None else found
