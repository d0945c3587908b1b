"""`python -m weft`."""

from __future__ import annotations

from weft.cli import run

run()
