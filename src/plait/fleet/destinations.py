"""Writes results to their destination. Previous results stay until the new ones are complete.

A destination is a local `DirectoryDestination` or a URL (`plait.fleet.remote_files`). It also has the manifest, and the
journal of a running fleet (`plait.fleet.manifest`).
"""

from __future__ import annotations

import os
from functools import cached_property
from stat import S_ISDIR, S_ISREG

from plait.base.code_cache import user_secret
from plait.base.errors import UsageError
from plait.base.output_files import Folders, fill_directory, inside, places_of, unchanged, write_error
from plait.base.writing.real_paths import failure
from plait.base.writing.targets import changed, extended, followed, strict
from plait.fleet.identity import digest
from plait.fleet.manifest_lines import outputs
from plait.fleet.plan import MANIFEST, MOVED, OWN
from plait.fleet.remote_files import RemoteDestination, local_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import IO, Protocol

    from plait.base.writing.directory import Directory as Opened
    from plait.fleet.plan import Task
    from plait.fleet.run_result import Written

    class Destination(Protocol):
        """The destination of a fleet's results.

        name: its name in messages. key: the key of the seals of its manifest (see `manifest_lines.parsed`).
        for_workers: its path for other processes of this machine, or "" if they cannot access it.
        """

        name: str
        for_workers: str

        @property
        def key(self) -> bytes | None: ...

        def put(self, task: Task, contents: Mapping[str, bytes]) -> Mapping[str, int]:
            """Writes the results of a run and removes everything else from its destination. Returns the times of the
            files, if known.

            Raises ReadError, UsageError.
            """
            ...

        def is_there(self, task: Task, files: Mapping[str, Written]) -> bool:
            """True if the destination contains exactly the unchanged results of a run."""
            ...

        def has(self, place: str) -> bool:
            """True if something exists at a path."""
            ...

        def open(self) -> None:
            """Starts writing. Raises ReadError if that is impossible, UsageError if another fleet writes there."""
            ...

        def lines(self) -> Iterator[Iterable[str]]:
            """The lines of the manifest, and those of the journal of an interrupted fleet."""
            ...

        def note(self, line: str) -> None:
            """Appends a line to the journal. Raises ReadError."""
            ...

        def finish(self, parts: Iterable[bytes]) -> None:
            """Writes the manifest, and removes the journal. Raises ReadError."""
            ...

        def close(self) -> None:
            """Allows others to write."""
            ...


_JOURNAL = "journal.jsonl"
_LOCK = "lock"
_MODE = 0o700
# Maximum number of fleet tokens in the lock. Workers of killed fleets may continue for a while.
_TOKENS = 64


def place_of(name: str, *, top: str | None = None) -> Destination:
    """The destination for a path or a URL. top: for a path that the user did not name (see
    `plait.base.writing.strict`).

    Raises UsageError.
    """
    local = local_path(name)
    return RemoteDestination(name) if local is None else DirectoryDestination(os.path.abspath(local), top=top)


def place_for_worker(name: str) -> Destination:
    """The destination of a fleet that another process has opened. name: its `for_workers`, which has no links."""
    return place_of(name, top=os.path.splitdrive(name)[0] + os.sep)


