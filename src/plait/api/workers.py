"""The worker processes that calls with `isolated=True` are sent to, from the side of the process that sends them.

Workers that are done wait for the next call: as many as there are processors. A process that was forked begins with none.
What runs in a worker is in `plait.api.worker`.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import threading
from collections.abc import Iterable, Mapping

from plait.api.messages import decode, error_of
from plait.api.stopping import CURRENT
from plait.children.worker import Worker
from plait.engine.results import Documents
from plait.errors import LimitError
from plait.limits import Limits, exceeded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plait.api.messages import Reply
    from plait.engine.results import State

# Seconds: the worker's own timer comes first, and its message says more.
_GRACE = 0.3


def call_in_worker(name: str, given: Mapping[str, Any]) -> State:
    """Call a function in a worker process, with these arguments; the state of what it gives. name: of the API, or with its module.

    Raises what the call raises, and LimitError when the process had to be ended, or ended by itself.
    """
    limits = Limits(**(given.get("limits") or {}))
    data = io.BytesIO()
    try:
        _Sender(data).dump((name, {key: _sent(value) for key, value in given.items()}, os.getcwd()))
    except (pickle.PicklingError, AttributeError) as error:
        raise TypeError(f"an isolated call cannot be given this: {error}") from None
    worker = _WORKERS.take()
    stop = CURRENT.get()
    if stop is not None:
        stop.ends_by(worker.kill)
    reply = _reply(worker, data.getvalue(), limits.seconds)
    goes_on = stop is None or stop.ends_by(None)
    if goes_on and not reply.get("spent"):
        _WORKERS.give_back(worker)
    else:
        worker.end()
    if "misuse" in reply:
        kind, text = reply["misuse"]
        raise (TypeError if kind == "TypeError" else ValueError)(text)
    if "failure" in reply:
        raise error_of(reply["failure"])
    return reply["result"]


def _sent(value: object) -> object:
    """An argument as it is sent: iterators and views cannot be."""
    if isinstance(value, str | bytes | os.PathLike | Documents) or not isinstance(value, Iterable):
        return value
    return dict(value) if isinstance(value, Mapping) else list(value)


class _Sender(pickle.Pickler):
    """Writes arguments; documents go as their text."""

    def reducer_override(self, value: object) -> Any:
        return (Documents, (value.to_yaml(),)) if isinstance(value, Documents) else NotImplemented


def _reply(worker: Worker, data: bytes, seconds: float) -> Reply:
    """The reply to a call. Raises LimitError if it takes too long, or the process ends."""
    reply = worker.ask(data, seconds=seconds + _GRACE)
    if reply is not None:
        return decode(reply)
    status = worker.end()
    if worker.is_overdue:
        raise exceeded("this run", "seconds", seconds)
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    raise LimitError(
        f"the process of this run ended {how}",
        hint="it had too little memory, or too small a stack",
        code="process-ended",
    )


class Workers:
    """The workers that wait for a call."""

    def __init__(self) -> None:
        self._idle: list[Worker] = []
        self._lock = threading.Lock()

    def take(self) -> Worker:
        """A worker that nobody else has."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive():
                    return worker
                worker.end()
        return Worker("plait.api.worker:serve")

    def give_back(self, worker: Worker) -> None:
        """Keep a worker for the next call."""
        with self._lock:
            if len(self._idle) < (os.cpu_count() or 1):
                self._idle.append(worker)
                return
        worker.end()

    def forget(self) -> None:
        """Begin with none: those that there are belong to another process."""
        self._lock = threading.Lock()
        self._idle = []


_WORKERS = Workers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_WORKERS.forget)
