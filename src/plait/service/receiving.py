"""Receives the bodies of requests."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect

from plait.service.api_errors import ApiError, bad_request
from plait.service.responses import YAML

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.requests import Request

    from plait.service.spool import Body, Spool

# In this number of seconds, this number of bytes of a body, or the rest of it, must arrive.
_PROGRESS, _LEAST = 30.0, 16 << 10
# Timeout in seconds for a whole body.
_WHOLE = 600.0


async def received(request: Request, spool: Spool, maximum: int) -> Body:
    """The body of a request. maximum: bytes.

    Raises ApiError if it is too large, too slow, or not declared as YAML.
    """
    found = spool.body()
    if request.method in ("GET", "HEAD", "DELETE"):
        return found
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity":
        raise ApiError("HTTPUnsupportedMediaType", 415, "a compressed body is not accepted")
    try:
        await _receive(request, found, maximum)
        if found.size:
            given = request.headers.get("content-type", "").partition(";")[0].strip()
            if not given:
                raise ApiError("HTTPMissingHeader", 400, "the header Content-Type is needed")
            if given.lower() != YAML:
                raise ApiError("HTTPUnsupportedMediaType", 415, f"the body must be {YAML}, not {given}")
    except BaseException:
        found.close()
        raise
    return found


async def _receive(request: Request, to: Body, maximum: int) -> None:
    """Receives a body. Raises ApiError if it is too large or too slow."""
    loop = asyncio.get_running_loop()
    since = 0
    until = loop.time() + _WHOLE
    try:
        async with asyncio.timeout(min(_PROGRESS, _WHOLE)) as due:
            async for part in request.stream():
                since += len(part)
                if to.size + len(part) > maximum:
                    raise ApiError("HTTPContentTooLarge", 413, f"a body can have at most {maximum} bytes")
                to.add(part)
                if since >= _LEAST:
                    due.reschedule(min(loop.time() + _PROGRESS, until))
                    since = 0
    except TimeoutError:
        raise ApiError(
            "HTTPRequestTimeout",
            408,
            f"the body arrives too slowly: at least {_LEAST} bytes every {_PROGRESS:g} s, and all of it in {_WHOLE:g} s",
        ) from None
    except ClientDisconnect:
        raise bad_request("the body has not arrived") from None
