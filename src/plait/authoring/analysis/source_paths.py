"""The path of the file that a source was read from."""

from __future__ import annotations

import os
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.source import Source


def path_of(source: Source | None) -> str | None:
    """The absolute path of a source; None if it is not a file."""
    if source is None or source.flag or not source.shown:
        return None
    return _absolute(source.shown, "" if os.path.isabs(source.shown) else os.getcwd())


@lru_cache(1 << 12)
def _absolute(path: str, directory: str) -> str:
    return os.path.normpath(os.path.join(directory, path))
