"""Evaluates one request in a separate process without access to other resources.

Request and response are JSON. A module that responds has two functions: `lay_out(request)` writes the files of the
request to the working directory, and `evaluate(request)` returns the response. In between, the process permanently
loses the right to write files, read other files than the request's and Python's own, start programs and use the
network.

`ask` starts a process for each request. A `Sandbox` starts one, which copies itself for each request: the modules are
loaded once. It never reads a request itself.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
from _thread import start_new_thread
from functools import partial
from importlib import import_module
from sysconfig import get_path
from traceback import extract_tb

from plait.base.children.forking import forked
from plait.base.children.serving import serve_by
from plait.base.children.worker import Worker, receive, send
from plait.base.errors import LimitError, PlaitError, UsageError
from plait.base.process import with_stack_headroom
from plait.base.writing.directory import temporary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class EvaluationFault(PlaitError):
    """An internal error in the sandbox: its type and code positions, without values of the request."""


_MEMORY = 2 << 30
# Maximum size in bytes: twice the characters that a run may print (the limit `output`).
_MOST_ANSWER = 128 << 20
_FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "os.startfile")
_WRITES = (
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "shutil.",
)


def ask(module: str, request: bytes, *, seconds: float) -> bytes:
    """Sends a request to a module and returns its response, both JSON. seconds: time limit, including the start of the
    process.

    Raises LimitError after that time, UsageError for an invalid request, EvaluationFault.
    """
    # An empty directory, so that no file of the user has the name of a request's file.
    with temporary("plait-") as empty:
        worker = _worker("plait.base.sandbox:serve", empty.real)
        try:
            reply = worker.ask(module.encode() + b"\n" + request, seconds=seconds)
        finally:
            worker.end()
    return _checked(worker, reply)


class Sandbox:
    """A process that answers requests for a module, one at a time, each in a copy of itself. Needs `can_fork`.

    entry: the function that serves it, as `module:function`; it calls `serve_copies`.
    """

    __slots__ = ("_worker",)

    def __init__(self, entry: str) -> None:
        """Raises PlaitError if it cannot be started."""
        self._worker = _worker(entry, None)

    def ask(self, request: bytes, *, seconds: float) -> bytes:
        """The response to a request. Raises as the function `ask`. Without a response, the process has ended."""
        with temporary("plait-") as empty:
            reply = self._worker.ask(os.fsencode(empty.real) + b"\0" + request, seconds=seconds)
            if reply is None:
                self.end()
        return _checked(self._worker, reply)

    @property
    def process(self) -> int:
        """The process ID, which is also that of the group of its copies."""
        return self._worker.process

    def is_alive(self) -> bool:
        """True while it can answer."""
        return self._worker.is_alive()

    def end(self) -> None:
        """Kills the process and its copies, and waits for it."""
        self._worker.end()


def _worker(entry: str, directory: str | None) -> Worker:
    # Without this variable Python does not start on Windows.
    environment = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    flags = ("-B", "-X", "utf8")
    return Worker(entry, maximum=_MOST_ANSWER, flags=flags, directory=directory, environment=environment)


def _checked(worker: Worker, reply: bytes | None) -> bytes:
    if worker.is_overdue:
        raise LimitError("the evaluation took too long and was killed", code="process-ended")
    if not reply:
        raise LimitError(
            "the evaluation ended without an answer",
            hint="it may have exceeded its memory limit",
            code="process-ended",
        )
    if reply[:1] == _WRONG:
        raise UsageError(reply[1:].decode().strip(), code="website-request")
    if reply[:1] == _FAULT:
        told = reply[1:].decode()
        raise EvaluationFault(f"internal error: {told}", hint="this is a bug in plait", code="process-ended")
    return reply[1:]


# The first byte of a reply.
_RIGHT, _WRONG, _FAULT = b"+", b"-", b"!"


def serve() -> None:
    """Answers one request."""
    serve_by(lambda data: (_answer(data), True))


def serve_copies(name: str) -> None:
    """Answers requests for a module, each in a copy of this process, until one of them ends without an answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import_module(name)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Output printed by the work must not become part of an answer.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    gc.freeze()  # the pages of what is loaded stay shared with the copies

    def answer(data: bytes) -> int:
        directory, _, request = data.partition(b"\0")
        os.chdir(directory)
        start_new_thread(_end_with_input, (sys.stdin.fileno(),))
        send(answers, _answer(name.encode() + b"\n" + request))
        return 0

    while (data := receive(sys.stdin.buffer)) is not None:
        if os.waitpid(forked(partial(answer, data)), 0)[1]:
            return


