"""Errors and warnings on standard error, in the format selected by the command line."""

from __future__ import annotations

import sys

from plait.base.errors import PlaitError, UsageError, render
from plait.cli import SINK
from plait.cli.colour import styles_of, typed
from plait.cli.streams import TYPED, complain, error_width, requested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import Warning
    from plait.cli.message_formats import Sink
    from plait.engine.options import Declared
    from plait.tree.context import Context


def receiver(error: PlaitError | None = None) -> Sink | None:
    """The receiver of messages; None for text. error: that of an invalid command line."""
    made = SINK.get([])
    if made:
        return made[0]

    form = "text"
    for one in typed(error):
        option: Declared = type(one).message_format
        form = one.message_format if one.has(option) and one.message_format in option.choices else form
    if form == "text":
        return None
    from plait.cli.message_formats import Sink

    made.append(Sink(form))
    return made[0]


def read_form(argv: Sequence[str]) -> None:
    """Records the shared flags of a command line that was parsed only in part."""
    requests = TYPED.get([])
    # A request represents the whole command line, unless that contains another command, or a run.
    is_unread = not requests or any(one.takes_words for one in requests)
    if is_unread and not any(one.has(type(one).message_format) for one in requests):
        try:
            without_shared_flags(argv[1:])
        except UsageError:
            return


def reads_flags_late(error: PlaitError) -> bool:
    """True if flags may be unread: the command first finds a run, or another command. error: the reported error."""
    # The commands of reference programs read all their words first.
    nesting = any(one.takes_words and one.command not in ("render", "patch") for one in TYPED.get([]))
    return nesting and error.exit_status == 2


def has_late_hint(error: PlaitError, argv: Sequence[str]) -> bool:
    """True if an error may need a hint about the whole command line."""
    is_missing = error.code == "file-not-found" and any("." not in word for word in argv[1:] if word[:1] != "-")
    return is_missing or reads_flags_late(error)


def without_shared_flags(words: Sequence[str]) -> list[str]:
    """The words without the flags that all commands accept. These flags apply from now on. Raises UsageError."""
    if not any(word[:2] == "--" for word in words):
        return [*words]
    from plait.engine.flags import shared_flags

    flags, rest = shared_flags(words)
    TYPED.get([]).append(flags)
    return rest


def is_text() -> bool:
    """True if messages are printed as text."""
    return receiver() is None


def close_messages() -> None:
    """Completes the output of the message format at the end of a command line."""
    sink = receiver()
    if sink is not None:
        sink.close()


def quotes_values(error: PlaitError | None = None) -> bool:
    """True if messages may quote values. error: that of an invalid command line."""
    return any(getattr(one, "quote_values", False) for one in typed(error))


def complain_of(error: PlaitError) -> None:
    """Writes an error to standard error, in the selected format. A terminal also shows its codes."""
    sink = receiver(error)
    if sink is None:
        text = render(
            error,
            quote_values=quotes_values(error),
            codes=sys.stderr.isatty(),
            styles=styles_of(sys.stderr, error),
            width=error_width(),
        )
        complain(text, is_harmless=True)
    else:
        sink.error(error, quote_values=quotes_values(error))


# Warnings with the same code that are printed as text.
_MOST_OF_A_KIND = 5


def warn(context: Context) -> None:
    """Prints the warnings of a run to standard error, without duplicates; in text, only the first ones of each kind."""
    counts: dict[str, int] = {}
    for text in context.warnings:
        counts[text.diagnostic.code] = counts.get(text.diagnostic.code, 0) + 1
    limit = _MOST_OF_A_KIND if receiver() is None else len(context.warnings)
    printed = dict.fromkeys(counts, 0)
    for text in context.warnings:
        code = text.diagnostic.code
        printed[code] += 1
        if printed[code] <= limit or counts[code] == limit + 1:
            complain_of_warning(text)
        elif printed[code] == limit + 1 and not requested("quiet"):
            more = f"plait: warning: {counts[code] - limit} more of this kind; --message-format json lists all\n"
            complain(more, is_harmless=True)
    context.forget_warnings()


def complain_of_warning(text: Warning) -> None:
    """Writes a warning to standard error in the selected format, except with --quiet."""
    if requested("quiet"):
        return
    sink = receiver()
    if sink is not None:
        sink.diagnostic(text.diagnostic)
        return
    show = styles_of(sys.stderr)
    first, newline, rest = text.partition("\n")
    code = _code_of(text)
    line = [("warning", "plait: warning: "), ("", first), ("dim", f" [{code}]" if code else ""), ("", newline + rest)]
    complain(show.line(line) + "\n", is_harmless=True)


def _code_of(text: Warning) -> str:
    """The code of a warning if it is shown on a terminal, else ""."""
    if not sys.stderr.isatty():
        return ""
    from plait.base.codes import number_of

    return number_of(text.diagnostic.code)
