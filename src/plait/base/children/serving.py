"""The worker's side of the protocol, and the server for a `Pool`, which calls the functions it receives."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from _thread import start_new_thread
from queue import SimpleQueue

from plait.base.children.worker import receive, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO


def serve() -> None:
    """Serves a `Pool`. The first message is the function that prepares the process; every other message is a call."""
    first = iter((_begin,))
    serve_by(lambda data: (next(first, _answer)(data), False))


def serve_by(answer: Callable[[bytes], tuple[bytes, bool]]) -> None:
    """Answers messages of standard input on standard output. answer: the reply to a message; True for the last one."""
    # The process that sends the messages handles interrupts, and then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Output printed by the work must not become part of an answer.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    messages: SimpleQueue[bytes] = SimpleQueue()
    # Not `threading`: some limits check that the process has no other threads.
    start_new_thread(_listen, (sys.stdin.buffer, messages))
    is_last = False
    while not is_last:
        reply, is_last = answer(messages.get())
        try:
            send(answers, reply)
        except BrokenPipeError:
            os._exit(0)  # as at the end of the input, because the reply is not expected


def _begin(data: bytes) -> bytes:
    begin, given = pickle.loads(data)  # noqa: S301 - from our own parent
    begin(*given)
    return b""


def _answer(data: bytes) -> bytes:
    """The pickled result or exception of a call."""
    function, arguments, options = pickle.loads(data)  # noqa: S301 - from our own parent
    try:
        return pickle.dumps((False, function(*arguments, **options)))
    except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
        return _failure(error)


def _failure(error: Exception) -> bytes:
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        data = pickle.dumps((True, error))
        pickle.loads(data)  # noqa: S301 - not every error can be put together again
    except Exception:  # noqa: BLE001 - then its text has to do
        data = pickle.dumps((True, RuntimeError(f"{type(error).__name__}: {error}")))
    return data


def _listen(stream: IO[bytes], messages: SimpleQueue[bytes]) -> None:
    """Receives messages. When the input ends, the results are no longer needed, so the process exits immediately."""
    while (data := receive(stream)) is not None:
        messages.put(data)
    os._exit(0)
