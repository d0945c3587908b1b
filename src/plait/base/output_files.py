"""Writes results as files in a directory (docs/guide-render.md).

Files are created under temporary names and renamed once all of them are complete, so that nothing is half written.
"""

from __future__ import annotations

import os
import stat

from plait.base.errors import ReadError, UsageError
from plait.base.input_view import current_permissions
from plait.base.source import reason
from plait.base.writing.directory import aside_name
from plait.base.writing.real_paths import WriteRefused, resolved
from plait.base.writing.targets import followed
from plait.base.writing.targets import parent as parent_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self, TypeAlias

    from plait.base.source import Position
    from plait.base.writing.directory import Directory

    # A file to write: its path relative to the output directory, and its text.
    OutputFile: TypeAlias = "tuple[str, str]"

_MODE = 0o700


def add_files(directory: str, files: Iterable[tuple[str, bytes]], announce: Callable[[str], None]) -> None:
    """Writes files into a directory; other files stay (`--output-files`).

    If two files have the same path, the last one is written. announce: receives a line `creating: PATH` per file.
    Raises UsageError for a path outside of the directory, ReadError if writing fails or a directory on the path is a
    symbolic link.
    """
    places = [(inside(path), data) for path, data in files]
    made: list[tuple[str, str]] = []
    try:
        with followed(directory, make=_MODE) as top:
            try:
                _add(top, places, made, announce)
            finally:
                for place, aside in made:
                    _discard(top, place, aside)
    except (OSError, ValueError) as error:
        raise write_error(directory, error) from None


def _add(
    top: Directory, places: Sequence[tuple[str, bytes]], made: list[tuple[str, str]], announce: Callable[[str], None]
) -> None:
    """Writes the files under temporary names, then renames them. made: receives the path of each file and its temporary
    name, until it is renamed.
    """
    with Folders(top, make=_MODE) as folders:
        for place, data in places:
            folder, name = folders.of(place)
            before = folder.check_file(name, replaces_links=True)
            # A separate name, because the file name may already have the maximum length.
            aside = aside_name()
            made.append((place, aside))
            folder.create(aside, [data], before, new_mode=_MODE)
        made.reverse()
        while made:
            place, aside = made[-1]
            folder, name = folders.of(place)
            announce(f"creating: {os.path.normpath(os.path.join(top.shown, place))}")
            folder.move(aside, folder, name)
            made.pop()


def _discard(top: Directory, place: str, aside: str) -> None:
    try:
        with top.below(*place.split(os.sep)[:-1]) as folder:
            folder.discard(aside)
    except OSError:
        return


