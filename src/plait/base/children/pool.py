"""A `concurrent.futures` executor that uses several Python processes of plait.

Each process is a `Worker`, and a thread in this process waits for its answers. Workers start in the same way on every
system and Python version. `multiprocessing` does not ensure that: its helpers are started with `python -c`, without a
safe path.
"""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import Executor, ThreadPoolExecutor

from plait.base.children.worker import Worker
from plait.base.process import goes_on, own_process, stop_timer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")
    W = TypeVar("W")

_ENTRY = "plait.base.children.serving:serve"


class WorkerEndedError(Exception):
    """A process ended before it answered."""


class Pool(Executor):
    """Calls functions of plait in worker processes. If a process ends, its call fails, and the next call gets a new
    process.

    count: number of processes; each is started on demand. begin: called with `given` once in each process, before its
    first call.
    """

    def __init__(self, count: int, begin: Callable[..., None], given: tuple[object, ...] = ()) -> None:
        self._first = pickle.dumps((begin, given))
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="plait-pool")
        self._own = threading.local()
        self._workers: set[Worker] = set()
        self._lock = threading.Lock()
        self._is_killed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Calls a function in one of the processes. The future raises the exception of the call, or
        WorkerEndedError.
        """
        return self._threads.submit(self._call, pickle.dumps((fn, args, kwargs)))

    def _call(self, data: bytes) -> Any:
        worker: Worker | None = getattr(self._own, "worker", None)
        reply = None
        if worker is None:
            worker = self._own.worker = self._started()
            if worker.ask(self._first) is not None:
                reply = worker.ask(data)
        else:
            reply = worker.ask(data)
        if reply is None:
            self._own.worker = None
            with self._lock:
                self._workers.discard(worker)
            worker.end()
            raise WorkerEndedError
        has_failed, result = pickle.loads(reply)  # noqa: S301 - from a process of ours
        if has_failed:
            raise result
        return result

    def _started(self) -> Worker:
        with self._lock:
            if self._is_killed:
                raise WorkerEndedError
            worker = Worker(_ENTRY, shows_errors=True)
            self._workers.add(worker)
        return worker

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes once the running calls are done. cancel_futures: drop calls that have not started."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            self._end()

    def kill(self) -> None:
        """Kills the processes. Started calls raise WorkerEndedError, others are dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._is_killed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown(wait=True)
        self._end()

    def _end(self) -> None:
        while self._workers:
            self._workers.pop().end()


def in_several(
    processes: int,
    work: Callable[[W], T],
    parts: Iterable[W],
    begin: Callable[..., None],
    given: tuple[object, ...] = (),
) -> Iterator[T | None]:
    """Runs `work` for each part. Yields the results in order; None if a process ended.

    begin: called with `given` once in each process, which also enforces the limits. Raises the exceptions of `work`.
    """
    pool = Pool(processes, _start_worker, (begin, given))
    try:
        for future in [pool.submit(work, part) for part in parts]:
            try:
                found = future.result()
            except WorkerEndedError:
                yield None
            else:
                yield found
        pool.shutdown()
    finally:
        pool.kill()


def _start_worker(begin: Callable[..., None], given: tuple[object, ...]) -> None:
    own_process()
    stop_timer()
    goes_on()
    begin(*given)
