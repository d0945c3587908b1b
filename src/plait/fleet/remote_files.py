"""Stores results at URLs: object stores and other storage supported by fsspec (`s3://`, `gs://`, `memory://`); the
extra `fsspec`.

Such a store cannot change several files atomically. The files of a run appear one after the other, each complete, and
the run is recorded in the journal after the last one. Old files that no longer belong to the run are removed last.
"""

from __future__ import annotations

import os
from datetime import datetime
from functools import cached_property
from importlib import import_module
from time import monotonic
from urllib.parse import unquote
from urllib.request import url2pathname

from plait.base.errors import ReadError, UsageError
from plait.base.lines import lines_of
from plait.fleet.manifest_lines import outputs
from plait.fleet.plan import MANIFEST, MOVED, OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Protocol, TypeVar

    from plait.fleet.plan import Task
    from plait.fleet.run_result import Written

    T = TypeVar("T")

    class FileSystem(Protocol):
        """The used part of `fsspec.AbstractFileSystem`."""

        def cat_file(self, path: str, start: int | None = None, end: int | None = None) -> bytes: ...

        def pipe_file(self, path: str, value: bytes) -> None: ...

        def rm_file(self, path: str) -> None: ...

        def mv(self, path1: str, path2: str) -> None: ...

        def makedirs(self, path: str, exist_ok: bool) -> None: ...

        def exists(self, path: str) -> bool: ...

        def invalidate_cache(self) -> None: ...

        def find(self, path: str, *, detail: bool) -> Mapping[str, Mapping[str, object]]: ...


# Stores without directories. Creating a directory would create a bucket from a mistyped name.
_FLAT = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss"})
_HINT = "pip install 'plait[fsspec]'"
# Seconds after which journal entries are written, because a store cannot append to a file.
_EACH = 2.0
_JOURNAL = f"{OWN}/journal-"


def is_url(name: str) -> bool:
    """True if a destination is a URL, not a path."""
    return "://" in name


def local_path(name: str) -> str | None:
    """The path of a local destination, which may be written as a URL; None for any other URL."""
    scheme, mark, path = name.partition("://")
    if not mark:
        return name
    if scheme not in ("file", "local"):
        return None

    return url2pathname(path) if os.name == "nt" else unquote(path)


def _shown(url: str) -> str:
    """A URL in messages: without user, password and query."""
    scheme, separator, rest = url.partition("://")
    place, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}{separator}{place.rpartition('@')[2]}{slash}{path}"


