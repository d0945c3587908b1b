"""The service under real conditions: slow and many clients, waiting writers, signals, figures and log lines."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import serving
import yaml
from starlette.applications import Starlette

from plait.base.errors import PlaitError
from plait.cli import main
from plait.service import protocol, receiving
from plait.service.app import application
from plait.service.database import Database
from plait.service.retention import keep_of, prune

BODY = serving.body_of(["policy", {"name": "x", "data": 1}])
# For what should end soon, on a machine that has much else to do.
LONG = 120


@contextmanager
def process(directory: Path, *flags: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`plait serve` as a process, and its address."""
    command = [sys.executable, "-m", "plait", "serve", "--port", "0", *flags]
    with subprocess.Popen(command, cwd=directory, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            yield server, server.stderr.readline().strip().removeprefix("plait: serving http://")
        finally:
            server.kill()


@contextmanager
def thread(app: Starlette) -> Iterator[tuple[str, int]]:
    """The service in a thread of this process: its host and port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = protocol.GracefulServer(app)
        runs = threading.Thread(target=server.run, args=([listener],))
        runs.start()
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            runs.join(LONG)
            app.state.service.database.close()


def ask(address: str, method: str, path: str, body: str = "") -> serving.Reply:
    connection = http.client.HTTPConnection(address, timeout=LONG)
    connection.request(method, path, body, {"content-type": serving.YAML})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return serving.Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, text)


def put(address: str, body: str = BODY) -> serving.Reply:
    return ask(address, "PUT", "/api/v1.0/buckets/a/documents", body)


def kept(reply: serving.Reply) -> object:
    """What a response says of whether the request is stored all the same."""
    found = reply.document
    assert isinstance(found, dict)
    return found["details"]["kept"]


def resident(pid: int) -> int:
    """MiB of a process."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmRSS"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_the_whole_database_in_one_file(number: int, tmp_path: Path) -> None:
    with process(tmp_path) as (server, address):
        assert put(address).status == 200
        server.send_signal(number)
        assert server.wait(LONG) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["plait.db"]
    shutil.copy(tmp_path / "plait.db", tmp_path / "backup.db")
    with closing(sqlite3.connect(f"file:{tmp_path / 'backup.db'}?immutable=1", uri=True)) as found:
        assert found.execute("SELECT count(*) FROM revisions").fetchone() == (1,)


def test_waiting_writers_keep_nobody_else(tmp_path: Path) -> None:
    """130 writers, of which none comes to its turn: health and reads are answered, and what has no place is told so."""
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}"))
    database = client.app.state.service.database

    async def ask() -> None:
        given = {"host": "127.0.0.1", "content-type": serving.YAML}
        writers = [
            asyncio.ensure_future(client._ask("PUT", f"/buckets/b{number}/documents", b"", given))
            for number in range(130)
        ]
        lane = next(one for one in client.app.state.metrics._lanes if one.name == "writes")
        while lane.queued + lane.working < 106:  # noqa: ASYNC110 - the lane tells nobody
            await asyncio.sleep(0.01)
        done, waiting = await asyncio.wait(writers, timeout=0.1)
        refused = [one.result() for one in done]
        assert [reply.status for reply in refused] == [503] * 24
        assert all((reply.headers["retry-after"], kept(reply)) == ("1", "no") for reply in refused)
        for path, status in (
            ("//health", 204),
            ("/health", 204),
            ("/ready", 204),
            ("/revisions", 200),
            ("//metrics", 200),
        ):
            reply = await client._ask("GET", path, b"", {"host": "127.0.0.1"})
            assert reply.status == status, path
        database._writer.release()
        assert {(await one).status for one in waiting} == {200}

    database._writer.acquire()
    try:
        client._loop.run_until_complete(ask())
    finally:
        if database._writer.locked():
            database._writer.release()
        client.close()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell")
