"""Formats of errors and warnings for programs. Loaded only if `--message-format` is not text."""

from __future__ import annotations

import sys

from plait.authoring.analysis.file_facts import File
from plait.authoring.lint.mending import mendings
from plait.cli.workflow_log import annotate
from plait.insight.diagnostic_formats import (
    GITHUB,
    JSON,
    REFERENCES,
    SARIF,
    EditPayload,
    Message,
    Offer,
    as_annotations,
    as_lines,
    as_sarif,
    message_of,
    parts_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.base.errors import Diagnostic, PlaitError


class Sink:
    """The receiver of one command line's messages. Writes to standard error; SARIF results are written together at the
    end.
    """

    def __init__(self, form: str) -> None:
        self.form = form
        self._found: list[Message] = []

    def error(self, error: PlaitError, *, quote_values: bool) -> None:
        """Writes an error with its findings."""
        if self.form not in REFERENCES:
            self.diagnostic(error, quote_values=quote_values)
        else:
            name = f"plait.base.reference.{self.form}"
            report: Callable[[PlaitError], tuple[str, ...]] = __import__(name, fromlist=["report"]).report
            sys.stderr.write("".join(report(error)))

    def diagnostic(self, found: Diagnostic, *, quote_values: bool = False) -> None:
        """Writes a diagnostic with its findings, or a warning. Formats of reference programs do not contain it."""
        if self.form not in REFERENCES:
            self._write([message_of(one, quote_values=quote_values, offers=_offers(one)) for one in parts_of(found)])

    @property
    def is_of_messages(self) -> bool:
        """False for formats that contain the text of another program."""
        return self.form not in REFERENCES

    def messages(self, found: list[Message]) -> None:
        """Writes messages of another process."""
        self._write(found)

    def _write(self, found: list[Message]) -> None:
        if self.form == SARIF:
            self._found += found
        else:
            annotate({JSON: as_lines, GITHUB: as_annotations}[self.form](found))

    def close(self) -> None:
        """Writes the SARIF log."""
        if self.form == SARIF:
            annotate(as_sarif(self._found))


def _offers(found: Diagnostic) -> Iterator[Offer]:
    """The suggestions of a diagnostic as edits of its file."""
    source = None if found.at is None else found.at.source
    if source is None or source.flag or source.first_line != 1 or found.is_private or not found.suggestions:
        return

    file = File(source.shown, source.text, extensions=source.extensions)
    for one in mendings(file, found):
        changes = [EditPayload(edit.path or source.shown, edit.start, edit.end, edit.new) for edit in one.edits]
        yield Offer(one.title, one.safety, changes)
