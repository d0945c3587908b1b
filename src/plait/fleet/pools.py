"""Where the runs of a fleet are made: in this process, in processes of this machine, or wherever an executor has its own.

All of these are `concurrent.futures` executors, so there is one loop that gives out work, in `driver`.
"""

from __future__ import annotations

from concurrent.futures import Executor, Future

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, Protocol, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

    class Pool(Protocol):
        """Where work is done. width: how much of it at a time. sent: the setup as it is sent with work."""

        width: int
        sent: object

        def open(self) -> Executor: ...

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

    def renew(self) -> bool:
        return False

    def close(self, *, at_once: bool) -> None:
        pass


class Processes:
    """Processes of this machine."""

    def __init__(self, count: int, sent: object) -> None:
        self.width = count
        self.sent = sent
        self._pool: Executor | None = None

    def open(self) -> Executor:
        from plait.children.pool import Pool as Started

        self._pool = Started(self.width, _begin)
        return self._pool

    def renew(self) -> bool:
        return False

    def close(self, *, at_once: bool) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=at_once)
            self._pool = None


class Given:
    """An executor of somebody else's, which stays open."""

    def __init__(self, executor: Executor, width: int, sent: object) -> None:
        self.width = width
        self.sent = sent
        self._executor = executor

    def open(self) -> Executor:
        return self._executor

    def renew(self) -> bool:
        return False

    def close(self, *, at_once: bool) -> None:
        pass


def _begin() -> None:
    """Prepare a process for runs: import what they need, which stays and is never looked through for garbage."""
    import gc
    from importlib import import_module

    import_module("plait.fleet.warm")
    gc.freeze()