def test_unfinished_uploads_take_little_memory(tmp_path: Path) -> None:
    """Twenty uploads of 30 MB, of which the last byte does not come; and none of them keeps the service from ending."""
    size = 30 << 20
    head = f"PUT /api/v1.0/buckets/a/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: {serving.YAML}\r\n"
    with process(tmp_path) as (server, address), ExitStack() as stack:
        assert put(address).status == 200
        before = resident(server.pid)
        host, _, port = address.partition(":")
        for _ in range(20):
            upload = stack.enter_context(socket.create_connection((host, int(port)), timeout=LONG))
            upload.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode())
            for _ in range(size >> 20):
                upload.sendall(b"#" * (1 << 20) if _ else b"#" * ((1 << 20) - 1))
        stack.enter_context(socket.create_connection((host, int(port)), timeout=LONG)).sendall(b"GET / HT")
        assert put(address).status == 200
        assert resident(server.pid) - before < 150
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=LONG)
        assert (server.returncode, "Traceback" in errors) == (0, False)
    assert [path.name for path in tmp_path.iterdir()] == ["plait.db"]


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"GET /revisions HTTP/1.1\r\nHost: local", b""),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /he", b"HTTP/1.1 204"),
        (
            (
                b"PUT /api/v1.0/buckets/a/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-yaml\r\n"
                b"Content-Length: 10\r\n\r\na"
            ),
            b"HTTP/1.1 408",
        ),
    ],
)
def test_connections_without_progress_end(
    sent: bytes, answer: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "_HEAD", 0.3)
    monkeypatch.setattr(receiving, "_PROGRESS", 0.3)
    with thread(application(f"sqlite:///{tmp_path / 'plait.db'}")) as place:
        with socket.create_connection(place, timeout=LONG) as connection:
            connection.sendall(sent)
            found = b""
            try:
                while part := connection.recv(1 << 16):
                    found += part
            except ConnectionResetError:
                pass
        assert found.startswith(answer)
        assert answer or not found


