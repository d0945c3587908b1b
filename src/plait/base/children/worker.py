"""A worker process that answers one message at a time, as seen by the process that sends the messages.

A message is its length in eight bytes, followed by its bytes. The worker ends when its input ends, and therefore when
this process ends.
"""

from __future__ import annotations

from threading import Timer

from plait.base.children.python import kill, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Unpack

    from plait.base.children.python import Started

_HEAD = 8


class Worker:
    """A worker process. is_overdue: it was ended because an answer took too long.

    entry: the function that serves it, as `module:function`. maximum: bytes of an answer. Other arguments as for
    `start`.
    """

    __slots__ = ("_most", "_process", "is_overdue")

    def __init__(self, entry: str, *, maximum: int | None = None, **more: Unpack[Started]) -> None:
        """Raises PlaitError if it cannot be started."""
        self._most = maximum
        self._process = start(entry, **more)
        self.is_overdue = False

    def ask(self, data: bytes, *, seconds: float | None = None) -> bytes | None:
        """The answer to a message; None if the process ended first. seconds: timeout, after which the process is
        killed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        timer = None if seconds is None else Timer(seconds, self._end_overdue)
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            send(self._process.stdin, data)
            return receive(self._process.stdout, self._most)
        except BrokenPipeError:
            return None
        except BaseException:
            self.end()
            raise
        finally:
            if timer is not None:
                timer.cancel()

    def _end_overdue(self) -> None:
        self.is_overdue = True
        self.kill()

    @property
    def process(self) -> int:
        """The process ID."""
        return self._process.pid

    def is_alive(self) -> bool:
        """True while the process runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kills the process and its forks, from any thread. A thread that waits for an answer receives None."""
        kill(self._process)

    def end(self) -> int:
        """Kills the process and waits for it. Returns the exit status, negative for a signal."""
        self.kill()
        self._process.communicate()
        return self._process.returncode


def send(stream: IO[bytes], data: bytes) -> None:
    """Writes a message."""
    stream.write(len(data).to_bytes(_HEAD))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes], maximum: int | None = None) -> bytes | None:
    """The next message; None at the end of the stream, for a truncated message, and for one larger than `maximum`
    bytes.
    """
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        return None
    size = int.from_bytes(head)
    if maximum is not None and size > maximum:
        return None
    data = stream.read(size)
    return data if len(data) == size else None
