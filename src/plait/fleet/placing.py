"""Results to their places: whole at any time, and what was there before stays until they are whole."""

from __future__ import annotations

import os

from plait.fleet.identity import digest
from plait.fleet.plan import OWN
from plait.output import check_no_link, make_directory, replace_directory, write_aside, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.fleet.outcome import Written
    from plait.fleet.plan import Task


def put(directory: str, task: Task, texts: Mapping[str, str]) -> None:
    """Write the results of a run, and nothing else stays in its place. Raises ReadError, UsageError."""
    place = task.place.replace("/", os.sep)
    check_no_link(directory, place)
    target = os.path.join(directory, place)
    aside = os.path.join(directory, OWN, f"{os.getpid()}-{os.urandom(6).hex()}")
    if not task.is_file:
        replace_directory(target, [*texts.items()], lambda _line: None, aside)
        return
    try:
        make_directory(os.path.dirname(target))
        write_aside(aside, target, texts[""])
        os.replace(aside, target)
    except (OSError, ValueError) as error:
        raise write_error(directory, error) from None
    finally:
        if os.path.lexists(aside):
            os.remove(aside)


def digests(texts: Mapping[str, str], *, is_secret: bool) -> dict[str, Written]:
    """Digest and size of each file. A digest of something secret would let somebody try what it is."""
    contents = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
    return {path: (None if is_secret else digest(data), len(data)) for path, data in contents.items()}


def is_there(directory: str, task: Task, files: Mapping[str, Written]) -> bool:
    """Whether the results of a run lie in their place as they were written, and nothing else does."""
    target = os.path.join(directory, task.place)
    try:
        if task.is_file:
            return _is_same(target, files[""])
        found = {
            os.path.relpath(os.path.join(here, name), target).replace(os.sep, "/")
            for here, _, names in os.walk(target)
            for name in names
        }
        return found == {*files} and all(
            _is_same(os.path.join(target, path), written) for path, written in files.items()
        )
    except (OSError, KeyError):
        return False


def _is_same(path: str, written: Written) -> bool:
    with open(path, "rb") as file:
        content = file.read()
    # Of something secret no more is known than its size.
    return len(content) == written[1] and written[0] in (None, digest(content))
