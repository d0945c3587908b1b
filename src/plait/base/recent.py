"""The parts of caches that several evaluations share: recently used entries, counts of reuse, and a key of permissions."""

from __future__ import annotations

from plait.base.input_view import current_permissions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import TypeVar

    K = TypeVar("K")
    V = TypeVar("V")


class Recent(dict["K", "V"]):
    """A cache with two generations. Entries that neither generation uses are dropped."""

    __slots__ = ("_before",)

    def __init__(self) -> None:
        super().__init__()
        self._before: dict[K, V] = {}

    def __missing__(self, key: K) -> V:
        found = self[key] = self._before.pop(key)
        return found

    def find(self, key: K) -> V | None:
        """The entry for a key, or None. Marks it as used by the current generation."""
        try:
            return self[key]
        except KeyError:
            return None

    def end_generation(self) -> None:
        """Drops the entries that were not used in the current generation."""
        self._before = self.copy()
        self.clear()


class Count:
    """The number of objects that evaluations reused, and of new ones."""

    __slots__ = ("new", "reused")

    def __init__(self) -> None:
        self.reused = self.new = 0

    def take(self) -> tuple[int, int]:
        """The numbers of reused and of new objects since the last call."""
        found = self.reused, self.new
        self.reused = self.new = 0
        return found


def access_key() -> Hashable:
    """A key for the files and servers that the current evaluation may read. Another evaluation may have access to
    others.
    """
    own = current_permissions()
    return own and (own.directory, own.checkout, own.file, own.granted)
