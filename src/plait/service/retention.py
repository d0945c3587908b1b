"""Retention: keeps revisions by count, age and tags, and deletes all others.

The newest revision is always kept. The row of a deleted revision stays, so that numbers do not change. Documents are
deleted with their last revision, and secrets with the last document that refers to them.
"""

from __future__ import annotations

import logging
import re
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import and_, delete, exists, or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from plait.base.errors import UsageError
from plait.service.api_errors import ApiError
from plait.service.database import reason_of
from plait.service.documents import data_of, top_of
from plait.service.encryption import number_of
from plait.service.tables import DOCUMENTS, ENTRIES, LABELS, REVISIONS, SECRETS, TAGS, VALIDATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection

    from plait.service.database import Database

_LOG = logging.getLogger("plait.service")
_EXPECTED = "last=COUNT, days=DAYS, tag=NAME, or tag=* for every tag"
_COUNT = re.compile("[0-9]{1,9}")
# Seconds between two checks, and maximum number of values in one query.
_EVERY = 3600.0
_MANY = 500


class Keep(NamedTuple):
    """The revisions to keep: those that match any condition. days: maximum age. every_tag: all tagged ones."""

    last: int = 1
    days: float | None = None
    tags: tuple[str, ...] = ()
    every_tag: bool = False


def keep_of(texts: Sequence[str]) -> Keep | None:
    """The conditions in the values of `--keep`, or None. Raises UsageError."""
    if not texts:
        return None
    found = Keep()
    for text in texts:
        name, _, value = text.partition("=")
        if name == "tag" and value:
            found = found._replace(every_tag=True) if value == "*" else found._replace(tags=(*found.tags, value))
        elif name in ("last", "days") and _COUNT.fullmatch(value):
            found = found._replace(last=max(int(value), 1)) if name == "last" else found._replace(days=float(value))
        else:
            raise UsageError(f'invalid --keep "{text}"', expected=_EXPECTED, code="invalid-value")
    return found


def prune(connection: Connection, keep: Keep) -> int:
    """Deletes all revisions except those to keep. Returns their number."""
    newest = select(REVISIONS.c.id).order_by(REVISIONS.c.id.desc()).limit(keep.last)
    kept: list[ColumnElement[bool]] = [REVISIONS.c.id.in_(newest)]
    if keep.days is not None:
        oldest = datetime.now(UTC) - timedelta(days=keep.days)
        kept.append(REVISIONS.c.created_at >= oldest.isoformat(timespec="microseconds").replace("+00:00", "Z"))
    if keep.every_tag:
        kept.append(REVISIONS.c.id.in_(select(TAGS.c.revision)))
    elif keep.tags:
        kept.append(REVISIONS.c.id.in_(select(TAGS.c.revision).where(TAGS.c.tag.in_(keep.tags))))
    going = list(
        connection.execute(select(REVISIONS.c.id).where(REVISIONS.c.forgotten.is_(False), ~or_(*kept))).scalars()
    )
    if not going:
        return 0
    for part in _parts(going):
        connection.execute(update(REVISIONS).where(REVISIONS.c.id.in_(part)).values(forgotten=True))
        for table in (TAGS, VALIDATIONS):
            connection.execute(delete(table).where(table.c.revision.in_(part)))
    has_revision = exists().where(
        and_(REVISIONS.c.forgotten.is_(False), REVISIONS.c.id >= ENTRIES.c.since, REVISIONS.c.id < ENTRIES.c.until)
    )
    connection.execute(delete(ENTRIES).where(ENTRIES.c.until.is_not(None), ~has_revision))
    _remove_documents(connection)
    return len(going)


def _remove_documents(connection: Connection) -> None:
    """Removes documents without entries, and the secrets that only they refer to."""
    is_used = exists().where(ENTRIES.c.digest == DOCUMENTS.c.digest)
    unused = connection.execute(
        select(DOCUMENTS.c.digest, DOCUMENTS.c.encrypted, DOCUMENTS.c.text).where(~is_used)
    ).all()
    for part in _parts([row.digest for row in unused]):
        connection.execute(delete(LABELS).where(LABELS.c.digest.in_(part)))
        connection.execute(delete(DOCUMENTS).where(DOCUMENTS.c.digest.in_(part)))
    numbers = {number for row in unused if row.encrypted and (number := _number(row.text)) is not None}
    if numbers:
        rest = connection.execute(select(DOCUMENTS.c.text).where(DOCUMENTS.c.encrypted.is_(True))).scalars()
        numbers.difference_update(filter(None, map(_number, rest)))
    for some in _parts(sorted(numbers)):
        connection.execute(delete(SECRETS).where(SECRETS.c.id.in_(some)))


def _number(text: str) -> str | None:
    """The number of the secret in a stored document, or None."""
    return number_of(data_of(top_of(text)))


def _parts(items: Sequence[object]) -> Iterator[Sequence[object]]:
    for start in range(0, len(items), _MANY):
        yield items[start : start + _MANY]


@contextmanager
def keeping(database: Database, keep: Keep | None) -> Iterator[None]:
    """Context manager that removes old revisions once an hour. Does nothing if keep is None."""
    if keep is None:
        yield
        return
    ended = threading.Event()

    def run() -> None:
        while True:
            try:
                with database.writing() as connection:
                    count = prune(connection, keep)
                if count:
                    _LOG.info("retention has removed %d revisions", count)
            except SQLAlchemyError as error:
                _LOG.error("retention waits for the database: %s", reason_of(error))
            except ApiError as refusal:
                _LOG.error("retention waits: %s", refusal.message)
            if ended.wait(_EVERY):
                return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(1.0)
