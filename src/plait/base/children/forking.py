"""Copies the current process by `fork`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Exit status of a copy that ends by an error.
_FAILED = 70


def can_fork() -> bool:
    """True if the system has `fork` (Linux, macOS)."""
    return hasattr(os, "fork")


def forked(work: Callable[[], int]) -> int:
    """Copies this process. The copy does some work and ends with its status. Returns the process ID of the copy."""
    child = os.fork()
    if child:
        return child
    status = _FAILED
    try:
        status = work()
    finally:
        os._exit(status)
