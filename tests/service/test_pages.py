"""Lists in pages: each item is on one of them, links lead from page to page, and nothing is left out silently."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
import serving
import yaml
from test_fleets import PROJECT, put

from plait.service import calls, explaining, filters, fleets, revisions, validations

LISTS = {
    "/revisions": "results",
    "/revisions?order=desc&sort=id": "results",
    "/revisions/3/documents": None,
    "/revisions/3/documents?sort=metadata.name&order=desc&metadata.label=a=%3C%3E%26": None,
    "/revisions/3/rendered-documents": None,
    "/revisions/3/validations": "results",
    "/revisions/3/validations/detail": "results",
    "/revisions/3/validations/v0": "results",
    "/revisions/4/fleet": "items",
    "/revisions/0/fleet/4": "items",
    "/revisions/3/explain?path=d4:data": "items",
}


def items(reply: serving.Reply, key: str | None) -> list[Any]:
    assert reply.status == 200, reply.text
    if key is None:
        return reply.documents
    found: Any = reply.document
    if key == "results":
        assert found["count"] == len(found["results"])
        return list(found["results"])
    return list(found)


@pytest.fixture
def filled(client: serving.Client) -> serving.Client:
    for count in (1, 2, 5):
        documents = [
            {"name": f"d{n}", "labels": {"a": "<>&"}, "data": {"a": n, "b": [1, {"c": 2}]}} for n in range(count)
        ]
        assert client.ask("PUT", "/buckets/a/documents", serving.body_of(["policy", *documents])).status == 200
    assert put(client, PROJECT).status == 200
    for number in range(5):
        body = yaml.safe_dump({"status": "success", "validator": {"name": "v"}})
        assert client.ask("POST", f"/revisions/3/validations/v{number % 2}", body).status == 201
    return client


def pages(client: serving.Client, path: str, key: str | None) -> list[list[Any]]:
    found = []
    while path:
        reply = client.ask("GET", path)
        found.append(items(reply, key))
        link = reply.headers.get("link", "")
        assert not link or link.endswith('>; rel="next"')
        parts = urlsplit(link.partition(">")[0].removeprefix("<"))
        path = f"{parts.path.removeprefix(serving.ROOT)}?{parts.query}" if link else ""
    return found


@pytest.mark.parametrize("path", LISTS)
def test_pages_together_are_the_whole(path: str, filled: serving.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    key = LISTS[path]
    whole = items(filled.ask("GET", path), key)
    assert whole
    mark = "&" if "?" in path else "?"
    for size in (1, 2, len(whole), len(whole) + 1):
        found = pages(filled, f"{path}{mark}marker=0&limit={size}", key)
        assert [one for page in found for one in page] == whole
        assert {len(page) for page in found[:-1]} <= {size}
    assert items(filled.ask("GET", f"{path}{mark}marker=999999999"), key) == []
    assert filled.ask("GET", f"{path}{mark}marker=-1").status == 400
    assert filled.ask("GET", f"{path}{mark}marker=0&limit=x").status == 400
    # Without a limit there is one by default.
    for module in (explaining, filters, fleets, revisions, validations):
        for name in ("PAGE", "LARGEST_PAGE"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, 2)
    found = pages(filled, path, key)
    assert [one for page in found for one in page] == whole
    assert len(found) == (len(whole) + 1) // 2


def test_the_defaults() -> None:
    """What docs/serve.md says."""
    assert (calls.PAGE, calls.LARGEST_PAGE) == (1_000, 250_000)