def test_a_client_that_takes_no_response_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_TAKEN", 0.3)
    documents = serving.body_of([{"name": "x", "data": "TEXT"}]).replace("TEXT", "x" * (20 << 20))
    app = application(f"sqlite:///{tmp_path / 'plait.db'}", limits={"seconds": 300})
    with thread(app) as (host, port):
        assert put(f"{host}:{port}", documents).status == 200
        with socket.create_connection((host, port), timeout=LONG) as connection:
            connection.sendall(b"GET /api/v1.0/revisions/1/documents HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while not app.state.metrics._requests.get(("GET", "/api/v1.0/revisions/{revision}/documents", 200)):
                threading.Event().wait(0.05)
        assert app.state.service.spool.disk.used == 0


def test_a_disk_without_room_for_bodies(client: serving.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("plait.service.spool.Spool.opened", full)
    reply = client.ask("PUT", "/buckets/a/documents", serving.body_of(["policy", {"name": "x", "data": "x" * 100_000}]))
    assert (reply.status, "No space left" in reply.text, kept(reply)) == (503, True, "no")


def test_bodies_share_one_budget(client: serving.Client) -> None:
    spool = client.app.state.service.spool
    body = serving.body_of(["policy", {"name": "x", "data": "x" * 100_000}])
    for budget in (spool.memory, spool.disk, spool.uploads):
        budget.take(budget._most)
        reply = client.ask("PUT", "/buckets/a/documents", body)
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        budget.put_back(budget._most)
        assert budget.used == 0
    assert client.ask("PUT", "/buckets/a/documents", body).status == 200
    assert (spool.memory.used, spool.disk.used, spool.uploads.used) == (0, 0, 0)


def test_log_lines_name_the_request(tmp_path: Path) -> None:
    with process(tmp_path, "--log-format", "json") as (server, address):
        reply = put(address)
        for path in ("/health", "/api/v1.0/health", "/api/v1.0/ready", "/metrics"):
            assert ask(address, "GET", path).status in (200, 204)
        server.terminate()
        assert server.stderr is not None
        lines = [json.loads(line) for line in server.stderr.read().splitlines()]
    (line,) = [one for one in lines if "method" in one]
    assert line["request"] == reply.headers["x-deckhand-req"]
    assert (line["method"], line["status"], line["bytes"], line["user"]) == ("PUT", 200, len(reply.text), "anyone")
    assert line["route"] == "/api/v1.0/buckets/{bucket}/documents"
    assert line["seconds"] > 0


def test_failures_of_the_database_are_counted(client: serving.Client, caplog: pytest.LogCaptureFixture) -> None:
    """At most one line a second, with the reason and the number of those that were left out."""
    engine = client.app.state.service.database.engine
    caplog.set_level(logging.ERROR)

    def fail(*_: object) -> None:
        from sqlalchemy.exc import OperationalError

        raise OperationalError("SELECT", None, ConnectionError("it has ended"))

    from sqlalchemy import event

    event.listen(engine, "before_cursor_execute", fail)
    for _ in range(20):
        assert client.ask("GET", "/revisions").status == 503
    event.remove(engine, "before_cursor_execute", fail)
    lines = [record.getMessage() for record in caplog.records if "database failed" in record.getMessage()]
    assert 0 < len(lines) < 20
    assert "it has ended" in lines[0]
    text = client.ask("GET", "//metrics").text
    assert "plait_database_errors_total 20\n" in text


def test_metrics_are_in_the_form_of_prometheus(client: serving.Client) -> None:
    client.ask("PUT", "/buckets/a/documents", BODY)
    client.ask("GET", "/revisions/9")
    text = client.ask("GET", "//metrics").text
    line = re.compile(r'# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? [0-9.e+-]+')
    assert [one for one in text.splitlines() if not line.fullmatch(one)] == []
    assert 'plait_requests_total{method="PUT",route="/api/v1.0/buckets/{bucket}/documents",status="200"} 1\n' in text
    assert 'route="/api/v1.0/revisions/{revision}",status="404"} 1\n' in text
    assert "plait_request_duration_seconds_count" in text


def test_who_wrote_what(client: serving.Client) -> None:
    client.ask("PUT", "/buckets/a/documents", BODY)
    tagged = client.ask("POST", "/revisions/1/tags/t")
    client.ask("PUT", "/buckets/a/documents", "a: [")
    rows = client.ask("GET", "/audit").document
    assert isinstance(rows, list)
    assert [(one["user"], one["action"], one["path"], one["revision"]) for one in rows] == [
        ("anyone", "PUT /api/v1.0/buckets/{bucket}/documents", "/api/v1.0/buckets/a/documents", 1),
        ("anyone", "POST /api/v1.0/revisions/{revision}/tags/{tag}", "/api/v1.0/revisions/1/tags/t", 1),
    ]
    assert rows[1]["request"] == tagged.headers["x-deckhand-req"]
    last = client.ask("GET", "/audit?order=desc&limit=1")
    assert "tags/t" in last.text
    shown: Any = last.document
    assert f"marker={shown[0]['id']}" in last.headers["link"]
    # What is forgotten has been written by somebody all the same.
    client.ask("DELETE", "/revisions")
    assert client.ask("GET", "/audit").text.count("request:") == 3


def test_ready_knows_a_database_that_takes_no_writes(tmp_path: Path) -> None:
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}"))
    database = client.app.state.service.database
    assert client.ask("GET", "/ready").status == 204
    database._written_at = float("-inf")
    database.engine.dispose()
    from sqlalchemy import event

    @event.listens_for(database.engine, "connect")
    def read_only(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA query_only = ON")

    assert client.ask("GET", "/ready").status == 503
    assert client.ask("GET", "/revisions").status == 200
    client.close()


def test_a_database_of_a_newer_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path / 'plait.db'}"
    Database(url).close()
    with closing(sqlite3.connect(tmp_path / "plait.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(PlaitError, match="newer version") as caught:
        Database(url)
    assert "9999" in caught.value.report()
    assert main(["serve", "--check", "--port", "0", "--database", url]) == 1
    assert "newer version" in capsys.readouterr().err


def revisions(client: serving.Client) -> list[int]:
    found = client.ask("GET", "/revisions").document
    assert isinstance(found, dict)
    return [one["id"] for one in found["results"]]


def test_retention_keeps_what_the_rules_name(client: serving.Client) -> None:
    """Ten revisions with documents that stay, change and are secret: what is kept is unchanged, and the rest is gone."""
    for number in range(1, 11):
        documents = [{"name": "same", "data": 1}, {"name": "x", "data": number}]
        documents.append({"name": "pw", "encrypted": True, "data": f"word{number // 4}"})
        assert client.ask("PUT", "/buckets/a/documents", serving.body_of(["policy", *documents])).status == 200
    for number in (2, 5):
        assert client.ask("POST", f"/revisions/{number}/tags/t{number}").status == 201
    database = client.app.state.service.database
    texts = {number: client.ask("GET", f"/revisions/{number}/rendered-documents").text for number in (2, 9, 10)}
    keep = keep_of(["last=2", "tag=t2"])
    assert keep is not None
    with database.writing() as connection:
        assert prune(connection, keep) == 7
        assert prune(connection, keep) == 0
        tables = ("entries", "documents", "secrets")
        sizes = [connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar() for name in tables]
    # The policy and `same`; x of three revisions; the secret of 2, and that of 9 and 10.
    assert sizes == [7, 7, 2]
    client.app.state.service.renderer.forget()
    assert revisions(client) == [2, 9, 10]
    assert {number: client.ask("GET", f"/revisions/{number}/rendered-documents").text for number in texts} == texts
    for path in ("/revisions/5", "/revisions/5/documents", "/revisions/5/tags/t5", "/revisions/2/diff/5"):
        assert client.ask("GET", path).status == 404
    # It goes on from there, back to a revision that is kept, and out and in again.
    assert client.ask("POST", "/rollback/2").status == 201
    assert revisions(client) == [2, 9, 10, 11]
    by_tag, by_age = keep_of(["tag=*"]), keep_of(["days=1"])
    assert by_tag is not None
    assert by_age is not None
    with database.writing() as connection:
        assert prune(connection, by_age) == 0
        assert prune(connection, by_tag) == 2
    assert revisions(client) == [2, 11]


def test_the_commands_of_an_operator(database_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    client = serving.Client(application(database_url))
    for number in range(4):
        assert client.ask("PUT", "/buckets/a/documents", serving.body_of([{"name": "x", "data": number}])).status == 200
    assert main(["serve", "prune", "--keep", "last=2", "--database", database_url]) == 0
    assert capsys.readouterr().out == "2 revisions removed\n"
    client.close()
    for accepts_writes in (True, False):
        if not accepts_writes:
            database = Database(database_url)
            with database.writing() as connection:
                connection.exec_driver_sql("DROP TABLE probe")
            database.close()
        assert main(["serve", "status", "--database", database_url]) == int(not accepts_writes)
        status = yaml.safe_load(capsys.readouterr().out)
        counts = ("revisions", "removed revisions", "newest revision", "documents", "writes")
        assert [status[name] for name in counts] == [2, 2, 4, 1, accepts_writes]


@pytest.mark.parametrize(
    "text", ["", "last", "last=", "last=-1", "last=1.5", "days=x", "tag=", "size=1", "last=9999999999"]
)
def test_rules_that_mean_nothing(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--check", "--port", "0", "--keep", text]) != 0
    assert "invalid --keep" in capsys.readouterr().err


def test_documents_yaml_is_whole(client: serving.Client) -> None:
    """A response that is kept in a file is the same as one in memory."""
    documents = [{"name": f"d{number}", "data": "x" * 1000} for number in range(1500)]
    assert client.ask("PUT", "/buckets/a/documents", serving.body_of(["policy", *documents])).status == 200
    reply = client.ask("GET", "/revisions/1/documents")
    assert int(reply.headers["content-length"]) == len(reply.text) > 1 << 20
    assert len(list(yaml.load_all(reply.text, yaml.CSafeLoader))) == 1501
