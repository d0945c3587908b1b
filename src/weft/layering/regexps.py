"""Regular expressions of documents: Python's, as in the reference, and bounded in time.

A pattern such as `(a+)+$` takes longer than anybody waits for on a text of forty letters. The matcher lets signals
through, so on the main thread a timer of the process's own time ends it; elsewhere there is no such bound.
"""

from __future__ import annotations

from weft.errors import LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import TypeVar

    Found = TypeVar("Found")

SECONDS = 1.0


class Pattern:
    """A compiled pattern."""

    __slots__ = ("_regexp",)

    def __init__(self, regexp: re.Pattern[str]) -> None:
        self._regexp = regexp

    def search(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.search`. Raises LimitError."""
        return self._within(lambda: self._regexp.search(text))

    def sub(self, new: Callable[[re.Match[str]], str], text: str) -> str:
        """As `re.Pattern.sub`. Raises LimitError."""
        return self._within(lambda: self._regexp.sub(new, text))

    def _within(self, work: Callable[[], Found]) -> Found:
        # Without two quantifiers nothing takes longer than the square of the text.
        if sum(map(self._regexp.pattern.count, "*+{")) < 2:
            return work()
        import signal

        def stop(_number: int, _frame: object) -> None:
            raise LimitError(
                f'the pattern "{self._regexp.pattern}" takes more than {SECONDS:g} s',
                hint="one repetition within another can be matched in too many ways",
            )

        try:
            before = signal.signal(signal.SIGVTALRM, stop)
        except (ValueError, AttributeError):  # not the main thread; Windows
            return work()
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            return work()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
