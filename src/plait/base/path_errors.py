"""Errors about unreadable paths. The system's reason determines the code and the hint."""

from __future__ import annotations

import os
import stat
from errno import EACCES, EISDIR, ELOOP, EMFILE, ENAMETOOLONG, ENFILE, ENOENT, ENOTDIR, EPERM

from plait.base.errors import ReadError
from plait.base.input_view import may_read
from plait.base.similar_names import listed
from plait.base.similar_names import near as similar
from plait.base.source import displayable_path, reason
from plait.base.suggestions import replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from plait.base.errors import PlaitError
    from plait.base.source import Position

    Error = TypeVar("Error", bound=PlaitError)

_CODES = {ENOENT: "file-not-found", ENOTDIR: "file-not-found", EISDIR: "not-regular-file"}
# Maximum number of names in a directory that is listed in a hint.
_FEW = 6
# Maximum number of directories that are searched for a file.
_SEARCHED = 100


def code_of(error: OSError | ValueError) -> str:
    """The code for an unreadable path: missing, not a file, or not readable."""
    return _CODES.get(error.errno or 0, "unreadable-file") if isinstance(error, OSError) else "unreadable-file"


def read_failure(
    path: str,
    error: OSError | ValueError | None = None,
    *,
    subject: str = "",
    doing: str = "read",
    kind: type[Error] = ReadError,  # type: ignore[assignment] # the default of a type variable needs Python 3.13
    at: Position | None = None,
    expected: str | None = None,
    hint: str | None = None,
    reference: str | None = None,
    extensions: Sequence[str] = (),
) -> Error:
    """The error for a path that cannot be read, to be raised.

    error: the system's error; None to determine it. subject: the name of the path in the message; by default the path.
    doing: the failed action. hint: replaces the usual one. extensions: the extensions of the files to name in a hint;
    by default all.
    """
    if error is None:
        error = _reason_of(path)
    why = error.strerror if isinstance(error, OSError) and error.strerror else reason(error)
    name = subject or displayable_path(path) or '""'
    return kind(
        f"cannot {doing} {name}: {why}",
        at=at,
        expected=expected,
        hint=hint if hint is not None else hint_for(path, error, extensions, is_typed=at is None),
        reference=reference,
        code=code_of(error),
    )


def _reason_of(path: str) -> OSError | ValueError:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        return error
    if stat.S_ISDIR(mode):
        return IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    return OSError(0, "it is not a regular file", path)


def hint_for(
    path: str, error: OSError | ValueError, extensions: Sequence[str] = (), *, is_typed: bool = False
) -> str | None:
    """A hint about an unreadable path, or None. It names only files that the current project may read."""
    if not isinstance(error, OSError):
        return None
    number = error.errno
    if number in (ENOENT, ENOTDIR):
        return near(path, extensions, is_typed=is_typed)
    if not may_read(path):
        return None
    if number == EISDIR:
        found = _few_names(path, extensions)
        return f"name a file in it: {found}" if found else "name a file in it"
    if number in (EACCES, EPERM):
        return _denied(path)
    if number == ELOOP:
        return "a symbolic link in the path refers to itself"
    if number == ENAMETOOLONG:
        return "the path is too long: pass the path of a file, not its content"
    if number in (EMFILE, ENFILE):
        return "too many files are open: `ulimit -n` shows the limit, and raises it"
    return None


