"""The lines of an error's message, for reports that lay them out."""

from __future__ import annotations

from plait.base.errors import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.errors import PlaitError


def report_lines(error: PlaitError) -> list[str]:
    """The lines of the whole message, the heading first."""
    return text_of(error).split("\n")
