"""Pools that evaluate the runs of a fleet: this process, local processes, or those of an executor.

All of them are `concurrent.futures` executors, so that one loop distributes the work, in `scheduler`.
"""

from __future__ import annotations

import gc
from concurrent.futures import Executor, Future
from importlib import import_module

from plait.base.children.pool import Pool as Started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")


class ExecutorPool:
    """A `concurrent.futures` executor. An executor passed by the caller stays open. width: number of parallel tasks.
    sent: the setup as sent with work.
    """

    def __init__(self, width: int, sent: object, executor: Executor | None = None) -> None:
        self.width = width
        self.sent = sent
        self._executor = executor

    def open(self) -> Executor:
        assert self._executor is not None
        return self._executor

    def renew(self) -> bool:
        """Sends the setup again if it is lost. Returns True if it was lost; then work sent with it never ends."""
        return False

    def close(self, *, at_once: bool) -> None:
        """Releases the resources of `open`. at_once: drop work that has not started."""


class InlineExecutor(Executor):
    """Executes work immediately in this process."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
            future.set_exception(error)
        return future


class InlinePool(ExecutorPool):
    """The pool that consists of this process."""

    def __init__(self, sent: object, *, own_process: bool) -> None:
        super().__init__(1, sent, InlineExecutor())
        self._own_process = own_process

    def open(self) -> Executor:
        if self._own_process:
            # The environments live until the end. Collecting ten thousand of them takes longer than a run.
            gc.freeze()
        return super().open()


class Processes(ExecutorPool):
    """A pool of local processes."""

    def open(self) -> Executor:
        self._executor = Started(self.width, _begin)
        return self._executor

    def close(self, *, at_once: bool) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=at_once)
            self._executor = None


def _begin() -> None:
    """Prepares a process for runs: imports modules, and excludes them from garbage collection."""
    import_module("plait.fleet.preload")
    gc.freeze()
