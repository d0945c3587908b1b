"""Edited files written, all of them or none."""

from __future__ import annotations

import os

from plait.errors import ReadError
from plait.writing import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def write_all(files: Mapping[str, tuple[bytes | None, bytes]]) -> None:
    """Write files, each by one rename; if one cannot be written, those before it get back what they had.

    files: what each holds before and after, by path; before is None for a new file. Raises ReadError, also for a file
    that holds something else than what the edit was made from.
    """
    for path, (before, _) in files.items():
        _check(path, before)
    done: list[str] = []
    try:
        for path, (_, after) in files.items():
            write_file(path, [after], new_mode=0o666)
            done.append(path)
    except OSError as error:
        stay = [os.path.relpath(one) for one in done if not _restored(one, files[one][0])]
        hint = f"these are written already: {', '.join(stay)}" if stay else "nothing was written"
        raise ReadError(f"cannot write {os.path.relpath(path)}: {error.strerror}", hint=hint) from None


def _restored(path: str, before: bytes | None) -> bool:
    """Give a file back what it had; whether that could be done."""
    try:
        if before is None:
            os.unlink(path)
        else:
            write_file(path, [before], new_mode=0o666)
    except OSError:
        return False
    return True


def _check(path: str, before: bytes | None) -> None:
    """Raises ReadError unless a file holds what it is thought to hold."""
    shown = os.path.relpath(path)
    if os.path.islink(path):
        raise ReadError(f"{shown} is a symbolic link", hint="name the file that it leads to")
    try:
        with open(path, "rb") as file:
            there: bytes | None = file.read()
    except FileNotFoundError:
        there = None
    except OSError as error:
        raise ReadError(f"cannot read {shown}: {error.strerror}") from None
    if there != before:
        raise ReadError(f"{shown} has been changed meanwhile", hint="nothing was written; do it again")
