"""Random edits and random questions: an answer each time, whatever the text looks like."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from client import editor, run
from lsprotocol import types
from workshop import KINDS, LAYERS, OPERATIONS, TEMPLATES, workshop

from plait.authoring.lsp import (
    code_actions,
    completion,
    diagnostics,
    hover,
    inlay_hints,
    navigation,
    renaming,
    symbols,
    tokens,
)
from plait.authoring.lsp.state import ServerState

PIECES = [
    "#@ ", "#@", "#@overlay/match by=", "#@overlay/remove", "#@ if x:", "#@ end", "#@ def f(", "data.values.", "load(",
    "(@= ", "@)", "---\n", "- ", "\n", "  ", ": ", '"', "'", "[", "]", "{", "}", "((", "))", "|\n", "&a", "*a", "!!int ",
    "\t", "é", "\U0001f600", "\x00", "\r", "path: /", "type: ", "value:", "?", "name=", "schema: ", "layer: ", "lambda x: ", "\\",
]  # fmt: skip


def _renamed(state: ServerState, path: str, line: int, column: int) -> object:
    try:
        return renaming.rename(state, path, line, column, "new")
    except renaming.RenameError as refused:
        return refused


QUESTIONS: list[Callable[[ServerState, str, int, int], object]] = [
    completion.complete,
    hover.hover,
    navigation.definition,
    navigation.references,
    renaming.renamed_at,
    _renamed,
    lambda state, path, line, _: inlay_hints.hints(state, path, 1, line),
    lambda state, path, _line, _column: inlay_hints.lenses(state, path),
    lambda state, path, _line, _column: symbols.symbols(state, path),
    lambda state, path, _line, _column: diagnostics.problems(state, path),
    lambda state, path, _line, _column: tokens.tokens(state, path),
    lambda state, path, line, _column: [*code_actions.fixes(state, path, line, line)],
    lambda state, path, line, column: [*code_actions.changes(state, path, line, column)],
]


def edited(text: str, chance: random.Random) -> str:
    """A text with something put in, taken out or moved."""
    at = chance.randrange(len(text) + 1)
    kind = chance.random()
    if kind < 0.6:
        return text[:at] + chance.choice(PIECES) + text[at:]
    if kind < 0.8:
        return text[:at] + text[at + chance.randrange(12) :]
    lines = text.split("\n")
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def session(top: Path, files: Mapping[str, str], seed: int, edits: int) -> int:
    """Edit and ask; how many questions were answered."""
    chance = random.Random(seed)
    asked = 0
    with workshop(top, files) as made:
        texts = dict(files)
        for _ in range(edits):
            name = chance.choice(sorted(texts))
            texts[name] = files[name] if chance.random() < 0.1 else edited(texts[name], chance)
            made.state.open(made.path(name), texts[name])
            if chance.random() < 0.5:
                made.wait()
            for _ in range(5):
                lines = texts[name].split("\n")
                line = chance.randrange(len(lines) + 2)
                column = chance.randrange(1, 40)
                chance.choice(QUESTIONS)(made.state, made.path(name), line, column)
                asked += 1
        made.wait()
    return asked


@pytest.mark.parametrize(
    "files", [TEMPLATES, OPERATIONS, LAYERS, KINDS], ids=["templates", "operations", "layers", "kinds"]
)
@pytest.mark.parametrize("seed", range(2))
def test_every_question_is_answered(
    tmp_path: Path, files: Mapping[str, str], seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert session(tmp_path, files, seed, 40) == 200
    assert caplog.messages == [], "no evaluation fails"


# ---- the same through the protocol


def place(chance: random.Random) -> types.Position:
    return types.Position(chance.randrange(25), chance.randrange(40))


def question(chance: random.Random, uri: str) -> tuple[str, object]:
    """A request of the protocol about a place that may not be there."""
    here = types.TextDocumentIdentifier(uri)
    at, area = place(chance), types.Range(place(chance), place(chance))
    choices: list[tuple[str, object]] = [
        (types.TEXT_DOCUMENT_COMPLETION, types.CompletionParams(here, at)),
        (types.TEXT_DOCUMENT_HOVER, types.HoverParams(here, at)),
        (types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams(here, at)),
        (types.TEXT_DOCUMENT_REFERENCES, types.ReferenceParams(types.ReferenceContext(True), here, at)),
        (types.TEXT_DOCUMENT_PREPARE_RENAME, types.PrepareRenameParams(here, at)),
        (types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionParams(here, area, types.CodeActionContext([]))),
        (types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintParams(here, area)),
        (types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensParams(here)),
        (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, types.DocumentSymbolParams(here)),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, types.SemanticTokensParams(here)),
        (types.TEXT_DOCUMENT_FOLDING_RANGE, types.FoldingRangeParams(here)),
    ]
    return chance.choice(choices)


def change(chance: random.Random) -> types.TextDocumentContentChangePartial:
    """A piece put in the place of a part of a text, in the units of the protocol."""
    first, last = sorted([place(chance), place(chance)], key=lambda one: (one.line, one.character))
    if chance.random() < 0.7:
        last = first
    return types.TextDocumentContentChangePartial(types.Range(first, last), chance.choice(PIECES))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
def test_every_request_is_answered(tmp_path: Path, encoding: str) -> None:
    """Random changes and requests, some of them taken back: none fails, and the server is there at the end."""

    async def steps() -> None:
        chance = random.Random(encoding)
        async with editor(tmp_path, [encoding]) as (client, _):
            uris = [client.open(tmp_path / name) for name in TEMPLATES]
            for _ in range(120):
                uri = chance.choice(uris)
                if chance.random() < 0.4:
                    client.change(uri, change(chance))
                method, params = question(chance, uri)
                await client.protocol.send_request_async(method, params)
            for uri in uris:
                client.write(uri, TEMPLATES[str(Path(unquote(urlsplit(uri).path)).relative_to(tmp_path))])
            app = (tmp_path / "config/app.yml").as_uri()
            await client.until(lambda: not any(client.errors(uri) for uri in uris))
            symbols = await client.text_document_document_symbol_async(
                types.DocumentSymbolParams(types.TextDocumentIdentifier(app))
            )
            assert [one.name for one in symbols or []] == ["name", "Deployment"]

    run(steps)
