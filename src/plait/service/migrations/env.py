"""The environment of Alembic: runs the migrations on the connection that `plait.service.database` provides."""

from __future__ import annotations

from alembic import context

from plait.service.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
