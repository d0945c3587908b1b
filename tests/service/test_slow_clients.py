"""Clients that are slow in every part of a connection: their time is limited, and others are served meanwhile."""

from __future__ import annotations

import itertools
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

import pytest
import serving
from starlette.applications import Starlette

from plait.service import protocol, receiving
from plait.service.app import application

# For what should end soon, on a machine that has much else to do.
LONG = 120
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
UPLOAD = b"PUT /api/v1.0/buckets/a/documents HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-yaml\r\n"
LENGTH = UPLOAD % b"localhost" + b"Content-Length: 99999\r\n\r\n"
CHUNKED = UPLOAD % b"localhost" + b"Transfer-Encoding: chunked\r\n\r\n"
REJECTED = UPLOAD % b"elsewhere" + b"Transfer-Encoding: chunked\r\n\r\n"
Place = tuple[str, int]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with serve(application(f"sqlite:///{tmp_path / 'plait.db'}")) as found:
        yield found


@contextmanager
def serve(app: Starlette) -> Iterator[Place]:
    """The host and port of the service in a thread of this process."""
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


def trickled(place: Place, start: bytes, part: bytes) -> bytes:
    """The response to a client that sends a part every few milliseconds, until the service closes the connection."""
    found = b""
    with socket.create_connection(place, timeout=LONG) as connection:
        connection.sendall(start)
        connection.settimeout(0.02)
        until = monotonic() + LONG
        while monotonic() < until:
            try:
                connection.sendall(part)
                received = connection.recv(1 << 16)
            except TimeoutError:
                continue
            except ConnectionError:
                return found
            if not received:
                return found
            found += received
    raise AssertionError("the connection stays open")


