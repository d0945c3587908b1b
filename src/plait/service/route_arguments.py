"""Arguments and results of the API's functions."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from sqlalchemy import insert

from plait.service.api_errors import bad_parameter, bad_request, check_name
from plait.service.database import Fate
from plait.service.idempotency import Repeat, fingerprint_of
from plait.service.paging import PageWindow
from plait.service.revision_store import newest, now
from plait.service.tables import AUDIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response

    from plait.service.answers import Answer
    from plait.service.database import Database
    from plait.service.encryption import KeyRing
    from plait.service.flows import SecretFlows
    from plait.service.identity import Identity
    from plait.service.parcels import Reader
    from plait.service.projects import Projects
    from plait.service.rendering import Renderer
    from plait.service.spool import Body, Spool
    from plait.service.telemetry import Telemetry

T = TypeVar("T")


class Service(NamedTuple):
    """State shared by all requests. address: the URL for clients."""

    database: Database
    renderer: Renderer
    keys: KeyRing
    address: str
    telemetry: Telemetry
    projects: Projects
    flows: SecretFlows
    reader: Reader
    spool: Spool


class Write(Fate):
    """The outcome of a request's transaction, and its response, which is complete before the commit.

    key: the key of the request, if the client sent one. respond: creates a response. method, route, path, request: for
    the audit log.
    """

    __slots__ = ("key", "method", "path", "request", "respond", "response", "route")

    def __init__(self, method: str, route: str, path: str, request: str, respond: Callable[[Answer], Response]) -> None:
        super().__init__()
        self.method, self.route, self.path, self.request = method, route, path, request
        self.respond = respond
        self.response: Response | None = None
        self.key: str | None = None


class Call(NamedTuple):
    """One request. path: the named parts of its path. query: its parameters."""

    service: Service
    identity: Identity
    path: Mapping[str, str]
    query: Mapping[str, Sequence[str]]
    body: Body
    write: Write

    def commit(self, work: Callable[[Connection], Answer]) -> Answer:
        """Runs some work in a write transaction. Raises its errors; then nothing is written.

        The response is created before the commit, so that stored data never gets an error response. If the client
        repeats a request with the same `Idempotency-Key`, the stored answer is returned.
        """
        write = self.write
        repeat = self._repeat()
        with self.service.database.writing(write) as connection:
            before = repeat.answered(connection) if repeat is not None else None
            if before is not None:
                write.response = write.respond(before)
                return before
            found = work(connection)
            if repeat is not None:
                repeat.keep(connection, found)
            row = {
                "at": now(),
                "name": self.identity.name,
                "action": f"{write.method} {write.route}",
                "path": write.path,
                "revision": newest(connection),
                "request": write.request,
            }
            connection.execute(insert(AUDIT), [row])
            write.response = write.respond(found)
        return found

    def _repeat(self) -> Repeat | None:
        """The idempotent request, or None if the client sent no key."""
        if self.write.key is None:
            return None
        query = (part for name, texts in sorted(self.query.items()) for text in texts for part in (name, text))
        fingerprint = fingerprint_of((self.write.method, self.write.path, *query), self.body)
        # The body may contain secrets, and the fingerprint is stored.
        return Repeat(self.identity.name, self.write.key, self.service.keys.digests(fingerprint))

    def spooled(self, parts: Iterable[str]) -> Body:
        """The text of an answer that may be large. Raises ApiError (503) if it cannot be stored."""
        return self.service.spool.text(parts)

    def name(self, part: str) -> str:
        """A name in the path. Raises ApiError for an invalid name."""
        check_name(self.path[part], f"the name of a {part}")
        return self.path[part]

    def parameters(self, name: str) -> Sequence[str]:
        """The non-empty values of a parameter. Raises ApiError for too many."""
        given = [text for text in self.query.get(name, ()) if text]
        if len(given) > MOST_GIVEN:
            raise bad_request(f"there are {len(given)} parameters {name}, and at most {MOST_GIVEN} may be given")
        return given

    def parameter(self, name: str) -> str | None:
        """The last value of a parameter, or None."""
        given = self.parameters(name)
        return given[-1] if given else None

    def switch(self, name: str, *, default: bool) -> bool:
        """The value of a boolean parameter. Raises ApiError."""
        text = self.parameter(name)
        if text is None:
            return default
        if text.lower() not in ("true", "false"):
            raise bad_parameter(name, "true or false")
        return text.lower() == "true"

    def number(self, name: str) -> int | None:
        """The value of an integer parameter, or None. Raises ApiError."""
        text = self.parameter(name)
        if text is None:
            return None
        digits = text.removeprefix("-").removeprefix("+")
        if not (digits.isascii() and digits.isdigit() and len(digits) < _DIGITS):
            raise bad_parameter(name, "an integer")
        return int(text)

    def window(self, maximum: int, *, limits: bool = True) -> PageWindow:
        """The part of a list selected by the parameters `marker` and `limit`.

        maximum: items of a response without `limit`. limits: `limit` applies without `marker`, too; Deckhand applies it
        only to lists of documents. Raises ApiError.
        """
        limit, given = self.number("limit") if limits or self.parameter("marker") else None, self.number("marker")
        marker = given or 0
        if marker < 0:
            raise bad_parameter("marker", "the marker of a Link header")
        return PageWindow(marker, maximum if limit is None else abs(limit))

    def page(self, items: Sequence[T], maximum: int, *, limits: bool = True) -> tuple[Sequence[T], int | None]:
        """The selected part of a list, and the marker of the next part, or None. Raises ApiError."""
        return self.window(maximum, limits=limits).of(items)


_DIGITS = 10
PAGE = 1_000
"""Items of a list that Deckhand does not have, in a response to a request without `limit`."""
# Databases reject longer conditions, some at a depth of 1,000.
MOST_GIVEN = 200
LARGEST_PAGE = 250_000
"""The same for a list that Deckhand has, because its clients expect all items."""
