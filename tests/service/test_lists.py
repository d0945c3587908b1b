"""Lists of documents: the same whether the database or Python puts them in order, and never more read than is asked for."""

from __future__ import annotations

import itertools

import pytest
import serving
import sqlalchemy
import yaml
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import event

from plait.service.facts import LONGEST_LABEL
from plait.service.filters import _COLUMNS
from plait.service.tables import METADATA

LONG = "l" * (LONGEST_LABEL + 1)
NAMES = ["b", "B", "ä", "a-b", "a", "aB", "Z", "z", "_"]


def documents() -> list[dict[str, object]]:
    labels = [{"group": "g", LONG: LONG}, {"group": "g", LONG: LONG + "x"}, {"group": "h"}]
    return [
        {"name": name, "schema": f"example/{kind}/v1", "labels": labels[number % 3], "data": number}
        for number, (name, kind) in enumerate(itertools.product(NAMES, ["Kind", "kind"]))
    ]


@pytest.fixture
def filled(client: serving.Client) -> serving.Client:
    found = documents()
    for number, bucket in enumerate(["b", "a"]):
        body = serving.body_of([*(["policy"] if number == 0 else []), *found[number::2]])
        assert client.ask("PUT", f"/buckets/{bucket}/documents", body).status == 200
    return client


def key_of(document: dict[str, object], path: str) -> object:
    value: object = document
    for step in path.split("."):
        assert isinstance(value, dict)
        value = value.get(step, "" if step == "layer" else None)
    return value


def asked(client: serving.Client, query: str) -> list[dict[str, object]]:
    """All documents of a list, which is read two at a time, by the links of its parts."""
    found: list[dict[str, object]] = []
    path = f"/revisions/2/documents?limit=2&{query}"
    while path:
        reply = client.ask("GET", path)
        assert reply.status == 200, reply.text
        found += yaml.safe_load_all(reply.text)
        path = reply.headers.get("link", "").partition(">")[0].partition("/api/v1.0")[2]
    return found


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("keys", [*((one,) for one in _COLUMNS), ("schema", "metadata.name")], ids="+".join)
def test_the_order_is_that_of_code_points(keys: tuple[str, ...], order: str, filled: serving.Client) -> None:
    everything = asked(filled, "")
    assert len(everything) == len(NAMES) * 2 + 1
    found = asked(filled, "&".join([*(f"sort={key}" for key in keys), f"order={order}"]))
    # Python's order of what is equal is that of the numbers, in both directions.
    wanted = sorted(everything, key=lambda one: [key_of(one, key) for key in keys], reverse=order == "desc")
    assert [one["id"] for one in found] == [one["id"] for one in wanted]


@pytest.mark.parametrize("few", [0, 500])
@pytest.mark.parametrize("pair", [("group", "g"), (LONG, LONG), (LONG, LONG + "x"), ("group", "nothing")])
def test_labels(pair: tuple[str, str], few: int, filled: serving.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.service.filters._FEW", few)
    wanted = {(one["name"], one["schema"]) for one in documents() if one["labels"].get(pair[0]) == pair[1]}  # type: ignore[attr-defined]
    found = asked(filled, f"metadata.label={pair[0]}={pair[1]}")
    assert {(key_of(one, "metadata.name"), one["schema"]) for one in found} == wanted
    assert len(found) == len(wanted)


QUERIES = ["", *(f"sort={key}&order={order}" for key in _COLUMNS for order in ("asc", "desc"))]
QUERIES += ["metadata.name=a", "status.bucket=a", "metadata.label=group=g"]


@pytest.mark.parametrize("query", QUERIES)
def test_first_documents_are_found_by_an_index(query: str, filled: serving.Client) -> None:
    """SQLite puts in order only what it has found by an index."""
    engine = filled.app.state.service.database.engine
    if engine.dialect.name != "sqlite":
        pytest.skip("plans of PostgreSQL follow from statistics")
    plans: list[list[str]] = []

    def explained(
        connection: sqlalchemy.Connection, cursor: object, statement: str, parameters: object, *rest: object
    ) -> None:
        if statement.startswith("SELECT") and "LIMIT" in statement and "entries" in statement:
            rows = connection.connection.cursor().execute(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]
            # A line names the one it belongs to.
            by_parent: dict[int, list[str]] = {}
            for _, parent, _, line in rows.fetchall():
                by_parent.setdefault(parent, []).append(line)
            plans.extend(by_parent.values())

    event.listen(engine, "before_cursor_execute", explained)
    assert filled.ask("GET", f"/revisions/2/documents?limit=1&{query}").status == 200
    event.remove(engine, "before_cursor_execute", explained)
    assert plans
    for plan in plans:
        # Of one name there are few.
        scans = [line for line in plan if line.startswith("SCAN entries") and "entries_named" not in line]
        assert not (scans and "TEMP B-TREE" in str(plan)), plan


def test_the_tables_are_as_the_migrations_make_them(client: serving.Client) -> None:
    with client.app.state.service.database.engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection), METADATA)
    assert found == []


def test_labels_with_nul(client: serving.Client) -> None:
    """PostgreSQL stores no NUL, and no request can ask for one."""
    body = serving.body_of([{"name": "a", "labels": {"k\0": "v\0", "group": "g"}}])
    assert client.ask("PUT", "/buckets/a/documents", body).status == 200
    found = client.ask("GET", "/revisions/1/documents?metadata.label=group=g")
    assert (found.status, "v\\0" in found.text) == (200, True)
