"""Creates responses from answers and errors, with common headers."""

from __future__ import annotations

import logging
import traceback
from urllib.parse import quote, urlencode

from starlette.responses import Response

from plait.service.answers import Answer
from plait.service.api_errors import body
from plait.service.records import record_of
from plait.service.spool import Body
from plait.service.yaml_bodies import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from plait.service.api_errors import ApiError

_LOG = logging.getLogger("plait.service")
YAML = "application/x-yaml"
"""The type of every body."""
EVERY_RESPONSE = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
"""Headers of every response: a browser takes its type as declared, and no cache stores it."""


class Responses:
    """Creates responses. address: the URL of the service for clients."""

    def __init__(self, address: str) -> None:
        self._address = address

    def refused(self, request: Request, refusal: ApiError, kept: str | None = None) -> Response:
        """The response to a rejected request. kept: the outcome of a write, if it is uncertain."""
        response = self.of(request, Answer(text_of([body(refusal, kept)]), refusal.status))
        if refusal.status == 401:
            response.headers["www-authenticate"] = refusal.challenge
        if refusal.retry_after is not None:
            response.headers["retry-after"] = str(refusal.retry_after)
        return response

    def of(self, request: Request, given: Answer) -> Response:
        """The response for an answer."""
        headers = headers_of(request)
        if given.marker is not None:
            headers["link"] = self._link(request, given.marker)
        kind = None if given.status == 204 else YAML
        if isinstance(given.text, Body):
            return _Spooled(given.text, given.status, headers, kind)
        return Response(given.text.encode("utf-8", "surrogatepass"), given.status, headers, kind)

    def _link(self, request: Request, marker: int) -> str:
        """The header with the URL of the next part of a list: the same URL with another marker."""
        query = [(name, value) for name, value in request.query_params.multi_items() if name != "marker"]
        path = quote(request.scope["path"], errors="surrogateescape")
        return f'<{self._address}{path}?{urlencode([*query, ("marker", marker)])}>; rel="next"'


class _Spooled(Response):
    """A response whose body is sent in parts, and deleted afterwards."""

    def __init__(self, text: Body, status: int, headers: Mapping[str, str], kind: str | None) -> None:
        super().__init__(None, status, {**headers, "content-length": str(text.size)}, kind)
        self._text = text

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            for part in self._text.parts():
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            attempted(self._text.close)


def headers_of(request: Request) -> dict[str, str]:
    """The request ID, and headers that are returned to the client."""
    headers = {"x-deckhand-req": record_of(request.scope).request}
    return headers | {
        name: value for name in ("x-context-marker", "x-end-user") if (value := request.headers.get(name)) is not None
    }


def attempted(work: Callable[[], None]) -> None:
    """Runs work after a response was sent. A failure is logged."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - the response is sent
        log_fault(error)


def log_fault(error: Exception) -> None:
    """Logs an internal error. Messages of exceptions may contain values of documents; code positions cannot."""
    _LOG.error("%s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
