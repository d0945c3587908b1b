"""Which runs have to do with secrets: their results are kept nowhere but in their place, unless somebody asks for that."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.project.run import Run
    from plait.view import View

# What brings values that are for nobody else; environment variables do as well.
_FLAGS = frozenset({"vars-store", "secrets-file", "cleartext-secrets"})
# Where somebody is at home.
_HARMLESS = frozenset({"HOME"})
# What documents with secrets say of themselves, and what is left of those that were encrypted.
_MARKS = (b"encrypted", b"ENC[", b"vars-store", b"PRIVATE KEY")


def is_secret(run: Run, view: View) -> bool:
    """Whether a run has to do with secrets, as far as its flags and what it has read say. It rather says so too often."""
    if any(one.flag is not None and one.flag.name in _FLAGS for one in run.settings):
        return True
    if view.variables.keys() - _HARMLESS:
        return True
    contents = (content for content in view.files.values() if content is not None)
    return any(mark in content for content in contents for mark in _MARKS)


def can_be_known(view: View) -> bool:
    """Whether what a run made follows from what it has read, and is all that it did.

    What is no file may be another thing the next time; and who takes a result from elsewhere writes no variables store.
    """
    return not view.streams and not view.written
