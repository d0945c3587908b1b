"""The tables.

A document's text is stored once, under the digest of its content. What a revision has is not listed for each revision:
an entry says from which revision on a bucket has a document, and until which one, so that a revision with one changed
document among thousands adds one entry. A document's revision of last change is the `since` of its entry.
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
    true,
)

METADATA = MetaData()

# buckets: those that the revision changed, as a JSON list.
REVISIONS = Table(
    "revisions",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("created_at", String(32), nullable=False),
    Column("buckets", Text, nullable=False),
)

# encrypted: its storage policy; the text then has a reference in the place of the data.
DOCUMENTS = Table(
    "documents",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("encrypted", Boolean, nullable=False),
    Column("text", Text, nullable=False),
)

# layer: "" for none. until: the first revision without it, null while there is none. trusted: its writer may read secrets.
ENTRIES = Table(
    "entries",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("bucket", String(255), nullable=False, index=True),
    Column("schema", String(255), nullable=False),
    Column("layer", String(255), nullable=False),
    Column("name", String(255), nullable=False),
    Column("digest", String(64), ForeignKey("documents.digest"), nullable=False),
    Column("since", Integer, ForeignKey("revisions.id"), nullable=False),
    Column("until", Integer, ForeignKey("revisions.id"), nullable=True),
    Column("trusted", Boolean, nullable=False, server_default=true()),
    Index("entries_revisions", "since", "until"),
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

# sealed: the data, by a key of its own. wrapped: that key, by the one that is called `key`.
SECRETS = Table(
    "secrets",
    METADATA,
    Column("id", String(36), primary_key=True),
    Column("key", String(64), nullable=False, index=True),
    Column("wrapped", LargeBinary, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)

# target: a digest of the URL. revision: the newest that it was told of. attempts: how often the next one was tried in vain.
# next_at: when it may be tried again, in seconds since 1970.
WEBHOOKS = Table(
    "webhooks",
    METADATA,
    Column("target", String(64), primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", Double, nullable=False),
)

# What goes with all revisions, in an order in which rows can be deleted.
ALL = (TAGS, VALIDATIONS, ENTRIES, DOCUMENTS, SECRETS, REVISIONS)
