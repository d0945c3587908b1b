"""`Idempotency-Key`: every request that writes can be sent again with its key, and is done once."""

from __future__ import annotations

from typing import Any

import pytest
import serving
from sqlalchemy import event, func, select, update
from sqlalchemy.exc import OperationalError

from plait.service.app import _ROUTES
from plait.service.tables import AUDIT, REPEATS, REVISIONS, TAGS, VALIDATIONS

FIRST = serving.body_of(["policy", {"name": "x", "data": 1}])
OTHER = serving.body_of(["policy", {"name": "x", "data": 2}])
REPORT = "{status: success, validator: {name: v}}"
ONE = "/api/v1.0/revisions/{revision}"
# Every endpoint that writes: path, body, and another path that is the same endpoint for the same key.
WRITES: dict[tuple[str, str], tuple[str, str, str]] = {
    ("PUT", "/api/v1.0/buckets/{bucket}/documents"): ("/buckets/a/documents", OTHER, "/buckets/b/documents"),
    ("DELETE", "/api/v1.0/revisions"): ("/revisions", "", "/revisions?x=1"),
    ("DELETE", f"{ONE}/tags"): ("/revisions/1/tags", "", "/revisions/2/tags"),
    ("POST", f"{ONE}/tags/{{tag}}"): ("/revisions/1/tags/t", "{a: 1}", "/revisions/1/tags/u"),
    ("DELETE", f"{ONE}/tags/{{tag}}"): ("/revisions/1/tags/there", "", "/revisions/2/tags/there"),
    ("POST", f"{ONE}/validations/{{validation}}"): ("/revisions/1/validations/v", REPORT, "/revisions/2/validations/v"),
    ("POST", "/api/v1.0/rollback/{revision}"): ("/rollback/1", "", "/rollback/0"),
}
IDS = [" ".join(one) for one in WRITES]
KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'


@pytest.fixture
def filled(client: serving.Client) -> serving.Client:
    for body in (FIRST, OTHER.replace("2", "3")):
        assert client.ask("PUT", "/buckets/a/documents", body).status == 200
    assert client.ask("POST", "/revisions/1/tags/there").status == 201
    return client


def state(client: serving.Client) -> tuple[Any, ...]:
    """What is stored, but for answers that are kept."""
    with client.app.state.service.database.reading() as connection:
        tables = (REVISIONS, TAGS, VALIDATIONS, AUDIT)
        return tuple(tuple(sorted(map(tuple, connection.execute(select(table))))) for table in tables)


def test_every_endpoint_that_writes_is_here() -> None:
    found = {(method, path) for path, methods in _ROUTES for method in methods if method != "GET"}
    assert found == set(WRITES)


@pytest.mark.parametrize("at", WRITES, ids=IDS)
def test_a_request_that_is_repeated_is_done_once(at: tuple[str, str], filled: serving.Client) -> None:
    method, (path, body, other) = at[0], WRITES[at]
    before = state(filled)
    first = filled.ask(method, path, body, idempotency_key=KEY)
    assert first.status < 300, first.text
    done = state(filled)
    assert done != before
    for _ in range(2):
        again = filled.ask(method, path, body, idempotency_key=KEY)
        assert (again.status, again.text) == (first.status, first.text)
        assert state(filled) == done
    reused = filled.ask(method, other, body, idempotency_key=KEY)
    assert (reused.status, state(filled)) == (422, done)
    assert "IdempotencyKeyReused" in reused.text
    # Another key, and no key, are another request: whatever comes of it is decided anew.
    filled.ask(method, path, body, idempotency_key='"other"')
    filled.ask(method, path, body)
    assert state(filled) != done or at == ("DELETE", f"{ONE}/tags/{{tag}}")


@pytest.mark.parametrize("is_stored", [True, False], ids=["stored", "not stored"])
@pytest.mark.parametrize("at", WRITES, ids=IDS)
def test_a_request_whose_outcome_is_unknown(at: tuple[str, str], is_stored: bool, filled: serving.Client) -> None:
    """The commit is not answered, whether it took place or not; the same request then leads to the same state."""
    method, (path, body, _) = at[0], WRITES[at]
    engine = filled.app.state.service.database.engine

    def fail(connection: Any) -> None:
        if is_stored:
            connection.connection.dbapi_connection.commit()
        raise OperationalError("COMMIT", None, ConnectionError("gone"))

    event.listen(engine, "commit", fail)
    try:
        reply = filled.ask(method, path, body, idempotency_key=KEY)
    finally:
        event.remove(engine, "commit", fail)
    found: Any = reply.document
    assert (reply.status, found["details"]["kept"]) == (503, "unknown")
    between = state(filled)
    again = filled.ask(method, path, body, idempotency_key=KEY)
    assert again.status < 300, again.text
    assert (state(filled) == between) is is_stored
    done = state(filled)
    assert filled.ask(method, path, body, idempotency_key=KEY).text == again.text
    assert state(filled) == done


def test_a_rejected_request_is_not_kept(filled: serving.Client) -> None:
    path = "/revisions/3/validations/v"
    assert filled.ask("POST", path, REPORT, idempotency_key=KEY).status == 404
    assert filled.ask("PUT", "/buckets/b/documents", "", idempotency_key='"p"').status == 200
    assert filled.ask("POST", "/rollback/1", idempotency_key='"r"').status == 201
    assert filled.ask("POST", path, REPORT, idempotency_key=KEY).status == 201


def test_another_body_is_another_request(filled: serving.Client) -> None:
    assert filled.ask("PUT", "/buckets/a/documents", FIRST, idempotency_key=KEY).status == 200
    assert filled.ask("PUT", "/buckets/a/documents", OTHER, idempotency_key=KEY).status == 422


def test_answers_are_kept_for_a_day(filled: serving.Client) -> None:
    database = filled.app.state.service.database
    assert filled.ask("POST", "/rollback/1", idempotency_key=KEY).status == 201
    with database.writing() as connection:
        connection.execute(update(REPEATS).values(at="2026-01-01T00:00:00.000000+00:00"))
    before = state(filled)
    assert filled.ask("POST", "/rollback/1", idempotency_key=KEY).status == 201
    assert state(filled) != before
    with database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(REPEATS)).scalar() == 1


@pytest.mark.parametrize("key", ["", '""', '"a', "a b", '"a", "b"', '"\x7f"', '"' + "x" * 256 + '"'])
def test_keys_that_are_none(key: str, filled: serving.Client) -> None:
    before = state(filled)
    assert filled.ask("POST", "/rollback/1", idempotency_key=key).status == 400
    assert state(filled) == before


@pytest.mark.parametrize(("first", "second"), [("abc", '"abc"'), ('"a\\"b"', '"a\\"b"')])
def test_keys_with_and_without_quotes(first: str, second: str, filled: serving.Client) -> None:
    one, two = (filled.ask("POST", "/rollback/1", idempotency_key=key) for key in (first, second))
    assert (one.status, one.text) == (two.status, two.text)
