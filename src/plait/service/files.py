"""Files of a project as documents, so that templates, operations and pipelines stand in the same revisions.

A file is a document of the schema `plait/File/v1`: its name is its path, and its data the text. As a control document it is
taken as it is; as a layered one it can have a parent, substitutions, and be replaced.
"""

from __future__ import annotations

import os
from pathlib import Path

from plait.errors import PlaitError, UsageError
from plait.service.failures import bad_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.layering import Document

SCHEMA = "plait/File/v1"


def check(document: Document) -> None:
    """Raises Refusal for a file that cannot be one."""
    if document.schema != SCHEMA:
        return
    if type(document.data) is not str:
        raise bad_request(f"the data of {document} must be the text of a file")
    if not is_path(document.name):
        raise bad_request(f"the name of {document} must be a path within a project, such as config/app.yml")


def is_path(name: str) -> bool:
    """Whether a name is the path of a file within a directory, on every system."""
    return not any(part in ("", ".", "..") for part in name.split("/")) and not any(
        sign in name for sign in '\\\0:*?"<>|'
    )


def documents_in(directory: str) -> Iterator[dict[str, object]]:
    """The files of a directory as documents, without those whose names begin with a dot. Raises PlaitError."""
    top = Path(directory)
    if not top.is_dir():
        raise UsageError(f"{directory} is no directory")
    for at, below, names in os.walk(top):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            path = Path(at, name)
            shown = path.relative_to(top).as_posix()
            if name.startswith("."):
                continue
            if not is_path(shown):
                raise PlaitError(f"{path} has a name that a file in a revision cannot have")
            yield {
                "schema": SCHEMA,
                "metadata": {"schema": "metadata/Control/v1", "name": shown, "storagePolicy": "cleartext"},
                "data": _text(path),
            }


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise PlaitError(f"{path} is no text in UTF-8") from None
    except OSError as error:
        raise PlaitError(f"cannot read {path}: {error.strerror}") from None
