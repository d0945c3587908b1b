"""Real paths of outputs, and the rules for symbolic links in them."""

from __future__ import annotations

import os
import stat

from plait.base.content import OUTPUT_LINKS
from plait.base.errors import ReadError
from plait.base.input_view import current_permissions
from plait.base.source import reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.base.errors import PlaitError

# The flag's name; `plait.engine.flags` is in a higher layer.
ALLOW_FLAG = "--allow-symlink-output"
# Maximum number of links, as on Linux.
_MOST_LINKS = 40


class WriteRefused(OSError):
    """Raised for a path that must not be written. hint: how to allow it, or None. kind: the type of the file, if that
    is the reason.
    """

    hint: str | None = None
    kind = ""


def refused(path: str, why: str, *, code: int = 0, hint: str | None = None) -> WriteRefused:
    """The error for a path. why: completes a sentence that starts with the path."""
    from errno import ELOOP

    error = WriteRefused(code or ELOOP, why, path)
    error.hint = hint
    return error


def unfit(path: str, mode: int, code: int = 0) -> WriteRefused:
    """The error for an entry that is not a regular file."""
    kind = kind_of(mode)
    error = refused(path, f"it is {kind}", code=code)
    error.kind = kind
    return error


def failure(subject: str, error: OSError | ValueError, kind: type[PlaitError] = ReadError) -> PlaitError:
    """The error for users: `cannot write SUBJECT: REASON`, with the hint of a refusal."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else reason(error)
    if not isinstance(error, WriteRefused):
        return kind(f"cannot write {subject}: {why}", code="unwritable-file")
    if error.kind and str(error.filename) not in subject:
        why = f"'{error.filename}' is {error.kind}"
    return kind(f"cannot write {subject}: {why}", hint=error.hint, code="unwritable-file")


def authorize(path: str) -> bool:
    """True if a file chose the path; then links in it are not followed.

    Raises PermissionDeniedError for a path that the current project may not write, before the path is accessed.
    """
    permissions = current_permissions()
    if permissions is None:
        return False
    permissions.check_write(path)
    return not permissions.is_typed(path)


def resolved(path: str) -> str:
    """The real path of a path that the user named. Raises WriteRefused for a link that leads out of the Git repository
    that contains it.
    """
    real = os.path.realpath(path)
    if real != os.path.abspath(path) or os.pardir in path:
        for link in links_on(path):
            _check_repository(link)
    return real


def links_on(path: str) -> Iterator[str]:
    """The real paths of all symbolic links in a path, including links in the targets of links."""
    drive, rest = os.path.splitdrive(os.path.join(os.getcwd(), path))
    way, pending, count = drive + os.sep, _parts(rest), 0
    while pending:
        name = pending.pop()
        if name == os.pardir:
            way = os.path.dirname(way)
            continue
        place = os.path.join(way, name)
        try:
            to = os.readlink(place)
        except (OSError, ValueError):
            way = place
            continue
        yield place
        count += 1
        if count > _MOST_LINKS:
            from errno import ELOOP

            raise OSError(ELOOP, os.strerror(ELOOP), path)
        drive, rest = os.path.splitdrive(to.removeprefix("\\\\?\\"))
        if rest.startswith(os.sep):
            way = (drive or os.path.splitdrive(way)[0]) + os.sep
        pending += _parts(rest)


def _parts(path: str) -> list[str]:
    """The components of a path, the first one last."""
    if os.altsep:
        path = path.replace(os.altsep, os.sep)
    return [name for name in reversed(path.split(os.sep)) if name not in ("", os.curdir)]


def _check_repository(link: str) -> None:
    top = repository_of(link)
    if not top:
        return
    from plait.base.permissions import CONTROL

    to = os.path.realpath(link)
    if is_below(to, top) and not CONTROL.isdisjoint(to[len(top) :].lower().split(os.sep)):
        # Its hooks and configuration are executed.
        raise refused(
            os.path.relpath(link), f"'{os.path.relpath(link)}' is a symbolic link into the repository's git data, {to}"
        )
    if not is_below(to, top) and not OUTPUT_LINKS.get().allows(to):
        raise refused(
            os.path.relpath(link),
            f"'{os.path.relpath(link)}' is a symbolic link that leads out of the repository, to {to}",
            hint=f"{ALLOW_FLAG} {to} allows it",
        )


def repository_of(path: str) -> str:
    """The nearest directory above a real path that has a `.git`; "" if there is none."""
    while (above := os.path.dirname(path)) != path:
        if os.path.lexists(os.path.join(above, ".git")):
            return above
        path = above
    return ""


def is_below(path: str, top: str) -> bool:
    """True if a path is the directory or inside it."""
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)


def kind_of(mode: int) -> str:
    """The type of a file that cannot be written to, for use after "is "."""
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISREG(mode):
        return "a file, not a directory"
    if stat.S_ISFIFO(mode):
        return "a FIFO, not a regular file"
    return f"{'a socket' if stat.S_ISSOCK(mode) else 'a device'}, not a regular file"
