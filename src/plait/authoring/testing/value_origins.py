"""Finds the line that set a value, for reports about differences."""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.base.lines import lines_of
from plait.base.similar_names import counted
from plait.base.source import Position
from plait.insight.diff import REMOVED, printed, to_text
from plait.insight.explain import CURRENT, Explainer
from plait.insight.node_paths import NodePath, parse
from plait.insight.path_resolution import find
from plait.insight.redaction import hidden_differences
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.testing.evaluating import CaseEvaluation
    from plait.insight.diff import Difference
    from plait.insight.explain import HistoryEntry


class Cause:
    """The line that set a value. text: its position and its origin. positions: the same as related positions."""

    __slots__ = ("positions", "text")

    def __init__(self, entries: Sequence[HistoryEntry]) -> None:
        self.text = ", of ".join(f"{one.place} ({one.action})" for one in entries)
        self.positions = [
            Position(one.source, one.line).labelled(f"set here ({one.action})" if one is entries[0] else one.action)
            for one in entries
            if one.source is not None and not one.source.flag
        ]


def cause(outcome: CaseEvaluation, document: str, path: str) -> Cause | None:
    """The position and origin of the value at a path of an output, or None if unknown.

    document: its name, or `document 1` and so on if it has none, as in `plait diff`.
    """
    found = [
        number
        for number, one in enumerate(outcome.items())
        if document in (document_name(one), f"document {number + 1}")
    ]
    return cause_at(outcome, found[0], path) if found else None


def cause_at(outcome: CaseEvaluation, number: int, path: str) -> Cause | None:
    """As `cause`, for a document by its index among the shown ones."""
    traced = outcome.traced()
    if traced.trace is None:
        return None
    explainer = Explainer(traced.trace)
    recorded = printed(explainer.visible(traced.nodes.items))
    if number >= len(recorded):
        return None
    try:
        found = (
            find(parse(path), [recorded[number]], explainer.names) if path else [NodePath(recorded[number], number, ())]
        )
    except PlaitError:
        return None
    entries = explainer.history(found[0]).entries if found else []
    if not entries:
        return None
    origin = _origin(entries[-1].origins)
    return Cause([entries[-1]] if origin is None else [entries[-1], origin])


def _origin(entries: Sequence[HistoryEntry]) -> HistoryEntry | None:
    """The single value from which another one was computed, or None."""
    standing = [one for one in entries if one.has_value and one.state == CURRENT]
    return standing[-1] if standing else None


def with_causes(outcome: CaseEvaluation, differences: Sequence[Difference], causes: list[Cause]) -> list[str]:
    """The lines of `plait diff`, each difference followed by the origin of the current value. causes: receives these."""
    out: list[str] = []
    document = None
    for number, one in enumerate(hidden_differences(differences, outcome.view)):
        if number == _MOST:
            out.append(f"and {counted(len(differences) - number, 'more difference')}")
            break
        out += [one.document] if one.document != document else []
        document = one.document
        out += difference_lines(one)
        found = None if one.kind == REMOVED else cause(outcome, one.document, one.path)
        out += set_by(found, causes, "      ")
    return out


def set_by(found: Cause | None, causes: list[Cause], indent: str = "") -> list[str]:
    """The line about a cause, if it is known. causes: receives it."""
    if found is None:
        return []
    causes.append(found)
    return [f"{indent}set by {found.text}"]


def difference_lines(difference: Difference) -> list[str]:
    """The lines about one difference, up to a maximum."""
    lines = lines_of(to_text([difference]))[1:]
    if len(lines) > _LONGEST:
        lines[_LONGEST - 1 :] = [f"      ... and {counted(len(lines) - _LONGEST + 1, 'more line')}"]
    return lines


# Maximum number of values whose origins are reported.
_MOST = 20
_LONGEST = 10
