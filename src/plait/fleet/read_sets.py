"""Read sets of runs, for manifests and look-ups: digests of files, directory listings and environment variables.

Paths are relative to the directory of the project, with slashes, so that they mean the same on another machine.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from time import time_ns

from plait.base.content import environment, open_regular
from plait.fleet.identity import digest, digest_of, of_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from plait.base.input_view import InputView
    from plait.base.permissions import Need, Permissions

    # Digests by path; None for a missing file.
    Digests: TypeAlias = Mapping[str, "str | None"]


class ReadSet:
    """A set of reads. files: digests of contents. directories: digests of listings.

    variables: digests of the environment variables, by prefix of their names. stamps: the stamps of files, if they are
    as reliable as digests.
    """

    __slots__ = ("directories", "files", "stamps", "variables")

    def __init__(self, files: Digests, directories: Digests, variables: Digests, stamps: Digests | None = None) -> None:
        self.files = files
        self.directories = directories
        self.variables = variables
        self.stamps: Digests = {} if stamps is None else stamps

    def key(self) -> str:
        """A name that identifies this read set."""
        digests = (self.files, self.directories, self.variables)
        rows = [row for one in digests for row in [*sorted(one.items()), ("", "")]]
        return of_parts(part or "-" for row in rows for part in row)

    def __len__(self) -> int:
        return len(self.files) + len(self.directories) + len(self.variables)


# Nanoseconds within which two changes of a file may have the same time.
_LATEST = 2_000_000_000
# Maximum number of cached contents, which runs share.
_MOST = 4096


class DiskState:
    """The state of the disk, read once. top: the directory of the project.

    environment: replaces the variables of this process. permissions: the permissions of the project. Other files and
    directories do not exist, because a result that was rendered with more permissions must not be found with fewer.
    """

    def __init__(
        self, top: str, environment: Mapping[str, str] | None = None, permissions: Permissions | None = None
    ) -> None:
        self.top = os.path.abspath(top)
        self._environment = environment
        self._permissions = permissions
        self._permitted: dict[str, bool] = {}
        self._start = os.path.join(self.top, "")
        # Two changes within this time may not be distinguishable by status.
        self._safe = time_ns() - _LATEST
        self._files: dict[str, str | None] = {}
        # The status of each file before it was read. Later changes change the status, whatever the clock.
        self._statuses: dict[str, os.stat_result] = {}
        # Runs share content objects.
        self._read: dict[str, tuple[bytes, str]] = {}
        self._directories: dict[str, str | None] = {}

    def relative(self, path: str) -> str:
        """An absolute path in the form used by manifests."""
        if path.startswith(self._start):
            rest = path[len(self._start) :]
        else:
            try:
                rest = os.path.relpath(path, self.top)
            except ValueError:  # the path is on another drive
                rest = path
        return rest if os.sep == "/" else rest.replace(os.sep, "/")

    def is_permitted(self, path: str) -> bool:
        """True if the project may read a file or directory."""
        if self._permissions is None:
            return True
        if path not in self._permitted:
            self._permitted[path] = self._permissions.may_read(os.path.join(self.top, path))
        return self._permitted[path]

    def grants(self, needs: Iterable[Need]) -> bool:
        """True if the project has permission for all these accesses."""
        return self._permissions is None or all(map(self._permissions.grants, needs))

    def file(self, path: str) -> str | None:
        """The digest of a file; None if it cannot be read."""
        if path not in self._files:
            place = os.path.join(self.top, path)
            self._files[path] = None
            if self.is_permitted(path):
                with suppress(OSError, ValueError), open_regular(place) as file:
                    status = os.fstat(file.fileno())
                    self._files[path] = _with_link(place, digest_of(file))
                    self._statuses[path] = status
        return self._files[path]

    def stamp(self, path: str) -> str | None:
        """Size, time and inode of a file, which identify its content; None for a link, and for a missing file."""
        if not self.is_permitted(path):
            return None
        try:
            found = os.lstat(os.path.join(self.top, path))
        except (OSError, ValueError):
            return None
        return None if stat.S_ISLNK(found.st_mode) else _stamp(found)

    def with_stamps(self, reads: ReadSet) -> ReadSet:
        """The read set, with stamps of files that have not changed since they were read, nor shortly before."""
        stamps = {path: _stamp(found) for path, found in self._as_read(reads) if _changed(found) < self._safe}
        return ReadSet(reads.files, reads.directories, reads.variables, stamps)

    def _as_read(self, reads: ReadSet) -> Iterator[tuple[str, os.stat_result]]:
        """The files whose content is unchanged since it was read, with the status of this content."""
        for path, found in reads.files.items():
            if found is not None and self.file(path) == found:
                yield path, self._statuses[path]

    def directory(self, path: str) -> str | None:
        """A digest of the names and types of a directory's entries; None if it cannot be listed."""
        if path not in self._directories:
            self._directories[path] = None
            if self.is_permitted(path):
                with suppress(OSError, ValueError), os.scandir(os.path.join(self.top, path)) as entries:
                    self._directories[path] = of_parts(sorted(map(_named, entries)))
        return self._directories[path]

    def variables(self, prefix: str) -> str:
        """A digest of the environment variables with a prefix, in order, because the order may affect maps of values."""
        given = environment() if self._environment is None else self._environment
        return _of_variables({name: text for name, text in given.items() if name.startswith(prefix)})

    def has(self, reads: ReadSet) -> bool:
        """True if everything is unchanged since it was read."""
        stamps = reads.stamps
        return (
            all(
                (path in stamps and self.stamp(path) == stamps[path]) or self.file(path) == found
                for path, found in reads.files.items()
            )
            and all(self.directory(path) == found for path, found in reads.directories.items())
            and all(self.variables(prefix) == found for prefix, found in reads.variables.items())
        )

    def has_stamps(self, reads: ReadSet) -> bool:
        """True if all stamps of the read set are current."""
        return all(found is not None and self.stamp(path) == found for path, found in reads.files.items()) and all(
            self.directory(path) == found for path, found in reads.directories.items()
        )

    def now(self, reads: ReadSet) -> ReadSet:
        """The current state of the same files, directories and variables."""
        return ReadSet(
            {path: self.file(path) for path in reads.files},
            {one: self.directory(one) for one in reads.directories},
            {prefix: self.variables(prefix) for prefix in reads.variables},
        )

    def of_view(self, view: InputView) -> ReadSet:
        """The reads of a run."""
        files = {self.relative(path): self._of_content(path, found) for path, found in sorted(view.files.items())}
        listed = (self.relative(path) for path in sorted(view.directories))
        variables = {prefix: _of_variables(found) for prefix, found in sorted(view.variables.items())}
        return ReadSet(files, {path: self.directory(path) for path in listed}, variables)

    def _of_content(self, path: str, content: bytes | None) -> str | None:
        """The digest of the content that was read."""
        if content is None:
            return None
        before = self._read.get(path)
        if before is None or before[0] is not content:
            if len(self._read) >= _MOST:
                self._read.clear()
            before = self._read[path] = content, _with_link(path, digest(content))
        return before[1]

    def stamped(self, reads: ReadSet) -> ReadSet:
        """The read set without digests of contents, which would allow guesses."""
        stamps = {path: _stamp(found) for path, found in self._as_read(reads)}
        return ReadSet({path: stamps.get(path) for path in reads.files}, reads.directories, {})


