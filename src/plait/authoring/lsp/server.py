"""The requests of the protocol, answered by the features."""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from plait.authoring.lsp import (
    code_actions,
    commits,
    completion,
    hover,
    inlay_hints,
    navigation,
    reformat,
    renaming,
    symbols,
    tokens,
)
from plait.authoring.lsp.connection import Connection, UnconfirmedError, path_of
from plait.authoring.lsp.evaluation import LIMITS
from plait.base.permissions import FILE_NAMES
from plait.base.process import goes_on, serve_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.lsp.features import SourceLine, Symbol

_KINDS = {
    "annotation": types.CompletionItemKind.Keyword,
    "argument": types.CompletionItemKind.Property,
    "file": types.CompletionItemKind.File,
    "function": types.CompletionItemKind.Function,
    "item": types.CompletionItemKind.Value,
    "key": types.CompletionItemKind.Property,
    "keyword": types.CompletionItemKind.Keyword,
    "method": types.CompletionItemKind.Method,
    "module": types.CompletionItemKind.Module,
    "value": types.CompletionItemKind.Field,
    "variable": types.CompletionItemKind.Variable,
}
_SYMBOLS = {
    "document": types.SymbolKind.Class,
    "function": types.SymbolKind.Function,
    "item": types.SymbolKind.Object,
    "key": types.SymbolKind.Field,
    "operation": types.SymbolKind.Event,
}

server = Connection()


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def _opened(server: Connection, params: types.DidOpenTextDocumentParams) -> None:
    server.loop = asyncio.get_running_loop()
    path = server.opened(params.text_document.uri)
    server.state.open(path, params.text_document.text)
    server.publish(path)
    server.request_permissions(path)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def _changed(server: Connection, params: types.DidChangeTextDocumentParams) -> None:
    path = path_of(params.text_document.uri)
    server.state.open(path, server.workspace.get_text_document(params.text_document.uri).source)
    server.publish(path)


@server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def _closed(server: Connection, params: types.DidCloseTextDocumentParams) -> None:
    path = server.closed(params.text_document.uri)
    server.state.close(path)
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))
    server.publish_all()


@server.feature(types.TEXT_DOCUMENT_DID_SAVE)
def _saved(server: Connection, params: types.DidSaveTextDocumentParams) -> None:
    path = path_of(params.text_document.uri)
    server.publish(path)
    server.request_permissions(path)


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def _files_changed(server: Connection, params: types.DidChangeWatchedFilesParams) -> None:
    for change in params.changes:
        server.state.touch(path_of(change.uri), has_come_or_gone=change.type != types.FileChangeType.Changed)
    server.publish_all()


@server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
def _folders_changed(server: Connection, params: types.DidChangeWorkspaceFoldersParams) -> None:
    # The runs of an added folder are evaluated once one of its files is open.
    for folder in params.event.removed:
        server.state.leave(path_of(folder.uri))
    server.publish_all()


@server.feature(types.INITIALIZED)
async def _initialized(server: Connection, _params: types.InitializedParams) -> None:
    # A project may read files outside its directory, so it must be known before one of its own files is open.
    if server.has_disk:
        _read_projects(server)
    await server.watch()


def _read_projects(server: Connection) -> None:
    """Reads the project files at the root of the open folders."""
    folders = [path_of(folder.uri) for folder in server.workspace.folders.values()]
    for folder in filter(None, dict.fromkeys((*folders, server.workspace.root_path))):
        for path in (os.path.join(folder, name) for name in FILE_NAMES):
            if os.path.isfile(path):
                server.state.runs_of(path)


@server.feature(types.SHUTDOWN)
def _shut_down(server: Connection, _params: None) -> None:
    server.end()


@server.feature(types.TEXT_DOCUMENT_HOVER)
async def _hover(server: Connection, params: types.HoverParams) -> types.Hover | None:
    await server.traced(path_of(params.text_document.uri))
    found = hover.hover(server.state, *server.place(params.text_document.uri, params.position))
    if found is None:
        return None
    told = await _commits_text(server, found.sources)
    text = f"{found.text}\n\n{told}" if told else found.text
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


