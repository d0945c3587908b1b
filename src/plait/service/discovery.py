"""The public keys of an OpenID provider: discovered from its URL, and fetched again when they change."""

from __future__ import annotations

import json
import logging
import threading
import weakref
from contextlib import contextmanager
from time import monotonic as _now
from urllib.parse import urlsplit

from plait.base.errors import PlaitError, UsageError
from plait.base.http import fetched
from plait.service.api_errors import ApiError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LOG = logging.getLogger("plait.service")
LOOPBACK = ("127.0.0.1", "::1", "localhost")
_WELL_KNOWN = "/.well-known/openid-configuration"
_MOST = 1 << 20
# In seconds: the timeout of a fetch, the minimum between two fetches requested by tokens, and between two in the
# background.
_BOUND = 10.0
_PAUSE = 60.0
_OFTEN = 3600.0
# Maximum number of requests that wait for one fetch. More would block all threads of the service.
_WAITING = 8
# Maximum characters of fetched text in messages.
_SHOWN = 200


class Published:
    """The key set that an issuer publishes. take: processes its text; raises UsageError if it is invalid.

    It is fetched at the start, each hour in the background, and when a token names an unknown key. If a fetch fails,
    the previous keys stay valid.
    """

    def __init__(self, issuer: str, take: Callable[[str], None]) -> None:
        """Raises UsageError for a forbidden URL, PlaitError if it has no keys."""
        self._issuer = issuer
        self._take = take
        self._fetching = threading.Lock()
        self._waiting = threading.BoundedSemaphore(_WAITING)
        self._tried = 0.0
        _check(issuer)
        self._fetch()
        stopped = threading.Event()
        weakref.finalize(self, stopped.set)
        threading.Thread(target=_keep_fetching, args=(weakref.ref(self), stopped), daemon=True).start()

    def fetch_if_due(self) -> None:
        """Fetches the keys because a token names an unknown key, unless they were fetched within the last minute.

        Requests share a fetch, and wait at most for its timeout. Raises ApiError if too many wait.
        """
        if _now() - self._tried < _PAUSE:
            return
        with _place(self._waiting, 0), _place(self._fetching, _BOUND):
            if _now() - self._tried >= _PAUSE:
                self._try()

    def fetch_again(self) -> None:
        """Fetches the keys in the background."""
        with self._fetching:
            self._try()

    def _try(self) -> None:
        try:
            self._fetch()
        except PlaitError as error:
            _LOG.error("%s; the earlier keys are used", error.message)

    def _fetch(self) -> None:
        until = _now() + _BOUND
        try:
            self._take(_key_set(self._issuer, until))
        except (PlaitError, TimeoutError) as error:
            why = error.message if isinstance(error, PlaitError) else f"no complete answer after {_BOUND:g} seconds"
            raise PlaitError(
                f"the keys of {self._issuer} cannot be fetched: {why}",
                hint="--issuer-keys reads them from a file",
                code="issuer-keys",
            ) from None
        finally:
            self._tried = _now()


@contextmanager
def _place(lock: threading.Lock | threading.Semaphore, seconds: float) -> Iterator[None]:
    """Acquires a lock. seconds: timeout. Raises ApiError after the timeout."""
    if not lock.acquire(timeout=seconds):
        raise ApiError("IssuerNotAvailable", 503, "keys of the issuer are being fetched; try again later")
    try:
        yield
    finally:
        lock.release()


def _keep_fetching(published: weakref.ref[Published], stopped: threading.Event) -> None:
    while not stopped.wait(_OFTEN):
        found = published()
        if found is not None:
            found.fetch_again()
        del found


def _key_set(issuer: str, until: float) -> str:
    """Fetches the key set. until: the deadline. Raises PlaitError or TimeoutError."""
    about = _json(_get(issuer.rstrip("/") + _WELL_KNOWN, until))
    if about.get("issuer") != issuer:
        raise PlaitError(f"the document describes the issuer {str(about.get('issuer'))[:_SHOWN]!r}", code="issuer-keys")
    keys = about.get("jwks_uri")
    if not isinstance(keys, str):
        raise PlaitError("it has no jwks_uri", code="issuer-keys")
    _check(keys)
    return _get(keys, until)


def _json(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise PlaitError(f"{_WELL_KNOWN} is not a JSON map", code="issuer-keys")
    return found


def _check(url: str) -> None:
    """Raises UsageError for a forbidden URL, because fetched keys are trusted."""
    try:
        parts = urlsplit(url)
        scheme, host = parts.scheme, parts.hostname
    except ValueError:
        scheme, host = "", None
    else:
        if "@" in parts.netloc:
            raise UsageError(
                f"the address of {host} contains a user or a password, but keys are public",
                expected="https://HOST",
                code="issuer-keys",
            )
    if not host or not (scheme == "https" or (scheme == "http" and host in LOOPBACK)):
        raise UsageError(f'"{url[:_SHOWN]}" is not an address of keys', expected="https://HOST", code="issuer-keys")


def _get(url: str, until: float) -> str:
    """The text at an address. Raises PlaitError, TimeoutError."""
    # Servers on this machine are contacted directly, without a proxy. Redirects are not followed.
    here = urlsplit(url).hostname in LOOPBACK
    data = fetched(url, seconds=max(until - _now(), 0), maximum=_MOST, redirects=False, proxies=not here)
    if len(data) > _MOST:
        raise PlaitError(f"{url} returns more than {_MOST} bytes", code="issuer-keys")
    return data.decode("utf-8", "replace")
