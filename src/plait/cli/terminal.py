"""Output to a terminal: without control sequences from inputs, and with temporary lines."""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from time import monotonic, sleep

from plait.base.styles import harmless, is_dumb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO, cast

    from plait.tree.context import Context
else:

    def cast(_kind: object, value: object) -> object:
        return value


def columns(stream: TextIO) -> int | None:
    """The width of the terminal that a stream is connected to, or None."""
    try:
        found = os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):
        return None
    return max(found, _NARROWEST) if found else None


# Minimum width of wrapped lines.
_NARROWEST = 40
# Indentation of continuation lines.
_FURTHER_IN = 4
_BAR = "  | "


def folded(text: str, width: int) -> str:
    """The text with lines wrapped to a width, at spaces if possible. Colour codes have no width."""
    return "\n".join(
        [
            piece
            for line in text.split("\n")
            for piece in ([line] if len(line) <= width or _shown(line) <= width else _broken(line, width))
        ]
    )


def _shown(line: str) -> int:
    """The number of columns of a line. Colour codes have no width."""
    if "\x1b" not in line:
        return len(line)
    import re

    return len(re.sub(r"\x1b\[[0-9;]*m", "", line))


def _broken(line: str, width: int) -> list[str]:
    import re

    # Matches each character with the codes before it.
    found = re.findall(r"((?:\x1b\[[0-9;]*m)*)(.|$)", line)
    shown = "".join([char for _, char in found])
    indent = " " * min(len(shown) - len(shown.lstrip(" ")) + _FURTHER_IN, width // 2)
    # The end of each line, and the start of the next one; the space between them is removed.
    breaks: list[tuple[int, int]] = []
    start, room = 0, width
    bar = shown.find(_BAR)
    if bar <= width and shown[: max(bar, 0)].strip():
        # A quoted line is written below its position, not broken.
        breaks.append((bar, bar + len(_BAR) - 2))
        start, room = breaks[0][1], width - len(indent)
    while len(shown) - start > room:
        end = shown.rfind(" ", start + room // 2, start + room + 1)
        end = start + room if end < 0 else end
        start = end + shown[end : end + 1].count(" ")
        breaks.append((end, start))
        room = width - len(indent)
    gone = {place for end, start in breaks for place in range(end, start)}
    begins = {start for _, start in breaks}
    out: list[str] = []
    for place, (codes, char) in enumerate(found):
        out += ["\n", indent] if place in begins else []
        out += [codes, "" if place in gone else char]
    return "".join(out).split("\n")


class Terminal:
    """A standard stream on a terminal. Control sequences in written text are removed.

    `show` writes a line that the next output replaces.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = allocate_lock()
        self._shown = False

    def write(self, text: str) -> int:
        with self._lock:
            self._clear()
            return self._stream.write(harmless(text))

    def write_harmless(self, text: str) -> int:
        """Writes sanitized text. Remaining control sequences are plait's own."""
        with self._lock:
            self._clear()
            return self._stream.write(text)

    def show(self, text: str) -> None:
        """Shows a temporary line; "" removes it."""
        with self._lock:
            self._clear()
            if text:
                try:
                    width = os.get_terminal_size(self._stream.fileno()).columns or 80
                except OSError:
                    width = 80
                self._stream.write(harmless(text)[: width - 1])
                self._stream.flush()
                self._shown = True

    def _clear(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def guard_terminal() -> None:
    """Removes control sequences from everything written to a terminal; files and pipes get the text unchanged."""
    if sys.stderr.isatty():
        sys.stderr = cast("TextIO", Terminal(sys.stderr))


_FIRST = 1.0
_AGAIN = 0.2


class ProgressDisplay:
    """`with ProgressDisplay(context, terminal):` shows the progress of a long run: one line, removed when the run ends.

    Nothing is shown during the first second, or if the terminal cannot erase a line (`TERM=dumb`). A thread reads the
    run's `Context` regularly; the run itself only sets attributes.
    """

    __slots__ = ("_context", "_over", "_terminal")

    def __init__(self, context: Context, terminal: Terminal) -> None:
        self._context = context
        self._over = False
        self._terminal = terminal

    def __enter__(self) -> None:
        if not is_dumb():
            start_new_thread(self._watch, ())

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._terminal.show("")

    def _watch(self) -> None:
        start = monotonic()
        sleep(_FIRST)
        while not self._over:
            self._terminal.show(line(self._context, monotonic() - start))
            if self._over:
                self._terminal.show("")
            sleep(_AGAIN)


def line(context: Context, seconds: float) -> str:
    """The progress line of an evaluation after a number of seconds."""
    many = f" ({context.done} of {context.total})" if 0 < context.done <= context.total else ""
    return f"plait: {seconds:.0f} s {context.doing or 'reading'}{many}"


class StepLog:
    """Writes each step of an evaluation. write: writes a text. with_time: with the seconds since the first one."""

    __slots__ = ("_start", "_with_time", "_write")

    def __init__(self, write: Callable[[str], None], *, with_time: bool) -> None:
        self._write = write
        self._start = monotonic()
        self._with_time = with_time

    def __call__(self, step: object) -> None:
        time = f"{monotonic() - self._start:.3f} s " if self._with_time else ""
        self._write(f"plait: {time}{step}\n")
