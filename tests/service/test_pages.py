"""Lists in pages: each item is on one of them, links lead from page to page, and nothing is left out silently."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
import serving
import yaml
from sqlalchemy import update
from test_fleets import PROJECT, put

from plait.service import explaining, filters, fleets, revisions, route_arguments, validations
from plait.service.tables import REVISIONS

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
    unknown = filled.ask("GET", f"{path}{mark}marker=999999999")
    # A row that is not there has a place by its number alone.
    if "sort=" in path:
        assert unknown.status == 400
    else:
        assert items(unknown, key) == []
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


SORTS = [(), *((key,) for key in (*filters._COLUMNS, "data.a")), ("schema", "status.revision", "metadata.name")]


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("keys", SORTS, ids=" ".join)
@pytest.mark.parametrize("path", ["/revisions/3/documents", "/revisions/3/rendered-documents"])
def test_sorted_documents_with_equal_values(
    path: str, keys: tuple[str, ...], order: str, filled: serving.Client
) -> None:
    """Every location that the database puts in order, and one that it does not."""
    query = "&".join([*(f"sort={key}" for key in keys), f"order={order}"])
    whole = [one["id"] for one in items(filled.ask("GET", f"{path}?{query}"), None)]
    assert len(whole) == 6
    for size in (1, 2, 4):
        found = pages(filled, f"{path}?{query}&limit={size}", None)
        assert [one["id"] for page in found for one in page] == whole
        assert [len(page) for page in found[:-1]] == [size] * (len(found) - 1)


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", [(), ("id",), ("created_at",), ("createdAt", "id")], ids=" ".join)
def test_revisions_of_the_same_time(sort: tuple[str, ...], order: str, filled: serving.Client) -> None:
    """Revisions stay on their pages while others of the same time come, and one that a marker names is removed."""
    database = filled.app.state.service.database
    with database.writing() as connection:
        connection.execute(update(REVISIONS).values(created_at="2026-01-01T00:00:00.000000Z"))
    query = "&".join([*(f"sort={key}" for key in sort), f"order={order}"])
    whole = [one["id"] for one in items(filled.ask("GET", f"/revisions?{query}"), "results")]
    descends = order == "desc" and "id" in sort
    assert whole == ([4, 3, 2, 1] if descends else [1, 2, 3, 4])
    found = pages(filled, f"/revisions?{query}&marker=0&limit=1", "results")
    assert [one["id"] for page in found for one in page] == whole
    reply = filled.ask("GET", f"/revisions?{query}&marker=0&limit=2")
    link = urlsplit(reply.headers["link"].partition(">")[0].removeprefix("<"))
    assert [one["id"] for one in items(reply, "results")] == whole[:2]
    with database.writing() as connection:
        connection.execute(update(REVISIONS).where(REVISIONS.c.id == whole[1]).values(forgotten=True))
    assert put(filled, {**PROJECT, "other.yml": "a: 1\n"}).status == 200
    rest = items(filled.ask("GET", f"{link.path.removeprefix(serving.ROOT)}?{link.query}&limit=9"), "results")
    # The new revision is shown if its place is behind the marker. Without keys the order is that of revisions.
    assert [one["id"] for one in rest] == [*whole[2:], *([] if sort and order == "desc" else [5])]


def test_rows_that_come_while_pages_are_read(filled: serving.Client) -> None:
    """The newest first: each row once, whatever is written meanwhile."""
    whole = [one["id"] for one in items(filled.ask("GET", "/audit?order=desc"), "items")]
    path, found = "/audit?order=desc&limit=2", []
    while path:
        reply = filled.ask("GET", path)
        found += [one["id"] for one in items(reply, "items")]
        assert filled.ask("POST", "/revisions/3/tags/t").status == 201
        link = urlsplit(reply.headers.get("link", "").partition(">")[0].removeprefix("<"))
        path = f"{link.path.removeprefix(serving.ROOT)}?{link.query}" if link.query else ""
    assert found == whole


@pytest.mark.parametrize("sort", ["metadata.name", "schema"])
def test_a_marker_tells_nothing_of_documents_that_are_not_shown(sort: str, filled: serving.Client) -> None:
    """A marker that names a document of another revision is rejected, where its values would decide."""
    ids = [one["id"] for one in items(filled.ask("GET", "/revisions/4/documents?status.bucket=a"), None)]
    body = serving.body_of(["policy", {"name": "zz", "data": 1}])
    assert filled.ask("PUT", "/buckets/a/documents", body).status == 200
    (newer,) = (one["id"] for one in items(filled.ask("GET", "/revisions/5/documents?metadata.name=zz"), None))
    assert newer not in ids
    assert filled.ask("GET", f"/revisions/4/documents?sort={sort}&marker={newer}").status == 400
    assert filled.ask("GET", f"/revisions/5/documents?sort={sort}&marker={newer}").status == 200


def test_the_defaults() -> None:
    """What docs/serve.md says."""
    assert (route_arguments.PAGE, route_arguments.LARGEST_PAGE) == (1_000, 250_000)
