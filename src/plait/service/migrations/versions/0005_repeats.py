"""Answers to requests that have an `Idempotency-Key`."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "repeats",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("text", sa.LargeBinary, nullable=False),
    )
    op.create_index("repeats_at", "repeats", ["at"])
