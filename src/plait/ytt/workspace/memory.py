"""The results of an evaluation of a library, for the next one with other data values or changed files.

All templates and overlays are evaluated each time. Documents that are the same again are those of the last time, which
overlays and the printer know by identity.
"""

from __future__ import annotations

from plait.ytt.overlay.reapplication import Applied
from plait.ytt.overlay.same_documents import known_again

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.nodes import DocumentSet
    from plait.ytt.workspace.input_files import InputFile
    from plait.ytt.workspace.library import LibraryFile


class Memory:
    """The documents of a library's files, and the effects of its overlays."""

    __slots__ = ("_documents", "applied")

    def __init__(self) -> None:
        self.applied = Applied()
        self._documents: dict[InputFile, DocumentSet] = {}

    def known_again(
        self, documents: Sequence[tuple[LibraryFile, DocumentSet]]
    ) -> list[tuple[LibraryFile, DocumentSet]]:
        """The documents of files, with the former ones in place of those that are the same."""
        former, self._documents = self._documents, {}
        found = []
        for member, made in documents:
            known = former.get(member.file)
            kept = made if known is None or made is known else known_again(made, known)
            self._documents[member.file] = kept
            found.append((member, kept))
        return found