# The parts of a connection, the time that is limited, what a client sends at first and then slowly, and the response.
PARTS: dict[str, tuple[str, bytes, bytes, bytes]] = {
    "nothing": ("head", b"", b"", b""),
    "empty lines": ("head", b"", b"\r\n", b""),
    "first line": ("head", b"GET /", b"a", b""),
    "headers": ("head", b"GET / HTTP/1.1\r\n", b"a: b\r\n", b""),
    "head of the second request": ("head", HEALTH + b"GET /", b"a", b"HTTP/1.1 204"),
    "body of a length": ("body", LENGTH, b"#", b"HTTP/1.1 408"),
    "chunks": ("body", CHUNKED, b"1\r\n#\r\n", b"HTTP/1.1 408"),
    "size of a chunk": ("body", CHUNKED, b"0", b"HTTP/1.1 408"),
    "body of a length, with progress": ("whole body", LENGTH, b"#" * 64, b"HTTP/1.1 408"),
    "chunks, with progress": ("whole body", CHUNKED, b"40\r\n" + b"#" * 64 + b"\r\n", b"HTTP/1.1 408"),
    "rejected chunks": ("head", REJECTED, b"1\r\n#\r\n", b"HTTP/1.1 403"),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_slow_client_is_left(part: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    limited, start, then, answer = PARTS[part]
    # Also the time for the rest of a body that was rejected.
    monkeypatch.setattr(protocol, "_HEAD", 0.3)
    if limited == "body":
        monkeypatch.setattr(receiving, "_PROGRESS", 0.3)
    elif limited == "whole body":
        monkeypatch.setattr(receiving, "_LEAST", 64)
        monkeypatch.setattr(receiving, "_WHOLE", 0.3)
    assert trickled(place, start, then).startswith(answer)


def test_a_client_that_reads_a_response_slowly_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_TAKEN", 2)
    monkeypatch.setattr(protocol, "_WHOLE", 0.5)
    text = "x" * (8 << 20)
    documents = serving.body_of([{"name": "x", "data": "TEXT"}]).replace("TEXT", text).encode()
    app = application(f"sqlite:///{tmp_path / 'plait.db'}", limits={"seconds": 300})
    with serve(app) as place, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        connection.settimeout(LONG)
        connection.connect(place)
        connection.sendall(UPLOAD % b"localhost" + b"Content-Length: %d\r\n\r\n" % len(documents))
        connection.sendall(documents)
        assert connection.recv(12) == b"HTTP/1.1 200"
        received = 0
        until = monotonic() + 5
        while monotonic() < until:
            threading.Event().wait(0.02)
            received += len(connection.recv(1 << 10))
        received += len(all_of(connection))
    assert received < len(text)


def all_of(connection: socket.socket) -> bytes:
    """The rest of what a service sends until it closes the connection."""
    found = b""
    try:
        while part := connection.recv(1 << 20):
            found += part
    except ConnectionError:
        pass
    return found


# What connections send that wait for nothing of the service: a whole request, whose response is read, and a part of one.
IDLE: dict[str, tuple[bytes, bytes]] = {
    "nothing": (b"", b""),
    "a part of a head": (b"", b"GET / HT"),
    "requests": (HEALTH, b""),
    "requests and a part of a head": (HEALTH, b"GET / HT"),
}


@pytest.mark.parametrize("way", IDLE)
def test_idle_connections_keep_nobody_out(way: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_MOST", 20)
    with ExitStack() as stack:
        for _ in range(60):
            connection = stack.enter_context(socket.create_connection(place, timeout=LONG))
            request, rest = IDLE[way]
            connection.sendall(request)
            assert not request or connection.recv(1 << 12).startswith(b"HTTP/1.1 204")
            connection.sendall(rest)
        for _ in range(3):
            with socket.create_connection(place, timeout=LONG) as connection:
                connection.sendall(HEALTH)
                assert connection.recv(1 << 12).startswith(b"HTTP/1.1 204")


def test_uploads_are_not_closed_for_others(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many uploads as there may be connections: the newest connection is closed."""
    monkeypatch.setattr(protocol, "_MOST", 5)
    with ExitStack() as stack:
        uploads = [stack.enter_context(socket.create_connection(place, timeout=LONG)) for _ in range(5)]
        for upload in uploads:
            upload.sendall(UPLOAD % b"localhost" + b"Content-Length: 3\r\n\r\n#")
            threading.Event().wait(0.1)
        with socket.create_connection(place, timeout=LONG) as connection:
            assert not all_of(connection)
        for upload in uploads:
            upload.sendall(b"##")
            assert upload.recv(12) == b"HTTP/1.1 200"


# Sizes of chunks in order, and the response. The first 1000 chunks may have any size.
CHUNKS: dict[str, tuple[Iterator[int], bytes]] = {
    "large": (itertools.repeat(1 << 10, 2000), b"HTTP/1.1 200"),
    "lines": (itertools.repeat(80, 5000), b"HTTP/1.1 200"),
    "a few small ones": (itertools.repeat(1, 900), b"HTTP/1.1 200"),
    "small": (itertools.repeat(1, 200_000), b"HTTP/1.1 400"),
    "small behind large": (itertools.chain([1 << 16], itertools.repeat(2, 200_000)), b"HTTP/1.1 400"),
}


@pytest.mark.parametrize("size", CHUNKS)
def test_a_body_of_many_small_chunks_is_rejected(size: str, place: Place) -> None:
    """A chunk of one byte takes as much time as one of many, and all connections wait for it."""
    sizes, answer = CHUNKS[size]
    with socket.create_connection(place, timeout=LONG) as connection:
        try:
            connection.sendall(CHUNKED + b"".join(b"%x\r\n%s\r\n" % (one, b"#" * one) for one in sizes) + b"0\r\n\r\n")
        except ConnectionError:
            assert answer == b"HTTP/1.1 400"
        try:
            found = connection.recv(1 << 12)
        except ConnectionError:
            found = b""
        # A response is lost if the rest of the body arrives at the closed connection.
        assert found.startswith(answer) or (not found and answer == b"HTTP/1.1 400")


@pytest.mark.parametrize("start", [REJECTED, HEALTH])
def test_invalid_http_behind_a_response_ends_the_connection(
    start: bytes, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    with socket.create_connection(place, timeout=LONG) as connection:
        connection.sendall(start)
        assert connection.recv(9) == b"HTTP/1.1 "
        connection.sendall(b"\0\r\n\0\r\n\r\n")
        all_of(connection)
    assert not caplog.records