async def _commits_text(server: Connection, sources: Sequence[SourceLine]) -> str:
    if not sources or not server.has_disk:
        return ""
    try:
        return await asyncio.wait_for(server.apart(commits.commits_text, sources), commits.SECONDS)
    except TimeoutError:
        return ""


@server.feature(
    types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["@", ".", '"', "'", "/", ":", "#", " "])
)
def _complete(server: Connection, params: types.CompletionParams) -> types.CompletionList:
    path, line, column = server.place(params.text_document.uri, params.position)
    items = []
    for number, one in enumerate(completion.complete(server.state, path, line, column)):
        start = types.Position(line - 1, server.units(path, line, one.start))
        items.append(
            types.CompletionItem(
                label=one.label,
                kind=_KINDS.get(one.kind),
                detail=one.detail or None,
                documentation=types.MarkupContent(types.MarkupKind.Markdown, one.documentation)
                if one.documentation
                else None,
                text_edit=types.TextEdit(types.Range(start, params.position), one.text or one.label),
                filter_text=one.label,
                sort_text=f"{number:05}",
            )
        )
    return types.CompletionList(is_incomplete=len(items) == completion.MOST, items=items)


@server.feature(types.TEXT_DOCUMENT_DEFINITION)
async def _definition(server: Connection, params: types.DefinitionParams) -> list[types.Location]:
    await server.traced(path_of(params.text_document.uri))
    found = navigation.definition(server.state, *server.place(params.text_document.uri, params.position))
    return [server.location(span) for span in found]


@server.feature(types.TEXT_DOCUMENT_REFERENCES)
async def _references(server: Connection, params: types.ReferenceParams) -> list[types.Location]:
    await server.traced(path_of(params.text_document.uri))
    found = navigation.references(server.state, *server.place(params.text_document.uri, params.position))
    return [server.location(span) for span in dict.fromkeys(found)]


@server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
async def _prepare_rename(server: Connection, params: types.PrepareRenameParams) -> types.Range | None:
    place = server.place(params.text_document.uri, params.position)
    span = await server.apart(renaming.renamed_at, server.state, *place)
    return None if span is None else server.range(span)


@server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
async def _rename(server: Connection, params: types.RenameParams) -> types.WorkspaceEdit:
    place = server.place(params.text_document.uri, params.position)
    try:
        found = await server.apart(renaming.rename, server.state, *place, params.new_name)
        return server.edits(found.edits, doubt=found.doubt)
    except (renaming.RenameError, UnconfirmedError) as refused:
        raise JsonRpcInvalidParams(str(refused)) from None


@server.feature(
    types.TEXT_DOCUMENT_CODE_ACTION,
    types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorExtract]),
)
async def _actions(server: Connection, params: types.CodeActionParams) -> list[types.CodeAction]:
    place = server.place(params.text_document.uri, params.range.start)
    return await server.apart(_offered, server, *place, params.range.end.line + 1)


def _offered(server: Connection, path: str, line: int, column: int, last: int) -> list[types.CodeAction]:
    out = []
    for problem, fix in code_actions.fixes(server.state, path, line, last):
        out.append(
            types.CodeAction(
                fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[server.diagnostic(problem)],
                edit=server.edits(fix.edits),
            )
        )
    for fix in code_actions.changes(server.state, path, line, column):
        kind = types.CodeActionKind.RefactorExtract
        out.append(types.CodeAction(fix.title, kind=kind, edit=server.edits(fix.edits)))
    return out


@server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
def _hints(server: Connection, params: types.InlayHintParams) -> list[types.InlayHint]:
    path = path_of(params.text_document.uri)
    out = []
    for hint in inlay_hints.hints(server.state, path, params.range.start.line + 1, params.range.end.line + 1):
        place = types.Position(hint.line - 1, server.units(path, hint.line, hint.column))
        out.append(types.InlayHint(place, hint.text, tooltip=hint.tooltip))
    return out


