"""Indexes for lists of documents, by each column and by label, so that the cost of a page does not depend on the number
of documents.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plait.service.facts import LONGEST_LABEL, indexed

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        # Ordered by code points, whatever the language of the database.
        texts = ", ".join(
            f'ALTER COLUMN {name} TYPE VARCHAR(255) COLLATE "C"' for name in ("bucket", "schema", "layer", "name")
        )
        op.execute(f"ALTER TABLE entries {texts}")
    for old in ("ix_entries_bucket", "entries_revisions"):
        op.drop_index(old, "entries")
    for new, column in (
        ("entries_buckets", "bucket"),
        ("entries_schemas", "schema"),
        ("entries_layers", "layer"),
        ("entries_since", "since"),
    ):
        op.create_index(new, "entries", [column, "id"])
    _shorten(connection)
    op.create_index("labels_pairs", "labels", ["key", "value"])


def _shorten(connection: sa.Connection) -> None:
    """Stores labels in the current form."""
    labels = sa.table("labels", *map(sa.column, ("digest", "key", "value")))
    is_long = sa.or_(sa.func.length(labels.c.key) > LONGEST_LABEL, sa.func.length(labels.c.value) > LONGEST_LABEL)
    for row in connection.execute(sa.select(labels).where(is_long)).all():
        connection.execute(
            sa.update(labels)
            .where(labels.c.digest == row.digest, labels.c.key == row.key)
            .values(key=indexed(row.key), value=indexed(row.value))
        )
