"""Exports and imports all revisions, as lines of JSON, and imports them from a Deckhand database.

Each record is one revision: removed and added documents, tags and validations. Secrets are exported as stored,
encrypted.
"""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, insert, select

from plait.base.errors import PlaitError
from plait.layering.document import LayeredDocument
from plait.service.documents import content_of, identity_of
from plait.service.encryption import SECRETS_ROW, EncryptedSecret, keep
from plait.service.revision_store import NewDocument, RevisionDocument, add_revision, current, keep_contents, newest
from plait.service.tables import DOCUMENTS, ENTRIES, REVISIONS, SECRETS, TAGS, VALIDATIONS
from plait.service.yaml_bodies import node_of, value_of
from plait.tree.nodes import Document as Node
from plait.tree.nodes import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    from plait.service.revision_store import Content

FORMAT = "plait-revisions/1"
Identity = tuple[str, str, str]


class DocumentRecord(NamedTuple):
    """A document added by a revision. text: as stored. trusted: its writer may read secrets."""

    bucket: str
    identity: Identity
    encrypted: bool
    text: str
    trusted: bool = True


class ValidationRecord(NamedTuple):
    """A validation. details: as in the table."""

    name: str
    status: str
    created_at: str
    details: str


class RevisionRecord(NamedTuple):
    """A revision as its changes. tags: the text of their data by name."""

    revision: int
    created_at: str
    buckets: list[str]
    gone: list[Identity]
    new: list[DocumentRecord]
    tags: dict[str, str]
    validations: list[ValidationRecord]


def lines(connection: Connection) -> Iterator[str]:
    """The whole content of a database, line by line."""
    yield json.dumps({"format": FORMAT}) + "\n"
    for row in connection.execute(select(*SECRETS_ROW).order_by(SECRETS.c.id)):
        secret = EncryptedSecret(*row)
        sealed = {"wrapped": _coded(secret.wrapped), "sealed": _coded(secret.sealed)}
        yield json.dumps({"secret": secret.id, "key": secret.key, **sealed}) + "\n"
    for step in steps(connection):
        yield json.dumps(step._asdict()) + "\n"


def steps(connection: Connection) -> Iterator[RevisionRecord]:
    """Every revision, from the first."""
    for row in connection.execute(select(REVISIONS).order_by(REVISIONS.c.id)).all():
        revision = row.id
        identity = (ENTRIES.c.schema, ENTRIES.c.layer, ENTRIES.c.name)
        gone = connection.execute(select(*identity).where(ENTRIES.c.until == revision).order_by(ENTRIES.c.id))
        new = connection.execute(
            select(ENTRIES.c.bucket, *identity, DOCUMENTS.c.encrypted, DOCUMENTS.c.text, ENTRIES.c.trusted)
            .join(DOCUMENTS, DOCUMENTS.c.digest == ENTRIES.c.digest)
            .where(ENTRIES.c.since == revision)
            .order_by(ENTRIES.c.id)
        )
        tags = connection.execute(select(TAGS.c.tag, TAGS.c.data).where(TAGS.c.revision == revision))
        reports = connection.execute(
            select(VALIDATIONS.c.name, VALIDATIONS.c.status, VALIDATIONS.c.created_at, VALIDATIONS.c.details)
            .where(VALIDATIONS.c.revision == revision)
            .order_by(VALIDATIONS.c.id)
        )
        yield RevisionRecord(
            revision,
            row.created_at,
            json.loads(row.buckets),
            [(one.schema, one.layer, one.name) for one in gone],
            [
                DocumentRecord(one.bucket, (one.schema, one.layer, one.name), one.encrypted, one.text, one.trusted)
                for one in new
            ],
            {one.tag: one.data for one in tags},
            [ValidationRecord(*one) for one in reports],
        )


def load(connection: Connection, given: Iterable[str]) -> int:
    """Imports the output of `lines` into a database without revisions. Returns their number. Raises PlaitError."""
    return add_all(connection, _read(connection, given))


def add_all(connection: Connection, given: Iterable[RevisionRecord]) -> int:
    """Imports revisions into an empty database. Returns their number. Raises PlaitError."""
    if newest(connection):
        raise PlaitError(
            "the database already has revisions", hint="revisions are imported into an empty one", code="database"
        )
    there: dict[Identity, RevisionDocument] = {entry.identity: entry for entry in current(connection)}
    count = 0
    for step in given:
        _add(connection, step, there)
        count += 1
    return count


