"""A Python process that is sent one message after the other, and answers each; from the side of the process that sends them.

A message is its length in eight bytes, then its bytes. The worker ends when its input ends, so also when this process does.
"""

from __future__ import annotations

from plait.children.python import start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_HEAD = 8


class Worker:
    """A worker process. entry: the function that serves it, as `module:function`. shows_errors: as of `start`."""

    __slots__ = ("_process",)

    def __init__(self, entry: str, *, shows_errors: bool = False) -> None:
        """Raises PlaitError if it cannot be started."""
        self._process = start(entry, shows_errors=shows_errors)

    def ask(self, data: bytes) -> bytes | None:
        """The answer to a message; None if the process ended first."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process.stdin, data)
            return receive(self._process.stdout)
        except BrokenPipeError:
            return None

    def is_alive(self) -> bool:
        """True while the process runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the process at once, from any thread; a thread that waits for an answer gets None."""
        self._process.kill()

    def end(self) -> int:
        """End the process at once and wait for it; its exit status, negative for a signal."""
        self.kill()
        self._process.communicate()
        return self._process.returncode


def send(stream: IO[bytes], data: bytes) -> None:
    """Write a message."""
    stream.write(len(data).to_bytes(_HEAD))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None at the end of the stream, also within a message."""
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        return None
    size = int.from_bytes(head)
    data = stream.read(size)
    return data if len(data) == size else None
