"""Revisions and their documents: queries, and the creation of revisions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import String, and_, func, insert, or_, select, text, tuple_, update

from plait.service.api_errors import no_revision
from plait.service.tables import DOCUMENTS, ENTRIES, LABELS, REVISIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from sqlalchemy import ColumnElement, Connection, Select, Table


# Types of control documents that requests query.
POLICY, VALIDATION_POLICY = 1, 2


class Kind(NamedTuple):
    """The columns of a document in addition to its name. control: POLICY, VALIDATION_POLICY, or 0."""

    encrypted: bool = False
    abstract: bool = False
    control: int = 0


class RevisionDocument(NamedTuple):
    """A document of a revision. layer: "" for none. since: the revision in which it last changed. trusted: its writer
    may read secrets. encrypted, abstract, control: as in Kind.
    """

    id: int
    bucket: str
    schema: str
    layer: str
    name: str
    digest: str
    since: int
    trusted: bool = True
    encrypted: bool = False
    abstract: bool = False
    control: int = 0

    @property
    def kind(self) -> Kind:
        """The columns of the document."""
        return Kind(self.encrypted, self.abstract, self.control)

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.schema, self.layer, self.name


class StoredDocument(NamedTuple):
    """A document of a revision, with its text and the facts about it, as text."""

    entry: RevisionDocument
    text: str
    facts: str = ""

    @property
    def encrypted(self) -> bool:
        return self.entry.encrypted


class Content(NamedTuple):
    """The stored content of a document. facts: as text. labels: those by which requests can filter."""

    digest: str
    kind: Kind
    text: str
    facts: str = ""
    labels: Mapping[str, str] = {}


class NewDocument(NamedTuple):
    """A document of a new revision. trusted: its writer may read secrets."""

    bucket: str
    identity: tuple[str, str, str]
    digest: str
    trusted: bool = True
    kind: Kind = Kind()


ENTRY = (
    ENTRIES.c.id,
    ENTRIES.c.bucket,
    ENTRIES.c.schema,
    ENTRIES.c.layer,
    ENTRIES.c.name,
    ENTRIES.c.digest,
    ENTRIES.c.since,
    ENTRIES.c.trusted,
    ENTRIES.c.encrypted,
    ENTRIES.c.abstract,
    ENTRIES.c.control,
)
# The conditions of partial indexes, which SQLite compares literally.
_ENCRYPTED, _CONTROL, UNTRUSTED = text("entries.encrypted"), text("entries.control > 0"), text("NOT entries.trusted")
# Maximum number of values in one query, and of rows fetched at a time.
_MANY = 500
_LARGE = 5_000
_AT_A_TIME = 500


def now() -> str:
    """The current time, in the format of the tables and answers."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def newest(connection: Connection) -> int:
    """The newest revision; 0 if there is none."""
    return connection.execute(select(func.max(REVISIONS.c.id))).scalar() or 0


def time_of(connection: Connection, revision: int) -> str:
    """The time at which a revision was created, or "" if it does not exist."""
    return connection.execute(select(REVISIONS.c.created_at).where(REVISIONS.c.id == revision)).scalar() or ""


def existing(connection: Connection, name: str, *, or_zero: bool = False) -> int:
    """The revision in a path. or_zero: accept 0, the empty state before the first revision. Raises ApiError if there is
    none.
    """
    # Longer numbers do not exist, and not all digits are ASCII.
    if not (name.isascii() and name.isdigit() and len(name) < _DIGITS):
        raise no_revision(name)
    revision = int(name)
    if or_zero and revision == 0:
        return 0
    there = select(REVISIONS.c.id).where(REVISIONS.c.id == revision, REVISIONS.c.forgotten.is_(False))
    if connection.execute(there).scalar() is None:
        raise no_revision(name)
    return revision


_DIGITS = 10


