"""Webhooks: what a receiver is told, in what order, and what happens when it, the service or the database is away."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import postgresql
import pytest
import serving

from patience import LONGEST
from plait.base.errors import UsageError
from plait.base.http import fetched
from plait.service import webhooks as module
from plait.service.api_errors import busy
from plait.service.app import application
from plait.service.database import Database
from plait.service.webhooks import Webhooks

KEY = "a key of more than sixteen bytes"


class Receiver(ThreadingHTTPServer):
    """A program that is told. statuses: of its next answers, 204 when there are none left."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.statuses: list[int] = []
        self.told: list[dict[str, object]] = []
        self.signed: list[bool] = []
        self.seconds = 0.0
        self.url = f"http://127.0.0.1:{self.server_port}/hook"

    @property
    def revisions(self) -> list[object]:
        return [one["revision"] for one in self.told]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.server.seconds)
        status = self.server.statuses.pop(0) if self.server.statuses else 204
        if status == 204:
            self.server.told.append(json.loads(body))
            expected = hmac.new(KEY.encode(), body, hashlib.sha256).hexdigest()
            self.server.signed.append(self.headers["X-Plait-Signature"] == f"sha256={expected}")
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def do_GET(self) -> None:
        self.server.told.append({"revision": "a redirect was followed"})
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def receiving(port: int = 0) -> Iterator[Receiver]:
    with Receiver(port) as receiver:
        thread = threading.Thread(target=receiver.serve_forever)
        thread.start()
        yield receiver
        receiver.shutdown()
        thread.join()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOK", 0.02)
    monkeypatch.setattr(module, "_FIRST", 0.05)


@pytest.fixture(scope="module")
def server() -> Iterator[postgresql.Server | None]:
    with postgresql.started() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, server: postgresql.Server | None, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/plait.db"
    elif server is None:
        pytest.skip("there is no PostgreSQL")
    else:
        with server.database() as found:
            yield found


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n", "utf-8")
    return str(path)


@contextmanager
def service(url: str, hooks: list[str], key: str | None = None) -> Iterator[serving.Client]:
    client = serving.Client(application(url))
    with Webhooks(client.app.state.service.database, hooks, key, "http://service").telling():
        yield client
    client.close()


def put(client: serving.Client, count: int, bucket: str = "a") -> None:
    assert client.ask("PUT", f"/buckets/{bucket}/documents", serving.body_of([{"name": f"d{count}"}])).status == 200


def wait(condition: Callable[[], bool], seconds: float = LONGEST) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_each_revision_is_told_in_order_and_signed(url: str, key: str, receiver: Receiver) -> None:
    with service(url, [receiver.url], key) as client:
        for number in (1, 2, 3):
            put(client, number)
        client.ask("POST", "/rollback/1")
        wait(lambda: len(receiver.told) == 4)
        assert receiver.revisions == [1, 2, 3, 4]
        assert all(receiver.signed)
        first = receiver.told[0]
        assert first == {
            "event": "revision",
            "revision": 1,
            "createdAt": first["createdAt"],
            "buckets": ["a"],
            "url": "http://service/api/v1.0/revisions/1",
        }


def test_a_new_webhook_hears_of_later_revisions_and_a_known_one_of_all(url: str, receiver: Receiver) -> None:
    with service(url, []) as client:
        put(client, 1)
    with service(url, [receiver.url]) as client:
        put(client, 2)
        wait(lambda: receiver.revisions == [2])
    with service(url, []) as client:
        put(client, 3)
    with service(url, [receiver.url]) as client:
        put(client, 4)
        wait(lambda: receiver.revisions == [2, 3, 4])


@pytest.mark.parametrize("status", [500, 404, 302])
def test_what_was_not_taken_is_told_again(url: str, receiver: Receiver, status: int) -> None:
    receiver.statuses = [status, status]
    with service(url, [receiver.url]) as client:
        put(client, 1)
        put(client, 2)
        wait(lambda: receiver.revisions == [1, 2])


def test_a_receiver_that_is_away_hears_of_all_when_it_is_back(url: str, receiver: Receiver) -> None:
    with receiving() as other:
        port = other.server_port
    with service(url, [f"http://127.0.0.1:{port}/hook", receiver.url]) as client:
        put(client, 1)
        put(client, 2)
        wait(lambda: receiver.revisions == [1, 2])
        with receiving(port) as back:
            wait(lambda: back.revisions == [1, 2])


