"""The application: routes, the format of responses and errors, and rules for all requests."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from functools import partial
from urllib.parse import quote

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from plait.base.errors import PlaitError
from plait.base.limits import Limits, budget_scope
from plait.base.process import with_stack_headroom
from plait.base.version import __version__
from plait.service import audit, buckets, differences, document_routes, explaining, fleets, revisions, tags, validations
from plait.service.answers import NOTHING, Answer, answer
from plait.service.api_errors import ApiError, busy, check_parameter
from plait.service.database import UNKNOWN, YES, Database, reason_of
from plait.service.encryption import KeyRing
from plait.service.flows import SecretFlows
from plait.service.idempotency import HEADER, key_of
from plait.service.identity import Authenticator
from plait.service.keystone import Keystone
from plait.service.lanes import Lane
from plait.service.metrics import Metrics
from plait.service.openapi import described
from plait.service.parcels import Reader
from plait.service.policy import READ_METRICS, AccessPolicy
from plait.service.projects import Projects
from plait.service.receiving import received
from plait.service.records import Throttled, record_of
from plait.service.rendering import Renderer
from plait.service.responses import EVERY_RESPONSE, Responses, attempted, headers_of, log_fault
from plait.service.retention import keeping
from plait.service.route_arguments import Call, Service, Write
from plait.service.spool import Spool
from plait.service.telemetry import Telemetry
from plait.service.webhooks import Webhooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from typing import TypeVar

    from starlette.requests import Request
    from starlette.types import Message, Receive, Scope, Send

    from plait.service.identity import Identity
    from plait.service.issuers import Issuer
    from plait.service.retention import Keep

    Function = Callable[[Call], Answer]
    Endpoint = Callable[[Request], Awaitable[Response]]
    T = TypeVar("T")

_WRITES = frozenset({"PUT", "POST", "DELETE"})
# Maximum number of concurrent requests that need an issuer or Keystone.
_ASKING = 40


class Default:
    """A marker for the lane of reads, the default of a route."""


DEFAULT = Default()
_ROOT = "/api/v1.0"
_ONE = f"{_ROOT}/revisions/{{revision}}"

# A path, and its function for each method.
_ROUTES: tuple[tuple[str, dict[str, Function]], ...] = (
    (f"{_ROOT}/buckets/{{bucket}}/documents", {"PUT": buckets.put}),
    (f"{_ROOT}/revisions", {"GET": revisions.list_all, "DELETE": revisions.delete_all}),
    (_ONE, {"GET": revisions.show}),
    (f"{_ONE}/documents", {"GET": document_routes.raw}),
    (f"{_ONE}/rendered-documents", {"GET": document_routes.rendered}),
    (f"{_ONE}/explain", {"GET": explaining.explain}),
    (f"{_ONE}/diff/{{other}}", {"GET": differences.diff}),
    (f"{_ONE}/deepdiff/{{other}}", {"GET": differences.deep_diff}),
    (f"{_ONE}/fleet", {"GET": fleets.fleet}),
    (f"{_ONE}/fleet/{{other}}", {"GET": fleets.compare}),
    (f"{_ONE}/runs/{{run:path}}", {"GET": fleets.output}),
    (f"{_ONE}/tags", {"GET": tags.list_all, "DELETE": tags.delete_all}),
    (f"{_ONE}/tags/{{tag}}", {"GET": tags.show, "POST": tags.create, "DELETE": tags.delete_one}),
    (f"{_ONE}/validations", {"GET": validations.list_all}),
    (f"{_ONE}/validations/detail", {"GET": validations.detail}),
    (f"{_ONE}/validations/{{validation}}", {"GET": validations.list_entries, "POST": validations.create}),
    (f"{_ONE}/validations/{{validation}}/entries/{{entry}}", {"GET": validations.show_entry}),
    (f"{_ROOT}/rollback/{{revision}}", {"POST": revisions.roll_back}),
    (f"{_ROOT}/audit", {"GET": audit.list_all}),
)
# Functions that render, evaluate or compare whole revisions.
_LONG = frozenset({document_routes.rendered, explaining.explain, differences.diff, differences.deep_diff, fleets.fleet,
                   fleets.compare, fleets.output})  # fmt: skip


def application(
    url: str,
    *,
    address: str = "http://127.0.0.1:9000",
    tokens: str | None = None,
    issuer: Issuer | None = None,
    issuer_keys: str | None = None,
    keystone: str | None = None,
    policy: Mapping[object, object] | None = None,
    keys: KeyRing | None = None,
    like_deckhand: bool = False,
    maximum: int = 32 << 20,
    limits: Mapping[str, float] | None = None,
    webhooks: Sequence[str] = (),
    webhook_key: str | None = None,
    telemetry: Telemetry | None = None,
    keep: Keep | None = None,
) -> Starlette:
    """An ASGI application that stores documents in revisions, with the API of Deckhand.

    url: the URL of the database, `sqlite:///FILE` or `postgresql://...`; its tables are created or migrated. address:
    URL of the service for clients, used in responses. tokens: file with the accepted tokens. issuer: an issuer of
    signed tokens. issuer_keys: a file with its public keys; without it they are fetched. keystone: a file with the
    settings of Keystone's middleware, which checks other tokens. policy: roles by action. keys: for the data of
    encrypted documents. like_deckhand: render exactly as Deckhand does. maximum: bytes of a body. limits: the limits of
    one request, by the names of `plait.base.limits`. webhooks: URLs to notify of new revisions while the application
    runs. webhook_key: a file with the signing key. telemetry: `plait.service.telemetry.RecordingTelemetry` records
    traces and metrics for the process's OpenTelemetry providers. keep: the revisions that retention keeps; by default
    all.

    Without tokens, issuer and keystone, clients on this machine have all permissions, and others have none. Raises
    PlaitError for unusable arguments and files, and an unreachable database.
    """
    gate = Authenticator(AccessPolicy(policy), tokens, issuer, issuer_keys, Keystone(keystone) if keystone else None)
    bounds = Limits(**({"seconds": 60} | dict(limits or {})))
    watch = telemetry or Telemetry()
    renderer = Renderer(bounds.given, like_deckhand=like_deckhand, telemetry=watch)
    spool = Spool()
    service = Service(
        Database(url, watch),
        renderer,
        keys or KeyRing(),
        address.rstrip("/"),
        watch,
        Projects(bounds.given, watch),
        SecretFlows(both_ways=like_deckhand),
        Reader(bounds.given),
        spool,
    )
    frame = _RequestPipeline(service, gate, bounds, maximum)
    routes = [Route(path, frame.endpoint(path, methods), methods=list(methods)) for path, methods in _ROUTES]
    routes += [
        Route("/versions", frame.open(_versions), methods=["GET"]),
        Route("/openapi.yaml", frame.open(_openapi), methods=["GET"]),
        Route(f"{_ROOT}/health", frame.open(_health, lane=None), methods=["GET"]),
        Route("/health", frame.open(_health, lane=None), methods=["GET"]),
        Route(f"{_ROOT}/ready", frame.open(_is_ready, lane=frame.checks), methods=["GET"]),
        Route("/metrics", frame.metrics_endpoint(), methods=["GET"]),
    ]
    try:
        hooks = Webhooks(service.database, webhooks, webhook_key, service.address)
    except BaseException:
        service.database.close()
        raise

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        try:
            with hooks.telling(), keeping(service.database, keep):
                yield
        finally:
            watch.end()
            spool.close()

    app = _Application(routes=routes, exception_handlers={HTTPException: frame.no_route}, lifespan=running)
    app.router.redirect_slashes = False
    app.state.service = service
    app.state.metrics = frame.metrics
    app.metrics = frame.metrics
    return app


_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})


class _Application(Starlette):
    """The routes, with common headers and a log line for every response, including those of Starlette."""

    metrics: Metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        record = record_of(scope)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
                message["headers"] = [*message.get("headers", ()), *EVERY_RESPONSE]
            else:
                record.size += len(message.get("body", b""))
            await send(message)

        self.metrics.begun()
        try:
            if {name for name, _ in scope["headers"]} >= _LENGTHS:
                # A proxy may know the other end of this request, and take the rest of it for one of someone else.
                told = "a request can have Content-Length or Transfer-Encoding, not both"
                await PlainTextResponse(told, 400, {"connection": "close"})(scope, receive, sent)
            else:
                await super().__call__(scope, receive, sent)
        finally:
            attempted(partial(self.metrics.ended, record))
            attempted(record.log)


def _versions(_: Service) -> Answer:
    return answer({"v1.0": {"path": _ROOT, "status": "stable"}})


def _openapi(service: Service) -> Answer:
    return answer(described(_ROUTES, service.address, __version__))


def _health(_: Service) -> Answer:
    return NOTHING


def _is_ready(service: Service) -> Answer:
    service.database.check()
    return NOTHING


class _RequestPipeline:
    """Wraps each endpoint: authentication, request body, a worker thread with a large stack, errors as responses."""

    def __init__(self, service: Service, gate: Authenticator, limits: Limits, maximum: int) -> None:
        self._service = service
        self._gate = gate
        self._limits = limits
        self._most = maximum
        self._responses = Responses(service.address)
        # Health checks need no thread. The other lanes share the database connections, which suffice for all of them.
        self._reads = Lane("reads", 16, 200)
        self._writes = Lane("writes", 6, 100)
        self._long = Lane("renderings", 8, 100)
        # Requests that need no other service are authenticated without waiting.
        self._asking = Lane("tokens", _ASKING, 200)
        self.checks = Lane("checks", 2, 50, seconds=5.0)
        lanes = [self._reads, self._writes, self._long, self._asking, self.checks]
        self._failures = Throttled()
        self.metrics = Metrics(service, lanes, self._failures)

    def _lane(self, method: str, function: Function) -> Lane:
        if method in _WRITES:
            return self._writes
        return self._long if function in _LONG else self._reads

    def endpoint(self, path: str, methods: Mapping[str, Function]) -> Endpoint:
        """The endpoint for a path. methods: the function for each method."""

        async def respond(request: Request) -> Response:
            record = record_of(request.scope)
            record.route = path
            write = Write(
                request.method, path, quote(request.scope["path"], errors="surrogateescape"), record.request,
                lambda given: self._responses.of(request, given),
            )  # fmt: skip
            function = methods["GET" if request.method == "HEAD" else request.method]
            try:
                response = await self._responded(request, path, function, write)
            except asyncio.CancelledError:
                # The service is stopping and does not wait for this request. Its write may still be stored.
                kept = UNKNOWN if request.method in _WRITES else None
                response = self._responses.refused(request, busy("the service ends"), kept)
            except Exception as error:
                if write.kept != YES:
                    raise
                log_fault(error)
            # After a commit, the response is never an error.
            return write.response if write.kept == YES and write.response is not None else response

        return respond

    async def _responded(self, request: Request, path: str, function: Function, write: Write) -> Response:
        with self._service.telemetry.request(request.method, path, request.headers) as note:
            try:
                given = await self._given(request, function, write)
            except ApiError as refusal:
                given = refusal.bare()
            if write.kept == YES and write.response is not None:
                note("http.response.status_code", write.response.status_code)
                return write.response
            note("http.response.status_code", given.status)
            if isinstance(given, ApiError):
                note("error.type", given.kind)
                is_open = request.method in _WRITES and given.status >= 500
                return self._responses.refused(request, given, write.kept if is_open else None)
            return self._responses.of(request, given)

    async def _given(self, request: Request, function: Function, write: Write) -> Answer | ApiError:
        """The answer of a function, or the error, for a request. Raises ApiError."""
        self._refuse_strangers(request)
        identity = await self._identity(request)
        if isinstance(identity, ApiError):
            return identity
        record_of(request.scope).name = identity.name
        is_upload = request.method in _WRITES
        if is_upload:
            write.key = key_of(request.headers.getlist(HEADER))
        with (
            self._service.spool.uploads.taken(int(is_upload)),
            await received(request, self._service.spool, self._most) as data,
        ):
            query: dict[str, list[str]] = {}
            for name, value in request.query_params.multi_items():
                check_parameter(name, value)
                query.setdefault(name, []).append(value)
            call = Call(self._service, identity, request.path_params, query, data, write)
            lane = self._lane(request.method, function)
            return await lane.run(partial(self._answer, partial(function, call)))

    def open(self, function: Callable[[Service], Answer], lane: Lane | Default | None = DEFAULT) -> Endpoint:
        """The endpoint for a path without authentication. lane: None for immediate responses."""

        async def respond(request: Request) -> Response:
            record_of(request.scope).route = request.scope["path"]
            chosen = self._reads if isinstance(lane, Default) else lane
            try:
                self._refuse_strangers(request)
                if chosen is None:
                    return self._responses.of(request, function(self._service))
                given = await chosen.run(partial(self._answer, partial(function, self._service)))
            except ApiError as refusal:
                given = refusal.bare()
            if isinstance(given, ApiError):
                return self._responses.refused(request, given)
            return self._responses.of(request, given)

        return respond

    def metrics_endpoint(self) -> Endpoint:
        """The endpoint for the metrics, which are always available."""

        async def respond(request: Request) -> Response:
            record_of(request.scope).route = "/metrics"
            try:
                self._refuse_strangers(request)
                identity = await self._identity(request)
                if isinstance(identity, ApiError):
                    raise identity
                record_of(request.scope).name = identity.name
                identity.require(READ_METRICS)
            except ApiError as refusal:
                return self._responses.refused(request, refusal.bare())
            return Response(self.metrics.text(), headers=headers_of(request), media_type=Metrics.TYPE)

        return respond

    async def _identity(self, request: Request) -> Identity | ApiError:
        """The identity of the client."""
        found = self._gate.known(request.headers)
        if found is not None:
            return found
        ask = partial(self._gate.asked, request.headers, request.method, request.scope["path"])
        return await self._asking.run(partial(self._settled, ask))

    def _answer(self, work: Callable[[], Answer]) -> Answer | ApiError:
        """The answer of a function within limits."""

        def within() -> Answer:
            with budget_scope(self._limits):
                return work()

        return with_stack_headroom(lambda: self._settled(within), first=False)

    def _settled(self, work: Callable[[], T]) -> T | ApiError:
        """The result of some work, or the error.

        Errors are returned, not raised: a future's exception and the frames in its traceback would refer to each other,
        and keep the request body in memory until garbage collection.
        """
        try:
            return self._made(work)
        except ApiError as refusal:
            return refusal.bare()

    def _made(self, work: Callable[[], T]) -> T:
        """The result of some work. Converts every error to an ApiError."""
        try:
            return work()
        except PlaitError as error:
            raise ApiError(type(error).__name__, 400, error.message) from None
        except SQLAlchemyError as error:
            # The error's text contains no values: see `hide_parameters`.
            kind = type(error.orig if isinstance(error, DBAPIError) else error).__name__
            self._failures.error(f"the database failed: {kind}: {reason_of(error)}", kind=kind)
            raise ApiError(
                "DatabaseNotAvailable", 503, "the database cannot be used now; try again later", retry_after=1
            ) from None
        except ApiError:
            raise
        except Exception as error:  # noqa: BLE001 - one request that fails does not end the service
            log_fault(error)
            raise ApiError("InternalError", 500, "internal error; see the log of the service") from None

    def _refuse_strangers(self, request: Request) -> None:
        """If there are no tokens, rejects requests that a web page caused a browser to send. Raises ApiError.

        Browsers name the page in Origin or Sec-Fetch-Site; a host name that an attacker points at this machine is in
        Host.
        """
        headers = request.headers
        hosts = [_THE_PORT.sub("", host.lower()) for host in headers.getlist("host")]
        is_from_page = "origin" in headers or headers.get("sec-fetch-site", "none") != "none"
        if self._gate.is_open and (is_from_page or len(hosts) != 1 or hosts[0] not in _THIS_MACHINE):
            raise ApiError("HTTPForbidden", 403, "without tokens the service answers only programs on this machine")

    async def no_route(self, request: Request, error: Exception) -> Response:
        """The response for an unknown path, or an unsupported method."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        kinds = {404: "HTTPRouteNotFound", 405: "HTTPMethodNotAllowed"}
        messages = {404: f"there is nothing at {request.scope['path']}", 405: f"{request.method} is not allowed here"}
        told = messages.get(status, "the request is not valid")
        response = self._responses.refused(request, ApiError(kinds.get(status, "HTTPError"), status, told))
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        return response


_THIS_MACHINE = frozenset({"127.0.0.1", "localhost", "[::1]"})
_THE_PORT = re.compile(r":\d+\Z")
