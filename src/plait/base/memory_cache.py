"""A cache of compiled code for a process that evaluates often."""

from __future__ import annotations

from plait.base.code_cache import CodeCache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.code_cache import Content

# Maximum number of entries.
_MOST = 2000


class MemoryCache(CodeCache):
    """The cache of a process that evaluates the same files repeatedly.

    With a directory, it begins with the entries there, and writes those of the first evaluation. All others stay in
    memory: a fleet has as many values files as environments.
    """

    __slots__ = ("_is_open", "_is_saved")

    def __init__(self, directory: str = "", secret: bytes = b"") -> None:
        super().__init__(directory, secret)
        self._is_open = self._is_saved = False

    def open_pack(self, paths: Sequence[str]) -> None:
        """Enables the pack of the inputs of the first evaluation."""
        if self.directory and not self._is_open:
            self._is_open = True
            super().open_pack(paths)

    def read(self, name: str) -> Content | None:
        return super().read(name) if self.directory else None

    def save(self) -> None:
        """Writes the entries of the first evaluation. Clears a cache that has grown large."""
        if self._is_open and not self._is_saved:
            self._is_saved = True
            super().save()
        if len(self.loose) > _MOST:
            self.made.clear()
            self.loose.clear()
