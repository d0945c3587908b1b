"""Where the runs of a fleet are made: in this process, in processes of this machine, or wherever an executor has its own.

All of these are `concurrent.futures` executors, so there is one loop that gives out work, in `driver`.
"""

from __future__ import annotations

from concurrent.futures import Executor, Future

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import ParamSpec, Protocol, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

    class Pool(Protocol):
        """Where work is done. width: how much of it at a time. sent: the setup as it is sent with work."""

        width: int
        sent: object

        def open(self) -> Executor: ...

        def reopen(self) -> Executor | None:
            """Another one for one that broke; None if there is none."""
            ...

        def renew(self) -> bool:
            """See to it that what work is sent with is still there: whether it was not, so that nothing comes of that work."""
            ...

        def close(self, *, at_once: bool) -> None: ...


class Here(Executor):
    """Does what it is given at once, in this process."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
            future.set_exception(error)
        return future


class InProcess:
    """No other process than the one that there is."""

    width = 1

    def __init__(self, sent: object, *, own_process: bool) -> None:
        self.sent = sent
        self._own_process = own_process

    def open(self) -> Executor:
        if self._own_process:
            import gc

            # The environments stay to the end; looking through ten thousand of them takes longer than a run.
            gc.freeze()
        return Here()

    def reopen(self) -> Executor | None:
        return None

    def renew(self) -> bool:
        return False

    def close(self, *, at_once: bool) -> None:
        pass


class Processes:
    """Processes of this machine, started by a server that has imported what runs need."""

    def __init__(self, count: int, sent: object) -> None:
        self.width = count
        self.sent = sent
        self._pool: Executor | None = None
        self._main: ModuleType | None = None

    def open(self) -> Executor:
        import multiprocessing
        import os
        import sys
        from concurrent.futures import ProcessPoolExecutor
        from types import ModuleType

        ways = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in ways else "spawn")
        if "forkserver" in ways:
            context.set_forkserver_preload(["plait.fleet.warm"])
        # A new process would first run the program that this one was started with, which has nothing that it needs.
        self._main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        self._pool = ProcessPoolExecutor(
            self.width, mp_context=context, initializer=_begin, initargs=(dict(os.environ),)
        )
        return self._pool

    def reopen(self) -> Executor | None:
        self.close(at_once=True)
        return self.open()

    def renew(self) -> bool:
        return False

    def close(self, *, at_once: bool) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=at_once)
            self._pool = None
        if self._main is not None:
            import sys

            sys.modules["__main__"], self._main = self._main, None


class Given:
    """An executor of somebody else's, which stays open."""

    def __init__(self, executor: Executor, width: int, sent: object) -> None:
        self.width = width
        self.sent = sent
        self._executor = executor

    def open(self) -> Executor:
        return self._executor

    def reopen(self) -> Executor | None:
        return None

    def renew(self) -> bool:
        return False

    def close(self, *, at_once: bool) -> None:
        pass


def _begin(environment: dict[str, str]) -> None:
    """The beginning of a process: an interrupt is for the one that gives out work, which then ends the others.

    environment: of the one that gives out work, which is not always that of the server that starts processes.
    """
    import gc
    import os
    import signal
    from threading import Thread

    if environment != os.environ:
        os.environ.clear()
        os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What was imported stays; there is no use in looking through it.
    gc.freeze()
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Nobody takes what this process makes once the one that gives out work has ended, however it did."""
    import os
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
