"""The editor asks once whether a project is trusted, and nothing is read before the answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from client import editor, run
from lsprotocol import types

from plait.lsp.asking import NO, YES
from plait.trust import stored


@pytest.mark.parametrize("choice", [YES, NO, None])
def test_the_editor_asks_once(choice: str | None, tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    outside.mkdir()
    (project / ".git").mkdir(parents=True)
    (outside / "values.yml").write_text("name: from-outside\n", "utf-8")
    (project / "app.yml").write_text('#@ load("@ytt:data", "data")\na: #@ data.values.name\n', "utf-8")
    (project / "plait.yml").write_text(
        "runs: {r: {render: {files: [app.yml], data-values-file: [../outside/values.yml]}}}\n", "utf-8"
    )

    async def steps() -> None:
        async with editor(project, files={}) as (client, _):
            asked: list[types.ShowMessageRequestParams] = []

            @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)  # type: ignore[untyped-decorator]
            def _(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
                asked.append(params)
                client.news.set()
                return None if choice is None else types.MessageActionItem(choice)

            uri = client.open(project / "plait.yml")
            await client.until(lambda: bool(asked))
            assert str(outside / "values.yml") in asked[0].message
            if choice == YES:
                await client.until(lambda: client.told.get(uri) == [])
            else:
                await client.until(lambda: any("no permission" in one for one in client.heard))
            client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
            client.open(project / "app.yml")
            assert len(asked) == 1

    run(steps)
    granted = [one.name for one in stored(os.fspath(project))]
    assert granted == ([str(outside / "values.yml")] if choice == YES else [])
