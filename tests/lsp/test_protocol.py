"""The server as a process, asked by a real client of the protocol."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from client import Editor, editor, run
from lsprotocol import types
from workshop import LAYERS, OPERATIONS, TEMPLATES


def test_a_session(tmp_path: Path) -> None:
    """Open, see what is wrong, mend it by an incremental change, ask all there is to ask."""

    async def steps() -> None:
        async with editor(tmp_path) as (client, answer):
            offered = answer.capabilities
            assert offered.hover_provider
            assert offered.rename_provider
            uri = client.open(tmp_path / "config/app.yml", TEMPLATES["config/app.yml"].replace("label(", "lable("))
            await client.until(lambda: any("lable" in one.message for one in client.told.get(uri, [])))
            [wrong] = [one for one in client.told[uri] if "lable" in one.message]
            here = types.TextDocumentIdentifier(uri)
            actions = await client.text_document_code_action_async(
                types.CodeActionParams(here, wrong.range, types.CodeActionContext([wrong]))
            )
            assert actions
            [action] = actions
            assert isinstance(action, types.CodeAction)
            assert action.edit is not None
            assert action.edit.changes is not None
            [edit] = action.edit.changes[uri]
            client.text_document_did_change(
                types.DidChangeTextDocumentParams(
                    types.VersionedTextDocumentIdentifier(2, uri),
                    [types.TextDocumentContentChangePartial(edit.range, edit.new_text)],
                )
            )
            await client.until(lambda: not any("lable" in one.message for one in client.told[uri]))
            at = types.Position(12, 30)

            async def hovered() -> str:
                found = await client.text_document_hover_async(types.HoverParams(here, at))
                assert found is None or isinstance(found.contents, types.MarkupContent)
                return "" if found is None else found.contents.value  # type: ignore[union-attr]

            text = ""
            for _ in range(200):
                text = await hovered()
                if text:
                    break
                await asyncio.sleep(0.05)
            assert text.startswith("`data.values.replicas`: `3`")
            places = await client.text_document_definition_async(types.DefinitionParams(here, at))
            assert isinstance(places, list)
            assert len(places) == 2
            listed = await client.text_document_completion_async(types.CompletionParams(here, types.Position(12, 29)))
            assert isinstance(listed, types.CompletionList)
            assert "replicas" in [item.label for item in listed.items]
            renamed = await client.text_document_rename_async(types.RenameParams(here, at, "count"))
            assert renamed is not None
            assert renamed.changes is not None
            assert len(renamed.changes) == 3
            hints = await client.text_document_inlay_hint_async(
                types.InlayHintParams(here, types.Range(types.Position(0, 0), types.Position(99, 0)))
            )
            assert [hint.label for hint in hints or []] == [" = proda", " = 7", " = web"]
            symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(here))
            assert [symbol.name for symbol in symbols or []] == ["name", "Deployment"]
            words = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(here))
            assert words is not None
            assert len(words.data) % 5 == 0
            assert [*words.data[:5]] == [0, 3, 4, 2, 0]  # `load`, a keyword
            folds = await client.text_document_folding_range_async(types.FoldingRangeParams(here))
            assert folds

    run(steps)


def applied(text: str, edits: Sequence[types.TextEdit] | None) -> str:
    """A text after edits of whole lines, whose columns are counted in UTF-16."""
    lines = text.encode("utf-16-le").split("\n".encode("utf-16-le"))
    for edit in sorted(edits or [], key=lambda one: -one.range.start.line):
        first, last = edit.range.start, edit.range.end
        rest = lines[last.line][2 * last.character :]
        lines[first.line : last.line + 1] = [edit.new_text.encode("utf-16-le") + rest]
    return "\n".encode("utf-16-le").join(lines).decode("utf-16-le")


def test_formatting(tmp_path: Path) -> None:
    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            text = "a:\n    b: \U0001f600   \n    c: 2\n\n"
            uri = client.open(tmp_path / "config/plain.yml", text)
            asked = types.DocumentFormattingParams(types.TextDocumentIdentifier(uri), types.FormattingOptions(2, True))
            edits = await client.text_document_formatting_async(asked)
            assert applied(text, edits) == "a:\n  b: \U0001f600\n  c: 2\n"

    run(steps)


@pytest.mark.parametrize(
    ("files", "name", "text", "made"),
    [
        pytest.param(
            TEMPLATES,
            "config/app.yml",
            "a:\n    b: \U0001f600   \n    c: #@    2\nd:   \n",
            "a:\n  b: \U0001f600\n  c: #@ 2\nd:   \n",
            id="template",
        ),
        pytest.param(
            TEMPLATES, "prod.yml", "a:\n   x: 1\n   y: 2 \nz: 1 \n", "a:\n  x: 1\n  y: 2\nz: 1 \n", id="values"
        ),
        pytest.param(
            OPERATIONS,
            "ops.yml",
            "- type: replace\n  path: /a   \n  value: 1  \n- type: remove  \n",
            "- type: replace\n  path: /a\n  value: 1\n- type: remove  \n",
            id="operations",
        ),
        pytest.param(
            LAYERS,
            "documents.yml",
            "schema: a/B/v1\nmetadata:\n    name: x  \ndata:  \n",
            "schema: a/B/v1\nmetadata:\n  name: x\ndata:  \n",
            id="layered",
        ),
        pytest.param(
            TEMPLATES, "config/helpers.star", "def  f():\n  return 1 \n", "def  f():\n  return 1 \n", id="starlark"
        ),
        pytest.param(TEMPLATES, "config/app.yml", "a: [\nb:   1\nc: 2 \n", "a: [\nb:   1\nc: 2 \n", id="broken"),
    ],
)
def test_formatting_of_lines(tmp_path: Path, files: Mapping[str, str], name: str, text: str, made: str) -> None:
    async def steps() -> None:
        async with editor(tmp_path, files=files) as (client, _):
            uri = client.open(tmp_path / name, text)
            lines = types.Range(types.Position(1, 2), types.Position(3, 0))
            options = types.FormattingOptions(2, True)
            asked = types.DocumentRangeFormattingParams(types.TextDocumentIdentifier(uri), lines, options)
            assert applied(text, await client.text_document_range_formatting_async(asked)) == made

    run(steps)

    run(steps)


@pytest.mark.parametrize(("encoding", "units"), [("utf-16", 2), ("utf-8", 4), ("utf-32", 1)])
def test_positions_are_counted_as_agreed(tmp_path: Path, encoding: str, units: int) -> None:
    async def steps() -> None:
        async with editor(tmp_path, [encoding]) as (client, answer):
            assert answer.capabilities.position_encoding == encoding
            uri = client.open(tmp_path / "config/app.yml", 'a: #@ len("\U0001f600") + nope\n')
            await client.until(lambda: bool(client.told.get(uri)))
            start = len('a: #@ len("') + units + len('") + ')
            [one] = client.told[uri]
            assert (one.range.start.character, one.range.end.character) == (start, start + len("nope"))

    run(steps)


def test_a_file_changed_outside_of_the_editor(tmp_path: Path) -> None:
    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            uri = client.open(tmp_path / "config/app.yml")
            await client.until(lambda: uri in client.told)
            helpers = tmp_path / "config/helpers.star"
            helpers.write_text("def other():\n  return 1\nend\n", "utf-8")
            event = types.FileEvent(helpers.as_uri(), types.FileChangeType.Changed)
            client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            await client.until(lambda: any("label" in one.message and one.severity == 1 for one in client.told[uri]))

    run(steps)


def test_schemas_of_kinds_and_what_is_wrong_with_them(tmp_path: Path) -> None:
    """A file of schemas is told of although it is not open, and again once it was mended on the disk."""
    name = "schemas/thing-example-v1.json"
    files = {
        "plait.yml": "schemas: [schemas]\nruns:\n  one: {render: {files: config}}\n",
        name: '{"properties": {"size": {"type": "whole"}}}',
        "config/thing.yml": "apiVersion: example.org/v1\nkind: Thing\nsize: x\n",
    }

    async def steps() -> None:
        async with editor(tmp_path, files=files) as (client, _):
            schema = tmp_path / name
            uri = client.open(tmp_path / "config/thing.yml")
            await client.until(lambda: client.errors(schema.as_uri()) != [])
            assert client.errors(schema.as_uri())[0].startswith('"type" cannot be used here')
            schema.write_text(files[name].replace("whole", "integer"), "utf-8")
            client.changed_on_disk((schema, types.FileChangeType.Changed))
            await client.until(lambda: "string where integer" in str(client.errors(uri)))
            await client.until(lambda: client.errors(schema.as_uri()) == [])

    run(steps)


def test_without_its_libraries_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from plait.cli import main

    for name in [name for name in sys.modules if name.partition(".")[0] in {"pygls", "lsprotocol"}]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "plait.authoring.lsp.server", raising=False)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert main(["lsp"]) == 2
    assert "pip install 'plait[lsp]'" in capsys.readouterr().err


@pytest.mark.parametrize(("plain", "written"), [("(1)", "%281%29"), (" b", "%20b"), ("@c", "%40c"), ("+d", "+d")])
def test_answers_use_the_uri_that_the_client_wrote(plain: str, written: str, tmp_path: Path) -> None:
    """A client may escape more or less than others, and recognizes its own spelling only."""

    async def open_and_close(client: Editor, uri: str) -> None:
        document = types.TextDocumentItem(uri, "yaml", 1, "#@ def f():\n#@ end\na: #@ f(\n")
        client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        await client.until(lambda: bool(client.told.get(uri)))
        client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        await client.until(lambda: client.told.get(uri) == [])

    async def steps() -> None:
        (tmp_path / f"a{plain}.yml").write_text("a: 1\n", "utf-8")
        async with editor(tmp_path) as (client, _):
            for name in {plain.replace(" ", "%20"), written}:
                await open_and_close(client, f"{tmp_path.as_uri()}/a{name}.yml")

    run(steps)
