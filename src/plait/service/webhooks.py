"""Webhooks: notifications of other programs about each new revision, in order, at least once.

Each webhook has a row with the newest delivered revision. All newer revisions are due, so that creating a revision
records nothing, and nothing is lost if the service ends at any time.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import threading
from contextlib import contextmanager
from time import time
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import and_, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from plait.base.content import source
from plait.base.errors import PlaitError, UsageError, conceal
from plait.base.http import fetched
from plait.service.revision_store import newest
from plait.service.tables import REVISIONS, WEBHOOKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection

    from plait.service.database import Database

_LOG = logging.getLogger("plait.service")
# In seconds: between two checks for new revisions, the timeout of a response, and the first and the maximum time
# between attempts.
_LOOK = 1.0
_BOUND = 10.0
_FIRST, _LONGEST = 1.0, 3600.0
_SHORTEST_KEY = 16


class Delivery(NamedTuple):
    """The next notification of a webhook. before: the revision of the last one."""

    before: int
    attempts: int
    revision: int
    created_at: str
    buckets: Sequence[str]


class Webhooks:
    """Notifies URLs of new revisions, each in a separate thread.

    key: a file with the key that signs notifications. address: the URL for clients.
    """

    def __init__(self, database: Database, urls: Sequence[str], key: str | None, address: str) -> None:
        """Raises UsageError for an invalid URL, and for a key that is too short; ReadError."""
        for url in urls:
            _check(url)
        self._database = database
        self._urls = list(dict.fromkeys(urls))
        self._key = key
        self._address = address
        self._ended = threading.Event()
        self._signature(b"")

    @contextmanager
    def telling(self) -> Iterator[None]:
        """A context in which webhooks are notified."""
        for url in self._urls:
            self._begin(_target(url))
        threads = [threading.Thread(target=self._deliver_all, args=(url,), daemon=True) for url in self._urls]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            # The current delivery may be slow. It will be repeated.
            for thread in threads:
                thread.join(_LOOK)

    def _begin(self, target: str) -> None:
        """Registers a new webhook for revisions from now on. Another service may do this concurrently."""
        try:
            with self._database.writing() as connection:
                if connection.execute(select(WEBHOOKS.c.target).where(_is(target))).scalar() is None:
                    row = {"target": target, "revision": newest(connection), "attempts": 0, "next_at": 0.0}
                    connection.execute(insert(WEBHOOKS), [row])
        except IntegrityError:
            pass

    def _deliver_all(self, url: str) -> None:
        failing = False
        while not self._ended.wait(_LOOK):
            try:
                while not self._ended.is_set() and self._deliver_next(url):
                    pass
                failing = False
            except Exception as error:  # noqa: BLE001 - whatever failed, the next look must follow
                if not failing:
                    cause = error.message if isinstance(error, PlaitError) else type(error).__name__
                    _LOG.error("webhooks wait, and are retried each second: %s", cause)
                failing = True

    def _deliver_next(self, url: str) -> bool:
        """Delivers the next revision to a webhook, if one is due. Returns True if it was delivered."""
        target = _target(url)
        with self._database.reading() as connection:
            if _next(connection, target) is None:
                return False
        with self._database.writing() as connection:
            notice = _next(connection, target)
            if notice is None:
                return False
            # Other services leave the delivery to this one.
            _set(connection, target, notice, next_at=time() + 2 * _BOUND)
        problem = self._send(url, notice)
        with self._database.writing() as connection:
            if problem is None:
                _set(connection, target, notice, revision=notice.revision, attempts=0, next_at=0.0)
                return True
            wait = min(_FIRST * 2**notice.attempts, _LONGEST)
            _set(connection, target, notice, attempts=min(notice.attempts + 1, 32), next_at=time() + wait)
        _LOG.error(
            "webhook %s: delivery of revision %d failed, next attempt in %g s: %s",
            urlsplit(url).hostname,
            notice.revision,
            wait,
            problem,
        )
        return False

    def _send(self, url: str, notice: Delivery) -> str | None:
        """Sends a notification. Returns the error, or None."""
        told = {
            "event": "revision",
            "revision": notice.revision,
            "createdAt": notice.created_at,
            "buckets": notice.buckets,
            "url": f"{self._address}/api/v1.0/revisions/{notice.revision}",
        }
        body = json.dumps(told).encode()
        try:
            headers = {"Content-Type": "application/json", "User-Agent": "plait"} | self._signature(body)
            fetched(url, seconds=_BOUND, maximum=0, redirects=False, body=body, headers=headers)
        except TimeoutError:
            return f"no answer within {_BOUND:g} s"
        except PlaitError as error:
            return conceal(error).message
        return None

    def _signature(self, body: bytes) -> dict[str, str]:
        """The signature header of a body. The key is read each time, because it may change."""
        if self._key is None:
            return {}

        key = source(self._key).text.strip().encode()
        if len(key) < _SHORTEST_KEY:
            raise UsageError(
                f"the webhook key in {self._key} is too short",
                expected=f"{_SHORTEST_KEY} bytes or more",
                code="service-settings",
            )
        return {"X-Plait-Signature": f"sha256={hmac.new(key, body, hashlib.sha256).hexdigest()}"}


def forget_revisions(connection: Connection) -> None:
    """Resets all webhooks after all revisions were deleted."""
    connection.execute(update(WEBHOOKS).values(revision=0, attempts=0, next_at=0.0))


def _next(connection: Connection, target: str) -> Delivery | None:
    """The next notification that is due for a webhook, or None."""
    now = time()
    # A clock that was wrong earlier must not delay a webhook.
    is_due = or_(WEBHOOKS.c.next_at <= now, WEBHOOKS.c.next_at > now + 2 * _LONGEST)
    row = connection.execute(
        select(WEBHOOKS.c.revision, WEBHOOKS.c.attempts, REVISIONS.c.id, REVISIONS.c.created_at, REVISIONS.c.buckets)
        .join(REVISIONS, REVISIONS.c.id > WEBHOOKS.c.revision)
        .where(_is(target), is_due)
        .order_by(REVISIONS.c.id)
        .limit(1)
    ).first()
    return None if row is None else Delivery(*row[:4], json.loads(row[4]))


def _set(connection: Connection, target: str, notice: Delivery, **values: float) -> None:
    """Updates the row of a webhook, unless all revisions were deleted meanwhile."""
    unchanged = and_(_is(target), WEBHOOKS.c.revision == notice.before)
    connection.execute(update(WEBHOOKS).where(unchanged).values(**values))


def _is(target: str) -> ColumnElement[bool]:
    return WEBHOOKS.c.target == target


def _target(url: str) -> str:
    """The stored digest of a URL, which may contain a secret."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()


def _check(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
        _ = parts.port
    except ValueError:
        is_good = False
    if not is_good:
        raise UsageError(
            "the URL of a webhook is not valid",
            expected="https://HOST/PATH, without user and password",
            code="service-settings",
        )
