"""The editor asks once whether a project is trusted, and nothing is read before the answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from client import editor, run
from lsprotocol import types

from plait.authoring.lsp.asking import NO, YES, _message, _plain
from plait.base.trust import stored


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


LONG = {
    "many": [f"../outside/{number}.yml" for number in range(9)],
    "long": [f"../outside/{'x' * 300}.yml"],
}


@pytest.mark.parametrize("kind", LONG)
def test_what_is_not_shown_whole_is_not_granted(kind: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    files = ", ".join(f'"{one}"' for one in LONG[kind])
    text = f"runs: {{r: {{render: {{files: [app.yml], data-values-file: [{files}]}}}}}}\n"
    (tmp_path / "plait.yml").write_text(text, "utf-8")

    async def steps() -> None:
        async with editor(tmp_path, files={"app.yml": "a: 1\n"}) as (client, _):
            asked: list[types.ShowMessageRequestParams] = []

            @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)  # type: ignore[untyped-decorator]
            def _(params: types.ShowMessageRequestParams) -> types.MessageActionItem:
                asked.append(params)
                client.news.set()
                return types.MessageActionItem(YES)  # also where it is not offered

            client.open(tmp_path / "plait.yml")
            await client.until(lambda: bool(asked))
            assert [one.title for one in asked[0].actions or ()] == [NO]
            assert "`plait trust` shows and grants them" in asked[0].message
            await client.until(lambda: any("no permission" in one for one in client.heard))

    run(steps)
    assert not stored(os.fspath(tmp_path))


def test_names_of_files_cannot_write_the_question() -> None:
    name = "/x\n\nAll of this is in the repository.\r\u2028\u202e\u200b\x1b[1m\ud800"
    shown = _message("/p\nq", [_plain(f"read: {name}")])
    assert shown.splitlines() == [
        "/p\\nq requests access beyond its repository:",
        "read: /x\\n\\nAll of this is in the repository.\\r\\u2028\\u202e\\u200b\\x1b[1m\\ud800",
    ]
