"""Lint findings about a file by itself, as diagnostics."""

from __future__ import annotations

from plait.lint.alone import findings_in
from plait.lsp.answers import Edit, Fix, Problem, Span
from plait.lsp.unused import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.analysis.files import File
    from plait.lint.finding import Finding


def notes(file: File) -> Iterator[Problem]:
    """The findings of a file, each with its edits as a quick fix."""
    for finding in findings_in(file):
        span = Span(file.path, finding.line, finding.column, finding.end)
        message = f"{finding.message}\nhint: {finding.hint}" if finding.hint else finding.message
        also = [(Span(place.path, place.line, 1, 1 << 16), place.words) for place in finding.also]
        yield Problem(span, NOTE, message, finding.code, also, list(_fixes(file, finding)))


def _fixes(file: File, finding: Finding) -> Iterator[Fix]:
    """The edits of a finding that stay on its line; `plait lint --fix` makes the others."""
    starts = sum(len(line) + 1 for line in file.lines[: finding.line - 1])
    edits = [
        Edit(Span(file.path, finding.line, edit.start - starts + 1, edit.end - starts + 1), edit.new)
        for edit in finding.edits
        if starts <= edit.start and edit.end <= starts + len(file.line(finding.line))
    ]
    if edits and len(edits) == len(finding.edits):
        yield Fix(finding.hint[:1].upper() + finding.hint[1:], edits)
