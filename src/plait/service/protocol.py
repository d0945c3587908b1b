"""The HTTP protocol of `plait serve`: that of uvicorn, with limits for slow clients, and a server that ends in time."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from operator import itemgetter

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from plait.service.responses import EVERY_RESPONSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport
    from collections.abc import Iterator

    from starlette.applications import Starlette

# Timeouts in seconds: for the head of a request, and for a client to receive a part of a response.
_HEAD, _TAKEN = 20.0, 30.0
# Timeout in seconds for a client to receive a whole response, from the first time that it is behind.
_WHOLE = 1800.0
# Maximum number of connections. Each may have a head and a part of a body in memory.
_MOST = 1000
# Maximum number of bytes of the head of a request.
_MOST_HEAD = 64 << 10
# Number of chunks of a body that may be small, and the minimum size in bytes of all others on average. Each chunk takes
# as much time as a large one, and all connections wait for it.
_CHUNKS, _SMALLEST = 1000, 64
# Grace period in seconds for requests to arrive and finish at shutdown. The following steps take a few more seconds.
GRACE = 10
_LAST = 5.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Connection(h11.Connection):
    """The HTTP of a connection. Rejects a body of many small chunks."""

    _chunks = _bytes = 0

    def next_event(self) -> type[h11.NEED_DATA | h11.PAUSED] | h11.Event:
        """The next part of a request. Raises RemoteProtocolError."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._bytes = 0
        elif isinstance(event, h11.Data) and event.chunk_end:
            self._chunks += 1
            self._bytes += len(event.data)
            if self._chunks > _CHUNKS + self._bytes // _SMALLEST:
                raise h11.RemoteProtocolError("the chunks of the body are too small")
        return event


class Protocol(H11Protocol):
    """A connection. Invalid HTTP is answered here and never reaches the application."""

    _head: TimerHandle | None = None
    _stalled: TimerHandle | None = None
    _left = 0
    _slow_cycle: object = None
    _until = 0.0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Accepts a connection. If there are too many, the one without a request whose time ends first is closed."""
        super().connection_made(transport)
        self.conn = _Connection(h11.SERVER, _MOST_HEAD)
        self._wait_for_head()
        if len(self.connections) > _MOST:
            idle = [(one.deadline, one) for one in self.connections if isinstance(one, Protocol) and one.deadline]
            min(idle, key=itemgetter(0))[1].transport.abort()

    @property
    def deadline(self) -> float:
        """The time at which the connection is closed, if it waits for the head of a request; otherwise 0."""
        timer = self._head or self.timeout_keep_alive_task
        return 0.0 if timer is None or self.transport.is_closing() else timer.when()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        for timer in (self._head, self._stalled):
            if timer is not None:
                timer.cancel()
        self._head = self._stalled = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Reads a part of a request."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait_for_head()
        elif self._head is not None:
            self._head.cancel()
            self._head = None

    def pause_writing(self) -> None:
        """Called when the client reads the response slowly. It must then read a part within the timeout."""
        super().pause_writing()
        if self._slow_cycle is not self.cycle:
            self._slow_cycle = self.cycle
            self._until = self.loop.time() + _WHOLE
        self._left = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(_TAKEN, self._look)

    def resume_writing(self) -> None:
        """Called when the client has read everything sent so far."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def shutdown(self) -> None:
        """Ends the connection with its request; a request that does not arrive soon ends without a response."""
        super().shutdown()
        if self.cycle is not None and not self.cycle.response_complete and self.cycle.more_body:
            self.loop.call_later(_LAST, self._give_up)

    def _give_up(self) -> None:
        if self.cycle.more_body:
            self.transport.abort()

    def _wait_for_head(self) -> None:
        if self._head is None and not self.transport.is_closing():
            self._head = self.loop.call_later(_HEAD, self.transport.abort)

    def _look(self) -> None:
        left = self.transport.get_write_buffer_size()
        if left >= self._left or self.loop.time() > self._until:
            self.transport.abort()
            return
        self._left = left
        self._stalled = self.loop.call_later(_TAKEN, self._look)

    def send_400_response(self, msg: str) -> None:
        """Answers invalid HTTP, and closes the connection. After the start of a response, it is only closed."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        body = msg.encode("ascii", "replace")
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *EVERY_RESPONSE,
        ]
        events = (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(body),
            h11.EndOfMessage(),
        )
        for event in events:
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class GracefulServer(uvicorn.Server):
    """A server that returns normally after a signal, so that code after `run` is executed and the exit status is 0."""

    def __init__(self, app: Starlette) -> None:
        super().__init__(
            uvicorn.Config(
                app, http=Protocol, ws="none", log_config=None, access_log=False, server_header=False,
                timeout_graceful_shutdown=GRACE,
            )
        )  # fmt: skip

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handles signals while the server runs, and does not raise them again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {one: signal.signal(one, self.handle_exit) for one in _SIGNALS}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)
