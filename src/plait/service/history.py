"""Revisions, and which documents each of them has: the questions to the tables, and how a revision is added."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import and_, func, insert, or_, select, update

from plait.service.failures import no_revision
from plait.service.tables import DOCUMENTS, ENTRIES, REVISIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection


class Entry(NamedTuple):
    """A document of a revision. layer: "" for none. since: the revision in which it last changed. trusted: its writer may
    read secrets.
    """

    id: int
    bucket: str
    schema: str
    layer: str
    name: str
    digest: str
    since: int
    trusted: bool = True

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.schema, self.layer, self.name


class Stored(NamedTuple):
    """A document of a revision, with its text."""

    entry: Entry
    encrypted: bool
    text: str


class Content(NamedTuple):
    """What is stored of a document."""

    digest: str
    encrypted: bool
    text: str


class Draft(NamedTuple):
    """A document that a new revision is to have. trusted: its writer may read secrets."""

    bucket: str
    identity: tuple[str, str, str]
    digest: str
    trusted: bool = True


_ENTRY = (
    ENTRIES.c.id,
    ENTRIES.c.bucket,
    ENTRIES.c.schema,
    ENTRIES.c.layer,
    ENTRIES.c.name,
    ENTRIES.c.digest,
    ENTRIES.c.since,
    ENTRIES.c.trusted,
)
# So many values in one query.
_MANY = 500


def now() -> str:
    """The time, as the tables and answers have it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def newest(connection: Connection) -> int:
    """The newest revision; 0 if there is none."""
    return connection.execute(select(func.max(REVISIONS.c.id))).scalar() or 0


def existing(connection: Connection, text: str, *, or_zero: bool = False) -> int:
    """The revision that a path names. or_zero: 0 stands for the time before all. Raises Refusal if there is none."""
    # Longer ones cannot be; and digits are not all ASCII.
    if not (text.isascii() and text.isdigit() and len(text) < _DIGITS):
        raise no_revision(text)
    revision = int(text)
    if or_zero and revision == 0:
        return 0
    if connection.execute(select(REVISIONS.c.id).where(REVISIONS.c.id == revision)).scalar() is None:
        raise no_revision(text)
    return revision


_DIGITS = 10


def _visible(revision: int) -> ColumnElement[bool]:
    return and_(ENTRIES.c.since <= revision, or_(ENTRIES.c.until.is_(None), ENTRIES.c.until > revision))


def current(connection: Connection) -> list[Entry]:
    """The documents of the newest revision, in the order in which they came."""
    rows = connection.execute(select(*_ENTRY).where(ENTRIES.c.until.is_(None)).order_by(ENTRIES.c.id))
    return [Entry(*row) for row in rows]


def entries_of(connection: Connection, revision: int) -> list[Entry]:
    """The documents of a revision, in the order in which they came."""
    rows = connection.execute(select(*_ENTRY).where(_visible(revision)).order_by(ENTRIES.c.id))
    return [Entry(*row) for row in rows]


def documents_of(connection: Connection, revision: int) -> list[Stored]:
    """The documents of a revision with their texts, in the order in which they came."""
    return _stored(connection, _visible(revision))


def has_secrets(connection: Connection, revision: int) -> bool:
    """Whether any document of a revision is encrypted."""
    found = (
        select(ENTRIES.c.id)
        .join(DOCUMENTS, DOCUMENTS.c.digest == ENTRIES.c.digest)
        .where(_visible(revision), DOCUMENTS.c.encrypted)
    )
    return connection.execute(found.limit(1)).scalar() is not None


def newest_of_schema(connection: Connection, prefix: str) -> Stored | None:
    """The newest document whose schema begins so, of any revision."""
    found = select(func.max(ENTRIES.c.id)).where(ENTRIES.c.schema.startswith(prefix, autoescape=True)).scalar_subquery()
    return next(iter(_stored(connection, ENTRIES.c.id == found)), None)


def _stored(connection: Connection, condition: ColumnElement[bool]) -> list[Stored]:
    rows = connection.execute(
        select(*_ENTRY, DOCUMENTS.c.encrypted, DOCUMENTS.c.text)
        .join(DOCUMENTS, DOCUMENTS.c.digest == ENTRIES.c.digest)
        .where(condition)
        .order_by(ENTRIES.c.id)
    )
    return [Stored(Entry(*row[:-2]), row[-2], row[-1]) for row in rows]


def content_of(connection: Connection, digest: str) -> Content:
    """What is stored under a digest."""
    row = connection.execute(
        select(DOCUMENTS.c.digest, DOCUMENTS.c.encrypted, DOCUMENTS.c.text).where(DOCUMENTS.c.digest == digest)
    ).one()
    return Content(*row)


def knows_bucket(connection: Connection, bucket: str) -> bool:
    """Whether a bucket ever had documents."""
    return connection.execute(select(ENTRIES.c.id).where(ENTRIES.c.bucket == bucket).limit(1)).scalar() is not None


def keep_contents(connection: Connection, contents: Iterable[Content]) -> None:
    """Store what is not stored yet."""
    wanted = {content.digest: content for content in contents}
    digests = list(wanted)
    for start in range(0, len(digests), _MANY):
        part = digests[start : start + _MANY]
        for (digest,) in connection.execute(select(DOCUMENTS.c.digest).where(DOCUMENTS.c.digest.in_(part))):
            del wanted[digest]
    if wanted:
        connection.execute(insert(DOCUMENTS), [content._asdict() for content in wanted.values()])


def trust(connection: Connection, entries: Iterable[Entry]) -> None:
    """Note that somebody who may read secrets has put these entries again as they are."""
    ids = [entry.id for entry in entries if not entry.trusted]
    for start in range(0, len(ids), _MANY):
        connection.execute(update(ENTRIES).where(ENTRIES.c.id.in_(ids[start : start + _MANY])).values(trusted=True))


def add_revision(
    connection: Connection,
    buckets: Iterable[str],
    gone: Sequence[Entry],
    drafts: Sequence[Draft],
    *,
    number: int | None = None,
    created_at: str | None = None,
) -> tuple[int, list[Entry]]:
    """Add a revision without some documents of the newest one, and with new ones; its number, and the new entries.

    number, created_at: of a revision that comes from somewhere else.
    """
    revision = newest(connection) + 1 if number is None else number
    row = {"id": revision, "created_at": created_at or now(), "buckets": json.dumps(sorted(set(buckets)))}
    connection.execute(insert(REVISIONS), [row])
    ids = [entry.id for entry in gone]
    for start in range(0, len(ids), _MANY):
        part = ids[start : start + _MANY]
        connection.execute(update(ENTRIES).where(ENTRIES.c.id.in_(part)).values(until=revision))
    first = (connection.execute(select(func.max(ENTRIES.c.id))).scalar() or 0) + 1
    added = [
        Entry(number, draft.bucket, *draft.identity, draft.digest, revision, draft.trusted)
        for number, draft in enumerate(drafts, first)
    ]
    if added:
        connection.execute(insert(ENTRIES), [entry._asdict() for entry in added])
    return revision, added
