"""Files of a project as documents, so that templates, operations and pipelines are in the same revisions.

A file is a document of the schema `plait/File/v1`: its name is its path, and its data the text. As a control document
it is used unchanged. As a layered document it can have a parent and substitutions, and can be replaced.
"""

from __future__ import annotations

import os
import stat
from errno import ENOTDIR
from pathlib import Path

from plait.base.content import READ_ONLY, content
from plait.base.errors import PlaitError, UsageError
from plait.base.path_errors import read_failure
from plait.service.api_errors import bad_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.layering.document import LayeredDocument

SCHEMA = "plait/File/v1"


def check(document: LayeredDocument) -> None:
    """Raises ApiError for an invalid file document."""
    if document.schema != SCHEMA:
        return
    if type(document.data) is not str:
        raise bad_request(f"the data of {document} must be the text of a file")
    if not is_path(document.name):
        raise bad_request(f"the name of {document} must be a path within a project, such as config/app.yml")


def is_path(name: str) -> bool:
    """True if a name is a relative path of a file below a directory, on every system."""
    return not any(part in ("", ".", "..") for part in name.split("/")) and not any(
        sign in name for sign in '\\\0:*?"<>|'
    )


def documents_in(directory: str) -> Iterator[dict[str, object]]:
    """The files of a directory as documents, without hidden files. Raises PlaitError."""
    top = Path(directory)
    if not top.is_dir():
        raise read_failure(
            directory, None if not top.exists() else NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR)), kind=UsageError
        )
    if top.is_symlink():
        top = top.resolve()  # the user named the directory
    for at, below, names, opened in _walked(top):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in below:
            _refuse_link(Path(at, name), name, opened)
        for name in sorted(names):
            path = Path(at, name)
            shown = path.relative_to(top).as_posix()
            if name.startswith("."):
                continue
            if not is_path(shown):
                raise PlaitError(f"{path} has a name that a file in a revision cannot have", code="revision-file")
            _refuse_link(path, name, opened)
            yield {
                "schema": SCHEMA,
                "metadata": {"schema": "metadata/Control/v1", "name": shown, "storagePolicy": "cleartext"},
                "data": _text(path, name, opened),
            }


def _walked(top: Path) -> Iterator[tuple[str, list[str], list[str], int | None]]:
    """The directories, parents first: path, directories and files in it, and its descriptor if the system supports it.

    A descriptor refers to the same directory even if its path is replaced by a link.
    """
    if hasattr(os, "fwalk"):
        yield from os.fwalk(top, onerror=_unreadable, follow_symlinks=False)
    else:
        for at, below, names in os.walk(top, onerror=_unreadable):
            yield at, below, names, None


def _unreadable(error: OSError) -> None:
    raise read_failure(os.fspath(error.filename), error, kind=PlaitError) from None


def _refuse_link(path: Path, name: str, opened: int | None) -> None:
    """Raises PlaitError for a symbolic link, which may lead to a file that should not be uploaded."""
    try:
        mode = os.lstat(path if opened is None else name, dir_fd=opened).st_mode
    except OSError as error:
        raise read_failure(str(path), error, kind=PlaitError) from None
    if stat.S_ISLNK(mode):
        raise PlaitError(
            f"{path} is a symbolic link, and links are not followed",
            hint="put a copy of its target there",
            code="symlink-not-allowed",
        )


def _text(path: Path, name: str, opened: int | None) -> str:
    """The text of a regular file. Raises PlaitError, also for a link that has replaced the file."""
    try:
        descriptor = os.open(path if opened is None else name, _NO_LINK, dir_fd=opened)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise PlaitError(f"{path} is not a regular file", code="not-regular-file")
            return content(file, str(path)).decode("utf-8")
    except UnicodeDecodeError:
        raise PlaitError(f"{path} is not UTF-8 text", code="not-utf8") from None
    except OSError as error:
        raise read_failure(str(path), error, kind=PlaitError) from None


# A FIFO without a writer is opened without blocking, and then rejected.
_NO_LINK = READ_ONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
