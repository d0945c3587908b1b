"""Inputs that several runs have in common: listed, read, compiled and laid out by the first of them.

A run with shared inputs has the same result as if it had read them itself: reads are recorded in its view and count for
its limits, and steps are counted as usual (`session.Memo`). The disk is not read again, so all runs see the files as
the first one did.
"""

from __future__ import annotations

from plait.base.input_view import current_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from plait.tree.nodes import DocumentSet
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.library import Library
    from plait.ytt.workspace.session import Session

# Maximum number of cached sets of inputs; more sets would have little in common.
_MOST = 8


class InputSet:
    """Inputs, and objects derived from them. directories: the listed ones. session: of the first run."""

    __slots__ = ("directories", "files", "library", "session")

    def __init__(self, files: list[InputFile], directories: frozenset[str], library: Library, session: Session) -> None:
        self.files = files
        self.directories = directories
        self.library = library
        self.session = session


class SharedInputs:
    """The inputs of runs, by arguments and by flags that affect reading.

    documents: of texts that several runs layer.
    """

    __slots__ = ("_kept", "documents")

    def __init__(self) -> None:
        self._kept: dict[Hashable, InputSet] = {}
        self.documents: dict[object, DocumentSet] = {}

    def find(self, key: Hashable) -> InputSet | None:
        """Inputs that an earlier run has read; that they were listed is noted in the view of this one."""
        found = self._kept.get(key)
        view = current_view()
        if found is not None and view is not None:
            view.directories |= found.directories
        return found

    def keep(self, key: Hashable, common: InputSet) -> None:
        """Stores the inputs of a run if all of them are files."""
        if all(file.shown is not None for file in common.files):
            if len(self._kept) >= _MOST:
                self._kept.clear()
            self._kept[key] = common

    def forget(self, key: Hashable) -> None:
        """Let the next run read its inputs itself."""
        self._kept.pop(key, None)


def listed(work: Callable[[], list[InputFile]]) -> tuple[list[InputFile], frozenset[str]]:
    """The result of `work`, and the directories that it listed if reads are recorded."""
    view = current_view()
    if view is None:
        return work(), frozenset()
    before, view.directories = view.directories, set()
    try:
        files = work()
        return files, frozenset(view.directories)
    finally:
        view.directories |= before
