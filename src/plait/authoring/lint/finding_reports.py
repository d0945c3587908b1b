"""Reports findings as text, and as messages for programs."""

from __future__ import annotations

from plait.authoring.lint.codes import CODES, DEAD, ORDER
from plait.base.errors import Finding
from plait.base.source import Position, Source, public
from plait.insight.diagnostic_formats import EditPayload, Message, RelatedPayload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.lint.finding import LintFinding
    from plait.authoring.lint.subject import LintProject
    from plait.base.styles import Styles

# The families whose findings are warnings. Other findings may be intended, so they are notes.
_WARNINGS = frozenset({DEAD, ORDER})


# Findings with the same code in one file that are shown with their source lines.
_MOST_ALIKE = 5


def as_text(
    subject: LintProject, findings: Sequence[LintFinding], styles: Styles | None = None, width: int | None = None
) -> str:
    """The findings in the layout of errors (position, source line, hint), and their number. width: the width of the
    terminal.

    Of many with the same code in a file, only the lines are listed.
    """
    groups: dict[tuple[str, str], list[LintFinding]] = {}
    for finding in findings:
        groups.setdefault((finding.path, finding.code), []).append(finding)
    out = []
    shown = dict.fromkeys(groups, 0)
    for finding in findings:
        key = finding.path, finding.code
        group, index = groups[key], shown[key]
        shown[key] += 1
        if index < _MOST_ALIKE or len(group) == _MOST_ALIKE + 1:
            out.append(_diagnostic(subject, finding).styled(styles, width))
        elif index == _MOST_ALIKE:
            lines = ", ".join(str(one.line) for one in group[_MOST_ALIKE:])
            out.append(
                f"{subject.shown(finding.path)}: {finding.code} {len(group) - _MOST_ALIKE} more, on lines {lines}\n"
            )
    if findings:
        count = len(findings)
        names = ", ".join(f"{code} {CODES[code].name}" for code in dict.fromkeys(one.code for one in findings))
        out.append(f"{count} finding{'' if count == 1 else 's'}: {names}\n")
    return "\n".join(out)


def _diagnostic(subject: LintProject, finding: LintFinding) -> Finding:
    at = _position(subject, finding.path, finding.line)
    also = [_position(subject, place.path, place.line) for place in finding.also]
    runs = f" (in the run {', '.join(finding.runs)})" if finding.runs and len(subject.runs) > 1 else ""
    message = f"{finding.code} {finding.message}{runs}"
    # Findings quote no values of private sources.
    hint = public(finding.hint) if finding.hint else None
    return Finding(public(message), at=at, also=also, hint=hint, code=finding.name)


def _position(subject: LintProject, path: str, line: int) -> Position:
    """The position of a line with its text; for a private line, only its key."""
    source = Source(subject.shown(path), subject.text(path))
    if subject.is_private(path, line):
        source.hidden()
    return Position(source, line)


def messages(subject: LintProject, findings: Sequence[LintFinding]) -> list[Message]:
    """The findings as messages."""
    return [
        Message(
            CODES[one.code],
            "warning" if CODES[one.code].family in _WARNINGS else "note",
            one.message,
            file=subject.shown(one.path),
            line=one.line,
            column=one.column,
            end=one.end,
            hint=one.hint or None,
            also=[RelatedPayload(subject.shown(place.path), place.line, place.words) for place in one.also],
            runs=one.runs,
            fix=[EditPayload(subject.shown(edit.path), edit.start, edit.end, edit.new) for edit in one.edits],
        )
        for one in findings
    ]
