"""A call that another thread can stop."""

from __future__ import annotations

import threading
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Canceller:
    """Cancels a call from another thread, through a function set by the call."""

    __slots__ = ("_end", "_lock", "is_set")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None
        self.is_set = False

    def set(self) -> None:
        """Ends the call, now or as soon as it starts."""
        with self._lock:
            self.is_set = True
            if self._end is not None:
                self._end()

    def ends_by(self, end: Callable[[], None] | None) -> bool:
        """Called by the call itself: sets the function that cancels it, or None. Returns False if it is already
        cancelled.
        """
        with self._lock:
            self._end = end
            if self.is_set and end is not None:
                end()
            return not self.is_set


CURRENT: ContextVar[Canceller | None] = ContextVar("plait_stop", default=None)
"""The object that may end the current call."""
