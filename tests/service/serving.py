"""What the tests of the service share: a client that calls the application without a network, and documents in short."""

from __future__ import annotations

import asyncio
import base64
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import yaml
from starlette.applications import Starlette

from plait.service.encryption import KeyRing
from plait.tree.nodes import Map, MapItem

ROOT = "/api/v1.0"
YAML = "application/x-yaml"
POLICY = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: lp}
data: {layerOrder: [global, site]}
"""


class Reply(NamedTuple):
    """What came back. documents: of its body, as the reference's clients read them."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def documents(self) -> list[object]:
        return list(yaml.safe_load_all(self.text))

    @property
    def document(self) -> object:
        (found,) = self.documents
        return found


def names(reply: Reply) -> list[str]:
    """The names of the documents that came back."""
    return [one["metadata"]["name"] for one in yaml.safe_load_all(reply.text)]


class Client:
    """Sends requests to an application."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        self._loop = asyncio.new_event_loop()

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
        self.app.state.service.database.close()

    def ask(self, method: str, path: str, body: str | bytes = b"", **headers: str | None) -> Reply:
        """Send a request. path: from the root of the API, or with `//` from the root of the server. headers: `_` for `-`."""
        data = body.encode() if isinstance(body, str) else body
        given = {"host": "127.0.0.1"} | ({"content-type": YAML} if data else {})
        given |= {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        for name, value in headers.items():
            if value is None:
                given.pop(name.replace("_", "-"), None)
        return self._loop.run_until_complete(self._ask(method, path, data, given))

    async def _ask(self, method: str, path: str, data: bytes, headers: dict[str, str]) -> Reply:
        parts = urlsplit(path[1:] if path.startswith("//") else ROOT + path)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 9000),
        }
        sent: list[dict[str, object]] = []

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": data, "more_body": False}

        async def send(message: object) -> None:
            assert isinstance(message, dict)
            sent.append(message)

        await self.app(scope, receive, send)
        start, *rest = sent
        assert isinstance(start["status"], int)
        assert isinstance(start["headers"], list)
        text = b"".join(part["body"] for part in rest if isinstance(part["body"], bytes)).decode()
        return Reply(start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, text)


def made_keys(*names: str) -> list[MapItem]:
    """Keys with these names; what a name stands for is always the same."""
    return [MapItem(name, base64.b64encode(name.encode().ljust(32, b"-")).decode()) for name in names]


def keys(*names: str) -> KeyRing:
    made = made_keys(*names)
    return KeyRing(lambda: Map(list(made)))


def document(short: object) -> dict[str, object]:
    """A document of a few words: `policy`, or its parts that are not as usual.

    name, data, layer, schema, labels, selector, actions, encrypted, abstract, substitutions; all else as it is written.
    """
    if short == "policy":
        found = yaml.safe_load(POLICY)
        assert isinstance(found, dict)
        return found
    assert isinstance(short, dict)
    if "metadata" in short or "name" not in short:
        return short
    given = dict(short)
    definition: dict[str, object] = {"layer": given.get("layer", "site")}
    for key, name in (("abstract", "abstract"), ("selector", "parentSelector"), ("actions", "actions")):
        if key in given:
            definition[name] = given[key]
    metadata: dict[str, object] = {
        "schema": "metadata/Document/v1",
        "name": given["name"],
        "layeringDefinition": definition,
        "storagePolicy": "encrypted" if given.get("encrypted") else "cleartext",
    }
    for key in ("labels", "substitutions", "replacement"):
        if key in given:
            metadata[key] = given[key]
    return {"schema": given.get("schema", "example/Kind/v1"), "metadata": metadata, "data": given.get("data")}


def body_of(shorts: list[object]) -> str:
    """The body of a request with these documents."""
    return yaml.safe_dump_all([document(short) for short in shorts], sort_keys=False) if shorts else ""