def test_a_slow_receiver_keeps_nobody_waiting(
    url: str, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_BOUND", 0.2)
    with receiving() as slow:
        slow.seconds = 0.6
        with service(url, [slow.url, receiver.url]) as client:
            put(client, 1)
            wait(lambda: receiver.revisions == [1])
            wait(lambda: "delivery of revision 1 failed" in caplog.text)
            slow.seconds = 0
            wait(lambda: len(slow.told) >= 1)


def test_two_services_tell_once(url: str, receiver: Receiver) -> None:
    with service(url, [receiver.url]) as one, service(url, [receiver.url]) as other:
        for number in range(10):
            put(one if number % 2 else other, number)
        wait(lambda: len(receiver.told) >= 10)
        time.sleep(0.2)
        assert receiver.revisions == list(range(1, 11))


def test_revisions_that_are_forgotten_begin_again(url: str, receiver: Receiver) -> None:
    with service(url, [receiver.url]) as client:
        put(client, 1)
        put(client, 2)
        wait(lambda: receiver.revisions == [1, 2])
        assert client.ask("DELETE", "/revisions").status == 204
        put(client, 3)
        wait(lambda: receiver.revisions == [1, 2, 1])


def test_the_database_may_be_away(server: postgresql.Server | None, receiver: Receiver) -> None:
    if server is None:
        pytest.skip("there is no PostgreSQL")
    with server.database() as found, service(found, [receiver.url]) as client:
        put(client, 1)
        wait(lambda: receiver.revisions == [1])
        with server.stopped():
            time.sleep(0.3)
        put(client, 2)
        wait(lambda: receiver.revisions[-1] == 2)


def test_what_was_made_before_a_kill_is_told_after_it(tmp_path: Path, key: str) -> None:
    with receiving() as away:
        port = away.server_port
    url = f"http://127.0.0.1:{port}/hook"
    command = [sys.executable, "-m", "plait", "serve", "--port", "0", "--webhook", url, "--webhook-key", key]

    def served(body: str) -> subprocess.Popen[str]:
        server = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        address = server.stderr.readline().strip().removeprefix("plait: serving http://")
        connection = http.client.HTTPConnection(address, timeout=LONGEST)
        connection.request("PUT", "/api/v1.0/buckets/a/documents", body, {"content-type": serving.YAML})
        assert connection.getresponse().read()
        connection.close()
        return server

    with served(serving.body_of([{"name": "one"}])) as server:
        server.kill()
    with receiving(port) as receiver, served(serving.body_of([{"name": "two"}])) as server:
        wait(lambda: receiver.revisions == [1, 2], 30)
        assert all(receiver.signed)
        server.send_signal(signal.SIGTERM)
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()


@pytest.mark.parametrize("bad", ["", "ftp://host/", "http://", "https://me:secret@host/", "http://host:x/", "//host"])
def test_what_is_no_url_is_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(UsageError, match="the URL of a webhook is not valid") as caught:
        application(f"sqlite:///{tmp_path}/plait.db", webhooks=[bad])
    assert "secret" not in str(caught.value)


def test_a_short_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("short", "utf-8")
    with pytest.raises(UsageError, match="too short"):
        application(f"sqlite:///{tmp_path}/plait.db", webhook_key=str(tmp_path / "key"))


def test_a_database_of_the_first_version_is_brought_up_to_date(
    url: str, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plait.service.database._NEWEST", "0001")
    Database(url).close()
    monkeypatch.undo()
    with service(url, [receiver.url]) as client:
        put(client, 1)
        wait(lambda: receiver.revisions == [1])


def test_a_failure_does_not_end_a_webhook(
    url: str, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[Exception] = [busy("other requests take too long"), RuntimeError("no thread"), MemoryError()]
    send = Webhooks._send

    def fail_first(self: Webhooks, *given: Any) -> str | None:
        if failures:
            raise failures.pop()
        return send(self, *given)

    monkeypatch.setattr(Webhooks, "_send", fail_first)
    monkeypatch.setattr(module, "_BOUND", 0.05)
    with service(url, [receiver.url]) as client:
        put(client, 1)
        wait(lambda: receiver.revisions == [1])
    assert "retried each second" in caplog.text


def test_an_answer_without_end_leaves_no_connection() -> None:
    """A server that sends a byte now and then."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def drip() -> None:
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                while True:
                    connection.sendall(b"H")
                    time.sleep(0.01)
            ended.set()

        threading.Thread(target=drip, daemon=True).start()
        with pytest.raises(TimeoutError):
            fetched(f"http://127.0.0.1:{server.getsockname()[1]}/", seconds=0.2, maximum=1)
        assert ended.wait(LONGEST)
