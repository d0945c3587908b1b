"""What goes wrong around the service: no room, no database, a clock that jumps, bodies that are too much."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import serving
from postgresql import started
from sqlalchemy import make_url

from plait.layering.document import LayeredDocument
from plait.service import database, records
from plait.service.app import application
from plait.service.database import shown

DOCUMENT = {"name": "x", "data": 1}


def put(client: serving.Client, *documents: object) -> serving.Reply:
    return client.ask("PUT", "/buckets/a/documents", serving.body_of(list(documents)))


def test_no_room_for_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [1 << 30]
    plain = database._prepare

    def prepare(connection: object, record: object) -> None:
        plain(connection, record)  # type: ignore[arg-type]
        connection.execute(f"PRAGMA max_page_count = {pages[0]}")  # type: ignore[attr-defined]

    monkeypatch.setattr(database, "_prepare", prepare)
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}"))
    assert put(client, DOCUMENT).status == 200
    service = client.app.state.service
    pages[0] = 40
    service.database.engine.dispose()
    reply = put(client, {"name": "large", "data": "x" * 500_000})
    assert (reply.status, "DatabaseNotAvailable" in reply.text, "retry: true" in reply.text) == (503, True, True)
    assert serving.names(client.ask("GET", "/revisions/1/documents")) == ["x"]
    assert "count: 1\n" in client.ask("GET", "/revisions").text
    pages[0] = 1 << 30
    service.database.engine.dispose()
    assert put(client, {"name": "large", "data": "x" * 500_000}).status == 200
    assert serving.names(client.ask("GET", "/revisions/2/documents")) == ["large"]
    client.close()


def test_a_database_that_is_gone_and_comes_back() -> None:
    with started() as server:
        if server is None:
            pytest.skip("there is no PostgreSQL")
        with server.database() as url:
            client = serving.Client(application(url))
            assert put(client, DOCUMENT).status == 200
            with server.stopped():
                for reply in (client.ask("GET", "/revisions"), put(client), client.ask("GET", "/ready")):
                    assert (reply.status, "DatabaseNotAvailable" in reply.text) == (503, True)
                assert client.ask("GET", "/health").status == 204
            assert client.ask("GET", "/ready").status == 204
            assert serving.names(client.ask("GET", "/revisions/1/documents")) == ["x"]
            assert put(client, {"name": "y", "data": 1}).status == 200
            client.close()


def test_a_clock_that_jumps(client: serving.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    put(client, DOCUMENT)
    monkeypatch.setattr("plait.service.revision_store.now", lambda: "1999-01-01T00:00:00.000000Z")
    put(client)
    found = client.ask("GET", "/revisions").document
    assert isinstance(found, dict)
    assert [one["id"] for one in found["results"]] == [1, 2]
    assert client.ask("GET", "/revisions/1/diff/2").document == {"a": "deleted"}
    assert client.ask("GET", "/revisions/2/diff/1").document == {"a": "deleted"}


def test_bodies_that_are_too_much(tmp_path: Path) -> None:
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}", maximum=1000, limits={"aliases": 1000}))
    reply = put(client, {"name": "x", "data": "x" * 1000})
    assert (reply.status, "at most 1000 bytes" in reply.text) == (413, True)
    client.close()
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}", limits={"aliases": 1000}))
    lines = ["a0: &a0 [x, x, x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    reply = client.ask("PUT", "/buckets/a/documents", "\n".join(lines))
    assert (reply.status, "aliases" in reply.text) == (400, True)
    reply = client.ask("PUT", "/buckets/a/documents", "[" * 5000)
    assert (reply.status, "HTTPBadRequest" in reply.text) == (400, True)
    reply = client.ask("PUT", "/buckets/a/documents", b"a: \xff")
    assert (reply.status, "byte 4" in reply.text) == (400, True)
    reply = client.ask("PUT", "/buckets/" + "b" * 300 + "/documents", serving.body_of([DOCUMENT]))
    assert (reply.status, "255" in reply.text) == (400, True)
    reply = put(client, {"name": "n" * 300, "data": 1})
    assert (reply.status, "255" in reply.text) == (400, True)
    client.close()


def test_a_mistake_of_ours_is_told_without_values(
    client: serving.Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    def fails(given: LayeredDocument) -> None:
        raise ValueError(given.data)

    monkeypatch.setattr("plait.service.parcels.completed", fails)
    reply = put(client, {"name": "x", "data": "canary-7f3a"})
    assert (reply.status, "retry: true" in reply.text, "canary" in reply.text) == (500, True, False)
    assert "ValueError" in caplog.text
    assert "parcels.py" in caplog.text
    assert "canary" not in caplog.text


@pytest.mark.parametrize("form", records.FORMS)
def test_log_lines_have_no_control_characters(form: str) -> None:
    """A message may quote what a receiver, an issuer or a database answered."""
    bad = "\x1b]0;title\x07 \x9b31m\r\n2026-01-01 INFO plait.service: made up"
    record = logging.LogRecord("plait.service", logging.ERROR, "", 1, "answered %s", (bad,), None)
    text = (records.JsonFormatter() if form == records.JSON else records.TextFormatter()).format(record)
    assert [char for char in text if not char.isprintable()] == []


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:PW@h/d",
        "postgresql://h/d?password=PW",
        "postgresql://h/d?sslpassword=PW&host=x",
        "postgresql://h/d?bogus=PW",
        "postgresql+none://h/d?PW=1",
        "mysql://u:PW@h/d?any=PW",
        "sqlite:////dev/null/x?any=PW",
    ],
)
def test_messages_have_no_passwords_of_a_url(url: str) -> None:
    assert "PW" not in shown(make_url(url))
