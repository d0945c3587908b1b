"""What a terminal gets: nothing that it would obey, and lines that are there for now."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO, cast
else:

    def cast(_kind: object, value: object) -> object:
        return value


# What a terminal obeys instead of showing it: control characters (all but tab and line feed), their eight-bit forms, also
# as bytes that are no UTF-8, and what changes the direction of writing.
_OBEYED = {
    **{code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A)},
    **{0xDC00 + code: f"\\x{code:02x}" for code in range(0x80, 0x100)},
    **{code: f"\\u{code:04x}" for code in (0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}


def harmless(text: str) -> str:
    """The text with escapes in the place of all that a terminal would obey."""
    return text.translate(_OBEYED)


class Terminal:
    """A standard stream that is a terminal: what is written to it is made harmless first.

    `show` writes a line that the next one, or anything else, takes the place of.
    """

    def __init__(self, stream: TextIO) -> None:
        from _thread import allocate_lock

        self._stream = stream
        self._lock = allocate_lock()
        self._shown = False

    def write(self, text: str) -> int:
        with self._lock:
            self._clear()
            return self._stream.write(harmless(text))

    def show(self, text: str) -> None:
        """Show a line for now; "" takes it away."""
        with self._lock:
            self._clear()
            if text:
                import os

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
    """Let nothing reach a terminal as it stood in an input; what goes to a file or a pipe stays as it is."""
    if sys.stderr.isatty():
        sys.stderr = cast("TextIO", Terminal(sys.stderr))
