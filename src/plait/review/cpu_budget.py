"""The CPU time that the search for causes may use."""

from __future__ import annotations

from time import process_time

from plait.base.limits import Limits, RunBudget, budget_scope, limit_error

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

    def scope(self) -> budget_scope:
        """A scope that ends an evaluation when the time is up."""
        return budget_scope(_Ending(self._end) if self._seconds else RunBudget(Limits()))

    def note(self, start: float) -> None:
        """Notes the time of an evaluation, which may have been ended. start: the CPU time before it."""
        self._last = process_time() - start


class _Ending(RunBudget):
    """The default limits of an evaluation that ends at a CPU time."""

    __slots__ = ("_end",)

    def __init__(self, end: float) -> None:
        super().__init__(Limits())
        self._end = end

    def check_time(self) -> None:
        super().check_time()
        if process_time() > self._end:
            raise limit_error("the review", "seconds", self.limits.seconds)
