"""After a commit nothing makes an error of what is stored: every later step is made to fail, one after the other."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import serving
from sqlalchemy import event

import plait
from plait.base.errors import LimitError
from plait.service.app import application
from plait.service.database import Database

PACKAGE = str(Path(plait.__file__).parent)
BODY = serving.body_of(["policy", {"name": "x", "data": 1}])
OTHER = serving.body_of(["policy", {"name": "x", "data": 2}])
WRITES: dict[str, tuple[str, str, str, int]] = {
    "put": ("PUT", "/buckets/a/documents", OTHER, 200),
    "rollback": ("POST", "/rollback/0", "", 201),
    "tag": ("POST", "/revisions/1/tags/t", "{a: 1}", 201),
    "delete tag": ("DELETE", "/revisions/1/tags/there", "", 204),
    "delete tags": ("DELETE", "/revisions/1/tags", "", 204),
    "validation": ("POST", "/revisions/1/validations/v", "{status: success, validator: {name: v}}", 201),
    "delete": ("DELETE", "/revisions", "", 204),
}
# What sends a response that is complete: where that fails, nobody gets one.
SENDING = {"__call__", "sent", "parts", "finish", "attempted", "log_fault"}
KINDS: list[type[BaseException]] = [RuntimeError, LimitError, MemoryError, OSError]


class Faults:
    """Makes the n-th call of a function of plait after a commit fail. calls: how many there were."""

    def __init__(self, number: int, kind: type[BaseException]) -> None:
        self._number, self._kind = number, kind
        self.calls = 0
        self._is_on = False
        self.at = ""

    def committed(self, _: object) -> None:
        self._is_on = True

    def profile(self, frame: FrameType, what: str, _: Any) -> None:
        code = frame.f_code
        # A generator or a coroutine that goes on has been called before.
        if what != "call" or not self._is_on or frame.f_lasti > 10 or not code.co_filename.startswith(PACKAGE):
            return
        if code.co_name in SENDING or finalizes(frame):
            return
        self.calls += 1
        if self.calls == self._number:
            self.at = f"{code.co_filename}:{code.co_name}"
            raise self._kind("a fault")

    @contextmanager
    def injected(self, database: Database) -> Iterator[None]:
        event.listen(database.engine, "commit", self.committed)
        threading.setprofile(self.profile)
        sys.setprofile(self.profile)
        # What begins threads without `threading` is told here: see `plait.base.process`.
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            event.remove(database.engine, "commit", self.committed)


def prepared(directory: Path) -> serving.Client:
    client = serving.Client(application(f"sqlite:///{directory / 'plait.db'}"))
    assert client.ask("PUT", "/buckets/a/documents", BODY).status == 200
    assert client.ask("POST", "/revisions/1/tags/there").status == 201
    return client


def finalizes(frame: FrameType | None) -> bool:
    """True within a finalizer, whose errors the interpreter prints."""
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


# A connection is lost where it fails to go back to its pool.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", WRITES)
def test_every_step_after_a_commit_may_fail(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # In the thread of the caller, which the profiler sees.
    monkeypatch.setattr("plait.service.app.with_stack_headroom", lambda work, *, first: work())
    method, path, body, status = WRITES[name]
    number, seen = 1, set()
    while True:
        place = tmp_path / str(number)
        place.mkdir()
        client = prepared(place)
        faults = Faults(number, KINDS[number % len(KINDS)])
        with faults.injected(client.app.state.service.database):
            reply = client.ask(method, path, body)
        client.close()
        assert reply.status == status, (faults.at, reply.text)
        if faults.calls < number:
            break
        seen.add(faults.at)
        number += 1
    assert number > 3, "no step was made to fail"
    # Connections that are lost here are told of here, not in whatever test comes next.
    del client, faults, reply
    gc.collect()


def test_a_failed_commit_says_what_became_of_the_request(client: serving.Client) -> None:
    """Before the commit: not kept. While the database does not answer it: unknown."""
    engine = client.app.state.service.database.engine
    expected = {"before": "no", "meanwhile": "unknown"}
    for when, kept in expected.items():
        assert client.ask("PUT", "/buckets/a/documents", BODY).status in (200, 503)

        def fail(*_: object, when: str = when) -> None:
            from sqlalchemy.exc import OperationalError

            raise OperationalError("COMMIT", None, ConnectionError("gone"))

        name = "before_cursor_execute" if when == "before" else "commit"
        event.listen(engine, name, fail)
        try:
            reply = client.ask("PUT", "/buckets/a/documents", OTHER)
        finally:
            event.remove(engine, name, fail)
        found = reply.document
        assert isinstance(found, dict)
        assert (reply.status, found["details"]["kept"], reply.headers["retry-after"]) == (503, kept, "1"), when
        assert client.ask("PUT", "/buckets/a/documents", OTHER).status == 200
        assert [one["data"] for one in client.ask("GET", "/revisions/2/documents?metadata.name=x").documents] == [2]  # type: ignore[index]
        client.ask("DELETE", "/revisions")
