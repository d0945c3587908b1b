"""A small request costs the database the same however many documents there are: the steps that SQLite takes are counted."""

from __future__ import annotations

import importlib.util
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
import serving
import sqlalchemy
from sqlalchemy import event

from plait.service.app import application

FEW, MANY = 60, 1200


def _benchmark() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "service.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_service", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


BENCHMARK = _benchmark()


class Subject:
    """A service with a number of documents, and a second revision with one more."""

    def __init__(self, directory: Path, count: int) -> None:
        self.client = serving.Client(application(f"sqlite:///{directory / f'{count}.db'}"))
        body = BENCHMARK.POLICY + "".join(BENCHMARK.DOCUMENT % (n, n % 5, n, n) for n in range(count))
        self.half = count // 2
        assert self.ask("PUT", "/buckets/all/documents", body) >= 0
        for number in range(2):
            self.ask("GET", f"/revisions/{number + 1}/rendered-documents?limit=1")
            self.ask("PUT", "/buckets/one/documents", BENCHMARK.ONE.replace("{n}", str(-number)))

    def ask(self, method: str, path: str, body: str = "") -> int:
        """The steps of the database for a request, as a multiple of ten."""
        with counted(self.client.app.state.service.database.engine) as steps:
            reply = self.client.ask(method, path.replace("{half}", str(self.half)).replace("{revision}", "2"), body)
        assert reply.status < 400, reply.text
        return len(steps)


@contextmanager
def counted(engine: sqlalchemy.Engine) -> Iterator[list[None]]:
    """A list that grows with each ten steps of the virtual machine of SQLite."""
    steps: list[None] = []

    def watch(connection: sqlalchemy.Connection, cursor: sqlite3.Cursor, *rest: object) -> None:
        cursor.connection.set_progress_handler(lambda: steps.append(None), 10)

    event.listen(engine, "before_cursor_execute", watch)
    try:
        yield steps
    finally:
        event.remove(engine, "before_cursor_execute", watch)


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Subject]]:
    found = [Subject(tmp_path_factory.mktemp("cost"), count) for count in (FEW, MANY)]
    yield found
    for one in found:
        one.client.close()


@pytest.mark.parametrize("name", [name for name in BENCHMARK.SMALL if not name.endswith("once")])
def test_a_small_request_takes_as_many_steps_with_many_documents(
    name: str, subjects: list[Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of a label that more documents have, so many are looked at.
    monkeypatch.setattr("plait.service.filters._FEW", FEW // 6)
    method, path, body = BENCHMARK.SMALL[name]
    few, many = (one.ask(method, path, body.replace("{n}", "7")) for one in subjects)
    # A step that is not counted in one may be counted in the other.
    assert many <= 1.3 * few + 2
