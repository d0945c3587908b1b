"""Rejected edits, with the reason and alternatives."""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.base.source import public

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.source import Position
    from plait.tree.nodes import Value

# The reasons. COMPUTED: code, a function or a string with placeholders computes the value. GIVEN: it comes from a flag
# or an environment variable. SECRET: plait does not write secrets. NO_FILE: its source is not a file on disk. LINK: the
# file is a symbolic link. FAILS: the run fails with the new value. OTHERWISE: with the new value in the source, the
# output has another value. ALSO: other values change as well. UNWRITABLE: the text cannot be edited at this position.
COMPUTED, GIVEN, SECRET, NO_FILE, LINK, FAILS, OTHERWISE, ALSO, UNWRITABLE = (
    "computed", "given", "secret", "no file", "link", "fails", "otherwise", "also", "unwritable",
)  # fmt: skip


class Alternative:
    """An alternative to an edit. words: the flag for it. text: the lines it writes."""

    __slots__ = ("text", "words")

    def __init__(self, words: str, text: Sequence[str]) -> None:
        self.words = words
        self.text = list(text)


class EditError(PlaitError):
    """A rejected edit.

    reason: a constant of this module. cause: the code of the error that the edit would cause, or "". path: the path of
    the value. offers: alternatives. changes: for ALSO, the other values that would change, by key. got, is_secret: for
    OTHERWISE, the value that the output has instead, unless it is secret.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        path: str = "",
        at: Position | None = None,
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
        changes: Sequence[str] = (),
    ) -> None:
        super().__init__(
            message, at=at, expected=expected, found=found, hint=hint, code=f"edit-{reason.replace(' ', '-')}"
        )
        self.reason = reason
        self.cause = ""
        self.path = path
        self.offers: list[Alternative] = []
        self.changes = list(changes)
        self.got: Value = None
        self.is_secret = False

    def offer(self, offers: Sequence[Alternative]) -> EditError:
        """Adds alternatives, and returns the error to raise."""
        self.offers += offers
        told = _listed(self.offers)
        told = "\n".join(one for one in (self.hint, told) if one)
        self.hint = public(told) if told else None
        return self


def _listed(offers: Sequence[Alternative]) -> str | None:
    """Alternatives as a numbered list for a hint, or None."""
    lines = ["set it elsewhere:"] if offers else []
    for number, offer in enumerate(offers, 1):
        lines.append(f"{number}. {offer.words}")
        lines += [f"     {line}" for line in offer.text]
    return "\n".join(lines) or None
