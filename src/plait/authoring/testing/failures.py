"""Failed expectations as diagnostics, and as the lines that the command line prints."""

from __future__ import annotations

from plait.authoring.testing.results import ExpectationFailure
from plait.base.equal_errors import key_of
from plait.base.errors import Finding
from plait.base.report_lines import report_lines
from plait.base.suggestions import VALUE, Suggestion
from plait.tree.nodes import is_filled
from plait.yaml.inline import flow_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.testing.value_origins import Cause
    from plait.base.errors import PlaitError
    from plait.base.source import Position
    from plait.tree.nodes import Value


class Fault:
    """A fault of a value. text: a sentence. lines: further lines, such as differences. expected, found: as
    shown. suggestions: changes of the expectation.
    """

    __slots__ = ("expected", "found", "lines", "suggestions", "text")

    def __init__(
        self,
        text: str,
        lines: Sequence[str] = (),
        *,
        expected: str | None = None,
        found: str | None = None,
        suggestions: Sequence[Suggestion] = (),
    ) -> None:
        self.text = text
        self.lines = lines
        self.expected = expected
        self.found = found
        self.suggestions = suggestions


def failed(
    fault: Fault,
    at: Position,
    *,
    code: str,
    word: str = "",
    hint: str | None = None,
    causes: Sequence[Cause] = (),
    also: Sequence[Position] = (),
) -> ExpectationFailure:
    """The failure of an expectation. at: the position of the expectation. word: on its line. causes: the lines that set
    the values at fault.
    """
    diagnostic = Finding(
        fault.text,
        at=at,
        also=[*also, *(place for one in causes for place in one.positions)],
        expected=fault.expected,
        found=fault.found or "\n".join(fault.lines) or None,
        hint=hint,
        code=code,
        word=word,
        suggestions=fault.suggestions,
    )
    file = "" if at.source is None else at.source.shown
    return ExpectationFailure(diagnostic, [fault.text, *fault.lines], file, at.line)


def failure_of(error: PlaitError, file: str, line: int) -> ExpectationFailure:
    """The failure for an unexpected error. file, line: the file and line of the test, if the error has no position."""
    at = error.at
    if at is not None and at.source is not None:
        file, line = at.source.shown, at.line
    return ExpectationFailure(error, report_lines(error), file, line, key_of(error))


def accepting(expected: Value, found: Value) -> Sequence[Suggestion]:
    """The suggestion to expect the scalar that was found."""
    if is_filled(expected) or is_filled(found):
        return ()
    return (Suggestion(VALUE, flow_text(found), old=flow_text(expected)),)