def _add(connection: Connection, step: RevisionRecord, there: dict[Identity, RevisionDocument]) -> None:
    """Adds a revision. there: the documents before it; updated to those after it. Raises PlaitError for invalid texts."""
    contents = [_content(one) for one in step.new]
    _check_texts(step)
    keep_contents(connection, contents)
    gone = [there.pop(identity) for identity in step.gone if identity in there]
    drafts = [
        NewDocument(one.bucket, one.identity, content.digest, one.trusted, content.kind)
        for one, content in zip(step.new, contents, strict=True)
    ]
    revision, added = add_revision(
        connection, step.buckets, gone, drafts, number=step.revision, created_at=step.created_at
    )
    there.update({entry.identity: entry for entry in added})
    if step.tags:
        rows = [{"revision": revision, "tag": tag, "data": data} for tag, data in step.tags.items()]
        connection.execute(insert(TAGS), rows)
    if step.validations:
        first = (connection.execute(select(func.max(VALIDATIONS.c.id))).scalar() or 0) + 1
        reports = [
            {"id": number, "revision": revision, **one._asdict()} for number, one in enumerate(step.validations, first)
        ]
        connection.execute(insert(VALIDATIONS), reports)


def _content(document_record: DocumentRecord) -> Content:
    found = node_of(document_record.text)
    if type(found) is not Map or identity_of(LayeredDocument(Node(found), 0)) != document_record.identity:
        raise PlaitError(
            f"the text of the document {', '.join(document_record.identity)} is that of another one", code="database"
        )
    return content_of(found, encrypted=document_record.encrypted)


def _check_texts(step: RevisionRecord) -> None:
    """Raises PlaitError for tags and validations that could not be displayed."""
    for data in step.tags.values():
        value_of(data)
    for report in step.validations:
        details = value_of(report.details)
        if not isinstance(details, dict) or not {"errors", "expiresAfter"} <= details.keys():
            raise PlaitError(f"the details of the validation {report.name} are not a report", code="database")
        try:
            datetime.fromisoformat(report.created_at)
        except (ValueError, TypeError):
            raise PlaitError(f"the time of the validation {report.name} is not valid", code="database") from None


def _read(connection: Connection, given: Iterable[str]) -> Iterator[RevisionRecord]:
    """The revisions in the lines. Stores secrets as they are read."""
    for number, line in enumerate(given, 1):
        try:
            found = json.loads(line)
            if number == 1:
                if found != {"format": FORMAT}:
                    raise ValueError
            elif "secret" in found:
                wrapped, sealed = (base64.b64decode(found[name], validate=True) for name in ("wrapped", "sealed"))
                keep(connection, [EncryptedSecret(found["secret"], found["key"], wrapped, sealed)])
            else:
                yield _step(found)
        except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
            raise PlaitError(f"line {number} does not come from plait serve export", code="database") from None


def _step(found: dict[str, object]) -> RevisionRecord:
    given = RevisionRecord(**found)  # type: ignore[arg-type]
    step = given._replace(
        gone=[_identity(one) for one in given.gone],
        new=[_new(*one) for one in given.new],
        validations=[ValidationRecord(*one) for one in given.validations],
    )
    texts = [step.created_at, *step.buckets, *step.tags.keys(), *step.tags.values()]
    texts += [text for one in step.gone for text in one]
    texts += [text for one in step.new for text in (one.bucket, *one.identity, one.text)]
    texts += [text for one in step.validations for text in one]
    if type(step.revision) is not int or not all(type(text) is str for text in texts):
        raise ValueError
    return step


def _new(bucket: str, identity: Iterable[str], encrypted: bool, text: str, trusted: bool = True) -> DocumentRecord:
    """A new document. Exports of earlier versions lack `trusted`."""
    return DocumentRecord(bucket, _identity(identity), encrypted, text, trusted)


def _identity(found: Iterable[str]) -> Identity:
    schema, layer, name = found
    return schema, layer, name


def _coded(data: bytes) -> str:
    return base64.b64encode(data).decode()
