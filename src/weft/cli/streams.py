"""Standard input and output as bytes: what was not UTF-8 in an input leaves as the bytes it came in."""

from __future__ import annotations

import sys

from weft.errors import ReadError


def write_out(text: str) -> None:
    """Write to standard output, at once. Raises ReadError when that fails, BrokenPipeError when the reader has gone."""
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
