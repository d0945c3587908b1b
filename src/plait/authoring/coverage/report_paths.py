"""Paths of files in reports."""

from __future__ import annotations

import os


def relative(path: str, directory: str) -> str:
    """A path relative to a directory, with slashes. Names that are not paths are unchanged."""
    if not os.path.isabs(path):
        return path
    try:
        return os.path.relpath(path, directory).replace(os.sep, "/")
    except ValueError:  # the path is on another drive
        return path
