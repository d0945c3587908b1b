"""Paths of files as they are told and kept."""

from __future__ import annotations

import os


def relative(path: str, directory: str) -> str:
    """A path from a directory, with slashes; what is no path of a file stays."""
    if not os.path.isabs(path):
        return path
    try:
        return os.path.relpath(path, directory).replace(os.sep, "/")
    except ValueError:  # another drive
        return path
