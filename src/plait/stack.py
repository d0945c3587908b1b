"""Room on the stack: what is nested or recursive is bounded by `limits.DEEPEST`, and the stack has to be deep enough for that.

The stack of a process's first thread is as large as the system says; that of another thread as large as whoever made it
wished, which nobody can ask. Where it is not known to be enough, work is done in a thread of our own. Python's limit of
recursion is one for all threads; it is raised while there is work, and then put back.
"""

from __future__ import annotations

import _thread
import sys

from plait.limits import DEEPEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

# Bytes: DEEPEST calls that each go through C take about 6 MiB.
_ENOUGH = 8 << 20
_OWN = 16 << 20


def first_is_deep_enough() -> bool:
    """Whether the stack of the process's first thread is; elsewhere than on Linux and macOS it is small."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_STACK, getrlimit
    except ImportError:
        return False
    size = getrlimit(RLIMIT_STACK)[0]
    return size == RLIM_INFINITY or size >= _ENOUGH


def with_room(work: Callable[[], T], *, first: bool) -> T:
    """What `work` gives, or raises, done on a stack that is deep enough. first: this is the process's first thread."""
    with _RAISED:
        if (first and first_is_deep_enough()) or _thread.get_ident() in _OURS:
            return work()
        return _in_own_thread(work)


def has_other_threads() -> bool:
    """Whether threads of somebody else run in this process."""
    if "threading" not in sys.modules:
        return False
    import threading

    return threading.active_count() > 1


_OURS: set[int] = set()


def _in_own_thread(work: Callable[[], T]) -> T:
    from contextvars import copy_context

    given: list[T] = []
    faults: list[BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        _OURS.add(_thread.get_ident())
        try:
            given.append(context.run(work))
        except BaseException as error:  # noqa: BLE001 - it is raised where the work was asked for
            faults.append(error)
        finally:
            _OURS.discard(_thread.get_ident())
            done.release()

    context = copy_context()
    with _STARTING:
        before = _thread.stack_size(_OWN)
        try:
            _thread.start_new_thread(run, ())
        finally:
            _thread.stack_size(before)
    # An interrupt comes to the first thread, which may be waiting here.
    done.acquire()
    if faults:
        raise faults.pop()
    return given.pop()


_STARTING = _thread.allocate_lock()


class _Raised:
    """The limit of recursion, raised as long as anybody is within."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._within = self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            if self._within == 0:
                self._before = sys.getrecursionlimit()
                if self._before < DEEPEST:
                    sys.setrecursionlimit(DEEPEST)
            self._within += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._within -= 1
            # What somebody else has set meanwhile stays.
            if self._within == 0 and sys.getrecursionlimit() == DEEPEST:
                sys.setrecursionlimit(self._before)


_RAISED = _Raised()