def _changed(status: os.stat_result) -> int:
    return max(status.st_mtime_ns, status.st_ctime_ns)


def _stamp(status: os.stat_result) -> str:
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"


def _with_link(path: str, found: str) -> str:
    """A digest of a file's content, and of its target if the file is a link, because not every link may be followed."""
    try:
        return f"{found} -> {os.readlink(path)}" if os.path.islink(path) else found
    except OSError:
        return found


def _named(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return f"{entry.name} -> {os.readlink(entry.path)}"
    return f"{entry.name}/" if entry.is_dir() else entry.name


def _of_variables(found: Mapping[str, str]) -> str:
    return of_parts(part for pair in found.items() for part in pair)


def joined(parts: Iterable[ReadSet]) -> ReadSet:
    """The union of several sets of reads."""
    files: dict[str, str | None] = {}
    directories: dict[str, str | None] = {}
    variables: dict[str, str | None] = {}
    for one in parts:
        files |= one.files
        directories |= one.directories
        variables |= one.variables
    return ReadSet(files, directories, variables)


class Parts:
    """Parts of read sets that runs share, by name. Names are cached."""

    def __init__(self) -> None:
        self._names: dict[object, str] = {}
        self._parts: dict[str, ReadSet] = {}

    def named(self, parts: Iterable[ReadSet]) -> list[str]:
        """The names of parts."""
        return [self._name(part) for part in parts]

    def of(self, names: Iterable[str]) -> dict[str, ReadSet]:
        """The parts with some names."""
        return {name: self._parts[name] for name in names}

    def _name(self, part: ReadSet) -> str:
        content = (tuple(part.files.items()), tuple(part.directories.items()))
        name = self._names.get(content)
        if name is None:
            name = self._names[content] = part.key()
            self._parts[name] = part
        return name


def by_directory(reads: ReadSet, tops: Iterable[str]) -> tuple[list[ReadSet], ReadSet]:
    """The reads inside each of the directories, and the remaining reads. Runs that share a directory share its part."""
    parts: list[ReadSet] = []
    files, directories = dict(reads.files), dict(reads.directories)
    for top in sorted(set(tops)):
        start = "" if top == "." else f"{top}/"
        inner = {path: files.pop(path) for path in [*files] if path.startswith(start) and not path.startswith("../")}
        listed = {path: directories.pop(path) for path in [*directories] if path == top or path.startswith(start)}
        if inner or listed:
            parts.append(ReadSet(inner, listed, {}))
    return parts, ReadSet(files, directories, reads.variables)
