"""Memory of SQLite: connections keep few pages, also those that have written many."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import serving

from plait.service.app import application


def test_connections_keep_few_pages(tmp_path: Path) -> None:
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}"))
    engine = client.app.state.service.database.engine
    many = serving.body_of(["policy", *({"name": f"n{number}", "data": number} for number in range(300))])
    with closing(client):
        assert client.ask("PUT", "/buckets/a/documents", many).status == 200
        # A write that is rejected within its transaction gives its memory back as well.
        assert client.ask("PUT", "/buckets/b/documents", many).status == 409
        for count in (1, 5):
            held = [engine.connect() for _ in range(count)]
            assert {one.exec_driver_sql("PRAGMA cache_size").scalar() for one in held} == {-256}
            for one in held:
                one.close()
        assert engine.pool.checkedin() == 5
        # One that is used again and again is always the same.
        used = set()
        for _ in range(5):
            with engine.connect() as connection:
                used.add(id(connection.connection.dbapi_connection))
        assert len(used) == 1
