"""The database tables.

A document's text is stored once, under the digest of its content. Revisions do not list their documents. An entry has
the first and the last revision in which a bucket contains a document, so that a revision with one changed document
among thousands adds one entry. A document's revision of last change is the `since` of its entry.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
    true,
)

METADATA = MetaData()

# Texts ordered by code point, whatever the language of the database.
_EXACT = String(255).with_variant(String(255, collation="C"), "postgresql")

# buckets: changed by the revision, as a JSON list. forgotten: retention has deleted the revision; the row stays,
# because remaining documents refer to the revision in which they last changed.
REVISIONS = Table(
    "revisions",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("created_at", String(32), nullable=False),
    Column("buckets", Text, nullable=False),
    Column("forgotten", Boolean, nullable=False, server_default=false()),
)

# encrypted: its storage policy; the text then contains a reference instead of the data. facts: of
# `plait.service.facts`.
DOCUMENTS = Table(
    "documents",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("encrypted", Boolean, nullable=False),
    Column("text", Text, nullable=False),
    Column("facts", Text, nullable=False, server_default=""),
)

# The labels of a document whose keys and values are strings, each as returned by `plait.service.facts.indexed`.
LABELS = Table(
    "labels",
    METADATA,
    Column("digest", String(64), ForeignKey("documents.digest"), primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Index("labels_pairs", "key", "value"),
)

# layer: "" for none. until: the first revision without it, null if there is none. trusted: its writer may read secrets.
# encrypted, abstract: of the document. control: of CONTROL.
ENTRIES = Table(
    "entries",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    *(Column(name, _EXACT, nullable=False) for name in ("bucket", "schema", "layer", "name")),
    Column("digest", String(64), ForeignKey("documents.digest"), nullable=False),
    Column("since", Integer, ForeignKey("revisions.id"), nullable=False),
    Column("until", Integer, ForeignKey("revisions.id"), nullable=True),
    Column("trusted", Boolean, nullable=False, server_default=true()),
    Column("encrypted", Boolean, nullable=False, server_default=false()),
    Column("abstract", Boolean, nullable=False, server_default=false()),
    Column("control", Integer, nullable=False, server_default="0"),
    Index("entries_buckets", "bucket", "id"),
    Index("entries_schemas", "schema", "id"),
    Index("entries_layers", "layer", "id"),
    Index("entries_since", "since", "id"),
    Index("entries_until", "until"),
    Index("entries_digest", "digest"),
)
Index(
    "entries_current",
    ENTRIES.c.schema,
    ENTRIES.c.layer,
    ENTRIES.c.name,
    unique=True,
    sqlite_where=ENTRIES.c.until.is_(None),
    postgresql_where=ENTRIES.c.until.is_(None),
)

# For queries that find few entries of many.
_FEW = {
    "entries_of_bucket": (ENTRIES.c.bucket, ENTRIES.c.until.is_(None)),
    "entries_of_control": (ENTRIES.c.control, ENTRIES.c.control > 0),
    "entries_encrypted": (ENTRIES.c.since, ENTRIES.c.encrypted.is_(True)),
    "entries_untrusted": (ENTRIES.c.until, ENTRIES.c.trusted.is_(False)),
}
for _name, (_column, _where) in _FEW.items():
    Index(_name, _column, sqlite_where=_where, postgresql_where=_where)
Index("entries_named", ENTRIES.c.name, ENTRIES.c.schema)

# data: YAML.
TAGS = Table(
    "tags",
    METADATA,
    Column("revision", Integer, ForeignKey("revisions.id"), primary_key=True),
    Column("tag", String(255), primary_key=True),
    Column("data", Text, nullable=False),
)

# details: YAML, the validator and the errors.
VALIDATIONS = Table(
    "validations",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("revision", Integer, ForeignKey("revisions.id"), nullable=False, index=True),
    Column("name", String(255), nullable=False),
    Column("status", String(255), nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("details", Text, nullable=False),
)

# sealed: the encrypted data. wrapped: its data key, encrypted by the key named `key`.
SECRETS = Table(
    "secrets",
    METADATA,
    Column("id", String(36), primary_key=True),
    Column("key", String(64), nullable=False, index=True),
    Column("wrapped", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)

# target: a digest of the URL. revision: the newest one delivered. attempts: the number of failed deliveries of the next
# one.
# next_at: when it may be tried again, in seconds since 1970.
WEBHOOKS = Table(
    "webhooks",
    METADATA,
    Column("target", String(64), primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", Double, nullable=False),
)

# One row for each request that changed anything. action: method and route. revision: the newest one at that time.
AUDIT = Table(
    "audit",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", String(32), nullable=False),
    Column("name", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("request", String(64), nullable=False),
)

# Answers to requests that have an `Idempotency-Key`. text: compressed. fingerprint: keyed digest of the request.
REPEATS = Table(
    "repeats",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("at", String(32), nullable=False),
    Column("status", Integer, nullable=False),
    Column("text", LargeBinary, nullable=False),
    Index("repeats_at", "at"),
)

# One row, written to test that the database accepts writes.
PROBE = Table("probe", METADATA, Column("id", Integer, primary_key=True), Column("at", Integer, nullable=False))

# Tables deleted with revisions, in an order in which rows can be deleted.
ALL = (TAGS, VALIDATIONS, ENTRIES, LABELS, DOCUMENTS, SECRETS, REVISIONS, REPEATS)