class Folders:
    """The directories of output files. The last one stays open, because consecutive files are often in the same
    directory.
    """

    def __init__(self, top: Directory, make: int | None = None) -> None:
        """make: the mode of missing directories, which are created."""
        self._top = top
        self._make = make
        self._open: tuple[str, Directory] = "", top

    def of(self, place: str) -> tuple[Directory, str]:
        """The open directory of a file, and the name of the file."""
        above, _, name = place.rpartition(os.sep)
        return self.at(above), name

    def at(self, path: str) -> Directory:
        """The open directory at a path; the path of the top is empty."""
        if path != self._open[0]:
            self.__exit__()
            self._open = "", self._top
            if path:
                self._open = path, self._top.below(*path.split(os.sep), make=self._make)
        return self._open[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open[0]:
            self._open[1].close()


def replace_directory(directory: str, files: Iterable[tuple[str, bytes]], announce: Callable[[str], None]) -> None:
    """Replaces a directory by one with exactly these files (`--dangerous-emptied-output-directory`).

    announce: receives a line `creating: PATH` per file. Raises UsageError for two files with the same path, a path
    outside of the directory, and a protected directory; ReadError if writing fails, in which case the old content
    stays.
    """
    places = places_of(files)
    _check_expendable(directory)
    permissions = current_permissions()
    if permissions is not None:
        permissions.check_empty(directory)
    target = os.path.normpath(directory)
    try:
        resolved(directory)  # a link out of the repository is not replaced either
        with parent_of(target, make=_MODE) as parent:
            name = os.path.basename(target)

            def tell() -> None:
                for place in places:
                    announce(f"creating: {os.path.join(target, place)}")

            fill_directory(parent, name, places, parent, f"{name}.new-{os.getpid()}", tell)
    except (OSError, ValueError) as error:
        raise write_error(directory, error) from None


def places_of(files: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """The contents by path. Raises UsageError for two files with the same path, and for a path outside of the
    directory.
    """
    places: dict[str, bytes] = {}
    for path, data in files:
        place = inside(path)
        if place in places:
            raise UsageError(f"Multiple files have same output destination paths: {path}", code="duplicate-output")
        places[place] = data
    return places


def fill_directory(
    parent: Directory, name: str, places: Mapping[str, bytes], beside: Directory, aside: str, ready: Callable[[], None]
) -> None:
    """Replaces the entry `name` by a directory with these files. Raises OSError.

    beside, aside: directory and name for the temporary version. ready: called when it is complete, before anything is
    removed.
    """
    try:
        _fill(beside, aside, places)
        ready()
        if not _swap(beside, aside, parent, name):
            _fill_mounted(parent, name, places, aside)
    finally:
        beside.discard(aside)


def unchanged(parent: Directory, name: str, places: Mapping[str, bytes]) -> dict[str, int] | None:
    """The times of these files, in nanoseconds, if the directory `name` contains exactly them. None if it differs."""
    status = parent.status(name)
    if status is None or not stat.S_ISDIR(status.st_mode):
        return None
    inside_of: dict[str, set[str]] = {"": set()}
    for place in places:
        above, _, last = place.rpartition(os.sep)
        while last not in inside_of.setdefault(above, set()):
            inside_of[above].add(last)
            if not above:
                break
            above, _, last = above.rpartition(os.sep)
    times: dict[str, int] = {}
    try:
        with parent.below(name) as top, Folders(top) as folders:
            for above, expected in inside_of.items():
                if set(folders.at(above).names()) != expected:
                    return None
            for place, data in places.items():
                folder, last = folders.of(place)
                time = folder.time_of(last, data)
                if time is None:
                    return None
                times[place] = time
    except OSError:
        return None
    return times


def _fill(beside: Directory, name: str, places: Mapping[str, bytes]) -> None:
    beside.make(name, _MODE)
    with beside.below(name) as top, Folders(top, make=_MODE) as folders:
        for place, data in places.items():
            folder, last = folders.of(place)
            folder.create(last, [data], new_mode=_MODE)


def _fill_mounted(parent: Directory, name: str, places: Mapping[str, bytes], aside: str) -> None:
    """As `fill_directory`, for a mount point, which cannot be renamed or be the target of a rename."""
    with parent.below(name) as mounted:
        try:
            _fill(mounted, aside, places)
            for one in mounted.names():
                if one != aside:
                    mounted.remove_tree(one)
            with mounted.below(aside) as made:
                for one in made.names():
                    made.move(one, mounted, one)
        finally:
            mounted.discard(aside)


def inside(path: str, at: Position | None = None, hint: str = "rename it with a file mark") -> str:
    """The normalized relative path. at, hint: for the error. Raises UsageError for a path outside of the output
    directory.
    """
    place = os.path.normpath(path.lstrip("/")) if path.strip("/") else ""
    if (
        place in ("", ".")
        or place.split(os.sep)[0] == os.pardir
        or os.path.isabs(place)
        or os.path.splitdrive(place)[0]
    ):
        raise UsageError(
            f"Expected output file path '{path}' to be inside the output directory",
            at=at,
            hint=hint,
            code="output-outside",
        )
    if ".git" in place.casefold().split(os.sep):  # the directory contains programs that Git runs
        raise UsageError(
            f"Expected output file path '{path}' to not be inside a .git directory",
            at=at,
            hint=hint,
            code="output-outside",
        )
    if _ON_WINDOWS and (name := no_name_on_windows(place)) is not None:
        raise UsageError(
            f"Expected output file path '{path}' to be a path that Windows can hold",
            at=at,
            expected='no device names, none of < > : " | ? *, no final dots or spaces',
            found=name,
            hint=hint,
            code="output-path",
        )
    return place


_ON_WINDOWS = os.name == "nt"
_DEVICES = frozenset(
    (
        "CON",
        "PRN",
        "AUX",
        "NUL",
        "CONIN$",
        "CONOUT$",
        *(f"{name}{digit}" for name in ("COM", "LPT") for digit in "123456789¹²³"),
    )
)


def no_name_on_windows(place: str) -> str | None:
    """The first part of a path that is not a valid file name on Windows (a device, or an alias of another file), or
    None.
    """
    for part in place.replace("\\", "/").split("/"):
        if (
            part.partition(".")[0].rstrip(" ").upper() in _DEVICES
            or part.endswith((".", " "))
            or any(char < " " or char in '<>:"|?*' for char in part)
        ):
            return part
    return None


def _check_expendable(directory: str) -> None:
    message = "Expected output directory path to not be one of '/', '.', './', ''"
    if directory in ("/", ".", "./", ""):
        raise UsageError(message, found=directory, code="output-not-expendable")
    place = os.path.realpath(directory)
    here = os.path.realpath(os.getcwd())
    kept = "the working directory" if place == here else "a directory around the working directory"
    if place == here or here.startswith(place.rstrip(os.sep) + os.sep):
        raise UsageError(message, found=f"{directory}, {kept}", code="output-not-expendable")
    home = os.path.realpath(os.path.expanduser("~"))
    if place == home or home.startswith(place.rstrip(os.sep) + os.sep):
        kept = "the home directory" if place == home else "a directory around the home directory"
        raise UsageError(message, found=f"{directory}, {kept}", code="output-not-expendable")


def _swap(beside: Directory, aside: str, parent: Directory, name: str) -> bool:
    """Exchanges the temporary entry with `name`, and removes the old one. Returns False for a mount point, which
    stays.
    """
    before = parent.status(name)
    if before is None:
        beside.move(aside, parent, name)
        return True
    if not (stat.S_ISDIR(before.st_mode) or stat.S_ISLNK(before.st_mode) or stat.S_ISREG(before.st_mode)):
        parent.check_file(name)
    if beside.exchange(aside, parent, name):
        beside.remove_tree(aside)
        return True
    old = f"{name}.old-{os.getpid()}"
    try:
        parent.move(name, parent, old)
    except OSError as error:
        from errno import EBUSY, EXDEV

        if error.errno not in (EBUSY, EXDEV):
            raise
        return False
    try:
        beside.move(aside, parent, name)
    except OSError:
        parent.move(old, parent, name)
        raise
    parent.remove_tree(old)
    return True


def write_error(directory: str, error: OSError | ValueError) -> ReadError:
    """The error for users, in ytt's words."""
    place = error.filename if isinstance(error, OSError) and error.filename else directory
    why = f"is {error.kind}" if isinstance(error, WriteRefused) and error.kind else reason(error)
    hint = error.hint if isinstance(error, WriteRefused) else None
    if hint is None and os.path.isfile(directory):
        hint = "name a directory; on the command line, > FILE writes one file"
    return ReadError(f"Writing '{os.fsdecode(place)}': {why}", hint=hint, code="unwritable-file")
