"""Adds columns for filters (facts, labels, kinds of documents), and tables for audit, the probe and retention."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plait.service.documents import filled

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("revisions", sa.Column("forgotten", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("documents", sa.Column("facts", sa.Text, nullable=False, server_default=""))
    op.add_column("entries", sa.Column("encrypted", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("entries", sa.Column("abstract", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("entries", sa.Column("control", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "labels",
        sa.Column("digest", sa.String(64), sa.ForeignKey("documents.digest"), primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
    )
    probe = op.create_table(
        "probe", sa.Column("id", sa.Integer, primary_key=True), sa.Column("at", sa.Integer, nullable=False)
    )
    op.bulk_insert(probe, [{"id": 1, "at": 0}])
    op.create_index("entries_until", "entries", ["until"])
    op.create_index("entries_digest", "entries", ["digest"])
    op.create_index("entries_named", "entries", ["name", "schema"])
    for name, column, where in (
        ("entries_of_bucket", "bucket", "until IS NULL"),
        ("entries_of_control", "control", "control > 0"),
        ("entries_encrypted", "since", "encrypted"),
        ("entries_untrusted", "until", "NOT trusted"),
    ):
        condition = sa.text(where)
        op.create_index(name, "entries", [column], sqlite_where=condition, postgresql_where=condition)
    _fill(op.get_bind())


# Number of documents read at a time.
_MANY = 500


def _fill(connection: sa.Connection) -> None:
    """Computes the new columns of stored documents."""
    documents = sa.table("documents", *map(sa.column, ("digest", "encrypted", "text", "facts")))
    entries = sa.table("entries", *map(sa.column, ("digest", "schema", "encrypted", "abstract", "control")))
    labels = sa.table("labels", *map(sa.column, ("digest", "key", "value")))
    last = ""
    while rows := connection.execute(
        sa.select(documents.c.digest, documents.c.encrypted, documents.c.text)
        .where(documents.c.digest > last)
        .order_by(documents.c.digest)
        .limit(_MANY)
    ).all():
        for row in rows:
            found = filled(row.text, encrypted=row.encrypted)
            connection.execute(sa.update(documents).where(documents.c.digest == row.digest).values(facts=found.facts))
            connection.execute(
                sa.update(entries)
                .where(entries.c.digest == row.digest)
                .values(encrypted=found.encrypted, abstract=found.abstract, control=found.control)
            )
            if found.labels:
                connection.execute(
                    sa.insert(labels),
                    [{"digest": row.digest, "key": key, "value": value} for key, value in found.labels.items()],
                )
        last = rows[-1].digest
