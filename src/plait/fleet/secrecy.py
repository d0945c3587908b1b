"""Which runs have to do with secrets: their results are kept nowhere but in their place, unless somebody asks for that."""

from __future__ import annotations

from plait.secrets import FLAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.project.run import Run
    from plait.view import View

# Where somebody is at home.
_HARMLESS = frozenset({"HOME"})
# What documents with secrets say of themselves, and what is left of those that were encrypted.
_MARKS = (b"encrypted", b"ENC[", b"vars-store", b"PRIVATE KEY")


# So many contents are remembered: those that many runs have in common come up again at once.
_MOST = 4096


class Marks:
    """Which contents look like secrets; those that runs share are looked through once."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[bytes, bool]] = {}

    def is_secret(self, run: Run, view: View) -> bool:
        """Whether a run has to do with secrets, as far as its flags and what it has read say. It rather says so too often."""
        # Environment variables bring them as well.
        if any(one.flag is not None and one.flag.name in FLAGS for one in run.settings):
            return True
        if view.variables.keys() - _HARMLESS:
            return True
        return any(self._has_mark(path, content) for path, content in view.files.items() if content is not None)

    def _has_mark(self, path: str, content: bytes) -> bool:
        before = self._found.get(path)
        if before is None or before[0] is not content:
            if len(self._found) >= _MOST:
                self._found.clear()
            before = self._found[path] = content, any(mark in content for mark in _MARKS)
        return before[1]


def can_be_known(view: View) -> bool:
    """Whether what a run made follows from what it has read, and is all that it did.

    What is no file may be another thing the next time; and who takes a result from elsewhere writes no variables store.
    """
    return not view.streams and not view.written
