"""The playground's server: its page, and one URL that evaluates. It stores and logs nothing.

A page of another site may be open in the same browser, and can send requests to this machine. So each request must name
this server as its host (a rebound name does not), and requests for evaluation must come from this server's own page.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import BoundedSemaphore
from time import monotonic

from plait.base.children.forking import can_fork
from plait.base.errors import PlaitError, render
from plait.base.sandbox import Sandbox, ask
from plait.base.version import __version__
from plait.integrations.playground.examples import examples

# Maximum size of a request. The page's own examples have a thousandth of this size.
MOST = 1_000_000
_AT_ONCE = 2
# Maximum number of running and waiting evaluations; more are rejected.
_MOST_EVALUATIONS = 16
# Maximum number of connections. Beyond it, the connection that has been incomplete for longest is closed.
MOST_CONNECTIONS = 64
# Seconds to send a whole request, from the connection or the previous response, and to receive a response.
SECONDS_TO_SEND = 10.0
_STACK = 1 << 20
_EVALUATION = "plait.integrations.playground.questions"
_SERVE = "plait.integrations.playground.sandboxed:serve"
# Evaluation is limited to 10 seconds; after this time the process is killed.
_SECONDS = 20
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
    ".woff2": "font/woff2",
}
_STATIC = Path(__file__).parent / "static"
# The last four are for playground/build.py: plait in a web worker of the page, as its language server.
_POLICY = (
    "default-src 'none'; style-src 'self'; connect-src 'self'; font-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'"
)


class Playground(ThreadingHTTPServer):
    """Listens on an address of this machine. page: the directory that playground/build.py filled, for a page with an
    editor.

    Connections have their own threads. Each request and the reception of its response have a deadline, and beyond
    MOST_CONNECTIONS the slowest connection is closed for a new one.

    Raises OSError.
    """

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, host: str, port: int, page: Path | None = None) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # Sandboxes that wait for a request.
        self._idle: list[Sandbox] = []
        self._is_closed = False
        self._lock = threading.Lock()
        super().__init__((host, port), _Handler)
        shown = f"[{host}]" if ":" in host else host
        # The `Host` header that a browser sends; port 80 is omitted.
        port = self.server_address[1]
        names = {shown, "localhost", "127.0.0.1", "[::1]"}
        self.hosts = {f"{name}:{port}" for name in names} | (names if port == _HTTP else set())
        self.address = f"http://{shown}:{port}"
        self.turns = BoundedSemaphore(_AT_ONCE)
        self.evaluations = BoundedSemaphore(_MOST_EVALUATIONS)
        # The deadlines of open connections in their order; infinite while a request is evaluated.
        self._deadlines: dict[socket.socket, float] = {}
        self.paths = _paths(_STATIC) if page is None else _paths(page) | {_EVALUATOR: _STATIC / _EVALUATOR[1:]}
        self.examples = json.dumps({"version": __version__, "examples": examples()}).encode()

    def wait_for(self, connection: socket.socket, seconds: float) -> None:
        """Closes a connection unless this is called again within the time."""
        with self._lock:
            if connection in self._deadlines:
                self._deadlines[connection] = monotonic() + seconds

    def prepare(self) -> None:
        """Starts a sandbox, so that the first evaluation does not wait for it."""
        if can_fork() and not self._idle:
            self._idle.append(Sandbox(_SERVE))

    def evaluated(self, request: bytes) -> bytes:
        """The response to a request for evaluation. Raises PlaitError."""
        if not can_fork():
            return ask(_EVALUATION, request, seconds=_SECONDS)
        try:
            sandbox = self._idle.pop()
        except IndexError:
            sandbox = Sandbox(_SERVE)
        try:
            return sandbox.ask(request, seconds=_SECONDS)
        finally:
            self._put_back(sandbox)

    def _put_back(self, sandbox: Sandbox) -> None:
        """Keeps a sandbox for the next request. Ends one that has failed, or that has outlived the server."""
        with self._lock:
            is_kept = sandbox.is_alive() and not self._is_closed
            if is_kept:
                self._idle.append(sandbox)
        if not is_kept:
            sandbox.end()

    def server_close(self) -> None:
        """Ends the sandboxes that wait for a request. One that is evaluating ends after its response."""
        super().server_close()
        with self._lock:
            self._is_closed = True
        while self._idle:
            self._idle.pop().end()

    def process_request(self, request: object, client_address: object) -> None:
        """Serves a connection in its own thread, or closes it if there are too many."""
        assert isinstance(request, socket.socket)
        with self._lock:
            slowest = min(self._deadlines, key=self._deadlines.__getitem__, default=None)
            is_full = len(self._deadlines) >= MOST_CONNECTIONS
            has_room = not is_full or (slowest is not None and self._deadlines[slowest] < ENDLESS)
            if has_room and is_full and slowest is not None:
                _end(slowest)
                del self._deadlines[slowest]
            if has_room:
                self._deadlines[request] = monotonic() + SECONDS_TO_SEND
        before = threading.stack_size(_STACK)
        try:
            if has_room:
                super().process_request(request, client_address)
        except RuntimeError:  # not enough memory for a thread
            has_room = False
        finally:
            threading.stack_size(before)
        if not has_room:
            self.shutdown_request(request)

    def shutdown_request(self, request: object) -> None:
        """Forgets a connection, and closes it."""
        assert isinstance(request, socket.socket)
        with self._lock:
            self._deadlines.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Closes connections whose deadline has passed. Their threads then end."""
        now = monotonic()
        with self._lock:
            for connection in [one for one, deadline in self._deadlines.items() if deadline < now]:
                _end(connection)
                self._deadlines[connection] = now + SECONDS_TO_SEND

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores a browser that no longer wants a response, such as after its page was closed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _end(connection: socket.socket) -> None:
    """Ends all waiting for a connection."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


ENDLESS = float("inf")
_HTTP = 80
# Headers of which a request can have at most one.
_ONCE = ("Host", "Origin", "Content-Length", "Content-Type")
_EVALUATOR = "/evaluator.js"


def _paths(directory: Path) -> dict[str, Path]:
    """The files of a page by their addresses."""
    files = [path for path in directory.rglob("*") if path.suffix in _TYPES]
    return {f"/{path.relative_to(directory).as_posix()}": path for path in files} | {"/": directory / "index.html"}


class _Handler(BaseHTTPRequestHandler):
    server: Playground
    protocol_version = "HTTP/1.1"
    server_version = "plait"
    disable_nagle_algorithm = True  # the body must not wait for an acknowledgement of the head
    sys_version = ""
    connection: socket.socket

    def handle_one_request(self) -> None:
        self.server.wait_for(self.connection, SECONDS_TO_SEND)
        super().handle_one_request()

    def parse_request(self) -> bool:
        """Reads the head of a request. Returns False after a response to an invalid one."""
        if not super().parse_request():
            return False
        # Programs may differ on the host of such a request, or on the end of its body.
        is_twice = any(len(self.headers.get_all(name, ())) > 1 for name in _ONCE)
        if is_twice or "Transfer-Encoding" in self.headers or self.headers.defects:
            self._refuse(HTTPStatus.BAD_REQUEST, "a request must have one host, and a body of one declared length")
            return False
        # A body that is not read would be read as the next request.
        if self.command != "POST" and self.headers.get("Content-Length", "0") != "0":
            self.close_connection = True
        return True

    def do_GET(self) -> None:
        wanted = self.path.partition("?")[0]
        path = self.server.paths.get(wanted)
        if not self._is_ours():
            self._refuse(HTTPStatus.FORBIDDEN, "this server answers only at its own address")
        elif wanted == "/examples.json":
            self._send(HTTPStatus.OK, self.server.examples, _TYPES[".json"])
        elif path is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        else:
            if wanted == "/":
                self.server.prepare()
            self._send(HTTPStatus.OK, path.read_bytes(), _TYPES[path.suffix])

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not self._is_ours():
            self._refuse(HTTPStatus.FORBIDDEN, "only this server's own page may send requests")
        elif self.path != "/evaluate":
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request must be application/json")
        elif not length.isascii() or not length.isdecimal():
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "a request must declare its length")
        elif len(length) > len(str(MOST)) or int(length) > MOST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request can have at most {MOST} bytes")
        else:
            request = self.rfile.read(int(length))
            if len(request) == int(length):
                self._evaluate(request)
            else:
                self.close_connection = True

    def _evaluate(self, request: bytes) -> None:
        if not self.server.evaluations.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many evaluations are waiting; try again")
            return
        try:
            self.server.wait_for(self.connection, ENDLESS)
            with self.server.turns:
                answer = self.server.evaluated(request)
        except PlaitError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, render(error, ""))
        else:
            self._send(HTTPStatus.OK, answer, _TYPES[".json"])
        finally:
            self.server.evaluations.release()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Responds to invalid HTTP or an unsupported method, without quoting the request."""
        del message, explain
        self._refuse(HTTPStatus(code), HTTPStatus(code).phrase)

    def _is_ours(self) -> bool:
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        return host in self.server.hosts and origin in (None, f"http://{host}")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        # The rest of the request is not read.
        self.close_connection = True
        self._send(status, json.dumps({"refused": message}).encode(), _TYPES[".json"])

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.server.wait_for(self.connection, SECONDS_TO_SEND)
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", _POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""