class DirectoryDestination:
    """A directory on this machine. The results of each run are replaced atomically."""

    def __init__(self, directory: str, *, top: str | None = None) -> None:
        self.name = self.for_workers = directory
        self._top = top
        self._opened: Opened | None = None
        self._reads = True
        self._token = ""
        self._journal: IO[str] | None = None
        self._lock: IO[bytes] | None = None

    @cached_property
    def key(self) -> bytes | None:
        """The user's secret. Only manifests signed with it are trusted."""
        return user_secret(os.environ)

    def _here(self, make: int | None = None) -> Opened:
        """The directory, opened once. make: the mode of missing directories, for writing. Raises OSError."""
        reads = make is None
        if self._opened is None or self._reads > reads:
            if self._opened is not None:
                self._opened.close()
            top, self._reads = self._top, reads
            if top is None:
                self._opened = followed(self.name, make=make, reads=reads)
            else:
                self._opened = strict(self.name, top, make=make, reads=reads)
        return self._opened

    def put(self, task: Task, contents: Mapping[str, bytes]) -> Mapping[str, int]:
        *above, name = task.place.split("/")
        try:
            here = self._here(_MODE)
            with here.below(OWN, make=_MODE) as own, here.below(*above, make=_MODE) as parent:
                aside = self._aside(own)
                if task.is_file:
                    before = parent.check_file(name)
                    try:
                        own.create(aside, [contents[""]], before, new_mode=_MODE)
                        own.move(aside, parent, name)
                    except BaseException:
                        own.discard(aside)
                        raise
                    return _times(parent, {"": name})
                places = places_of(contents.items())
                times = unchanged(parent, name, places)
                if times is not None:
                    return {path: times[inside(path)] for path in contents}
                fill_directory(parent, name, places, own, aside, lambda: self._keep_others(task, parent, places, own))
                with parent.below(name) as made:
                    return _times(made, {path: path for path in contents})
        except (OSError, ValueError) as error:
            raise write_error(self.name, error) from None

    def _aside(self, own: Opened) -> str:
        """A temporary name that identifies the fleet by a token in the lock."""
        if not self._token:
            self._token = (_tokens(own.read(_LOCK) or b"") or [os.urandom(8).hex()])[-1]
        return f"{self._token}-{os.getpid()}-{os.urandom(6).hex()}"

    def _keep_others(self, task: Task, parent: Opened, places: Mapping[str, bytes], own: Opened) -> None:
        """Moves files at a destination that no fleet has written to another directory. Raises OSError."""
        *_, name = task.place.split("/")
        before = parent.status(name)
        if before is None:
            return
        if S_ISDIR(before.st_mode):
            with parent.below(name) as there:
                others = [path for path, _ in _files(there) if path not in places]
        else:
            parent.check_file(name)
            others = [""]
        known = self._known(task.place) if others else []
        for path in others:
            *folders, last = [*task.place.split("/"), *(path.split(os.sep) if path else [])]
            with self._here().below(*folders) as folder:
                if not any(path in one and _is_same(folder, last, one[path]) for one in known):
                    with own.below(MOVED, *folders, make=_MODE) as moved:
                        taken = moved.status(last) is not None
                        folder.move(last, moved, f"{last}.{os.urandom(4).hex()}" if taken else last)

    def _known(self, place: str) -> list[dict[str, Written]]:
        """The files at a destination that fleets have recorded."""
        return [
            {path.replace("/", os.sep): one for path, one in files.items()}
            for lines in self.lines()
            for output, files in outputs(lines, self.key)
            if output == place
        ]

    def is_there(self, task: Task, files: Mapping[str, Written]) -> bool:
        *above, name = task.place.split("/")
        try:
            with self._here().below(*above) as parent:
                if task.is_file:
                    return _is_same(parent, name, files[""])
                with parent.below(name) as there:
                    if {path.replace(os.sep, "/") for path, _ in _files(there)} != {*files}:
                        return False
                    for path, written in files.items():
                        *folders, last = path.split("/")
                        with there.below(*folders) as folder:
                            if not _is_same(folder, last, written):
                                return False
                    return True
        except (OSError, KeyError):
            return False

    def has(self, place: str) -> bool:
        *above, name = place.split("/")
        try:
            with self._here().below(*above) as parent:
                return parent.status(name) is not None
        except OSError:
            return False

    def open(self) -> None:
        try:
            here = self._here(_MODE)
            self.for_workers = here.real
            with here.below(OWN, make=_MODE) as own:
                self._lock = changed(own, _LOCK)
                _take(self._lock, self.name)
                self._clean(own, self._lock)
                self._journal = extended(own, _JOURNAL)
        except OSError as error:
            self.close()
            raise failure(f"in {self.name}", error) from None

    def _clean(self, own: Opened, lock: IO[bytes]) -> None:
        """Removes unfinished files of killed fleets, which have a token of the lock in their names."""
        tokens = _tokens(lock.read())
        for name in own.names():
            if name.partition("-")[0] in tokens:
                own.remove_tree(name)
        self._token = os.urandom(8).hex()
        lock.seek(0)
        lock.truncate()
        lock.write("".join(f"{token}\n" for token in [*tokens[1 - _TOKENS :], self._token]).encode())
        lock.flush()

    def lines(self) -> Iterator[Iterable[str]]:
        for folders, name in (((), MANIFEST), ((OWN,), _JOURNAL)):
            try:
                with self._here().below(*folders) as place:
                    handle = place.open(name, os.O_RDONLY)
            except OSError:
                continue
            with open(handle, encoding="utf-8", errors="replace") as file:
                yield file

    def note(self, line: str) -> None:
        assert self._journal is not None
        try:
            self._journal.write(line)
            self._journal.flush()
        except OSError as error:
            raise failure(f"in {self.name}", error) from None

    def finish(self, parts: Iterable[bytes]) -> None:
        try:
            self._here().write(MANIFEST, parts, new_mode=0o600)
            if self._journal is not None:
                self._journal.close()
                self._journal = None
                with self._here().below(OWN) as own:
                    own.remove(_JOURNAL)
        except OSError as error:
            raise failure(os.path.join(self.name, MANIFEST), error) from None

    def close(self) -> None:
        for file in (self._journal, self._lock, self._opened):
            if file is not None:
                try:
                    file.close()
                except OSError:
                    # A failed write was already reported, or another error is being raised.
                    continue
        self._journal = self._lock = self._opened = None


