"""What one execution of a target may take, against the size of its input: seconds of the processor, and memory."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable

# Instrumented code takes several times as long, and the first execution imports what it needs.
SECONDS, SECONDS_A_BYTE = 1.0, 0.0005
BYTES, BYTES_A_BYTE = 32 << 20, 8 << 10


class TooSlow(AssertionError):
    """An execution that takes longer than its input is worth."""


class TooLarge(AssertionError):
    """An execution that takes more memory than its input is worth."""


def bounded(target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """The target, which also raises when an execution takes more than it may."""

    @functools.wraps(target)
    def run(data: bytes) -> None:
        peak, now = _peak(), _now()
        start = time.process_time()
        target(data)
        seconds = time.process_time() - start
        if seconds > SECONDS + SECONDS_A_BYTE * len(data):
            raise TooSlow(f"{seconds:.2f} seconds for {len(data)} bytes")
        # Below the highest peak so far nothing is known; a higher one was reached by this execution.
        grown = _peak() - now
        if _peak() > peak and grown > BYTES + BYTES_A_BYTE * len(data):
            raise TooLarge(f"{grown >> 20} MiB for {len(data)} bytes")

    return run


def _peak() -> int:
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _now() -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return _peak()
