"""Texts that several evaluations of one process read once: those of an argument, such as a directory.

Reading them again would give the same texts. So an evaluation that reuses them records the same reads in its input view, charged to its limits.
"""

from __future__ import annotations

from plait.base.input_view import current_view
from plait.base.limits import current_budget
from plait.base.recent import Count, Recent, access_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from plait.base.source import Source

# Bytes of texts read between two generations.
_ROOM = 1 << 22


class ReadTexts:
    """The texts of one argument, and the paths read for them. visited: number of directory
    entries.
    """

    __slots__ = ("directories", "files", "texts", "visited")

    def __init__(
        self, texts: Sequence[Source], files: Mapping[str, bytes | None], directories: set[str], visited: int
    ) -> None:
        self.texts = texts
        self.files = files
        self.directories = directories
        self.visited = visited


class KnownTexts:
    """The texts that evaluations have read. Several threads may use it, because entries are replaced as a whole.

    count: the number of texts.
    """

    __slots__ = ("_found", "_new", "count")

    def __init__(self) -> None:
        self._found: Recent[Hashable, ReadTexts] = Recent()
        self._new = 0
        self.count = Count()

    def refresh(self) -> None:
        """Texts are read again when they are next needed."""
        self._found = Recent()

    def read(self, argument: Hashable, read: Callable[[], Iterable[Source]]) -> Iterable[Source]:
        """The texts of an argument. read: reads them. Raises its errors."""
        view = current_view()
        # A record is needed of what is read; and replaced texts may differ each time.
        if view is None or view.texts:
            return read()
        key = argument, access_key()
        budget = current_budget()
        found = self._found.find(key)
        # Reading again reports where there are too many entries.
        if found is not None and budget.visited + found.visited <= budget.limits.entries:
            budget.visited += found.visited
            view.directories |= found.directories
            view.files.update(found.files)
            for data in found.files.values():
                budget.take(len(data or b""))
            self.count.reused += len(found.texts)
            return found.texts
        files, directories, streams, visited = view.files, view.directories, len(view.streams), budget.visited
        view.files, view.directories = {}, set()
        try:
            texts = [*read()]
            self.count.new += len(texts)
            if len(view.streams) == streams:
                self._new += sum(len(data or b"") for data in view.files.values())
                self._found[key] = ReadTexts(texts, view.files, view.directories, budget.visited - visited)
        finally:
            view.files, view.directories = files | view.files, directories | view.directories
        return texts

    def end(self) -> None:
        """Ends an evaluation. Drops texts that were not used recently, if many were added."""
        if self._new > _ROOM:
            self._new = 0
            self._found.end_generation()
