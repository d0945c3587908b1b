"""Limits that a process enforces for its runs, memory and time, and the size of its stack.

A run that the API makes in somebody else's process is held to its limits by looking at them. The command line and the
workers of `plait.isolated` have a process of their own: on Linux the system refuses memory beyond the limit `memory`, and a
timer ends what is being done at the limit `seconds`. A single call into C that goes on is ended by nothing within the
process: see `plait.isolated`.

What is nested or recursive is bounded by `limits.DEEPEST`, and the stack has to be deep enough for that. The stack of a
process's first thread is as large as the system says; that of another thread as large as whoever made it wished, which
nobody can ask. Where it is not known to be enough, work is done in a thread of our own. Python's limit of recursion is one
for all threads; it is raised while there is work, and then put back.
"""

from __future__ import annotations

import _thread
import sys

from plait.base.limits import DEEPEST, Limits, RunBudget, budget_scope, current_budget, limit_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

# What a process has before it reads anything, and room in which the language sees that it is at its limit.
_BEFORE = 32 << 20
ENDLESS = 1 << 32
"""Seconds of what ends when it is ended."""


def own_process(report: Callable[[RunBudget], None] | None = None) -> None:
    """Let the process keep the limits of what is run in it from here on. report: hears of each run that begins."""
    budget_scope(RunBudget(Limits(), keeper(_BEFORE, report))).__enter__()


def keeper(before: int, report: Callable[[RunBudget], None] | None = None) -> Callable[[RunBudget], None]:
    """The function that enforces a run's limits. before: bytes of memory in use when the run begins, plus some room.

    It is called when a run begins and for each input, so it computes nothing twice.
    """
    bound_memory = _memory_bound(before)
    bound_time = _time_bound()

    def keep(run: RunBudget) -> None:
        bound_memory(run)
        if not run.taken:
            bound_time(run)
            if report is not None:
                report(run)

    return keep


def _time_bound() -> Callable[[RunBudget], None]:
    """The function that sets the timer of a run. Call it in the first thread of the process, which receives the signal."""
    import _signal as signal  # type: ignore[import-not-found]
    from time import monotonic

    if not hasattr(signal, "setitimer"):
        return lambda _run: None
    current: list[RunBudget] = []

    def stop(_number: int, _frame: object) -> None:
        current[0].check_time()

    signal.signal(signal.SIGALRM, stop)

    def bound(run: RunBudget) -> None:
        current[:] = [run]
        signal.setitimer(signal.ITIMER_REAL, max(run.deadline - monotonic(), 0) + 0.001)

    return bound


def stop_timer() -> None:
    """Let no timer end what comes after a run."""
    import _signal as signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _memory_bound(before: int) -> Callable[[RunBudget], None]:
    if sys.platform != "linux":
        return lambda _run: None
    try:
        from resource import RLIM_INFINITY, RLIMIT_DATA, getrlimit, setrlimit
    except ImportError:
        return lambda _run: None

    _, hard = getrlimit(RLIMIT_DATA)

    def bound(run: RunBudget) -> None:
        most = before + run.most("memory")
        setrlimit(RLIMIT_DATA, (most if hard == RLIM_INFINITY else min(most, hard), hard))

    return bound


def goes_on() -> None:
    """Let a process that is to evaluate again and again take back memory, which a command that ends soon leaves alone."""
    import gc

    if not gc.isenabled():
        collects_rarely()
        gc.enable()


def collects_rarely() -> None:
    """Ignores what is there by now, and looks through the rest less often than Python would: trees are no cycles."""
    import gc

    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def idle_collector() -> Callable[[], None]:
    """The function that such a process calls between requests: it frees the memory of the last one.

    Most objects of the first request serve the next ones, so they are kept and later calls ignore them.
    """
    import gc

    is_first = True

    def tidy() -> None:
        nonlocal is_first
        gc.collect()
        if is_first:
            gc.freeze()
        is_first = False

    return tidy


def within_memory(work: Callable[[], T]) -> T:
    """The result of `work`. Raises LimitError if the system refuses memory beyond the limit."""
    # Where there is no memory left, there is that much for saying so. Bytes of zeros are not written, so that the system
    # has nothing to do for them.
    ballast = [bytes(1 << 20)]
    try:
        return work()
    except MemoryError as error:
        ballast.clear()
        error.__traceback__ = error.__context__ = None
        unbound_memory()
        raise limit_error("the memory of this run", "memory", current_budget().most("memory")) from None


def serve_on(memory: int) -> budget_scope:
    """Within it the process goes on for as long as it is wanted: no timer ends it, the system refuses memory beyond so many
    bytes, and what is read belongs to no run.
    """
    stop_timer()
    endless = Limits(memory=memory, seconds=ENDLESS)
    _memory_bound(_BEFORE)(RunBudget(endless))
    return budget_scope(endless)


def unbound_memory() -> None:
    """Give room for the message about what has no room."""
    if sys.platform == "linux" and "resource" in sys.modules:
        from resource import RLIMIT_DATA, getrlimit, setrlimit

        _, hard = getrlimit(RLIMIT_DATA)
        setrlimit(RLIMIT_DATA, (hard, hard))


# ---- room on the stack

# Bytes: DEEPEST calls that each go through C take about 6 MiB.
_ENOUGH = 8 << 20
_OWN = 16 << 20


def first_is_deep_enough() -> bool:
    """True if the stack of the process's first thread is deep enough. False except on Linux and macOS."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_STACK, getrlimit
    except ImportError:
        return False
    size = getrlimit(RLIMIT_STACK)[0]
    return size == RLIM_INFINITY or size >= _ENOUGH


def with_stack_headroom(work: Callable[[], T], *, first: bool) -> T:
    """The result of `work`, run on a deep enough stack. first: called in the process's first thread."""
    if sys.platform == "emscripten":
        # A browser has one stack and no threads; Python's own limit of recursion knows how deep that stack is.
        return work()
    with _RAISED:
        if (first and first_is_deep_enough()) or _thread.get_ident() in _OURS:
            return work()
        return _in_own_thread(work)


def has_other_threads() -> bool:
    """True if the process has other threads."""
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
