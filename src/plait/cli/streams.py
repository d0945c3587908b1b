"""Standard input and output as bytes: invalid UTF-8 is kept."""

from __future__ import annotations

import os
import sys
from _contextvars import ContextVar
from os import environ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from plait.cli.terminal import ProgressDisplay, Terminal
    from plait.engine.options import Request
    from plait.tree.context import Context

# The requests of the current command line, in reading order.
TYPED: ContextVar[list[Request]] = ContextVar("plait_typed")


class _Unwatched:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def requested(attribute: str) -> bool:
    """True if the command line has a shared switch, such as `quiet`."""
    return any(getattr(one, attribute) for one in TYPED.get([]))


def note(text: str) -> None:
    """Writes a note, except with --quiet or among JSON."""
    if not requested("quiet") and all(one.message_format == "text" for one in TYPED.get([])):
        complain(text)


def watched(context: Context, *, steps: bool = True) -> ProgressDisplay | _Unwatched:
    """A context that shows progress while its body runs: a line on a terminal, or each step with --verbose.

    steps: the command does not print them itself.
    """
    if requested("quiet"):
        return _Unwatched()
    is_logged = steps and (requested("verbose") or requested("debug"))
    terminal = guarded()
    if terminal is None and not is_logged:
        return _Unwatched()
    from plait.cli.terminal import ProgressDisplay, StepLog

    if is_logged or terminal is None:
        context.on_step = StepLog(complain, with_time=requested("debug"))
        if context.doing:
            context.on_step(context.doing)
        return _Unwatched()
    return ProgressDisplay(context, terminal)


def guarded() -> Terminal | None:
    """Standard error, if it is a guarded terminal, else None. Guarding imports the module."""
    if "plait.cli.terminal" not in sys.modules:
        return None
    from plait.cli.terminal import Terminal

    return sys.stderr if isinstance(sys.stderr, Terminal) else None


def write_out(text: str, *, is_harmless: bool = False) -> None:
    """Writes to standard output immediately. Raises ReadError if that fails, BrokenPipeError if the reader has ended.

    is_harmless: the text was already sanitized; remaining control sequences are plait's own.
    """
    if sys.stdout.isatty():
        text = text if is_harmless else _harmless(text)
        terminal = guarded()
        if terminal is not None:
            terminal.show("")
    try:
        sys.stdout.flush()
        rest = memoryview(text.encode("utf-8", "surrogateescape"))
        # Without a buffer (PYTHONUNBUFFERED), a write may be partial.
        while rest:
            written = sys.stdout.buffer.write(rest)
            if not written:
                from errno import EAGAIN

                raise BlockingIOError(EAGAIN, "Resource temporarily unavailable")
            rest = rest[written:]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        forget_out()
        from plait.base.errors import ReadError

        reason = error.strerror or str(error)
        raise ReadError(f"Writing standard output: {reason[:1].lower()}{reason[1:]}", code="unwritable-file") from None


def _harmless(text: str) -> str:
    from plait.base.styles import harmless

    return harmless(text)


def in_workflow() -> bool:
    return bool(environ.get("GITHUB_ACTIONS"))


def write_answer(text: str, *, is_harmless: bool = False) -> None:
    """Writes text for users, not the output of a run, to standard output."""
    if in_workflow():
        from plait.insight.workflow import without_commands

        text = without_commands(text)
    write_out(text, is_harmless=is_harmless)


def write_folded(text: str, *, is_harmless: bool = False) -> None:
    """As `write_answer`, wrapped to the width of a terminal."""
    width = line_width()
    if width is not None:
        text, is_harmless = text if is_harmless else _harmless(text), True
    write_answer(_folded(text, width), is_harmless=is_harmless)


def line_width() -> int | None:
    """The width of the terminal on standard output, or None for a pipe or a file."""
    return _width_of(sys.stdout)


def error_width() -> int | None:
    """The width of the terminal on standard error, or None for a pipe or a file."""
    return _width_of(sys.stderr)


def _width_of(stream: TextIO) -> int | None:
    if not stream.isatty():
        return None
    from plait.cli.terminal import columns

    return columns(stream)


def _folded(text: str, width: int | None) -> str:
    if width is None:
        return text
    from plait.cli.terminal import folded

    return folded(text, width)


def complain(text: str, *, is_harmless: bool = False) -> None:
    """Writes a message to standard error, wrapped to the width of a terminal.

    is_harmless: as in `write_out`.
    """
    text = _folded(text, error_width())
    terminal = guarded()
    if is_harmless and terminal is not None:
        terminal.write_harmless(text)
    else:
        sys.stderr.write(text)


def forget_out() -> None:
    """Discards all further standard output, including the interpreter's last flush."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_missing() -> None:
    """Replaces missing standard streams by empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the process ends