def near(path: str, extensions: Sequence[str] = (), *, is_typed: bool = False) -> str | None:
    """A hint about a path that does not exist: similar names, existing files, or the base directory of the path; or
    None.

    It is about the first part of the path that does not exist. is_typed: the path is relative to the working directory.
    """
    if not path or "\0" in path:
        return None
    several = path.split(",")
    if is_typed and len(several) > 1 and all(may_read(one) and os.path.lexists(one) for one in several):
        return f"a comma does not separate files: name {' and '.join(several)} apart, each after its flag"
    folder, name = os.path.split(path.rstrip(os.sep))
    while folder and not os.path.lexists(folder):
        folder, name = os.path.split(folder.rstrip(os.sep))
        if not name:
            return None
    here = folder or os.curdir
    if not may_read(here) or _is_linked(folder):
        return None
    if not os.path.isdir(here):
        return f'"{folder}" is not a directory'
    try:
        names = sorted(os.listdir(here))
    except OSError:
        return None
    alike = _similar_files(name, names[:1000])
    if alike:
        rest = path.rstrip(os.sep)[len(os.path.join(folder, name)) :]
        whole = [os.path.join(folder, one) for one in alike]
        whole = [f"{one}{rest}" for one in whole if rest and os.path.lexists(f"{one}{rest}")] or whole
        if not is_typed:
            return replacing(name, alike, f"did you mean {listed(alike, quote=chr(34))}?")
        return replacing(path, whole, f"did you mean {listed(whole, quote=chr(34))}?")
    directories = [one for one in names if not one.startswith(".")][:_SEARCHED] if is_typed else []
    meant = _moved(path.rstrip(os.sep), folder, name, directories)
    if meant:
        return replacing(path, meant, f"did you mean {listed(meant, quote=chr(34))}?")
    outer = os.path.join(os.path.dirname(folder) or os.curdir, name)
    if folder and not is_typed and not os.path.isabs(path) and may_read(outer) and os.path.exists(outer):
        above = os.path.join(os.pardir, name)
        return replacing(name, [above], f'paths are relative to "{folder}"; did you mean "{above}"?')
    # In a directory of many files, those of the same kind.
    own = os.path.splitext(name)[1]
    # A name without an extension is probably that of a directory.
    found = (
        ("" if own else _few_names(here, [os.sep])) or _few_names(here, extensions) or _few_names(here, [own or os.sep])
    )
    if folder:
        return f'"{folder}" contains {found}' if found else None
    if not is_typed:
        return f"the directory contains {found}" if found else None
    return f"paths are relative to the working directory{f', which contains {found}' if found else ''}"


def _moved(path: str, folder: str, name: str, directories: Sequence[str]) -> list[str]:
    """The paths that exist if the first missing name of a path is in one of some directories of the folder above it."""
    rest = path[len(os.path.join(folder, name)) :]
    found = [os.path.join(folder, one, name) + rest for one in directories]
    return [one for one in found if os.path.lexists(one) and may_read(one)]


def _similar_files(name: str, names: Sequence[str]) -> list[str]:
    """The most similar of some names of files. A common extension does not make two names similar."""
    stem, extension = os.path.splitext(name)
    stems = {known: one for one in names for known, own in (os.path.splitext(one),) if own == extension}
    same = [one for one in names if os.path.splitext(one)[0] == stem]
    return [stems[one] for one in similar(stem, stems)] or same or ([] if extension else similar(name, names))


def _few_names(folder: str, extensions: Sequence[str]) -> str:
    """The names in a directory, if there are few; else ""."""
    try:
        with os.scandir(folder) as entries:
            visible = (one for one in entries if not one.name.startswith("."))
            names = sorted(one.name + os.sep * one.is_dir(follow_symlinks=False) for one in visible)
    except OSError:
        return ""
    names = [name for name in names if name.endswith(tuple(extensions))] if extensions else names
    return ", ".join(f'"{name}"' for name in names) if len(names) <= _FEW else ""


def _denied(path: str) -> str:
    """The first part of a path that the user may not access, with its mode."""
    parts = path.split(os.sep)
    for count in range(1, len(parts) + 1):
        part = os.sep.join(parts[:count]) or os.sep
        is_last = count == len(parts)
        try:
            mode = os.stat(part).st_mode
        except OSError:
            break
        if not os.access(part, os.R_OK if is_last else os.X_OK):
            wanted = "u+rx" if stat.S_ISDIR(mode) else "u+r"
            return f'"{part}" has the mode {stat.filemode(mode)}: its owner can change it with chmod {wanted}'
    return "the permissions of the file or its directories do not allow reading it"


def _is_linked(folder: str) -> bool:
    """True if a relative path contains a link. The target of a link that the user did not name must not be revealed."""
    here = os.path.realpath(os.curdir)
    return not os.path.isabs(folder) and os.path.realpath(folder) != os.path.normpath(os.path.join(here, folder))
