"""Bodies of requests and responses: small ones in memory, large ones in files of a temporary directory.

All bodies of the process share one budget of memory and one of disk. A body that does not fit is rejected with 503, and
the client may retry. Many slow or large uploads therefore need no more memory than a few.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager

from plait.base.writing.directory import temporary
from plait.base.writing.targets import changed
from plait.service.api_errors import busy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO, Self


SMALL = 64 << 10
"""Bytes of a body that stays in memory."""
_LARGE_ANSWER = 1 << 20
# Memory for all bodies being received, parsed or sent. Parsing a large body takes about eight times its size.
MEMORY, DISK, UPLOADS = 384 << 20, 2 << 30, 200
_TIMES = 8
_PART = 64 << 10


class SharedBudget:
    """An amount that requests share. maximum: the whole amount."""

    def __init__(self, maximum: int, what: str) -> None:
        self._most = maximum
        self._what = what
        self._lock = threading.Lock()
        self.used = 0

    def take(self, amount: int) -> None:
        """Reserves a part. Raises ApiError (503) if too little is left."""
        with self._lock:
            if self.used and self.used + amount > self._most:
                raise busy(f"the service has no {self._what} for this request now")
            self.used += amount

    def put_back(self, amount: int) -> None:
        """Returns a part."""
        with self._lock:
            self.used -= amount

    @contextmanager
    def taken(self, amount: int) -> Iterator[None]:
        """A context that reserves a part. Raises ApiError."""
        self.take(amount)
        try:
            yield
        finally:
            self.put_back(amount)


class Spool:
    """The directory for large bodies, and the budgets of all bodies."""

    def __init__(self, *, memory: int = MEMORY, disk: int = DISK, uploads: int = UPLOADS) -> None:
        self.memory = SharedBudget(memory, "memory")
        self.disk = SharedBudget(disk, "space on the disk")
        self.uploads = SharedBudget(uploads, "room for another body")
        self._lock = threading.Lock()
        self._directory: temporary | None = None
        self._count = 0

    def body(self, small: int = SMALL) -> Body:
        """A new, empty body. small: bytes that stay in memory."""
        return Body(self, small)

    def text(self, parts: Iterable[str]) -> Body:
        """The body of a response, in UTF-8. Raises ApiError (503) if it cannot be stored."""
        found = self.body(_LARGE_ANSWER)
        try:
            for part in parts:
                found.add(part.encode("utf-8", "surrogatepass"))
        except BaseException:
            found.close()
            raise
        return found

    def close(self) -> None:
        """Removes the directory."""
        with self._lock:
            if self._directory is not None:
                self._directory.close()
                self._directory = None

    def opened(self) -> tuple[str, str, IO[bytes]]:
        """A new file: its name, its path, and the open file. Raises OSError."""
        with self._lock:
            if self._directory is None:
                self._directory = temporary("plait-serve-")
            directory = self._directory.directory
            self._count += 1
            name = f"body-{self._count}"
        return name, f"{directory.real}/{name}", changed(directory, name)

    def remove(self, name: str) -> None:
        """Removes a file."""
        with self._lock:
            if self._directory is not None:
                self._directory.directory.discard(name)


class Body:
    """The bytes of a request or response. size: number of bytes. path: the path of the file that contains them; None
    while they are in memory.
    """

    def __init__(self, spool: Spool, small: int) -> None:
        self._spool = spool
        self._small = small
        self._parts: list[bytes] = []
        self._file: IO[bytes] | None = None
        self._name = ""
        self._on_disk = 0
        self._is_closed = False
        self.size = 0
        self.path: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # The body of an unused response, whose transaction failed.
        self.close()

    def add(self, data: bytes) -> None:
        """Appends bytes. Raises ApiError (503) if the disk is full."""
        self.size += len(data)
        if self._file is None and self.size <= self._small:
            self._parts.append(data)
            return
        try:
            if self._file is None:
                self._name, self.path, self._file = self._spool.opened()
            for part in (*self._parts, data):
                self._spool.disk.take(len(part))
                self._on_disk += len(part)
                self._file.write(part)
        except OSError as error:
            raise busy(f"a large body cannot be stored: {error.strerror}") from None
        self._parts.clear()

    def finish(self) -> None:
        """Flushes the file. Raises ApiError (503)."""
        try:
            if self._file is not None:
                self._file.flush()
        except OSError as error:
            raise busy(f"a large body cannot be stored: {error.strerror}") from None

    @contextmanager
    def held(self) -> Iterator[None]:
        """A context that reserves the memory needed to parse this body. Raises ApiError (503)."""
        with self._spool.memory.taken(_TIMES * self.size):
            yield

    def read(self) -> bytes:
        """All bytes."""
        return b"".join(self.parts())

    def parts(self) -> Iterator[bytes]:
        """The bytes, in blocks."""
        if self._file is None:
            yield from self._parts
            return
        self.finish()
        self._file.seek(0)
        while part := self._file.read(_PART):
            yield part

    def close(self) -> None:
        """Removes the file."""
        if self._is_closed:
            return
        self._is_closed = True
        self._parts.clear()
        self._spool.disk.put_back(self._on_disk)
        if self._file is not None:
            try:
                self._file.close()
            except OSError:
                pass  # the unwritten data is deleted with the file
            self._spool.remove(self._name)
