"""The amount of text that a search of build files may read and produce.

Build files belong to other people: variables that name each other, and loops, could produce unlimited text.
"""

from __future__ import annotations

from plait.base.limits import current_budget

# Maximum characters of one search.
MOST_TEXT = 8 << 20
# Maximum characters of one value, and of one line of a Makefile or justfile after expansion; a longer one is unknown.
MOST_VALUE = 1 << 16
# The time is checked each time that this many characters were counted.
_CHECKED = 1 << 16


class TextBudget:
    """The characters that a search may still read and produce."""

    __slots__ = ("left",)

    def __init__(self, most: int = MOST_TEXT) -> None:
        self.left = most

    @property
    def is_spent(self) -> bool:
        """True if no text is left."""
        return self.left <= 0

    def take(self, size: int) -> bool:
        """Counts characters. Returns False if there are too many. Raises LimitError if the run takes too long."""
        before, self.left = self.left, self.left - size
        if before // _CHECKED != self.left // _CHECKED:
            current_budget().check_time()
        return self.left > 0
