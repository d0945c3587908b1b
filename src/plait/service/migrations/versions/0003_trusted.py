"""Adds a column for entries whose writer may read secrets. Existing entries count as trusted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("entries", sa.Column("trusted", sa.Boolean, nullable=False, server_default=sa.true()))
