"""Worker processes for calls with `isolated=True`, as used by the calling process.

Idle workers wait for the next call, at most one per processor. A forked process starts without workers.
`plait.api.worker` runs in the workers.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import threading
from collections.abc import Iterable, Mapping

from plait.api.cancellation import CURRENT
from plait.api.worker_messages import decode, error_of
from plait.base.children.worker import Worker
from plait.base.errors import LimitError
from plait.base.limits import Limits, limit_error
from plait.engine.results import Documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plait.api.worker_messages import ReplyPayload
    from plait.engine.results import State

# Additional seconds, so that the worker's own timer, whose message is more precise, fires first.
_GRACE = 0.3


def call_in_worker(name: str, given: Mapping[str, Any]) -> State:
    """Calls a function in a worker process. Returns the state of its result. name: the name of a function of the API,
    or with its module.

    Raises the errors of the call, and LimitError if the process was killed or died.
    """
    limits = Limits(**(given.get("limits") or {}))
    data = io.BytesIO()
    try:
        _Sender(data).dump((name, {key: _sent(value) for key, value in given.items()}, os.getcwd()))
    except (pickle.PicklingError, AttributeError) as error:
        raise TypeError(f"an argument cannot be sent to the isolated process: {error}") from None
    worker = _WORKERS.take()
    stop = CURRENT.get()
    if stop is not None:
        stop.ends_by(worker.kill)
    reply = _reply(worker, data.getvalue(), limits.seconds)
    goes_on = stop is None or stop.ends_by(None)
    if goes_on and not reply.get("spent"):
        _WORKERS.put_back(worker)
    else:
        worker.end()
    if "misuse" in reply:
        kind, text = reply["misuse"]
        raise (TypeError if kind == "TypeError" else ValueError)(text)
    if "failure" in reply:
        raise error_of(reply["failure"])
    return reply["result"]


def _sent(value: object) -> object:
    """An argument in serializable form. Iterators and views become lists."""
    if isinstance(value, str | bytes | os.PathLike | Documents) or not isinstance(value, Iterable):
        return value
    return dict(value) if isinstance(value, Mapping) else list(value)


class _Sender(pickle.Pickler):
    """Pickles arguments. Documents are sent as text."""

    def reducer_override(self, value: object) -> Any:
        return (Documents, (value.to_yaml(),)) if isinstance(value, Documents) else NotImplemented


def _reply(worker: Worker, data: bytes, seconds: float) -> ReplyPayload:
    """The reply to a call. Raises LimitError after its time limit, or if the process dies."""
    reply = worker.ask(data, seconds=seconds + _GRACE)
    if reply is not None:
        return decode(reply)
    status = worker.end()
    if worker.is_overdue:
        raise limit_error("this run", "seconds", seconds)
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    raise LimitError(
        f"the process of this run ended {how}",
        hint="it may have exceeded its memory or stack",
        code="process-ended",
    )


class Workers:
    """The idle workers."""

    def __init__(self) -> None:
        self._idle: list[Worker] = []
        self._lock = threading.Lock()

    def take(self) -> Worker:
        """An idle worker, or a new one."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive():
                    return worker
                worker.end()
        return Worker("plait.api.worker:serve")

    def put_back(self, worker: Worker) -> None:
        """Stores a worker for the next call."""
        with self._lock:
            if len(self._idle) < (os.cpu_count() or 1):
                self._idle.append(worker)
                return
        worker.end()

    def forget(self) -> None:
        """Forgets all workers, because they belong to the parent process."""
        self._lock = threading.Lock()
        self._idle = []


_WORKERS = Workers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_WORKERS.forget)
