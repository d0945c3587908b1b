"""Fetches URLs, within limits of time and size."""

from __future__ import annotations

from _contextvars import copy_context
from base64 import b64encode
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import SHUT_RDWR, socket
from threading import Thread
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import unquote

from plait.base.content import note_stream
from plait.base.errors import ReadError
from plait.base.input_view import check_request
from plait.base.similar_names import counted
from plait.base.source import Quoted, Wording, public, reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_REDIRECTS = 10


def fetched(
    url: str,
    *,
    seconds: float,
    maximum: int,
    redirects: bool = True,
    proxies: bool = True,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    method: str | None = None,
) -> bytes:
    """The content of an http or https URL, truncated after `maximum` bytes.

    redirects: follow them, but only to http and https. proxies: use those in the environment. body: posts it. method:
    of the request, instead of GET or POST. Raises ReadError, also for a status outside 200..299; TimeoutError after
    `seconds`.
    """
    # A socket's timeout applies to each read, so a server that sends a byte now and then would never exceed it.
    outcome: list[bytes | Exception] = []
    sockets: list[socket] = []
    check_request(url)
    context = copy_context()  # the permissions and the view, which the thread does not inherit

    def check_redirect(to: str) -> None:
        context.run(check_request, to)
        context.run(note_stream, to)

    def work() -> None:
        try:
            answer = _fetch(
                url, seconds, maximum, redirects, proxies, body, headers or {}, method, check_redirect, sockets
            )
            outcome.append(answer)
        except Exception as error:  # noqa: BLE001 - raised again in the waiting thread
            outcome.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        # The thread waits for the server, which may never finish.
        for one in sockets:
            with suppress(OSError):
                one.shutdown(SHUT_RDWR)
        raise TimeoutError
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def _fetch(
    url: str,
    seconds: float,
    maximum: int,
    redirects: bool,
    proxies: bool,
    body: bytes | None,
    headers: Mapping[str, str],
    method: str | None,
    check_redirect: Callable[[str], None],
    sockets: list[socket],
) -> bytes:
    """The content of a URL. check_redirect: raises PermissionDeniedError. sockets: receives each socket that is opened."""

    class Connection(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class SecureConnection(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Plain(request.HTTPHandler):
        def http_open(self, asked: request.Request) -> HTTPResponse:
            return self.do_open(Connection, asked)

    class Secure(request.HTTPSHandler):
        def https_open(self, asked: request.Request) -> HTTPResponse:
            return self.do_open(SecureConnection, asked)

    class Redirects(request.HTTPRedirectHandler):
        max_redirections = _REDIRECTS

        def redirect_request(self, *given: Any) -> request.Request | None:
            redirected = super().redirect_request(*given)
            if redirected is not None:
                check_redirect(redirected.full_url)
            return redirected

    # build_opener is not used, because it would allow redirects to file and ftp.
    handlers: list[request.BaseHandler] = [
        Plain(),
        Secure(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
        request.UnknownHandler(),
    ]
    handlers += [request.ProxyHandler()] if proxies else []
    handlers += [Redirects()] if redirects else []
    opener = request.OpenerDirector()
    for handler in handlers:
        opener.add_handler(handler)
    address, login = split_login(url)
    try:
        asked = request.Request(address, body, dict(headers), method=method)  # noqa: S310 - other schemes have no handler
        if login:
            # For this server only, not for those to which it redirects.
            asked.add_unredirected_header("Authorization", f"Basic {b64encode(login.encode()).decode()}")
        with opener.open(asked, timeout=seconds) as response:
            data: bytes = response.read(maximum + 1)
            # Reading a part of a response does not fail if the response is shorter than announced.
            lacking = response.length if len(data) <= maximum else 0
    except HTTPError as error:
        error.close()
        raise ReadError(
            _url_message("Requesting", url, f"{error.code} {error.reason}"), code="url-not-fetched"
        ) from None
    except URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise error.reason from None
        cause = reason(error.reason) if isinstance(error.reason, OSError) else error.reason
        raise ReadError(_url_message("Requesting", url, f"{cause}"), code="url-not-fetched") from None
    except TimeoutError:
        raise  # the socket timed out before the waiting thread
    except (OSError, HTTPException, ValueError) as error:
        raise ReadError(_url_message("Reading", url, reason(error)), code="url-not-fetched") from None
    if lacking:
        raise ReadError(
            _url_message("Reading", url, f"{counted(lacking, 'byte')} of the answer missing"), code="url-not-fetched"
        )
    return data


def split_login(url: str) -> tuple[str, str]:
    """A URL without the user and the password in it, and these."""
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    login, at, server = host.rpartition("@")
    return (f"{scheme}{mark}{server}{slash}{path}", unquote(login)) if at else (url, "")


def _url_message(action: str, url: str, cause: str) -> Wording:
    """A message that quotes a URL, without the user and the password in it. The rest may be secret, too."""
    return Wording(public(action), " URL '", Quoted(split_login(url)[0]), "': ", public(cause))