def _end_with_input(requests: int) -> None:
    """Ends a copy when no one waits for its answer any longer. It does not read: the next message is not for a copy.
    requests: the descriptor of the pipe.
    """
    watch = select.poll()
    watch.register(requests, 0)
    while not any(event & select.POLLHUP for _, event in watch.poll()):
        pass
    os._exit(1)


def _answer(data: bytes) -> bytes:
    name, _, request = data.partition(b"\n")
    try:
        return _RIGHT + with_stack_headroom(lambda: _evaluated(name.decode(), request), first=True)
    except RecursionError:
        return _WRONG + b"the request is nested too deeply"
    except (PlaitError, ValueError, OSError) as error:
        told = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else str(error)
        return _WRONG + told.encode("utf-8", "replace")
    except Exception as error:  # noqa: BLE001 - who has asked reports it
        return _FAULT + _place_of(error).encode()


def _place_of(error: Exception) -> str:
    """The type of an error, and its last position in plait's code."""
    own = [one for one in extract_tb(error.__traceback__) if f"{os.sep}plait{os.sep}" in one.filename]
    places = [f"{one.filename.rpartition(f'{os.sep}plait{os.sep}')[2]}:{one.lineno}" for one in own[-3:]]
    return f"{type(error).__name__} at {' > '.join(places)}"


def _evaluated(name: str, request: bytes) -> bytes:
    """The JSON of a module's response."""
    module = import_module(name)
    given = json.loads(request)
    module.lay_out(given)
    # A file named "-" is empty: standard input is the pipe of the requests.
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - until the process ends
    seal()
    return json.dumps(module.evaluate(given)).encode()


def seal() -> None:
    """Permanently forbids this process every access to outside resources."""
    _bound_memory()
    own = tuple({os.path.join(os.path.abspath(path), "") for path in [*_libraries(), os.getcwd()]})
    _hide_others(own)

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            reads = isinstance(flags, int) and not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if not reads or not isinstance(path, str) or not os.path.abspath(path).startswith(own):
                raise PermissionError(13, "the sandbox cannot read files of this machine", str(path))
        elif event in ("os.listdir", "os.scandir"):
            if not os.path.join(os.path.abspath(str(arguments[0])), "").startswith(own):
                raise PermissionError(13, "the sandbox cannot list directories of this machine", str(arguments[0]))
        elif event.startswith((*_FORBIDDEN, *_WRITES)):
            raise PermissionError(13, "the sandbox does not allow this", event)

    sys.addaudithook(watch)


# Python raises no audit events for these.
_LOOKS = ("access", "lstat", "readlink", "stat", "statvfs")


def _hide_others(own: tuple[str, ...]) -> None:
    """Makes all queries about files outside the sandbox fail in the same way, so that responses do not reveal if they
    exist.
    """
    above = {os.getcwd()}
    while (parent := os.path.dirname(min(above, key=len))) not in above:
        above.add(parent)

    def hidden(look: Callable[..., object]) -> Callable[..., object]:
        def answer(path: int | str | bytes | os.PathLike[str], *arguments: object, **named: object) -> object:
            if not isinstance(path, int):
                place = os.path.abspath(os.fsdecode(path))
                if place not in above and not os.path.join(place, "").startswith(own):
                    raise PermissionError(13, "the sandbox cannot read files of this machine", place)
            return look(path, *arguments, **named)

        return answer

    for name in _LOOKS:
        if hasattr(os, name):
            setattr(os, name, hidden(getattr(os, name)))


def _libraries() -> list[str]:
    """The directories of Python, of installed packages and of plait. Excludes other entries of `sys.path`, such as a
    user's directory.
    """
    python = tuple({os.path.abspath(get_path(name)) for name in ("stdlib", "platstdlib")})
    installed = ("site-packages", "dist-packages")
    found = [
        path for path in sys.path if os.path.basename(path) in installed or os.path.abspath(path).startswith(python)
    ]
    return [*python, *found, os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]


def _bound_memory() -> None:
    try:
        from resource import RLIMIT_AS, setrlimit
    except ImportError:
        return  # Windows has no such limits
    setrlimit(RLIMIT_AS, (_MEMORY, _MEMORY))
