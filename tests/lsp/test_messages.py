"""The server by messages, without streams and threads, as a page of a browser has it: in this process."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

from plait.authoring.lsp.message_handler import connect
from plait.authoring.lsp.resource_schemas import find_faults
from plait.authoring.lsp.server import server
from plait.authoring.lsp.state import ServerState

_MOST = 3000
FILES = {
    "plait.yml": json.dumps({"runs": {"page": {"render": {"files": ["app.yml", "schema.yml"]}}}}),
    "schema.yml": "#@data/values-schema\n---\nname: web\nreplicas: 1\n",
    "app.yml": '#@ load("@ytt:data", "data")\n---\nname: #@ data.values.name\nreplicas: #@ data.values.replicas\n',
}


class Client:
    """Sends messages, and keeps what it is told."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.heard: list[dict[str, Any]] = []
        self.receive = connect(lambda message: self.heard.append(json.loads(message)))

    def ask(self, method: str, **params: object) -> Any:
        number = len(self.heard) + 1
        self.receive(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return next(one["result"] for one in self.heard if one.get("id") == number)

    async def ask_later(self, method: str, **params: object) -> Any:
        """The answer to a request that is not answered at once."""
        number = len(self.heard) + 1
        self.receive(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        for _ in range(_MOST):
            found = [one for one in self.heard if one.get("id") == number]
            if found:
                return found[0]["result"]
            await asyncio.sleep(0.02)
        raise AssertionError("a request has no answer")

    def publish(self, method: str, **params: object) -> None:
        self.receive(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def at(self, name: str, line: int, character: int) -> dict[str, Any]:
        return {
            "textDocument": {"uri": (self.top / name).as_uri()},
            "position": {"line": line, "character": character},
        }

    def errors(self, name: str) -> list[str]:
        """What was told last of a file."""
        told = [one["params"] for one in self.heard if one.get("method") == "textDocument/publishDiagnostics"]
        last = next(one for one in reversed(told) if one["uri"] == (self.top / name).as_uri())
        return [one["message"] for one in last["diagnostics"] if one["severity"] == 1]

    async def evaluated(self) -> None:
        """Wait for the evaluations."""
        for _ in range(_MOST):
            await asyncio.sleep(0.02)
            if not server.state.is_busy():
                await asyncio.sleep(0.02)
                return
        raise AssertionError("an evaluation does not end")


def test_a_session(tmp_path: Path) -> None:
    async def session() -> None:
        client = Client(tmp_path)
        offered = client.ask("initialize", processId=None, rootUri=None, capabilities={})["capabilities"]
        assert offered["hoverProvider"]
        client.publish("initialized")
        for name, text in FILES.items():
            (tmp_path / name).write_text("", "utf-8")  # what is in it, the client says
            item = {"uri": (tmp_path / name).as_uri(), "languageId": "yaml", "version": 0, "text": text}
            client.publish("textDocument/didOpen", textDocument=item)
        await client.evaluated()
        assert not any(client.errors(name) for name in FILES)
        place = client.at("app.yml", 3, 25)
        told = await client.ask_later("textDocument/hover", **place)
        assert "schema.yml:4" in told["contents"]["value"]
        offers = client.ask("textDocument/completion", **place)["items"]
        assert {one["label"] for one in offers} >= {"name", "replicas"}
        [definition] = await client.ask_later("textDocument/definition", **place)
        assert definition["uri"] == (tmp_path / "schema.yml").as_uri()
        assert definition["range"]["start"]["line"] == 3
        threads = threading.active_count()
        edit = await client.ask_later("textDocument/rename", **place, newName="count")
        assert {Path(uri).name for uri in edit["changes"]} == {"app.yml", "schema.yml"}
        assert threading.active_count() == threads
        changed = {"uri": (tmp_path / "app.yml").as_uri(), "version": 1}
        text = FILES["app.yml"].replace("values.name", "values.nmae")
        client.publish("textDocument/didChange", textDocument=changed, contentChanges=[{"text": text}])
        await client.evaluated()
        assert any("nmae" in one for one in client.errors("app.yml"))
        options = {"tabSize": 2, "insertSpaces": True}
        assert client.ask("textDocument/formatting", textDocument={"uri": changed["uri"]}, options=options) == []
        assert not any(one.name == "evaluation" for one in threading.enumerate())

    before = server.state
    server.state = ServerState(server._evaluated, find_faults)
    try:
        asyncio.run(session())
    finally:
        server.state = before
        server.has_disk = server.has_threads = True
