"""Modules that worker processes import at start-up."""

from __future__ import annotations
