"""Lanes: the maximum number of concurrent requests of a type, and of waiting ones.

Each type of work has its own lane, so that waiting writers do not delay readers, and long renderings do not delay short
requests. If a lane is full, the response is 503 with the header `Retry-After`.
"""

from __future__ import annotations

from anyio import CapacityLimiter, move_on_after, to_thread

from plait.service.api_errors import busy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")


class Lane:
    """A lane. width: number of requests that run at a time. waiting: number of requests that may wait. seconds: maximum
    time to wait.
    """

    def __init__(self, name: str, width: int, waiting: int, seconds: float = 30.0) -> None:
        self.name = name
        self.working = self.queued = self.refused = 0
        self._width, self._waiting, self._seconds = width, waiting, seconds
        self._places: CapacityLimiter | None = None
        self._threads: CapacityLimiter | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Runs some work in a thread. Raises ApiError (503) if the lane is full."""
        if self._places is None or self._threads is None:
            # These belong to the event loop. Waiting requests are counted separately from threads, so that waiting is
            # bounded.
            self._places, self._threads = CapacityLimiter(self._width), CapacityLimiter(self._width)
        if self.queued + self.working >= self._width + self._waiting:
            self.refused += 1
            raise busy(f"too many requests are waiting ({self.name})")
        self.queued += 1
        holder, has_place = object(), False
        try:
            with move_on_after(self._seconds):
                await self._places.acquire_on_behalf_of(holder)
                has_place = True
        finally:
            self.queued -= 1
        if not has_place:
            self.refused += 1
            raise busy(f"other requests took too long ({self.name})")
        self.working += 1
        try:
            # Shutdown does not wait for work that takes longer than the grace period.
            return await to_thread.run_sync(work, limiter=self._threads, abandon_on_cancel=True)
        finally:
            self.working -= 1
            self._places.release_on_behalf_of(holder)
