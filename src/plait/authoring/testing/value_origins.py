"""Finds the line that set a value, for reports about differences."""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.base.similar_names import counted
from plait.insight.diff import REMOVED, printed, to_text
from plait.insight.explain import CURRENT, Explainer
from plait.insight.node_paths import NodePath, parse, places
from plait.insight.redaction import hidden_differences
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.testing.evaluating import CaseEvaluation
    from plait.insight.diff import Difference
    from plait.insight.explain import HistoryEntry
    from plait.tree.nodes import Document


def cause(outcome: CaseEvaluation, document: str, path: str) -> str | None:
    """The position and origin of the value at a path of an output, or None if unknown.

    document: its name, or `document 1` and so on if it has none, as in `plait diff`.
    """
    found = [
        number
        for number, one in enumerate(_recorded(outcome))
        if document in (document_name(one), f"document {number + 1}")
    ]
    return cause_at(outcome, found[0], path) if found else None


def cause_at(outcome: CaseEvaluation, number: int, path: str) -> str | None:
    """As `cause`, for a document by its index."""
    trace = outcome.traced().trace
    recorded = _recorded(outcome)
    if trace is None or number >= len(recorded):
        return None
    try:
        found = places(parse(path), [recorded[number]]) if path else [NodePath(recorded[number], number, ())]
    except PlaitError:
        return None
    entries = Explainer(trace).history(found[0]).entries if found else []
    if not entries:
        return None
    last = entries[-1]
    text = f"{last.place} ({last.action})"
    origin = _origin(last.origins)
    return text if origin is None else f"{text}, of {origin.place} ({origin.action})"


def _recorded(outcome: CaseEvaluation) -> list[Document]:
    return printed(outcome.traced().nodes.items)


def _origin(entries: Sequence[HistoryEntry]) -> HistoryEntry | None:
    """The single value from which another one was computed, or None."""
    standing = [one for one in entries if one.has_value and one.state == CURRENT]
    return standing[-1] if standing else None


def with_causes(outcome: CaseEvaluation, differences: Sequence[Difference]) -> list[str]:
    """The lines of `plait diff`, each difference followed by the origin of the current value."""
    out: list[str] = []
    document = None
    for number, one in enumerate(hidden_differences(differences, outcome.view)):
        if number == _MOST:
            out.append(f"and {counted(len(differences) - number, 'more difference')}")
            break
        out += [one.document] if one.document != document else []
        document = one.document
        out += lines_of(one)
        found = None if one.kind == REMOVED else cause(outcome, one.document, one.path)
        out += [] if found is None else [f"      set by {found}"]
    return out


def lines_of(difference: Difference) -> list[str]:
    """The lines about one difference, up to a maximum."""
    lines = to_text([difference]).splitlines()[1:]
    if len(lines) > _LONGEST:
        lines[_LONGEST - 1 :] = [f"      ... and {counted(len(lines) - _LONGEST + 1, 'more line')}"]
    return lines


# Maximum number of values whose origins are reported.
_MOST = 20
_LONGEST = 10
