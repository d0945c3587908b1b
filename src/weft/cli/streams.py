"""Standard input and output as bytes: what was not UTF-8 in an input leaves as the bytes it came in."""

from __future__ import annotations

import sys

from weft.errors import ReadError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO, cast

    from weft.cli.progress import Watched
    from weft.context import Context
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


class _Unwatched:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def watched(context: Context) -> Watched | _Unwatched:
    """For a `with` statement: a terminal shows what is being done while its body runs."""
    if not isinstance(sys.stderr, Terminal):
        return _Unwatched()
    from weft.cli.progress import Watched

    return Watched(context, sys.stderr)


def guard_terminal() -> None:
    """Let nothing reach a terminal as it stood in an input; what goes to a file or a pipe stays as it is."""
    if sys.stderr.isatty():
        sys.stderr = cast("TextIO", Terminal(sys.stderr))


def write_out(text: str, *, is_harmless: bool = False) -> None:
    """Write to standard output, at once. Raises ReadError when that fails, BrokenPipeError when the reader has gone.

    is_harmless: what is from inputs was made harmless where the text was made, and a terminal is to obey the rest.
    """
    if sys.stdout.isatty():
        text = text if is_harmless else harmless(text)
        if isinstance(sys.stderr, Terminal):
            sys.stderr.show("")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_out()
        reason = error.strerror or str(error)
        raise ReadError(f"Writing standard output: {reason[:1].lower()}{reason[1:]}") from None


def warn(context: Context) -> None:
    """Print the warnings of a run to standard error, each once."""
    for text in context.warnings:
        sys.stderr.write(f"weft: warning: {text}\n")
    context.warnings.clear()


def forget_out() -> None:
    """Let whatever is still to be written, the interpreter's last flush among it, go nowhere."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_missing() -> None:
    """Give a process that was started with closed streams streams that hold nothing."""
    import os

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the process ends
