"""Limits of memory and time that a process enforces for its evaluations, and the size of its stack.

An evaluation through the API in the caller's process checks its limits itself. The command line and workers of
`plait.isolated` have their own process: on Linux the system refuses memory beyond the limit `memory`, and a timer ends
the evaluation at the limit `seconds`. Only `plait.isolated` can end a single long call into C.

Nesting and recursion are limited by `limits.DEEPEST`, and the stack must be large enough for that. The system defines
the size of the first thread's stack; the size of other threads' stacks cannot be queried. If the stack may be too
small, work runs in a new thread. Python's global recursion limit is raised during the work, and then restored.
"""

from __future__ import annotations

import _thread
import gc
import sys
from time import monotonic

from plait.base.limits import DEEPEST, Limits, RunBudget, budget_scope, current_budget, limit_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

# Memory of a process before it reads input, plus a reserve for detecting the limit.
_BEFORE = 32 << 20
ENDLESS = 1 << 32
"""Time limit in seconds of a process that ends only when it is stopped."""


def own_process(report: Callable[[RunBudget], None] | None = None) -> None:
    """Enforces the limits of all further evaluations in this process. report: called at the start of each
    evaluation.
    """
    budget_scope(RunBudget(Limits(), keeper(_BEFORE, report))).__enter__()


def keeper(before: int, report: Callable[[RunBudget], None] | None = None) -> Callable[[RunBudget], None]:
    """Returns the function that enforces an evaluation's limits. before: bytes of memory in use at its start, plus a
    reserve.

    It is called at the start of an evaluation and for each input, so it computes nothing twice.
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
    """Returns the function that sets the timer of a run. Call it in the first thread of the process, which receives the
    signal.
    """
    import _signal as signal  # type: ignore[import-not-found]

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
    """Stops the timer, so that it does not end code after the evaluation."""
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
    """Enables garbage collection, for a process that evaluates repeatedly. Short commands run without it."""
    if not gc.isenabled():
        collects_rarely()
        gc.enable()


def collects_rarely() -> None:
    """Excludes existing objects from garbage collection, and makes collections rarer than Python's default."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def idle_collector() -> Callable[[], None]:
    """Returns a function that collects garbage, to be called when idle.

    After the first request it also freezes the surviving objects, so that later collections are short.
    """
    is_first = True

    def tidy() -> None:
        nonlocal is_first
        gc.collect()
        if is_first:
            gc.freeze()
        is_first = False

    return tidy


def within_memory(work: Callable[[], T]) -> T:
    """Runs `work`. Raises LimitError if the system refuses memory beyond the limit."""
    # A reserve for reporting the error when memory is exhausted. Bytes of zeros are not written, so the reserve costs
    # the system nothing.
    ballast = [bytes(1 << 20)]
    try:
        return work()
    except MemoryError as error:
        ballast.clear()
        error.__traceback__ = error.__context__ = None
        unbound_memory()
        raise limit_error("the memory of this run", "memory", current_budget().most("memory")) from None


def serve_on(memory: int) -> budget_scope:
    """The scope of a long-running process: without timer, and with `memory` bytes that the system enforces. Reads
    outside of requests belong to no evaluation.
    """
    stop_timer()
    endless = Limits(memory=memory, seconds=ENDLESS)
    _memory_bound(_BEFORE)(RunBudget(endless))
    return budget_scope(endless)


def unbound_memory() -> None:
    """Removes the memory limit, so that an out-of-memory error can be reported."""
    if sys.platform == "linux" and "resource" in sys.modules:
        from resource import RLIMIT_DATA, getrlimit, setrlimit

        _, hard = getrlimit(RLIMIT_DATA)
        setrlimit(RLIMIT_DATA, (hard, hard))


# ---- stack size

# Stack size in bytes. DEEPEST nested calls through C take about 6 MiB.
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
    """Runs `work` on a deep enough stack. first: called in the process's first thread."""
    if sys.platform == "emscripten":
        # A browser has one stack and no threads. Python's recursion limit fits that stack.
        return work()
    with _RAISED:
        if (first and first_is_deep_enough()) or _thread.get_ident() in _OURS:
            return work()
        return _in_own_thread(work)


def has_other_threads() -> bool:
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
    # Interrupts are delivered to the first thread, which may be waiting here.
    done.acquire()
    if faults:
        raise faults.pop()
    return given.pop()


_STARTING = _thread.allocate_lock()


class _Raised:
    """Raises Python's recursion limit while any thread is inside the context."""

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
            # A limit set by other code in the meantime stays.
            if self._within == 0 and sys.getrecursionlimit() == DEEPEST:
                sys.setrecursionlimit(self._before)


_RAISED = _Raised()
