"""Writes edited files: all of them or none."""

from __future__ import annotations

import os

from plait.base.errors import PlaitError, ReadError
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import target, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def write_all(files: Mapping[str, tuple[bytes | None, bytes]], top: str | None = None) -> None:
    """Writes files, each by one rename. If one cannot be written, the earlier ones are restored.

    files: the content of each before and after, by path; before is None for a new file. top: the directory below which
    links are rejected (see `plait.base.writing`); None for paths typed by the user. Raises ReadError, also for a file
    that has changed since the edit was computed.
    """
    for path, (before, _) in files.items():
        _check(path, before, top)
    done: list[str] = []
    try:
        for path, (_, after) in files.items():
            write_file(path, [after], new_mode=0o666, top=top)
            done.append(path)
    except (OSError, PlaitError) as error:
        stay = [os.path.relpath(one) for one in done if not _restored(one, *files[one], top)]
        if isinstance(error, PlaitError):
            raise
        refusal = failure(os.path.relpath(path), error)
        written = f"these files were already written: {', '.join(stay)}" if stay else "nothing was written"
        refusal.hint = f"{refusal.hint}; {written}" if refusal.hint else written
        raise refusal from None


def _restored(path: str, before: bytes | None, after: bytes, top: str | None) -> bool:
    """Restores a file. False if that fails."""
    try:
        if before is not None:
            write_file(path, [before], new_mode=0o666, top=top)
            return True
        directory, name = target(path, top=top)
        with directory:
            is_ours = directory.read(name) == after
            if is_ours:
                directory.remove(name)
            return is_ours
    except OSError:
        return False


def _check(path: str, before: bytes | None, top: str | None) -> None:
    """Raises ReadError unless a file has the expected content."""
    shown = os.path.relpath(path)
    if os.path.islink(path):
        raise ReadError(
            f"{shown} is a symbolic link", hint="use the path of the link's target", code="symlink-not-allowed"
        )
    try:
        directory, name = target(path, top=top)
        with directory:
            there = directory.read(name)
    except OSError as error:
        if before is None and isinstance(error, FileNotFoundError):
            return
        raise failure(shown, error) from None
    if there != before:
        raise ReadError(
            f"{shown} has changed since it was read",
            hint="nothing was written; repeat the command",
            code="changed-meanwhile",
        )
