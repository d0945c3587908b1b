"""Several Python processes of plait at work: a `concurrent.futures` executor.

Each process is a `Worker` with a thread here that waits for its answers. There is one way to start them on every system and in
every version of Python, which `multiprocessing` does not have: its helpers are started with `python -c`, without a safe path.
"""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import Executor, ThreadPoolExecutor

from plait.base.children.worker import Worker

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
    """Calls functions of plait in processes. A process that ends fails one call, and the next call gets a new one.

    count: number of processes, each of which is started when there is work for it. begin: is called with `given` once in each
    process, before its first call.
    """

    def __init__(self, count: int, begin: Callable[..., None], given: tuple[object, ...] = ()) -> None:
        self._first = pickle.dumps((begin, given))
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="plait-pool")
        self._own = threading.local()
        self._workers: set[Worker] = set()
        self._lock = threading.Lock()
        self._is_killed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in one of the processes. The future raises what the call raises, and WorkerEndedError."""
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
        """End the processes once the calls that have begun are done. cancel_futures: calls that have not begun are dropped."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            self._end()

    def kill(self) -> None:
        """End the processes at once: calls that have begun raise WorkerEndedError, the others are dropped."""
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
    """The results of `work` for each part, in the order of the parts; None where the process ended.

    begin: is called with `given` once in each process, which keeps the limits of what is run in it. Raises what the work
    raises.
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
    from plait.base.process import goes_on, own_process, stop_timer

    own_process()
    stop_timer()
    goes_on()
    begin(*given)
