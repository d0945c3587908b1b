"""What runs have read, as a manifest and a look-up know it: digests of files, and of the names in directories.

Paths are relative to the directory of the project, with slashes, so that they mean the same on another machine.
"""

from __future__ import annotations

import os

from plait.fleet.identity import digest, of_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from plait.view import View

    # Digests by path; None for what is not there.
    Digests: TypeAlias = Mapping[str, "str | None"]


class Reads:
    """What something has read. files: digests of contents. directories: digests of the names in them."""

    __slots__ = ("directories", "files")

    def __init__(self, files: Digests, directories: Digests) -> None:
        self.files = files
        self.directories = directories

    def key(self) -> str:
        """A name for exactly this."""
        rows = [*self.files.items(), ("", ""), *self.directories.items()]
        return of_parts(part or "-" for row in rows for part in row)

    def __len__(self) -> int:
        return len(self.files) + len(self.directories)


class Disk:
    """What lies on the disk, looked at once. top: the directory of the project."""

    def __init__(self, top: str) -> None:
        self.top = os.path.abspath(top)
        self._start = os.path.join(self.top, "")
        self._files: dict[str, str | None] = {}
        self._directories: dict[str, str | None] = {}

    def relative(self, path: str) -> str:
        """An absolute path as a manifest has it."""
        if path.startswith(self._start):
            rest = path[len(self._start) :]
        else:
            try:
                rest = os.path.relpath(path, self.top)
            except ValueError:  # another drive
                rest = path
        return rest if os.sep == "/" else rest.replace(os.sep, "/")

    def file(self, path: str) -> str | None:
        """The digest of a file; None for one that cannot be read."""
        if path not in self._files:
            try:
                with open(os.path.join(self.top, path), "rb") as file:
                    self._files[path] = digest(file.read())
            except (OSError, ValueError):
                self._files[path] = None
        return self._files[path]

    def directory(self, path: str) -> str | None:
        """A digest of the names in a directory, and of which are directories; None for one that cannot be listed."""
        if path not in self._directories:
            try:
                with os.scandir(os.path.join(self.top, path)) as entries:
                    names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in entries)
                self._directories[path] = of_parts(names)
            except (OSError, ValueError):
                self._directories[path] = None
        return self._directories[path]

    def has(self, reads: Reads) -> bool:
        """Whether all of it is as it was read."""
        return all(self.file(path) == found for path, found in reads.files.items()) and all(
            self.directory(path) == found for path, found in reads.directories.items()
        )

    def now(self, reads: Reads) -> Reads:
        """The same files and directories as they are now."""
        return Reads(
            {path: self.file(path) for path in reads.files}, {one: self.directory(one) for one in reads.directories}
        )

    def of_view(self, view: View) -> Reads:
        """What a run has read."""
        files = {
            self.relative(path): None if content is None else digest(content)
            for path, content in sorted(view.files.items())
        }
        listed = (self.relative(path) for path in sorted(view.directories))
        return Reads(files, {path: self.directory(path) for path in listed})


def by_directory(reads: Reads, tops: Iterable[str]) -> tuple[dict[str, Reads], Reads]:
    """What was read below some directories, each by itself, and the rest: runs that share a directory share that part."""
    parts: dict[str, Reads] = {}
    files, directories = dict(reads.files), dict(reads.directories)
    for top in sorted(set(tops)):
        start = "" if top == "." else f"{top}/"
        inner = {path: files.pop(path) for path in [*files] if path.startswith(start) and not path.startswith("../")}
        listed = {path: directories.pop(path) for path in [*directories] if path == top or path.startswith(start)}
        if inner or listed:
            parts[top] = Reads(inner, listed)
    return parts, Reads(files, directories)
