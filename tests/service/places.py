"""Directories for other users: wherever the temporary directory of the tests is."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

# Characters of a directory in which a socket may have a name: its path has at most 107.
_LONGEST = 60


def place_for_everybody(prefix: str) -> Path:
    """A new directory that other users can enter, with a short path without spaces."""
    found = (one for one in (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm") if _is_open(Path(one)))
    made = Path(tempfile.mkdtemp(prefix=prefix, dir=next(found, None)))
    made.chmod(0o755)
    return made


def _is_open(path: Path) -> bool:
    """True if everybody can enter a directory, in which this user can make others."""
    short = len(str(path)) <= _LONGEST and not any(sign.isspace() for sign in str(path))
    try:
        enters = all(one.stat().st_mode & stat.S_IXOTH for one in (path.resolve(), *path.resolve().parents))
    except OSError:
        return False
    return short and enters and os.access(path, os.W_OK | os.X_OK)
