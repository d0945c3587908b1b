"""The playground's server: its page, and one address that evaluates. It keeps nothing and logs nothing.

A page of another site may be open in the same browser. It can send requests to this machine, so each request must name this
server as its host (a name that was made to lead here does not), and one that evaluates must come from this server's own page.
"""

from __future__ import annotations

import json
import socket
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import BoundedSemaphore

from plait.errors import PlaitError
from plait.sealed import ask
from plait.website.examples import examples

# Of a request. The page's own examples have a thousandth of that.
MOST = 1_000_000
_AT_ONCE = 2
_EVALUATION = "plait.website.evaluation"
# Evaluation is limited to 10 seconds; what does not end by then is ended.
_SECONDS = 20
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
}
_STATIC = Path(__file__).parent / "static"
# The last four are for what playground/build.py adds: plait in a worker of the page, as its language server.
_POLICY = (
    "default-src 'none'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'"
)


class Playground(ThreadingHTTPServer):
    """Listens on an address of this machine. page: the directory that playground/build.py filled, for a page with an editor.

    Raises OSError.
    """

    daemon_threads = True

    def __init__(self, host: str, port: int, page: Path | None = None) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)
        shown = f"[{host}]" if ":" in host else host
        # What a browser sends as `Host`, however the user typed the address; port 80 is left out there.
        port = self.server_address[1]
        names = {shown, "localhost", "127.0.0.1", "[::1]"}
        self.hosts = {f"{name}:{port}" for name in names} | (names if port == _HTTP else set())
        self.address = f"http://{shown}:{port}"
        self.turns = BoundedSemaphore(_AT_ONCE)
        self.paths = _paths(_STATIC) if page is None else _paths(page) | {_EVALUATOR: _STATIC / _EVALUATOR[1:]}
        self.examples = json.dumps(examples()).encode()

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that no more wants what it asked for, as when its page is closed, is nothing to tell of."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


_HTTP = 80
_EVALUATOR = "/evaluator.js"


def _paths(directory: Path) -> dict[str, Path]:
    """The files of a page by their addresses."""
    files = [path for path in directory.rglob("*") if path.suffix in _TYPES]
    return {f"/{path.relative_to(directory).as_posix()}": path for path in files} | {"/": directory / "index.html"}


class _Handler(BaseHTTPRequestHandler):
    server: Playground
    protocol_version = "HTTP/1.1"
    server_version = "plait"
    disable_nagle_algorithm = True  # the body is not to wait for word of the head
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        wanted = self.path.partition("?")[0]
        path = self.server.paths.get(wanted)
        if not self._is_ours():
            self._refuse(HTTPStatus.FORBIDDEN, "this server answers under its own address alone")
        elif wanted == "/examples.json":
            self._send(HTTPStatus.OK, self.server.examples, _TYPES[".json"])
        elif path is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        else:
            self._send(HTTPStatus.OK, path.read_bytes(), _TYPES[path.suffix])

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not self._is_ours():
            self._refuse(HTTPStatus.FORBIDDEN, "only this server's own page may ask")
        elif self.path != "/evaluate":
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request is application/json")
        elif not length.isascii() or not length.isdecimal():
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "a request says how long it is")
        elif int(length) > MOST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MOST} bytes")
        else:
            self._evaluate(self.rfile.read(int(length)))

    def _evaluate(self, request: bytes) -> None:
        try:
            with self.server.turns:
                answer = ask(_EVALUATION, request, seconds=_SECONDS)
        except PlaitError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, error.report().removeprefix("plait: "))
        else:
            self._send(HTTPStatus.OK, answer, _TYPES[".json"])

    def _is_ours(self) -> bool:
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        return host in self.server.hosts and origin in (None, f"http://{host}")

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        # The rest of what was sent is not read.
        self.close_connection = True
        self._send(status, json.dumps({"refused": message}).encode(), _TYPES[".json"])

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
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
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is kept of what is asked."""
