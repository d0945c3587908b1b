"""Messages about the evaluations of other processes and of tests, in the format selected by the command line."""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.cli.messages import complain_of, receiver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.errors import Diagnostic
    from plait.insight.diagnostic_formats import Message


def complain_of_failure(found: Diagnostic) -> None:
    """Writes the failure of a test in the selected format. Text is printed with the test."""
    sink = receiver()
    if sink is not None:
        sink.diagnostic(found)


def complain_of_messages(found: Sequence[Message], text: str, step: str) -> None:
    """Prints the error of another process.

    text: the error as text, used unless messages can be reported one by one. step: a level to add to the stack.
    """
    sink = receiver()
    if sink is not None and found and sink.is_of_messages:
        sink.messages([one.within(step) for one in found])
    else:
        complain_of(PlaitError(text, code="fleet-failed").within(step))
