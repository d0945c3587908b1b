"""Findings as text, as JSON, and as annotations of a workflow."""

from __future__ import annotations

from plait.errors import Finding as Told
from plait.lint.codes import CODES
from plait.source import Position, Source
from plait.tools.workflow import annotation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.lint.finding import Finding
    from plait.lint.subject import Subject


def as_text(subject: Subject, findings: Sequence[Finding]) -> str:
    """Each finding in the layout of errors: position, source line, hint; then their number."""
    out = [_told(subject, finding).report() for finding in findings]
    if findings:
        count = len(findings)
        names = ", ".join(f"{code} {CODES[code].name}" for code in dict.fromkeys(one.code for one in findings))
        out.append(f"{count} finding{'' if count == 1 else 's'}: {names}\n")
    return "\n".join(out)


def _told(subject: Subject, finding: Finding) -> Told:
    at = _position(subject, finding.path, finding.line)
    also = [_position(subject, place.path, place.line) for place in finding.also]
    runs = f" (in the run {', '.join(finding.runs)})" if finding.runs and len(subject.runs) > 1 else ""
    return Told(f"{finding.code} {finding.message}{runs}", at=at, also=also, hint=finding.hint or None)


def _position(subject: Subject, path: str, line: int) -> Position:
    """A line with its text; of one that is not for everybody its key alone."""
    source = Source(subject.shown(path), subject.text(path))
    if subject.is_private(path, line):
        source.hidden()
    return Position(source, line)


def as_json(subject: Subject, findings: Sequence[Finding]) -> str:
    """A list of findings."""
    from json import dumps

    return dumps([_data(subject, finding) for finding in findings], indent=1, ensure_ascii=False) + "\n"


def _data(subject: Subject, finding: Finding) -> dict[str, object]:
    code = CODES[finding.code]
    return {
        "code": code.code,
        "name": code.name,
        "family": code.family,
        "file": subject.shown(finding.path),
        "line": finding.line,
        "column": finding.column,
        "end": finding.end,
        "message": finding.message,
        "hint": finding.hint or None,
        "also": [
            {"file": subject.shown(place.path), "line": place.line, "text": place.words} for place in finding.also
        ],
        "runs": list(finding.runs),
        "fix": [
            {"file": subject.shown(edit.path), "start": edit.start, "end": edit.end, "text": edit.new}
            for edit in finding.edits
        ],
    }


def as_annotations(subject: Subject, findings: Sequence[Finding]) -> str:
    """Workflow commands: each finding is shown at its line by a service that reads them."""
    out = []
    for finding in findings:
        place = {
            "file": subject.shown(finding.path),
            "line": str(finding.line),
            "col": str(finding.column),
            "endColumn": str(finding.end),
            "title": f"{finding.code} {finding.name}",
        }
        text = finding.message + (f"\n{finding.hint}" if finding.hint else "")
        out.append(annotation("warning", place, text))
    return "".join(out)