def visible(revision: int) -> ColumnElement[bool]:
    """The condition for the entries of a revision."""
    return and_(ENTRIES.c.since <= revision, or_(ENTRIES.c.until.is_(None), ENTRIES.c.until > revision))


def in_revision(revision: int) -> ColumnElement[bool]:
    """As `visible`, for lists in the order of entries, which cannot use an index of revisions."""
    return and_(ENTRIES.c.since + 0 <= revision, or_(ENTRIES.c.until.is_(None), ENTRIES.c.until + 0 > revision))


def of_bucket(connection: Connection, bucket: str) -> list[RevisionDocument]:
    """The documents of a bucket in the newest revision, in order of creation."""
    rows = select(*ENTRY).where(ENTRIES.c.bucket == bucket, ENTRIES.c.until.is_(None)).order_by(ENTRIES.c.id)
    return [RevisionDocument(*row) for row in connection.execute(rows)]


def of_identities(connection: Connection, identities: Iterable[tuple[str, str, str]]) -> list[RevisionDocument]:
    """The documents of the newest revision with one of these identities."""
    wanted = list(identities)
    if len(wanted) > _LARGE:
        # One query for all identities costs less than many queries for a few.
        identified = frozenset(wanted)
        return [one for one in current(connection) if one.identity in identified]
    identity = tuple_(ENTRIES.c.schema, ENTRIES.c.layer, ENTRIES.c.name)
    found: list[RevisionDocument] = []
    for start in range(0, len(wanted), _MANY // 3):
        part = wanted[start : start + _MANY // 3]
        rows = connection.execute(select(*ENTRY).where(ENTRIES.c.until.is_(None), identity.in_(part)))
        found += [RevisionDocument(*row) for row in rows]
    return found


def of_control(connection: Connection, control: int) -> list[RevisionDocument]:
    """The control documents of a kind in the newest revision, in order of creation."""
    rows = (
        select(*ENTRY).where(_CONTROL, ENTRIES.c.control == control, ENTRIES.c.until.is_(None)).order_by(ENTRIES.c.id)
    )
    return [RevisionDocument(*row) for row in connection.execute(rows)]


def current(connection: Connection) -> list[RevisionDocument]:
    """The documents of the newest revision, in order of creation."""
    rows = connection.execute(select(*ENTRY).where(ENTRIES.c.until.is_(None)).order_by(ENTRIES.c.id))
    return [RevisionDocument(*row) for row in rows]


def differing(connection: Connection, first: int, second: int) -> tuple[list[RevisionDocument], list[RevisionDocument]]:
    """The entries removed and added from an earlier revision to a later one."""
    return _entries(connection, _gone(first, second)), _entries(connection, _came(first, second))


def changed_between(
    connection: Connection, first: int, second: int
) -> tuple[list[RevisionDocument], list[StoredDocument]]:
    """The documents removed and added from an earlier revision to a later one."""
    came = stored_rows(connection, stored_query(_came(first, second)))
    return _entries(connection, _gone(first, second)), sorted(came, key=lambda one: one.entry.id)


# Sums are not indexed, so PostgreSQL looks up the changes, in any order, not all entries. Without statistics it expects
# few rows between two numbers, and many beyond one.
def _came(first: int, second: int) -> ColumnElement[bool]:
    """The condition for the entries of a later revision that an earlier one lacks."""
    return and_(
        ENTRIES.c.since > first,
        ENTRIES.c.since <= second,
        or_((ENTRIES.c.until + 0).is_(None), ENTRIES.c.until + 0 > second),
    )


def _gone(first: int, second: int) -> ColumnElement[bool]:
    """The condition for the entries of an earlier revision that a later one lacks."""
    return and_(ENTRIES.c.since + 0 <= first, ENTRIES.c.until > first, ENTRIES.c.until <= second)


def _entries(connection: Connection, condition: ColumnElement[bool]) -> list[RevisionDocument]:
    """The entries that meet a condition, in order of creation."""
    rows = connection.execute(select(*ENTRY).where(condition))
    return sorted((RevisionDocument(*row) for row in rows), key=lambda one: one.id)


def buckets_of(connection: Connection, revision: int) -> list[str]:
    """The buckets with documents in a revision. Each is found by one index look-up."""
    # In the order of an index, so that no query plan reads all entries.
    first = select(ENTRIES.c.bucket).where(in_revision(revision)).order_by(ENTRIES.c.bucket, ENTRIES.c.id).limit(1)
    names = select(first.scalar_subquery().label("name")).cte("names", recursive=True)
    following = first.where(ENTRIES.c.bucket > names.c.name).scalar_subquery()
    names = names.union_all(select(following).where(names.c.name.is_not(None)))
    return list(connection.execute(select(names.c.name).where(names.c.name.is_not(None))).scalars())


def documents_of(connection: Connection, revision: int) -> list[StoredDocument]:
    """The documents of a revision with their texts, in order of creation."""
    return _stored(connection, visible(revision))


def facts_of_revision(connection: Connection, revision: int) -> Iterator[tuple[RevisionDocument, str]]:
    """The documents of a revision, each with the facts about it."""
    rows = connection.execute(
        select(*ENTRY, DOCUMENTS.c.facts)
        .join(DOCUMENTS, DOCUMENTS.c.digest == ENTRIES.c.digest)
        .where(visible(revision))
        .order_by(ENTRIES.c.id)
    )
    return ((RevisionDocument(*row[:-1]), row[-1]) for row in rows)


def documents_with(connection: Connection, ids: Iterable[int]) -> list[StoredDocument]:
    """The documents of these entries with their texts, in order of creation."""
    wanted = sorted(ids)
    found: list[StoredDocument] = []
    for start in range(0, len(wanted), _MANY):
        found += _stored(connection, ENTRIES.c.id.in_(wanted[start : start + _MANY]))
    return found


def of_schema(connection: Connection, revision: int, schema: str) -> list[StoredDocument]:
    """The documents of a revision with a schema, in order of creation."""
    return _stored(connection, and_(visible(revision), ENTRIES.c.schema == schema))


def validation_policies(connection: Connection, revision: int) -> list[StoredDocument]:
    """The validation policies of a revision, in order of creation."""
    return _stored(connection, and_(in_revision(revision), _CONTROL, ENTRIES.c.control == VALIDATION_POLICY))


def has_policy(connection: Connection, revision: int) -> bool:
    """True if a revision has a layering policy."""
    found = select(ENTRIES.c.id).where(in_revision(revision), _CONTROL, ENTRIES.c.control == POLICY).limit(1)
    return connection.execute(found).scalar() is not None


def has_secrets(connection: Connection, revision: int) -> bool:
    """True if any document of a revision is encrypted."""
    # In the order of a covering index.
    found = select(ENTRIES.c.since).where(visible(revision), _ENCRYPTED).order_by(ENTRIES.c.since).limit(1)
    return connection.execute(found).scalar() is not None


def newest_policy(connection: Connection) -> StoredDocument | None:
    """The newest layering policy of any revision."""
    found = select(func.max(ENTRIES.c.id)).where(_CONTROL, ENTRIES.c.control == POLICY).scalar_subquery()
    return next(iter(_stored(connection, ENTRIES.c.id == found)), None)


def stored_query(condition: ColumnElement[bool]) -> Select[Any]:
    """The query for documents with their texts."""
    return (
        select(*ENTRY, DOCUMENTS.c.text, DOCUMENTS.c.facts)
        .join(DOCUMENTS, DOCUMENTS.c.digest == ENTRIES.c.digest)
        .where(condition)
    )


def stored_rows(connection: Connection, query: Select[Any]) -> Iterator[StoredDocument]:
    """The documents of a query, fetched in blocks."""
    with connection.execute(query.execution_options(yield_per=_AT_A_TIME)) as rows:
        for row in rows:
            yield StoredDocument(RevisionDocument(*row[:-2]), row[-2], row[-1])


def _stored(connection: Connection, condition: ColumnElement[bool]) -> list[StoredDocument]:
    rows = connection.execute(stored_query(condition).order_by(ENTRIES.c.id))
    return [StoredDocument(RevisionDocument(*row[:-2]), row[-2], row[-1]) for row in rows]


def text_of_digest(connection: Connection, digest: str) -> str:
    """The text stored under a digest."""
    found: str = connection.execute(select(DOCUMENTS.c.text).where(DOCUMENTS.c.digest == digest)).scalar_one()
    return found


def knows_bucket(connection: Connection, bucket: str) -> bool:
    """True if a bucket ever had documents."""
    return connection.execute(select(ENTRIES.c.id).where(ENTRIES.c.bucket == bucket).limit(1)).scalar() is not None


def keep_contents(connection: Connection, contents: Iterable[Content]) -> None:
    """Stores contents that are not stored yet."""
    wanted = {content.digest: content for content in contents}
    digests = list(wanted)
    for start in range(0, len(digests), _MANY):
        part = digests[start : start + _MANY]
        for (digest,) in connection.execute(select(DOCUMENTS.c.digest).where(DOCUMENTS.c.digest.in_(part))):
            del wanted[digest]
    # In the order of the indexes, so that each page is written once.
    new = [wanted[digest] for digest in sorted(wanted)]
    rows = [
        {"digest": one.digest, "encrypted": one.kind.encrypted, "text": one.text, "facts": one.facts} for one in new
    ]
    labels = [{"digest": one.digest, "key": key, "value": value} for one in new for key, value in one.labels.items()]
    for table, values in ((DOCUMENTS, rows), (LABELS, labels)):
        insert_rows(connection, table, values)


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Adds rows, which all have the same columns, to a table."""
    if connection.dialect.name != "postgresql":
        if rows:
            connection.execute(insert(table), rows)
        return
    # Passing each row as statement parameters costs PostgreSQL and its driver about three times as much.
    quoted = connection.dialect.identifier_preparer.quote
    for start in range(0, len(rows), _MANY):
        columns = [table.columns[name] for name in rows[start]]
        names = ", ".join(quoted(column.name) for column in columns)
        # Without lengths, because a conversion to VARCHAR(n) truncates longer values, while an insertion rejects them.
        types = ", ".join(
            f"{quoted(column.name)} {'TEXT' if isinstance(column.type, String) else column.type.compile(connection.dialect)}"
            for column in columns
        )
        source = f"SELECT {names} FROM json_to_recordset(:rows) AS r ({types})"  # noqa: S608 - names of our own tables
        statement = f"INSERT INTO {quoted(table.name)} ({names}) {source}"
        connection.execute(text(statement), {"rows": json.dumps(rows[start : start + _MANY], ensure_ascii=False)})


def trust(connection: Connection, entries: Iterable[RevisionDocument]) -> None:
    """Records that a writer with access to secrets confirmed these entries."""
    ids = [entry.id for entry in entries if not entry.trusted]
    for start in range(0, len(ids), _MANY):
        connection.execute(update(ENTRIES).where(ENTRIES.c.id.in_(ids[start : start + _MANY])).values(trusted=True))


def add_revision(
    connection: Connection,
    buckets: Iterable[str],
    gone: Sequence[RevisionDocument],
    drafts: Sequence[NewDocument],
    *,
    number: int | None = None,
    created_at: str | None = None,
) -> tuple[int, list[RevisionDocument]]:
    """Adds a revision without some documents of the newest one, and with new ones. Returns its number, and the new
    entries.

    number, created_at: the number and time of an imported revision.
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
        RevisionDocument(number, draft.bucket, *draft.identity, draft.digest, revision, draft.trusted, *draft.kind)
        for number, draft in enumerate(drafts, first)
    ]
    insert_rows(connection, ENTRIES, [entry._asdict() for entry in added])
    return revision, added
