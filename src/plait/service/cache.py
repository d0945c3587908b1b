"""Cached results in memory, by the digest of their inputs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from typing import Generic, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")


class Cache(Generic[T]):
    """A cache. size: returns the size of a value in characters. maximum: capacity in characters; the least recently
    used value is evicted first.
    """

    def __init__(self, size: Callable[[T], int], maximum: int = 128 << 20) -> None:
        self._size_of = size
        self._most = maximum
        self._kept: OrderedDict[str, T] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()
        self._making: dict[str, tuple[threading.Lock, int]] = {}

    def get(self, digest: str) -> T | None:
        """The cached value, or None."""
        with self._lock:
            found = self._kept.get(digest)
            if found is not None:
                self._kept.move_to_end(digest)
            return found

    def values(self) -> list[T]:
        """All cached values."""
        with self._lock:
            return list(self._kept.values())

    def keep(self, digest: str, made: T) -> None:
        """Stores a value."""
        with self._lock:
            before = self._kept.pop(digest, None)
            self._size += self._size_of(made) - (0 if before is None else self._size_of(before))
            self._kept[digest] = made
            while self._size > self._most and self._kept:
                self._size -= self._size_of(self._kept.popitem(last=False)[1])

    def forget(self) -> None:
        """Clears the cache."""
        with self._lock:
            self._kept.clear()
            self._size = 0

    @contextmanager
    def making(self, digest: str) -> Iterator[None]:
        """Makes concurrent requests for the same value wait for the first one."""
        with self._lock:
            making, waiting = self._making.get(digest, (threading.Lock(), 0))
            self._making[digest] = making, waiting + 1
        try:
            with making:
                yield
        finally:
            with self._lock:
                _, waiting = self._making.pop(digest)
                if waiting > 1:
                    self._making[digest] = making, waiting - 1
