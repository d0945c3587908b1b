"""A run that knows secrets tells nothing of them but its result.

Values can be turned, cut and hashed on their way into a message, so no search for a secret would find it there. Instead
the run is done once more with other secrets, if it said anything: what both say does not depend on a secret, and is told;
of the rest is told that it is not.
"""

from __future__ import annotations

from plait.context import Context
from plait.errors import Finding, PlaitError
from plait.source import Position, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeVar

    T_co = TypeVar("T_co", covariant=True)

    class Run(Protocol[T_co]):
        """One way through: say gets lines for whoever watches, besides those that templates print; other: with other secrets."""

        def __call__(self, context: Context, say: Callable[[str], None], *, other: bool) -> T_co: ...


NOT_TOLD = "(not told: it depends on a secret)"
_HINT = "--quote-values tells it, for those who may see the secrets"


def hidden(run: Run[T_co], context: Context, say: Callable[[str], None] | None = None) -> T_co:
    """What a run gives; what it says meanwhile, by an error, by warnings or by lines, tells nothing of its secrets.

    say: gets lines beside those that templates print. Raises PlaitError.
    """
    lines: list[str] = []
    printing = context.print_line.to
    warned = context.warnings
    context.print_line.to = lines.append
    error = result = None
    try:
        result = run(context, lines.append, other=False)
    except PlaitError as found:
        error = found
    finally:
        context.print_line.to = printing
    new = [text for text in context.warnings if text not in warned]
    if error is not None or lines or new:
        told, known, same = _with_others(run, context)
        context.forget_warnings()
        for text in [*warned, *(text if text in known else f"a warning is {NOT_TOLD[1:-1]}" for text in new)]:
            context.warn(text)
        out = printing or say
        if out is not None:
            for line in lines:
                out(line if line in told else NOT_TOLD)
        if error is not None:
            raise _common(error, same) from None
    return result  # type: ignore[return-value]


def _with_others(run: Run[object], context: Context) -> tuple[set[str], list[str], PlaitError | None]:
    """What the run says with other secrets: its lines, its warnings, its error."""
    lines: set[str] = set()
    beside = Context(print_line=lines.add, cache=context.cache)
    try:
        run(beside, lines.add, other=True)
    except PlaitError as error:
        return lines, beside.warnings, error
    return lines, beside.warnings, None


def _common(error: PlaitError, other: PlaitError | None) -> PlaitError:
    """An error with what another one says as well."""
    if other is not None and type(other) is type(error) and other.report() == error.report():
        return error
    if other is None or error.message != other.message:
        error.message = f"what went wrong is {NOT_TOLD[1:-1]}"
        error.args = (error.message,)
    error.expected = error.found = error.document = None
    error.hint = _HINT
    error.also = []
    error.findings = [Finding(f"a finding is {NOT_TOLD[1:-1]}")] if error.findings else []
    if other is None or error.at != other.at:
        error.at = _line_only(error.at)
    error.trail = []
    return error


_NO_LINE = 1 << 40


def _line_only(at: Position | None) -> Position | None:
    """A place whose line is not quoted: it may be one of a text that a program read."""
    if at is None or at.source is None:
        return at
    blank = Source(at.source.name, "", _NO_LINE)
    blank.shown = at.source.shown
    return Position(blank, at.line)


__all__ = ["NOT_TOLD", "hidden"]