class RemoteFiles:
    """Files below a URL, by relative path. Raises ReadError if the store rejects an operation."""

    def __init__(self, url: str) -> None:
        """Raises UsageError for a URL with an unknown scheme."""
        self.name = _shown(url.rstrip("/"))
        try:
            make: Callable[[str], tuple[FileSystem, str]] = import_module("fsspec.core").url_to_fs
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != "fsspec":
                raise
            raise UsageError(
                f"destinations such as {self.name} need an extra that is not installed",
                found="no module fsspec",
                hint=_HINT,
                code="extra-not-installed",
            ) from None
        try:
            self._files, top = make(url.rstrip("/"))
        except (ImportError, ValueError, OSError) as error:
            raise UsageError(
                f"cannot use {self.name}", found=str(error).partition("\n")[0], code="fleet-place"
            ) from None
        self._top = top.rstrip("/")
        self._is_flat = url.partition(":")[0] in _FLAT

    def _path(self, path: str) -> str:
        return f"{self._top}/{path}" if path else self._top

    def read(self, path: str, *, maximum: int | None = None) -> bytes | None:
        """The content of a file; None if it is missing or larger than `maximum` bytes."""

        def work() -> bytes | None:
            try:
                if maximum is None:
                    return self._files.cat_file(self._path(path))
                data = self._files.cat_file(self._path(path), 0, maximum + 1)
            except FileNotFoundError:
                return None
            return None if len(data) > maximum else data

        return self._done(work)

    def write(self, path: str, content: bytes) -> None:
        """Writes a complete file."""

        def work() -> None:
            self._make_above(path)
            self._files.pipe_file(self._path(path), content)

        self._done(work)

    def move(self, path: str, to: str) -> None:
        """Renames a file."""

        def work() -> None:
            self._make_above(to)
            self._files.mv(self._path(path), self._path(to))

        self._done(work)

    def _make_above(self, path: str) -> None:
        if not self._is_flat:
            self._files.makedirs(self._path(path).rpartition("/")[0], exist_ok=True)

    def remove(self, path: str) -> None:
        """Removes a file if it exists."""

        def work() -> None:
            try:
                self._files.rm_file(self._path(path))
            except FileNotFoundError:
                return

        self._done(work)

    def sizes(self, below: str = "") -> dict[str, tuple[int, float]]:
        """Size and time of the file at a path, and of all files below it."""

        def work() -> dict[str, tuple[int, float]]:
            self._files.invalidate_cache()
            try:
                found = self._files.find(self._path(below), detail=True)
            except FileNotFoundError:
                return {}
            top = self._top.strip("/")
            start = len(top) + 1 if top else 0
            return {path.strip("/")[start:]: (_size(one), _time(one)) for path, one in found.items()}

        return self._done(work)

    def _done(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except Exception as error:  # each store has its own exceptions
            raise ReadError(
                f"cannot use {self.name}: {str(error).partition(chr(10))[0] or type(error).__name__}",
                code="fleet-place",
            ) from error


def _size(entry: Mapping[str, object]) -> int:
    size = entry.get("size")
    return size if isinstance(size, int) else 0


def _time(entry: Mapping[str, object]) -> float:
    """The modification time of a file, by the names that different stores use for it."""
    for name in ("LastModified", "updated", "mtime", "created", "last_modified"):
        found = entry.get(name)
        if isinstance(found, datetime):
            return found.timestamp()
        if isinstance(found, float | int):
            return float(found)
        if isinstance(found, str):
            try:
                return datetime.fromisoformat(found).timestamp()
            except ValueError:
                continue
    return 0.0


class RemoteDestination:
    """A destination below a URL."""

    def __init__(self, url: str) -> None:
        self._store = RemoteFiles(url)
        self.name = self._store.name
        # Other processes cannot access files in memory.
        self.for_workers = "" if url.startswith("memory:") else url
        self._before: dict[str, tuple[int, float]] | None = None
        self._below: dict[str, set[str]] = {}
        self._journal = f"{_JOURNAL}{os.urandom(4).hex()}"
        self._noted: list[str] = []
        self._written = 0
        self._last = monotonic()

    def put(self, task: Task, contents: Mapping[str, bytes]) -> Mapping[str, int]:
        paths = {f"{task.place}/{name}" if name else task.place: data for name, data in contents.items()}
        for path, data in paths.items():
            self._store.write(path, data)
        others = self._at(task.place) - paths.keys()
        for path in others:
            if (path, self._there()[path][0]) in self._recorded:
                self._store.remove(path)
            else:
                self._move_aside(path)
        return {}

    @cached_property
    def _recorded(self) -> frozenset[tuple[str, int]]:
        """The paths and sizes of the files that fleets have recorded."""
        return frozenset(
            (f"{output}/{name}" if name else output, size)
            for lines in self.lines()
            for output, files in outputs(lines, self.key)
            for name, (_, size, _) in files.items()
        )

    def _move_aside(self, path: str) -> None:
        """Moves a file that no fleet has written."""
        to = f"{OWN}/{MOVED}/{path}"
        self._store.move(path, f"{to}.{os.urandom(4).hex()}" if to in self._there() else to)

    def is_there(self, task: Task, files: Mapping[str, Written]) -> bool:
        """Compares only names and sizes, because fetching all files would take as long as rendering."""
        start = f"{task.place}/"
        expected = {f"{start}{name}" if name else task.place: size for name, (_, size, _) in files.items()}
        return {path: self._there()[path][0] for path in self._at(task.place)} == expected

    def has(self, place: str) -> bool:
        return bool(self._at(place))

    def _there(self) -> dict[str, tuple[int, float]]:
        """The files below the URL at the start of the fleet, listed once."""
        if self._before is None:
            self._before = self._store.sizes()
            for path in self._before:
                above = path
                while above:
                    self._below.setdefault(above, set()).add(path)
                    above = above.rpartition("/")[0]
        return self._before

    def _at(self, place: str) -> set[str]:
        """The paths of existing files at a destination, or below it."""
        self._there()
        return self._below.get(place, set())

    @property
    def key(self) -> bytes:
        """Returns b"", because everyone who can write below a URL is trusted."""
        return b""

    def open(self) -> None:
        self._there()

    def lines(self) -> Iterator[Iterable[str]]:
        journals = sorted((time, path) for path, (_, time) in self._there().items() if path.startswith(_JOURNAL))
        for paths in ([MANIFEST], [path for _, path in journals]):
            contents = [self._store.read(path) or b"" for path in paths]
            yield lines_of(b"".join(contents).decode("utf-8", "replace"))

    def note(self, line: str) -> None:
        self._noted.append(line)
        if monotonic() - self._last >= _EACH:
            self._flush()

    def _flush(self) -> None:
        if self._noted:
            self._written += 1
            self._store.write(f"{self._journal}-{self._written:06}.jsonl", "".join(self._noted).encode())
            self._noted.clear()
        self._last = monotonic()

    def finish(self, parts: Iterable[bytes]) -> None:
        self._noted.clear()
        self._store.write(MANIFEST, b"".join(parts))
        for path in self._store.sizes(OWN):
            if path.startswith(_JOURNAL):
                self._store.remove(path)

    def close(self) -> None:
        self._flush()
