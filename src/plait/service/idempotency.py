"""`Idempotency-Key`: a repeated request with the same key is executed once (draft-ietf-httpapi-idempotency-key-header).

The key and the answer are stored in the transaction of the request itself, so that either both exist or neither. A
client that got no answer, or an unknown outcome, repeats the request and gets the answer of the first one.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import delete, insert, select

from plait.service.answers import Answer
from plait.service.api_errors import ApiError, bad_request, check_name
from plait.service.spool import Body
from plait.service.tables import REPEATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

HEADER = "idempotency-key"
_HOURS = 24
# A string in the syntax of Structured Fields, or without quotes, as many clients send it.
_STRING = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])+)"|([!#-+\--\[\]-~]+)')


def key_of(values: Sequence[str]) -> str | None:
    """The key in the headers, or None. Raises ApiError."""
    if not values:
        return None
    found = _STRING.fullmatch(values[0].strip())
    if len(values) > 1 or found is None:
        raise bad_request("the header Idempotency-Key must be one string, such as a UUID in double quotes")
    key = re.sub(r"\\(.)", r"\1", found[1]) if found[1] is not None else found[2]
    check_name(key, "a key")
    return key


def fingerprint_of(parts: Iterable[str], body: Body) -> str:
    """A digest that distinguishes requests with the same key. parts: the parts of the request, except the body."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(f"{len(data)} ".encode())
        found.update(data)
    for data in body.parts():
        found.update(data)
    return found.hexdigest()


class Repeat(NamedTuple):
    """A request with a key. name: the name of the user. Keys of different users are distinct. fingerprints: keyed by
    each site key, the first one as stored.
    """

    name: str
    key: str
    fingerprints: Sequence[str]

    def answered(self, connection: Connection) -> Answer | None:
        """The answer to the same request, if it was done before. Raises ApiError for another request with the key."""
        row = connection.execute(
            select(REPEATS).where(REPEATS.c.name == self.name, REPEATS.c.key == self.key, REPEATS.c.at >= _oldest())
        ).one_or_none()
        if row is None:
            return None
        if row.fingerprint not in self.fingerprints:
            raise ApiError(
                "IdempotencyKeyReused",
                422,
                "this Idempotency-Key was sent with a different request; each request needs its own key",
            )
        return Answer(zlib.decompress(row.text).decode("utf-8", "surrogatepass"), row.status)

    def keep(self, connection: Connection, given: Answer) -> None:
        """Stores the answer, and removes answers that are too old."""
        text = given.text
        data = text.read() if isinstance(text, Body) else text.encode("utf-8", "surrogatepass")
        connection.execute(delete(REPEATS).where(REPEATS.c.at < _oldest()))
        row = {
            "name": self.name,
            "key": self.key,
            "fingerprint": self.fingerprints[0],
            "at": datetime.now(UTC).isoformat(timespec="microseconds"),
            "status": given.status,
            "text": zlib.compress(data, 1),
        }
        connection.execute(insert(REPEATS), [row])


def _oldest() -> str:
    return (datetime.now(UTC) - timedelta(hours=_HOURS)).isoformat(timespec="microseconds")
