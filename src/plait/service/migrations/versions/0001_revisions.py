"""Revisions, documents, entries, tags, validations, secrets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("buckets", sa.Text, nullable=False),
    )
    op.create_table(
        "documents",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("encrypted", sa.Boolean, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("bucket", sa.String(255), nullable=False, index=True),
        sa.Column("schema", sa.String(255), nullable=False),
        sa.Column("layer", sa.String(255), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("digest", sa.String(64), sa.ForeignKey("documents.digest"), nullable=False),
        sa.Column("since", sa.Integer, sa.ForeignKey("revisions.id"), nullable=False),
        sa.Column("until", sa.Integer, sa.ForeignKey("revisions.id"), nullable=True),
    )
    op.create_index("entries_revisions", "entries", ["since", "until"])
    op.create_index(
        "entries_current",
        "entries",
        ["schema", "layer", "name"],
        unique=True,
        sqlite_where=sa.text("until IS NULL"),
        postgresql_where=sa.text("until IS NULL"),
    )
    op.create_table(
        "tags",
        sa.Column("revision", sa.Integer, sa.ForeignKey("revisions.id"), primary_key=True),
        sa.Column("tag", sa.String(255), primary_key=True),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_table(
        "validations",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("revision", sa.Integer, sa.ForeignKey("revisions.id"), nullable=False, index=True),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("status", sa.String(255), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("details", sa.Text, nullable=False),
    )
    op.create_table(
        "secrets",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("key", sa.String(64), nullable=False, index=True),
        sa.Column("wrapped", sa.LargeBinary, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