@server.feature(types.TEXT_DOCUMENT_CODE_LENS)
def _lenses(server: Connection, params: types.CodeLensParams) -> list[types.CodeLens]:
    path = path_of(params.text_document.uri)
    return [
        types.CodeLens(
            types.Range(types.Position(lens.line - 1, 0), types.Position(lens.line - 1, 0)),
            types.Command(lens.text, ""),
        )
        for lens in inlay_hints.lenses(server.state, path)
    ]


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def _symbols(server: Connection, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    path = path_of(params.text_document.uri)
    return _as_symbols(symbols.symbols(server.state, path))


def _as_symbols(found: Sequence[Symbol]) -> list[types.DocumentSymbol]:
    out = []
    for one in found:
        first = types.Position(one.line - 1, 0)
        whole = types.Range(first, types.Position(max(one.last, one.line), 0))
        out.append(
            types.DocumentSymbol(
                one.name or "?",
                _SYMBOLS[one.kind],
                whole,
                types.Range(first, first),
                detail=one.detail or None,
                children=_as_symbols(one.inner),
            )
        )
    return out


@server.feature(
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
    types.SemanticTokensLegend(token_types=[*tokens.KINDS], token_modifiers=[]),
)
def _tokens(server: Connection, params: types.SemanticTokensParams) -> types.SemanticTokens:
    path = path_of(params.text_document.uri)
    file = server.state.file(path)
    codec = server.workspace.position_codec
    data: list[int] = []
    line = start = 0
    for token in tokens.tokens(server.state, path):
        text = "" if file is None else file.line(token.line)
        begin = codec.client_num_units(text[: token.column - 1])
        size = codec.client_num_units(text[token.column - 1 : token.end - 1])
        same = token.line - 1 == line
        data += [token.line - 1 - line, begin - start if same else begin, size, tokens.KINDS.index(token.kind), 0]
        line, start = token.line - 1, begin
    return types.SemanticTokens(data)


@server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
def _folding(server: Connection, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    found = symbols.folds(server.state, path_of(params.text_document.uri))
    return [types.FoldingRange(first - 1, last - 1) for first, last in found]


@server.feature(types.TEXT_DOCUMENT_SELECTION_RANGE)
def _selections(server: Connection, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    out: list[types.SelectionRange] = []
    for position in params.positions:
        path, line, column = server.place(params.text_document.uri, position)
        around: types.SelectionRange | None = None
        for start, end in reversed(symbols.selections(server.state, path, line, column)):
            begin, stop = (types.Position(at[0] - 1, server.units(path, *at)) for at in (start, end))
            around = types.SelectionRange(types.Range(begin, stop), around)
        out.append(around or types.SelectionRange(types.Range(position, position)))
    return out


@server.feature(types.TEXT_DOCUMENT_FORMATTING)
def _formatting(server: Connection, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    return _line_edits(server, path_of(params.text_document.uri), None)


@server.feature(types.TEXT_DOCUMENT_RANGE_FORMATTING)
def _range_formatting(server: Connection, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
    # If whole lines are selected, the selection ends at the start of the next line.
    start, end = params.range.start, params.range.end
    last = end.line - 1 if end.character == 0 and end.line > start.line else end.line
    return _line_edits(server, path_of(params.text_document.uri), (start.line, last))


def _line_edits(server: Connection, path: str, lines: tuple[int, int] | None) -> list[types.TextEdit]:
    before = server.state.texts.get(path, "").split("\n")
    edits = []
    for first, last, text in reformat.changed_lines(server.state, path, lines):
        end = server.units(path, last + 1, len(before[last]) + 1)
        edits.append(types.TextEdit(types.Range(types.Position(first, 0), types.Position(last, end)), text))
    return edits


def serve() -> None:
    """Serves until the editor ends the connection."""
    goes_on()
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # the server reports errors itself
    # The library closes its streams, but the command line still flushes standard output at exit.
    requests, answers = os.fdopen(os.dup(sys.stdin.fileno()), "rb"), os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    with serve_on(LIMITS["memory"]):
        try:
            server.start_io(requests, answers)
        finally:
            server.end()
