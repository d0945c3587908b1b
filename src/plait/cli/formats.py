"""Errors and warnings for programs. Loaded only for a format of `--message-format` other than text."""

from __future__ import annotations

import sys

from plait.diagnostics import diagnostic_of
from plait.tools.messages import (
    GITHUB,
    JSON,
    REFERENCES,
    SARIF,
    Message,
    as_annotations,
    as_lines,
    as_sarif,
    message_of,
    messages_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plait.errors import PlaitError


class Sink:
    """The receiver of one command line's messages: standard error; those of SARIF are written together at its end."""

    def __init__(self, form: str) -> None:
        self.form = form
        self._found: list[Message] = []

    def error(self, error: PlaitError, *, quote_values: bool) -> None:
        """Write an error with its findings."""
        if self.form in REFERENCES:
            name = f"plait.reference.{self.form}"
            report: Callable[[PlaitError], tuple[str, ...]] = __import__(name, fromlist=["report"]).report
            sys.stderr.write("".join(report(error)))
        else:
            self._write(messages_of(error, quote_values=quote_values))

    def warnings(self, texts: Iterable[str]) -> None:
        """Write warnings. The reference programs have none of them."""
        if self.form not in REFERENCES:
            self._write([_warning(text) for text in texts])

    def _write(self, found: list[Message]) -> None:
        if self.form == SARIF:
            self._found += found
        else:
            sys.stderr.write({JSON: as_lines, GITHUB: as_annotations}[self.form](found))

    def close(self) -> None:
        """Write the log of SARIF."""
        if self.form == SARIF:
            sys.stderr.write(as_sarif(self._found))


def _warning(text: str) -> Message:
    found = message_of(diagnostic_of(text))
    found.level = "warning"
    return found
