"""Two limits that the process itself keeps, where it is plait's own: memory, which the system refuses, and time, by a timer.

A run that the API makes in somebody else's process is held to its limits by looking at them. The command line and the
workers of `plait.isolated` have a process of their own: on Linux the system refuses memory beyond the limit `memory`, and a
timer ends what is being done at the limit `seconds`. A single call into C that goes on is ended by nothing within the
process: see `plait.isolated`.
"""

from __future__ import annotations

import sys

from plait.limits import Allowance, Limits, allowance, exceeded, limited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

# What a process has before it reads anything, and room in which the language sees that it is at its limit.
_BEFORE = 32 << 20


def own_process(told: Callable[[Allowance], None] | None = None) -> None:
    """Let the process keep the limits of what is run in it from here on. told: hears of each run that begins."""
    limited(Allowance(Limits(), keeper(_BEFORE, told))).__enter__()


def keeper(before: int, told: Callable[[Allowance], None] | None = None) -> Callable[[Allowance], None]:
    """What keeps a run's limits. before: bytes that the process has when the run begins, and some room.

    It is called when a run begins and for each of its inputs, and so looks up nothing again.
    """
    bound_memory = _memory_bound(before)
    bound_time = _time_bound()

    def keep(run: Allowance) -> None:
        bound_memory(run)
        if not run.taken:
            bound_time(run)
            if told is not None:
                told(run)

    return keep


def _time_bound() -> Callable[[Allowance], None]:
    """What sets the timer for a run; to be called in the process's first thread, which is the one that a signal calls."""
    import _signal as signal  # type: ignore[import-not-found]
    from time import monotonic

    if not hasattr(signal, "setitimer"):
        return lambda _run: None
    current: list[Allowance] = []

    def stop(_number: int, _frame: object) -> None:
        current[0].check_time()

    signal.signal(signal.SIGALRM, stop)

    def bound(run: Allowance) -> None:
        current[:] = [run]
        signal.setitimer(signal.ITIMER_REAL, max(run.deadline - monotonic(), 0) + 0.001)

    return bound


def stop_timer() -> None:
    """Let no timer end what comes after a run."""
    import _signal as signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _memory_bound(before: int) -> Callable[[Allowance], None]:
    if sys.platform != "linux":
        return lambda _run: None
    try:
        from resource import RLIM_INFINITY, RLIMIT_DATA, getrlimit, setrlimit
    except ImportError:
        return lambda _run: None

    _, hard = getrlimit(RLIMIT_DATA)

    def bound(run: Allowance) -> None:
        most = before + run.most("memory")
        setrlimit(RLIMIT_DATA, (most if hard == RLIM_INFINITY else min(most, hard), hard))

    return bound


def within_memory(work: Callable[[], T]) -> T:
    """What `work` gives. Raises LimitError where the memory runs out, which the system refuses past the limit."""
    # Where there is no memory left, there is that much for saying so.
    ballast = [bytearray(1 << 20)]
    try:
        return work()
    except MemoryError as error:
        ballast.clear()
        error.__traceback__ = error.__context__ = None
        unbound_memory()
        raise exceeded("the memory of this run", "memory", allowance().most("memory")) from None


def unbound_memory() -> None:
    """Give room for the message about what has no room."""
    if sys.platform == "linux" and "resource" in sys.modules:
        from resource import RLIMIT_DATA, getrlimit, setrlimit

        _, hard = getrlimit(RLIMIT_DATA)
        setrlimit(RLIMIT_DATA, (hard, hard))
