"""What an editor does beside asking: several roots, files that come and go, changes in any unit, requests it takes back."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from client import Editor, editor, run
from lsprotocol import types
from workshop import ENDLESS, LAYERS, TEMPLATES

WATCHING = types.WorkspaceClientCapabilities(
    did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
)
APP, SCHEMA = TEMPLATES["config/app.yml"], TEMPLATES["config/schema.yml"]
BROKEN = APP.replace("label(", "lable(")


def below(top: str) -> dict[str, str]:
    return {f"{top}/{name}": text for name, text in TEMPLATES.items()}


# ---- roots


def test_several_roots(tmp_path: Path) -> None:
    """Each file belongs to the project above it; a root that goes takes its runs along, and may come again."""

    async def steps() -> None:
        async with editor(tmp_path, files={**below("a"), **below("b")}) as (client, answer):
            assert answer.capabilities.workspace is not None
            one, two = (client.open(tmp_path / top / "config/app.yml") for top in "ab")
            values = client.open(tmp_path / "b/prod.yml", "replicas: many\n")
            await client.until(lambda: bool(client.errors(values)))
            assert client.errors(one) == []
            folder = types.WorkspaceFolder((tmp_path / "b").as_uri(), "b")
            for uri in (two, values):
                client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
            client.workspace_did_change_workspace_folders(
                types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([], [folder]))
            )
            client.write(one, BROKEN)
            await client.until(lambda: bool(client.errors(one)))
            assert client.errors(two) == client.errors(values) == []
            client.workspace_did_change_workspace_folders(
                types.DidChangeWorkspaceFoldersParams(types.WorkspaceFoldersChangeEvent([folder], []))
            )
            client.open(tmp_path / "b/prod.yml", "replicas: many\n")
            await client.until(lambda: bool(client.errors(values)))

    run(steps)


# ---- files that change outside


def test_a_file_that_is_not_open_is_told_of(tmp_path: Path) -> None:
    """A change in one file makes an error in another; it goes with the change."""

    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            schema = client.open(tmp_path / "config/schema.yml", SCHEMA.replace("replicas: 1", "count: 1"))
            values = (tmp_path / "prod.yml").as_uri()
            await client.until(lambda: bool(client.errors(values)))
            client.write(schema, SCHEMA)
            await client.until(lambda: client.told[values] == [])

    run(steps)


def test_files_that_come_and_go(tmp_path: Path) -> None:
    """Deleted, made, renamed."""
    created, deleted = types.FileChangeType.Created, types.FileChangeType.Deleted

    async def steps() -> None:
        async with editor(tmp_path, workspace=WATCHING) as (client, _):
            uri = client.open(tmp_path / "config/app.yml")
            await client.until(lambda: uri in client.told)
            helpers, moved = tmp_path / "config/helpers.star", tmp_path / "config/moved.star"
            helpers.unlink()
            client.changed_on_disk((helpers, deleted))
            await client.until(lambda: any("helpers.star" in one for one in client.errors(uri)))
            helpers.write_text(TEMPLATES["config/helpers.star"], "utf-8")
            client.changed_on_disk((helpers, created))
            await client.until(lambda: client.errors(uri) == [])
            helpers.rename(moved)
            client.changed_on_disk((helpers, deleted), (moved, created))
            await client.until(lambda: any("helpers.star" in one for one in client.errors(uri)))
            client.write(uri, APP.replace("helpers.star", "moved.star"))
            await client.until(lambda: client.errors(uri) == [])

    run(steps)


def test_a_project_file_that_comes_and_goes(tmp_path: Path) -> None:
    async def steps() -> None:
        files = {name: text for name, text in TEMPLATES.items() if name != "plait.yml"}
        async with editor(tmp_path, workspace=WATCHING, files=files) as (client, _):
            uri = client.open(tmp_path / "prod.yml", "replicas: many\n")
            await client.until(lambda: uri in client.told)
            assert client.errors(uri) == []  # nobody says that it holds data values
            project = tmp_path / "plait.yml"
            project.write_text(TEMPLATES["plait.yml"], "utf-8")
            client.changed_on_disk((project, types.FileChangeType.Created))
            await client.until(lambda: bool(client.errors(uri)))
            project.unlink()
            client.changed_on_disk((project, types.FileChangeType.Deleted))
            await client.until(lambda: client.errors(uri) == [])

    run(steps)


def test_an_editor_that_watches_no_files(tmp_path: Path) -> None:
    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            uri = client.open(tmp_path / "config/app.yml")
            await client.until(lambda: uri in client.told)
            await asyncio.sleep(0.5)  # for the server to have looked at the files once
            (tmp_path / "config/helpers.star").write_text("def other():\n  return 1\nend\n", "utf-8")
            await client.until(lambda: any("label" in one for one in client.errors(uri)))

    run(steps)


def test_runs_outlive_a_broken_project_file(tmp_path: Path) -> None:
    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            uri = client.open(tmp_path / "config/app.yml")
            project = client.open(tmp_path / "plait.yml")
            await client.until(lambda: uri in client.told)
            await hovered(client, uri)
            client.write(project, "runs:\n  prod:\n    rendr: {}\n")
            await client.until(lambda: bool(client.errors(project)))
            assert "`3`" in await hovered(client, uri)
            client.write(project, TEMPLATES["plait.yml"])
            await client.until(lambda: client.errors(project) == [])

    run(steps)


async def hovered(client: Editor, uri: str) -> str:
    """What is shown of `data.values.replicas`, once a run was evaluated."""
    for _ in range(400):
        found = await client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(12, 30))
        )
        if found is not None:
            assert isinstance(found.contents, types.MarkupContent)
            return found.contents.value
        await asyncio.sleep(0.02)
    raise AssertionError("nothing is shown")


# ---- changes


@pytest.mark.parametrize(("encoding", "units"), [("utf-16", 2), ("utf-8", 4), ("utf-32", 1)])
def test_parts_of_a_text_are_changed_in_the_units_agreed_on(tmp_path: Path, encoding: str, units: int) -> None:
    async def steps() -> None:
        async with editor(tmp_path, [encoding]) as (client, _):
            uri = client.open(tmp_path / "config/app.yml", 'a: #@ ["\U0001f600é", nope]\n')
            await client.until(lambda: bool(client.errors(uri)))
            accent = {"utf-16": 1, "utf-8": 2, "utf-32": 1}[encoding]
            start = len('a: #@ ["') + units + accent + len('", ')
            span = types.Range(types.Position(0, start), types.Position(0, start + len("nope")))
            client.change(uri, types.TextDocumentContentChangePartial(span, "1"))
            await client.until(lambda: client.errors(uri) == [])

    run(steps)


# ---- what takes long


def test_an_evaluation_is_superseded_by_the_next_text(tmp_path: Path) -> None:
    """A template without an end costs one diagnostic; the next text does not wait for it."""

    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            uri = client.open(tmp_path / "config/app.yml", ENDLESS)
            await client.until(lambda: uri in client.told)
            client.write(uri, "a: #@ {}['nope']\n")
            await client.until(lambda: any("nope" in one for one in client.errors(uri)))
            assert not any("limit" in one for one in client.heard)  # nobody waited for the first text's
            client.write(uri, ENDLESS)
            await client.until(lambda: any("limit" in one for one in client.errors(uri)))
            assert len(client.errors(uri)) == 1

    run(steps)


def test_a_template_that_takes_all_memory_costs_one_diagnostic(tmp_path: Path) -> None:
    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            greedy = (
                "#@ def f():\n#@   return len(['x' * 30000000 + str(x) for x in range(10000)])\n#@ end\na: #@ f()\n"
            )
            uri = client.open(tmp_path / "config/app.yml", greedy)
            await client.until(lambda: any("memory" in one for one in client.errors(uri)))
            assert len(client.errors(uri)) == 1
            client.write(uri, APP)
            assert "`3`" in await hovered(client, uri)

    run(steps)


def test_the_server_is_bound_to_no_run(tmp_path: Path) -> None:
    """The limits of a command line, ten minutes among them, are not those of a server."""
    from signal import ITIMER_REAL, getitimer, setitimer

    from plait.base.limits import current_budget
    from plait.base.process import serve_on

    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    setitimer(ITIMER_REAL, 600)
    try:
        with serve_on(1 << 33):
            assert getitimer(ITIMER_REAL)[0] == 0
            assert current_budget().deadline - __import__("time").monotonic() > 1e9
            if sys.platform == "linux":
                assert resource.getrlimit(resource.RLIMIT_DATA)[0] > 1 << 33
    finally:
        setitimer(ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_DATA, before)


# ---- requests that are taken back, and those that nobody knows


def test_requests_are_taken_back(tmp_path: Path) -> None:
    """Each request is answered once, with a result or with its cancellation, and the server goes on."""

    async def steps() -> None:
        async with editor(tmp_path) as (client, _):
            uri = client.open(tmp_path / "config/app.yml")
            await client.until(lambda: uri in client.told)
            here = types.TextDocumentIdentifier(uri)
            waiting = []
            for number in range(20):
                params = types.CompletionParams(here, types.Position(12, 29))
                waiting.append(
                    client.protocol.send_request(types.TEXT_DOCUMENT_COMPLETION, params, msg_id=f"c{number}")
                )
                client.cancel_request(types.CancelParams(f"c{number}"))
            client.cancel_request(types.CancelParams("never asked"))
            answers = await asyncio.gather(*map(asyncio.wrap_future, waiting), return_exceptions=True)
            assert len(answers) == 20
            assert "`3`" in await hovered(client, uri)

    run(steps)


def test_what_the_server_cannot_read_ends_nothing(tmp_path: Path) -> None:
    async def steps() -> None:
        async with editor(tmp_path, files={**TEMPLATES, **LAYERS}) as (client, _):
            uri = client.open(tmp_path / "config/app.yml")
            writer = client.protocol.writer
            assert writer is not None
            for message in (
                {"jsonrpc": "2.0", "id": 900, "method": "no/such", "params": {}},
                {"jsonrpc": "2.0", "id": 901, "method": "textDocument/hover", "params": {"textDocument": 1}},
                {"jsonrpc": "2.0", "method": "$/nothing"},
            ):
                data = json.dumps(message).encode()
                writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
            far = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(10_000, 10_000))
            assert await client.text_document_hover_async(far) is None
            other = types.HoverParams(types.TextDocumentIdentifier("untitled:Untitled-1"), types.Position(0, 0))
            assert await client.text_document_hover_async(other) is None
            assert "`3`" in await hovered(client, uri)

    run(steps)
