"""Results to their places: whole at any time, and what was there before stays until they are whole.

A place for results is a directory of this machine, `Directory`, or a URL (`plait.fleet.remote`). Either also has the
manifest, and the journal of a fleet that goes on (`plait.fleet.book`).
"""

from __future__ import annotations

import os

from plait.content import encoded
from plait.errors import ReadError, UsageError
from plait.fleet.identity import digest
from plait.fleet.plan import MANIFEST, OWN
from plait.output import check_no_link, make_directory, replace_directory, write_aside, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import IO, Protocol

    from plait.fleet.outcome import Written
    from plait.fleet.plan import Task

    class Place(Protocol):
        """Where the results of a fleet go.

        name: what people call it. for_workers: what other processes of this machine call it, "" if they do not see it.
        """

        name: str
        for_workers: str

        def put(self, task: Task, texts: Mapping[str, str]) -> Mapping[str, int]:
            """Write the results of a run, and nothing else stays in its place. When each file was written, if that is known.

            Raises ReadError, UsageError.
            """
            ...

        def is_there(self, task: Task, files: Mapping[str, Written]) -> bool:
            """Whether the results of a run lie in their place as they were written, and nothing else does."""
            ...

        def has(self, place: str) -> bool:
            """Whether there is anything at a place."""
            ...

        def open(self) -> None:
            """Begin to write. Raises ReadError when that cannot be, UsageError when another fleet writes there."""
            ...

        def lines(self) -> Iterator[Iterable[str]]:
            """The lines of the manifest, and those of the journal of a fleet that did not end."""
            ...

        def note(self, line: str) -> None:
            """Add a line to the journal. Raises ReadError."""
            ...

        def finish(self, parts: Iterable[bytes]) -> None:
            """Put a manifest in its place, and remove the journal. Raises ReadError."""
            ...

        def close(self) -> None:
            """Let others write."""
            ...


_JOURNAL = "journal.jsonl"
_LOCK = "lock"


def place_of(name: str, *, top: str = "") -> Place:
    """The place that a path or a URL names. top: what a path is relative to. Raises UsageError."""
    from plait.fleet.remote import Remote, local_path

    local = local_path(name)
    return Remote(name) if local is None else Directory(os.path.abspath(os.path.join(top, local)))


class Directory:
    """A directory of this machine. Each place in it changes in one step."""

    def __init__(self, directory: str) -> None:
        self.name = self.for_workers = directory
        self._own = os.path.join(directory, OWN)
        self._journal: IO[str] | None = None
        self._lock: IO[str] | None = None

    def put(self, task: Task, texts: Mapping[str, str]) -> Mapping[str, int]:
        place = task.place.replace("/", os.sep)
        check_no_link(self.name, place)
        target = os.path.join(self.name, place)
        aside = os.path.join(self._own, f"{os.getpid()}-{os.urandom(6).hex()}")
        if not task.is_file:
            replace_directory(target, [*texts.items()], lambda _line: None, aside)
            return {path: os.stat(os.path.join(target, path)).st_mtime_ns for path in texts}
        try:
            make_directory(os.path.dirname(target))
            write_aside(aside, target, texts[""])
            os.replace(aside, target)
            return {"": os.stat(target).st_mtime_ns}
        except (OSError, ValueError) as error:
            raise write_error(self.name, error) from None
        finally:
            if os.path.lexists(aside):
                os.remove(aside)

    def is_there(self, task: Task, files: Mapping[str, Written]) -> bool:
        target = os.path.join(self.name, task.place)
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

    def has(self, place: str) -> bool:
        return os.path.lexists(os.path.join(self.name, place))

    def open(self) -> None:
        try:
            make_directory(self._own)
            self._lock = _locked(os.path.join(self._own, _LOCK))
            self._clean()
            self._journal = open(os.path.join(self._own, _JOURNAL), "a", encoding="utf-8")  # noqa: SIM115 - until `close`
        except OSError as error:
            raise ReadError(f"cannot write in {self.name}: {error.strerror}") from None

    def _clean(self) -> None:
        """Remove what a fleet that was killed has left half made."""
        from shutil import rmtree

        for name in os.listdir(self._own):
            path = os.path.join(self._own, name)
            if name not in (_JOURNAL, _LOCK):
                rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)

    def lines(self) -> Iterator[Iterable[str]]:
        for path in (os.path.join(self.name, MANIFEST), os.path.join(self._own, _JOURNAL)):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    yield file
            except OSError:
                continue

    def note(self, line: str) -> None:
        assert self._journal is not None
        try:
            self._journal.write(line)
            self._journal.flush()
        except OSError as error:
            raise ReadError(f"cannot write in {self.name}: {error.strerror}") from None

    def finish(self, parts: Iterable[bytes]) -> None:
        from plait.writing import write_file

        path = os.path.join(self.name, MANIFEST)
        try:
            write_file(path, parts, new_mode=0o600)
            if self._journal is not None:
                self._journal.close()
                self._journal = None
                os.unlink(os.path.join(self._own, _JOURNAL))
        except OSError as error:
            raise ReadError(f"cannot write {path}: {error.strerror}") from None

    def close(self) -> None:
        for file in (self._journal, self._lock):
            if file is not None:
                file.close()


def digests(texts: Mapping[str, str], *, is_secret: bool) -> dict[str, Written]:
    """Digest and size of each file. A digest of something secret would let somebody try what it is."""
    contents = {path: encoded(text) for path, text in texts.items()}
    return {path: (None if is_secret else digest(data), len(data), None) for path, data in contents.items()}


def with_times(files: Mapping[str, Written], times: Mapping[str, int]) -> dict[str, Written]:
    """The same with when each file was written."""
    return {path: (found, size, times.get(path)) for path, (found, size, _) in files.items()}


def _is_same(path: str, written: Written) -> bool:
    status = os.stat(path)
    if status.st_size != written[1]:
        return False
    if status.st_mtime_ns == written[2]:
        return True
    with open(path, "rb") as file:
        content = file.read()
    # Of something secret no more is known than its size.
    return len(content) == written[1] and written[0] in (None, digest(content))


def _locked(path: str) -> IO[str]:
    file = open(path, "a", encoding="utf-8")  # noqa: SIM115 - the lock ends when it is closed
    try:
        import fcntl
    except ImportError:
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UsageError(
            "another fleet writes there",
            found=os.path.dirname(os.path.dirname(path)),
            hint="wait for it, or --output DIR",
        ) from None
    return file
