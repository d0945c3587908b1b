"""The CPU time that the search for causes may use."""

from __future__ import annotations

from time import process_time

# Seconds of one review.
DEFAULT = 10


class CpuBudget:
    """The CPU time of a search that consists of evaluations. seconds: 0 for no limit. is_spent: something was left out."""

    __slots__ = ("_end", "_last", "_seconds", "is_spent")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = 0.0
        self._last = 0.0
        self.is_spent = False

    def begin(self) -> None:
        """Starts the clock."""
        self._end = process_time() + self._seconds

    def allows(self) -> bool:
        """True if there is time for another evaluation, which takes as long as the last one."""
        if self._seconds and process_time() + self._last > self._end:
            self.is_spent = True
        return not self.is_spent

    def note(self, start: float) -> None:
        """Notes the time of an evaluation. start: the CPU time before it."""
        self._last = process_time() - start
