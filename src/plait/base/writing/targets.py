"""Opens the directories of paths to write. Links are followed in paths named by the user, not in paths from files."""

from __future__ import annotations

import os
import stat

from plait.base.input_view import unrestricted
from plait.base.numbers import number_of
from plait.base.writing.directory import Directory, opened
from plait.base.writing.real_paths import authorize, links_on, refused, resolved, unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO


def followed(path: str, *, make: int | None = None, reads: bool = False) -> Directory:
    """The directory at a path that the user named. Links are followed, except those that lead out of a Git repository.

    make: the mode of each created directory; nothing is created through a dangling link. reads: it is only read.
    """
    path = path or os.curdir
    is_strict = not reads and authorize(path)
    real = resolved(path)
    if is_strict:
        return _below(*split(path, os.curdir), path, make)
    if make is not None and not os.path.isdir(real):
        for link in links_on(path):
            if not os.path.exists(link):
                from errno import EEXIST

                raise refused(path, f"'{path}' is a dangling symbolic link", code=EEXIST)
    return opened(real, path, make)


def parent(path: str, *, make: int | None = None) -> Directory:
    """The parent directory of a path that the user named, or a file chose.

    Permission for the path itself is sufficient.
    """
    above = os.path.dirname(path)
    if authorize(path):
        return followed(above, make=make)
    with unrestricted():
        return followed(above, make=make)


def strict(path: str, top: str, *, make: int | None = None, reads: bool = False) -> Directory:
    """The directory at a path that a file or plait itself chose. No component below top may be a link.

    top: a directory that counts as named by the user, such as a project's. make, reads: as for `followed`.
    """
    if not reads:
        authorize(path)
    start, names = split(path, top)
    return _below(start, names, path, make)


def _below(start: str, names: list[str], shown: str, make: int | None) -> Directory:
    with opened(resolved(start), start, make) as directory:
        found = directory.below(*names, make=make)
    found.shown = shown
    return found


def split(path: str, top: str) -> tuple[str, list[str]]:
    """The directory to start from, as named or real, and the components after it that are strict.

    A path outside of top starts from the nearest directory above both, by real paths.
    """
    start = top or os.curdir
    inner = os.path.relpath(path or os.curdir, start)
    if inner.split(os.sep)[0] == os.pardir:
        base = os.path.realpath(start)
        whole = os.path.abspath(path) if os.path.isabs(path) else os.path.normpath(os.path.join(base, inner))
        start = os.path.commonpath([base, whole])
        inner = os.path.relpath(whole, start)
    return start, [name for name in inner.split(os.sep) if name != os.curdir]


def target(path: str, *, top: str | None = None, make: int | None = None) -> tuple[Directory, str]:
    """The open directory of a file, and the name of the file in it.

    top: None for a path that the user named; then the file itself may be a link, too. make: as for `followed`.
    """
    is_strict = authorize(path)
    if top is None:
        real = resolved(path)
        if not is_strict:
            place = opened(os.path.dirname(real), os.path.dirname(path), make)
            return place, _name(real)
        top = os.curdir
    start, names = split(path, top)
    if not names:
        from errno import EISDIR

        raise unfit(path, stat.S_IFDIR, EISDIR)
    return _below(start, names[:-1], os.path.dirname(path), make), names[-1]


def _name(real: str) -> str:
    name = os.path.basename(real)
    if not name:
        from errno import EISDIR

        raise unfit(real, stat.S_IFDIR, EISDIR)
    return name


def write_file(
    path: str,
    parts: Iterable[bytes],
    *,
    new_mode: int,
    top: str | None = None,
    make: int | None = None,
    replaces_target: bool = True,
) -> None:
    """Writes a file atomically, by a rename.

    An existing file keeps its mode; a new one has new_mode, less the umask. top: None for a path that the user named;
    it may be a FIFO or a device, which is written to directly. make: as for `followed`. replaces_target: if the path is
    a link to a file, that file is replaced; otherwise the link is rejected.
    """
    if top is None and _is_written_to(path, parts):
        return
    if top is None and not replaces_target:
        directory, name = parent(path, make=make), _name(path)
    else:
        directory, name = target(path, top=top, make=make)
    with directory:
        directory.write(name, parts, new_mode=new_mode)


def _is_written_to(path: str, parts: Iterable[bytes]) -> bool:
    """Writes to a FIFO, a device or an open descriptor that the user named. Returns False if the path is none of these."""
    if authorize(path):
        return False
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return False
    own = _descriptor(path)
    if own is None and stat.S_ISREG(found.st_mode):
        return False
    if stat.S_ISDIR(found.st_mode):
        from errno import EISDIR

        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    resolved(path)
    # The path of the descriptor is not used, because it would open the file again and overwrite it from its start.
    handle = os.dup(own) if own is not None else os.open(path, os.O_WRONLY | getattr(os, "O_CLOEXEC", 0))
    with open(handle, "wb") as file:
        if own is None and stat.S_ISREG(os.fstat(handle).st_mode):
            raise refused(path, "it has become a regular file")
        file.writelines(parts)
    return True


def _descriptor(path: str) -> int | None:
    """The descriptor of this process that a path refers to, also through links; or None."""
    real = os.path.realpath(path)
    for one in (*[*links_on(path)][-1:], real):
        above, _, digits = one.rpartition("/")
        number = number_of(digits)
        if number is not None and above in ("/dev/fd", f"/proc/{os.getpid()}/fd") and os.path.realpath(one) == real:
            return number
    return None


def extended(directory: Directory, name: str) -> IO[str]:
    """Opens one of plait's own files for appending lines. Creates it if needed."""
    return open(directory.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a", encoding="utf-8")


def changed(directory: Directory, name: str) -> IO[bytes]:
    """Opens one of plait's own files for reading and changing in place. Creates it if needed."""
    return open(directory.open(name, os.O_RDWR | os.O_CREAT), "r+b")


def create(path: str, mode: int) -> None:
    """Creates an empty file at a path that the user named, if it does not exist."""
    directory, name = target(path)
    with directory:
        os.close(directory.open(name, os.O_RDONLY | os.O_CREAT, mode))
