"""Files that take the place of others: whole at any time, and nothing that is not a file is replaced."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def write_file(path: str, parts: Iterable[bytes], *, new_mode: int) -> None:
    """Put a file in its place by one rename, so that no reader sees half of it. A device or a pipe is written to instead.

    An existing file keeps its mode; a new one gets new_mode, less the umask. Raises OSError.
    """
    try:
        before = os.stat(path)
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        with open(path, "wb") as file:
            file.writelines(parts)
        return
    # A name of its own: that of the file may be as long as a name can be.
    aside = os.path.join(os.path.dirname(path), f".plait-{os.getpid()}-{os.urandom(4).hex()}.new")
    try:
        # What the old file hides from others, the new one does while it is written.
        mode = new_mode if before is None else 0o600
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            os.chmod(aside, before.st_mode & 0o7777)
        os.replace(aside, path)
    except BaseException:
        if os.path.lexists(aside):
            os.unlink(aside)
        raise
