"""What a call does outside of a directory, as Python's audit events tell it: files, directories, connections, programs."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILES = (
    "open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink",
    "os.truncate", "os.chmod", "os.utime", "shutil.rmtree", "glob.glob",
)  # fmt: skip
_OTHERS = (
    "socket.connect",
    "socket.getaddrinfo",
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "os.system",
    "os.spawn",
)


class _Watch:
    """tops: real paths of directories in which nothing may happen. found: what happened all the same."""

    tops: tuple[str, ...] = ()
    found: list[str] | None = None


_WATCH = _Watch()


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    found = _WATCH.found
    if found is None:
        return
    if event in _OTHERS:
        found.append(f"{event} {arguments!r}")
    elif event in _FILES:
        # A name relative to an open directory is not one from the working directory.
        descriptor = {"os.mkdir": 2, "os.remove": 1, "os.rmdir": 1, "os.rename": 2}.get(event)
        if descriptor is not None and isinstance(arguments[descriptor], int) and arguments[descriptor] >= 0:  # type: ignore[operator]
            return
        follows = not (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & getattr(os, "O_NOFOLLOW", 0)
        )
        for one in (
            arguments[:2] if follows else ()
        ):  # a link is not opened, and the name is one below an open directory
            if isinstance(one, str | bytes | os.PathLike):
                path = os.path.realpath(os.fsdecode(one))
                if any(path == top or path.startswith(top + os.sep) for top in _WATCH.tops):
                    found.append(f"{event} {path}")


sys.addaudithook(_hook)


@contextmanager
def watched(*tops: object) -> Iterator[list[str]]:
    """Collects what happens in these directories, every connection and every program."""
    _WATCH.tops = tuple(os.path.realpath(str(top)) for top in tops)
    _WATCH.found = []
    try:
        yield _WATCH.found
    finally:
        _WATCH.found = None
