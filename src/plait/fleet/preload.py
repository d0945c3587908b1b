"""Modules that worker processes import before they begin."""

from __future__ import annotations
