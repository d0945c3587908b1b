"""Reads the revisions in a database of Deckhand (PostgreSQL).

Each revision has the documents that it wrote, and marks for deleted ones; the state of a revision is the newest version
of each. The data of encrypted documents is in Barbican; the documents contain references.
"""

from __future__ import annotations

from contextlib import contextmanager

from sqlalchemy import MetaData, select
from sqlalchemy.exc import SQLAlchemyError

from plait.base.errors import PlaitError
from plait.layering.document import LayeredDocument
from plait.service.database import opened
from plait.service.documents import completed, identity_of
from plait.service.transfer import DocumentRecord, RevisionRecord, ValidationRecord
from plait.service.yaml_bodies import nodes_of_plain, text_of, text_of_nodes
from plait.tree.nodes import Document as Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from plait.service.database import AnyRow
    from plait.service.transfer import Identity

_TABLES = ("buckets", "documents", "revision_tags", "revisions", "validations")


@contextmanager
def steps_of(url: str) -> Iterator[Iterator[RevisionRecord]]:
    """Every revision of a database of Deckhand, from the first. Raises PlaitError."""
    engine = opened(url)
    try:
        with engine.connect() as connection:
            if connection.dialect.name != "postgresql":
                raise PlaitError(
                    "Deckhand's documents are in PostgreSQL",
                    expected="postgresql://USER@HOST/DATABASE",
                    code="database",
                )
            metadata = MetaData()
            metadata.reflect(connection, only=_TABLES)
            yield _steps(connection, metadata)
    except SQLAlchemyError as error:
        raise PlaitError(f"Deckhand's database cannot be read: {type(error).__name__}", code="database") from None
    finally:
        engine.dispose()


def _steps(connection: Connection, metadata: MetaData) -> Iterator[RevisionRecord]:
    buckets, documents, tags, revisions, validations = (metadata.tables[name] for name in _TABLES)
    names = {row.id: row.name for row in connection.execute(select(buckets.c.id, buckets.c.name))}
    there: dict[Identity, tuple[str, str]] = {}
    for revision in connection.execute(select(revisions.c.id, revisions.c.created_at).order_by(revisions.c.id)).all():
        of_it = select(documents).where(documents.c.revision_id == revision.id).order_by(documents.c.id)
        rows = connection.execute(of_it).all()
        gone, new = _changes(rows, names, there)
        tagged = connection.execute(select(tags.c.tag, tags.c.data).where(tags.c.revision_id == revision.id))
        reported = connection.execute(
            select(validations).where(validations.c.revision_id == revision.id).order_by(validations.c.id)
        )
        yield RevisionRecord(
            revision.id,
            _time(revision.created_at),
            sorted({names[row.bucket_id] for row in rows}),
            gone,
            new,
            {row.tag: text_of([row.data or {}]) for row in tagged},
            [_report(row) for row in reported],
        )


def _changes(
    rows: Sequence[AnyRow], names: dict[int, str], there: dict[Identity, tuple[str, str]]
) -> tuple[list[Identity], list[DocumentRecord]]:
    """The documents that a revision deleted and wrote. there: bucket and text of the documents before the revision;
    updated to those after it.
    """
    gone: list[Identity] = []
    new: list[DocumentRecord] = []
    for row in rows:
        parts = {"schema": row.schema, "metadata": row.meta, "data": row.data}
        document = LayeredDocument(Node(nodes_of_plain(parts)), 0)
        identity, bucket = identity_of(document), names[row.bucket_id]
        if row.deleted:
            if there.pop(identity, None) is not None:
                gone.append(identity)
            continue
        text = text_of_nodes(completed(document))
        if there.get(identity) != (bucket, text):
            if identity in there:
                gone.append(identity)
            there[identity] = bucket, text
            new.append(DocumentRecord(bucket, identity, document.encrypted, text))
    return gone, new


def _report(row: AnyRow) -> ValidationRecord:
    details = {"validator": row.validator, "errors": row.errors or [], "expiresAfter": None}
    return ValidationRecord(row.name, row.status, _time(row.created_at), text_of([details]))


def _time(found: datetime) -> str:
    return f"{found.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
