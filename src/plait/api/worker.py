"""A worker process: receives API calls, one at a time, and sends back the results (see `plait.api.workers`).

In this process the system refuses memory beyond the limit `memory` of a call, and a timer ends a call at the limit
`seconds`. If both fail, the calling process kills it.
"""

from __future__ import annotations

import os
import pickle
from importlib import import_module

import plait
from plait.api.worker_messages import encode, failure_of
from plait.base.children.serving import serve_by
from plait.base.errors import LimitError, PlaitError
from plait.base.limits import Limits, RunBudget, budget_scope
from plait.base.process import collects_rarely, keeper, stop_timer, unbound_memory, within_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from plait.api.worker_messages import ReplyPayload

# A worker whose memory has grown by this many bytes ends. The next call gets a new worker.
_MOST_KEPT = 64 << 20


def serve() -> None:
    """Answers calls until there are no more, or until the process has used too much memory."""
    collects_rarely()
    most = data_size() + _MOST_KEPT
    serve_by(lambda call: _answer(call, most))


def _answer(data: bytes, most: int) -> tuple[bytes, bool]:
    """The reply to a call, and True if the process must end. most: bytes of data that the process may retain."""
    name, arguments, directory = pickle.loads(data)  # noqa: S301 - from our own parent

    def answered() -> tuple[bytes, bool]:
        reply: ReplyPayload = {"result": call(**given).state()}
        reply["spent"] = data_size() > most
        return encode(reply), reply["spent"]

    try:
        os.chdir(directory)
        module, _, function = name.rpartition(".")
        call = getattr(import_module(module) if module else plait, function)
        given = dict(arguments)
        limits: Mapping[str, float] = given.pop("limits", None) or {}
        with budget_scope(RunBudget(Limits(**limits), keeper(data_size() + _ROOM))):
            try:
                return within_memory(answered)  # the sent data is a copy of the text, so it is counted
            finally:
                stop_timer()
                unbound_memory()
    except PlaitError as error:
        is_spent = (isinstance(error, LimitError) and error.limit == "memory") or data_size() > most
        return encode({"failure": failure_of(error), "spent": is_spent}), is_spent
    except (TypeError, ValueError) as error:
        return encode({"misuse": (type(error).__name__, str(error))}), False


# Memory in bytes reserved for detecting the limit, and for imports on first use.
_ROOM = 24 << 20


def data_size() -> int:
    """The bytes of data of the process, or 0 if unknown."""
    try:
        with open("/proc/self/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmData:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0
