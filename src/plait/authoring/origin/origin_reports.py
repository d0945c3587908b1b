"""Formats the origins of findings: as text, as messages for programs, and as JSON."""

from __future__ import annotations

from plait.authoring.origin.finding_origins import CANDIDATE, GIVEN, INPUT, VERIFIED
from plait.base.codes import DiagnosticCode
from plait.base.errors import Finding
from plait.base.similar_names import counted
from plait.base.source import Position, Source, public
from plait.insight.diagnostic_formats import Message, RelatedPayload
from plait.insight.history_text import place_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.authoring.origin.finding_origins import FindingOrigin
    from plait.base.styles import Styles

# Maximum number of values that a hint names.
_MOST_NAMED = 3


class _Group:
    """Findings with the same message and the same origin."""

    def __init__(self, first: FindingOrigin) -> None:
        self.first = first
        self.all = [first]

    @property
    def text(self) -> str:
        """The message with the tool and its rule."""
        finding = self.first.finding
        rule = " ".join(filter(None, (finding.tool, finding.rule)))
        return f"{finding.text} [{rule}]" if rule else finding.text

    @property
    def hint(self) -> str:
        """The values of the output, and the certainty of the origin."""
        first = self.first
        names = list(dict.fromkeys(_where(one) for one in self.all))
        shown = ", ".join(names[:_MOST_NAMED])
        more = f" and {counted(len(names) - _MOST_NAMED, 'other value')}" if len(names) > _MOST_NAMED else ""
        if first.result == VERIFIED:
            how = "with a different value on this line, the output changes there"
        elif first.result == INPUT:
            how = "this file is an input: the report names its own line, not one of the output"
        elif first.is_secret:
            how = "not verified: the value depends on a secret"
        elif first.result == CANDIDATE:
            how = "not verified: edits of several lines, or of code, may be the fix"
        elif first.result == GIVEN:
            how = f"set by {first.given}"
        else:
            how = first.reason or "no source line found"
        return f"{shown}{more}; {how}"


def _where(one: FindingOrigin) -> str:
    finding = one.finding
    at = f"{finding.file}:{finding.line}" if finding.line else finding.file
    if one.place is None:
        return at or finding.name or "the output"
    return f"{one.place} ({at})" if at else str(one.place)


def _groups(found: Iterable[FindingOrigin]) -> list[_Group]:
    groups: dict[tuple[object, ...], _Group] = {}
    for one in found:
        at = one.at
        where = (at.source.shown, at.line) if at is not None and at.source is not None else (one.given, _where(one))
        key = (where, one.result, one.finding.text, one.finding.level, one.finding.tool, one.finding.rule)
        if key in groups:
            groups[key].all.append(one)
        else:
            groups[key] = _Group(one)
    return [*groups.values()]


def as_text(found: Sequence[FindingOrigin], styles: Styles | None = None, width: int | None = None) -> str:
    """The findings in the layout of errors, and their numbers. Findings with the same origin are shown once."""
    out = []
    for group in _groups(found):
        first = group.first
        at, also = first.at, first.also
        if first.is_secret:
            at, also = _private(at), []
        message = f"{first.finding.level}: {group.text}"
        out.append(
            Finding(public(message), at=at, also=also, hint=public(group.hint), code=first.finding.rule).styled(
                styles, width
            )
        )
    verified = sum(one.result == VERIFIED for one in found)
    nowhere = sum(one.at is None and not one.given for one in found)
    inputs = sum(one.result == INPUT for one in found)
    others = len(found) - verified - nowhere - inputs
    told = (
        f"{counted(len(found), 'finding')}: {verified} verified, {others} not verified, {nowhere} without a source line"
    )
    out.append(f"{told}, {inputs} about an input\n" if inputs else f"{told}\n")
    return "\n".join(out)


def _private(at: Position | None) -> Position | None:
    """The position without its text."""
    return None if at is None or at.source is None else Position(Source(at.source.shown), at.line)


def messages(found: Sequence[FindingOrigin]) -> list[Message]:
    """The findings as messages. Findings with the same origin are one message."""
    out = []
    for group in _groups(found):
        first, at = group.first, group.first.at
        rule = "/".join(filter(None, (first.finding.tool, first.finding.rule)))
        out.append(
            Message(
                DiagnosticCode(rule, rule, first.finding.level, rule),
                first.finding.level,
                first.finding.text,
                file="" if at is None or at.source is None else at.source.shown,
                line=0 if at is None else at.line,
                hint=group.hint,
                also=[
                    RelatedPayload(one.source.shown, one.line, one.label)
                    for one in first.also
                    if one.source is not None
                ],
            )
        )
    return out


def as_data(found: Iterable[FindingOrigin]) -> list[dict[str, object]]:
    """The findings for JSON, in the order of the report."""
    return [_data(one) for one in found]


def _data(one: FindingOrigin) -> dict[str, object]:
    finding = one.finding
    data: dict[str, object] = (
        {"document": None, "index": None, "path": None} if one.place is None else place_data(one.place)
    )
    if one.at is not None and one.at.source is not None:
        data |= {"file": one.at.source.shown, "line": one.at.line}
    return {
        **data,
        "place": str(one.at) if one.at is not None else one.given or None,
        "result": one.result,
        "level": finding.level,
        "tool": finding.tool,
        "rule": finding.rule,
        "message": finding.text,
        "reported": {"file": finding.file, "line": finding.line, "column": finding.column},
        "also": [
            {"file": at.source.shown, "line": at.line, "text": at.label} for at in one.also if at.source is not None
        ],
    }
