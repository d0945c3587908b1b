"""Standard input and output as bytes: invalid UTF-8 in an input is printed unchanged."""

from __future__ import annotations

import sys

from plait.cli import SINK, TYPED
from plait.errors import ReadError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.cli.messages import Sink
    from plait.cli.progress import Watched
    from plait.cli.terminal import Terminal
    from plait.context import Context
    from plait.engine.options import Request
    from plait.errors import PlaitError


class _Unwatched:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def watched(context: Context) -> Watched | _Unwatched:
    """A context that shows progress on a terminal while its body runs."""
    terminal = guarded()
    if terminal is None:
        return _Unwatched()
    from plait.cli.progress import Watched

    return Watched(context, terminal)


def guarded() -> Terminal | None:
    """Standard error, if it is a guarded terminal. Guarding imports the module."""
    if "plait.cli.terminal" not in sys.modules:
        return None
    from plait.cli.terminal import Terminal

    return sys.stderr if isinstance(sys.stderr, Terminal) else None


def write_out(text: str, *, is_harmless: bool = False) -> None:
    """Write to standard output, at once. Raises ReadError when that fails, BrokenPipeError when the reader has gone.

    is_harmless: control sequences of inputs were removed when the text was created; the remaining ones are plait's.
    """
    if sys.stdout.isatty():
        from plait.cli.terminal import harmless

        text = text if is_harmless else harmless(text)
        terminal = guarded()
        if terminal is not None:
            terminal.show("")
    try:
        sys.stdout.flush()
        rest = memoryview(text.encode("utf-8", "surrogateescape"))
        # Without a buffer in between (PYTHONUNBUFFERED) the system may take a part only, or nothing.
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
        reason = error.strerror or str(error)
        raise ReadError(f"Writing standard output: {reason[:1].lower()}{reason[1:]}", code="unwritable-file") from None


def write_folded(text: str, *, is_harmless: bool = False) -> None:
    """The same, with lines folded to the width of a terminal."""
    width = line_width()
    if width is None:
        write_out(text, is_harmless=is_harmless)
    else:
        from plait.cli.terminal import folded, harmless

        write_out(folded(text if is_harmless else harmless(text), width), is_harmless=True)


def line_width() -> int | None:
    """The width of the terminal on standard output, or None for a pipe or a file."""
    if not sys.stdout.isatty():
        return None
    from plait.cli.terminal import columns

    return columns(sys.stdout)


def complain(text: str) -> None:
    """Write a message to standard error; a terminal gets no lines that are wider than it is."""
    if sys.stderr.isatty():
        from plait.cli.terminal import columns, folded

        width = columns(sys.stderr)
        text = text if width is None else folded(text, width)
    sys.stderr.write(text)


def _sink(error: PlaitError | None = None) -> Sink | None:
    """Where messages go; None for the usual text. error: of a command line with a mistake, which was not read to its end."""
    made = SINK.get([])
    if made:
        return made[0]
    form = "text"
    for one in typed(error):
        form = one.message_format if one.message_format != "text" else form
    if form == "text":
        return None
    from plait.cli.messages import Sink

    made.append(Sink(form))
    return made[0]


def typed(error: PlaitError | None = None) -> list[Request]:
    """The requests of the command line. error: as of `_sink`."""
    from plait.engine.options import Request

    parsed = getattr(error, "parsed", None)
    return [*TYPED.get([]), *([parsed] if isinstance(parsed, Request) else [])]


def close_messages() -> None:
    """Write what a format writes at the end of a command line."""
    sink = _sink()
    if sink is not None:
        sink.close()


def complain_of(error: PlaitError, *, quote_values: bool = False) -> None:
    """Write an error to standard error, in the format that the command line asks for; a terminal shows its codes."""
    sink = _sink(error)
    if sink is None:
        from plait.errors import render

        complain(render(error, quote_values=quote_values, codes=sys.stderr.isatty()))
    else:
        sink.error(error, quote_values=quote_values)


def warn(context: Context) -> None:
    """Print the warnings of a run to standard error, each once."""
    sink = _sink()
    if sink is not None:
        sink.warnings(context.warnings)
    elif context.warnings:
        numbered = _numbered if sys.stderr.isatty() else str
        for text in context.warnings:
            complain(f"plait: warning: {numbered(text)}\n")
    context.forget_warnings()


def _numbered(text: str) -> str:
    from plait.codes import number_of
    from plait.diagnostics import diagnostic_of

    number = number_of(diagnostic_of(text).code)
    first, newline, rest = text.partition("\n")
    return f"{first} [{number}]{newline}{rest}" if number else text


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
