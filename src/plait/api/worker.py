"""A worker process: it is sent calls of the API, one at a time, and sends back what they gave (see `plait.api.workers`).

Its process is its own: the system refuses memory beyond the limit `memory` of a call, and a timer ends a call at the limit
`seconds`. What neither reaches, the process that sent the call ends from outside.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys

from plait.api.messages import encode, failure_of
from plait.errors import LimitError, PlaitError
from plait.limits import Allowance, Limits, limited
from plait.process import keeper, stop_timer, unbound_memory, within_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from plait.api.messages import Reply

# A worker that has grown by so many bytes ends, and the next call gets a new one.
_MOST_KEPT = 64 << 20


def serve() -> None:
    """Answer calls from standard input on standard output until there are no more, or a call has used the process up."""
    # An interrupt is for the process that sent the call, which then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    calls = sys.stdin.buffer
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    first = data_size()
    while head := calls.read(8):
        name, arguments, directory = pickle.loads(calls.read(int.from_bytes(head)))  # noqa: S301 - from our own parent
        reply = _reply(name, arguments, directory)
        if data_size() > first + _MOST_KEPT:
            reply["spent"] = True
        _send(replies, encode(reply))
        if reply.get("spent"):
            return


def _send(to: BinaryIO, data: bytes) -> None:
    to.write(len(data).to_bytes(8))
    to.write(data)
    to.flush()


def _reply(name: str, arguments: Mapping[str, object], directory: str) -> Reply:
    import plait

    try:
        os.chdir(directory)
        call = getattr(plait, name)
        given = dict(arguments)
        limits: Mapping[str, float] = given.pop("limits", None) or {}  # type: ignore[assignment]
        with limited(Allowance(Limits(**limits), keeper(data_size() + _ROOM))):
            try:
                return {"result": within_memory(lambda: call(**given).state())}
            finally:
                stop_timer()
                unbound_memory()
    except PlaitError as error:
        return {"failure": failure_of(error), "spent": isinstance(error, LimitError) and error.limit == "memory"}
    except (TypeError, ValueError) as error:
        return {"misuse": (type(error).__name__, str(error))}


# Bytes in which the language sees that it is at its limit, and what is imported at first use.
_ROOM = 24 << 20


def data_size() -> int:
    """The bytes of data that the process has, where the system tells."""
    try:
        with open("/proc/self/status", "rb") as file:
            for line in file:
                if line.startswith(b"VmData:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0
