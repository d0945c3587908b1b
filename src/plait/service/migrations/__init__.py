"""Migrations of the tables, step by step. Alembic finds them in `versions`."""
