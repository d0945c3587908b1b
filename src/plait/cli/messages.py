"""Errors and warnings on standard error, in the format that the command line asks for."""

from __future__ import annotations

import sys

from plait.cli import SINK, TYPED
from plait.cli.streams import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import PlaitError
    from plait.cli.message_formats import Sink
    from plait.engine.options import Request
    from plait.tree.context import Context


def _sink(error: PlaitError | None = None) -> Sink | None:
    """The receiver of messages; None for the usual text. error: of a command line with a mistake, parsed only in part."""
    made = SINK.get([])
    if made:
        return made[0]
    from plait.engine.options import FORMS, Request

    form = "text"
    for one in typed(error):
        form = one.message_format if one.has(Request.message_format) and one.message_format in FORMS else form
    if form == "text":
        return None
    from plait.cli.message_formats import Sink

    made.append(Sink(form))
    return made[0]


def typed(error: PlaitError | None = None) -> list[Request]:
    """The requests of the command line. error: as of `_sink`."""
    from plait.engine.options import Request

    parsed = getattr(error, "parsed", None)
    return [*TYPED.get([]), *([parsed] if isinstance(parsed, Request) else [])]


def read_form(argv: Sequence[str]) -> None:
    """Note the shared flags of a command line that ended before all of it was read."""
    from plait.base.errors import UsageError
    from plait.engine.flags import Command
    from plait.engine.options import Request

    requests = TYPED.get([])
    # A request has its whole command line, unless that names another command, or a run.
    is_unread = not requests or any(one.takes_words for one in requests)
    if is_unread and not any(one.has(Request.message_format) for one in requests):
        try:
            requests.append(Command(Request).apart(argv[1:], anywhere=True)[0])
        except UsageError:
            return


def is_text() -> bool:
    """True if messages are the usual text."""
    return _sink() is None


def close_messages() -> None:
    """Write what a format writes at the end of a command line."""
    sink = _sink()
    if sink is not None:
        sink.close()


def complain_of(error: PlaitError, *, quote_values: bool = False) -> None:
    """Write an error to standard error, in the format that the command line asks for; a terminal shows its codes."""
    sink = _sink(error)
    if sink is None:
        from plait.base.errors import render

        complain(render(error, quote_values=quote_values, codes=sys.stderr.isatty()))
    else:
        sink.error(error, quote_values=quote_values)


def warn(context: Context) -> None:
    """Print the warnings of a run to standard error, each once."""
    sink = _sink()
    if sink is not None:
        sink.warnings(context.warnings)
    elif context.warnings:
        for text in context.warnings:
            complain(f"plait: warning: {warning_line(text)}\n")
    context.forget_warnings()


def warning_line(text: str) -> str:
    """The text of a warning; on a terminal with its code behind the first line."""
    if not sys.stderr.isatty():
        return text
    from plait.base.codes import number_of
    from plait.base.warnings import diagnostic_of

    number = number_of(diagnostic_of(text).code)
    first, newline, rest = text.partition("\n")
    return f"{first} [{number}]{newline}{rest}" if number else text