def digests(contents: Mapping[str, bytes], *, is_secret: bool) -> dict[str, Written]:
    """Digest and size of each file. Secret files have no digest, because a digest would allow guesses."""
    return {path: (None if is_secret else digest(data), len(data), None) for path, data in contents.items()}


def with_times(files: Mapping[str, Written], times: Mapping[str, int]) -> dict[str, Written]:
    """The files with their modification times."""
    return {path: (found, size, times.get(path)) for path, (found, size, _) in files.items()}


def _files(top: Opened) -> Iterator[tuple[str, os.stat_result]]:
    """All files in a directory, at any depth: path and status. Links are not followed."""
    for name in top.names():
        status = top.status(name)
        if status is None:
            continue
        if not S_ISDIR(status.st_mode):
            yield name, status
            continue
        with top.below(name) as inner:
            for path, found in _files(inner):
                yield os.path.join(name, path), found


def _times(top: Opened, paths: Mapping[str, str]) -> dict[str, int]:
    """The time of each file. paths: relative to the directory."""
    found = {}
    with Folders(top) as folders:
        for key, path in paths.items():
            folder, name = folders.of(path.replace("/", os.sep))
            status = folder.status(name)
            if status is not None:
                found[key] = status.st_mtime_ns
    return found


def _is_same(folder: Opened, name: str, written: Written) -> bool:
    status = folder.status(name)
    if status is None or not S_ISREG(status.st_mode) or status.st_size != written[1]:
        return False
    if status.st_mtime_ns == written[2]:
        return True
    content = folder.read(name)
    # Only the size of a secret file is known.
    return content is not None and len(content) == written[1] and written[0] in (None, digest(content))


def _tokens(content: bytes) -> list[str]:
    return [token for token in content.decode("ascii", "replace").split("\n") if len(token) == 16]


def _take(file: IO[bytes], name: str) -> None:
    """Locks a file until it is closed. Raises UsageError if another fleet holds the lock."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UsageError(
            "another fleet writes there", found=name, hint="wait for it, or use --output DIR", code="fleet-place"
        ) from None
