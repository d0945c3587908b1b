"""A copy of the current process, created by `fork`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Exit status of a copy that was left by an error.
_FAILED = 70


def can_fork() -> bool:
    """True if the system has `fork` (Linux, macOS)."""
    return hasattr(os, "fork")


def forked(work: Callable[[], int]) -> int:
    """The process id of a copy of this process that does some work and ends with its status."""
    child = os.fork()
    if child:
        return child
    status = _FAILED
    try:
        status = work()
    finally:
        os._exit(status)
