"""Lint findings about a single file, as diagnostics."""

from __future__ import annotations

from functools import lru_cache

from plait.authoring.lint.mending import SAFE, Mending
from plait.authoring.lint.single_file import findings_in
from plait.authoring.lsp.features import EditorDiagnostic, FileEdit, FileRange, Fix
from plait.authoring.lsp.unused_diagnostics import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import plait.base.text_edits
    from plait.authoring.analysis.file_facts import File


def notes(file: File) -> Iterator[EditorDiagnostic]:
    """The findings of a file, each with its edits as a quick fix."""
    for finding in _findings(file):
        span = FileRange(file.path, finding.line, finding.column, finding.end)
        message = f"{finding.message}\nhint: {finding.hint}" if finding.hint else finding.message
        also = [(FileRange(place.path, place.line, 1, 1 << 16), place.words) for place in finding.also]
        fixes = [fix_of(file, Mending(finding.hint[:1].upper() + finding.hint[1:], finding.edits, SAFE))]
        yield EditorDiagnostic(span, NOTE, message, finding.code, also, fixes if finding.edits else [])


# Each change publishes the problems of all open files twice or more, and only one of the files has changed.
_findings = lru_cache(maxsize=16)(findings_in)


def fix_of(file: File, made: Mending) -> Fix:
    """A fix for the editor. All its edits are in one file."""
    edits = [_placed(file, one) for one in made.edits]
    return Fix(made.title, edits, keeps=made.safety == SAFE, accepts=made.accepts)


def _placed(file: File, edit: plait.base.text_edits.Edit) -> FileEdit:
    """An edit with lines and columns."""
    text = file.source.text
    first, last = text.count("\n", 0, edit.start), text.count("\n", 0, edit.end)
    column = edit.start - text.rfind("\n", 0, edit.start)
    end = edit.end - text.rfind("\n", 0, edit.end)
    return FileEdit(FileRange(file.path, first + 1, column, end, last + 1 if last > first else 0), edit.new)
