"""Regular expressions of Python for documents, with bounded time.

A pattern such as `(a+)+$` may take practically forever on forty letters. On the main thread a timer interrupts Python's
matcher. On other threads RE2 matches in linear time, if the pattern has the same meaning in both; other patterns are
rejected there.
"""

from __future__ import annotations

import signal
import sys
import threading

from plait.base.errors import LimitError
from plait.base.limits import current_budget, limit_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Protocol, TypeVar

    Found = TypeVar("Found")

    class RegexMatch(Protocol):
        def group(self, group: int = 0, /) -> str | None: ...
        def start(self) -> int: ...
        def end(self) -> int: ...

    class Linear(Protocol):
        def search(self, text: str) -> RegexMatch | None: ...
        def finditer(self, text: str) -> list[RegexMatch]: ...


class RegexPattern:
    """A compiled pattern."""

    __slots__ = ("_regexp",)

    def __init__(self, regexp: re.Pattern[str]) -> None:
        self._regexp = regexp

    def search(self, text: str) -> re.Match[str] | RegexMatch | None:
        """The first match, or None. Raises LimitError."""
        if self._is_quick(text):
            return self._regexp.search(text)
        if _has_timer() and len(text) <= _LONG:
            return self._within(lambda: self._regexp.search(text))
        return self._linear(text).search(text)

    def sub(self, new: Callable[[object], str], text: str) -> str:
        """As `re.Pattern.sub`. Raises LimitError."""
        if self._is_quick(text):
            return self._regexp.sub(new, text)
        if _has_timer() and len(text) <= _LONG:
            return self._within(lambda: self._regexp.sub(new, text))
        out: list[str] = []
        end = 0
        run = current_budget()
        for match in self._linear(text).finditer(text):
            # Each match of a pattern such as `a.*b|a` scans the rest of the text.
            run.check_time()
            if match.end() == match.start():
                raise self._refused()
            out += [text[end : match.start()], new(match)]
            end = match.end()
        out.append(text[end:])
        return "".join(out)

    def expand(self, template: str, text: str) -> str:
        """The text with every match replaced by a template. As in `re.sub`, backslashes in the template are special.

        Raises LimitError, and `re.error` or IndexError for an invalid template.
        """
        if "\\" not in template:
            return self.sub(lambda _match: template, text)
        if self._is_quick(text):
            return self._regexp.sub(template, text)
        if _has_timer() and len(text) <= _LONG:
            return self._within(lambda: self._regexp.sub(template, text))
        raise self._refused()

    def _is_quick(self, text: str) -> bool:
        # A single repetition takes quadratic time at most. Alternatives or nested repetitions may take exponential
        # time.
        pattern = self._regexp.pattern
        quantifiers = sum(map(pattern.count, "*+{?"))
        return not quantifiers or (quantifiers == 1 and "|" not in pattern and len(text) <= _SHORT)

    def _within(self, work: Callable[[], Found]) -> Found:
        if sys.platform == "emscripten":
            return work()  # the browser ends its worker if it takes too long

        seconds = current_budget().limits.pattern

        def stop(_number: int, _frame: object) -> None:
            raise limit_error(
                f'the pattern "{self._regexp.pattern}"',
                "pattern",
                seconds,
                hint="nested repetitions can match in too many ways",
            )

        before = signal.signal(signal.SIGVTALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
            return work()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)

    def _linear(self, text: str) -> Linear:
        """The pattern for RE2. Raises LimitError unless both matchers find the same in this text."""
        pattern = self._regexp.pattern
        if not _means_the_same(pattern, text):
            raise self._refused()
        try:
            import re2
        except ImportError:
            raise self._refused() from None
        options = re2.Options()
        options.log_errors = False
        try:
            compiled: Linear = re2.compile(pattern, options)
        except re2.error:
            raise self._refused() from None
        if compiled.search("") is not None:
            # The matchers differ for repetitions of an empty match.
            raise self._refused()
        return compiled

    def _refused(self) -> LimitError:
        error = LimitError(
            f'the pattern "{self._regexp.pattern}" may take unlimited time',
            expected="a pattern that RE2 accepts, and plain text, for more than 64 KiB and outside of the main thread",
            hint=None if _has_timer() else "call plait from the main thread",
            code="limit-pattern",
        )
        error.limit = "pattern"
        return error


def _has_timer() -> bool:
    return threading.current_thread() is threading.main_thread() and sys.platform != "win32"


# Maximum length of a text for which quadratic matching takes a fraction of a second. Python's matcher checks for a
# timer only after thousands of steps, each of which may scan the whole text.
_LONG = 1 << 16
_SHORT = 10_000
_ESCAPES = frozenset("dDwWsSbBntr.-/\\^$*+?{}[]|()")
# Characters that are white space for Python, but not for RE2.
_OTHER_SPACES = "\x0b\x1c\x1d\x1e\x1f"


def _means_the_same(pattern: str, text: str) -> bool:
    """True if Python's matcher and RE2 are known to find the same matches. False if that is uncertain."""
    if not pattern.isascii() or not text.isascii() or text.endswith("\n"):
        return False
    if any(space in text for space in _OTHER_SPACES) or "[:" in pattern or "{," in pattern:
        return False
    place = pattern.find("\\")
    while place >= 0:
        if pattern[place + 1 : place + 2] not in _ESCAPES:
            return False
        place = pattern.find("\\", place + 2)
    place = pattern.find("(?")
    while place >= 0:
        if not pattern.startswith(("(?:", "(?P<"), place):
            return False
        place = pattern.find("(?", place + 2)
    return True
