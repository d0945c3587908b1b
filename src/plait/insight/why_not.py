"""Explains why a value is absent, and which overlays matched nothing (`plait explain --not`)."""

from __future__ import annotations

from plait.base.errors import UsageError, text_of
from plait.insight.explain import Explainer, HistoryEntry
from plait.insight.history_text import to_text
from plait.insight.item_names import ItemNames
from plait.insight.node_paths import NodePath, Path, chosen, parse, places
from plait.insight.path_resolution import find
from plait.insight.untaken_conditions import untaken_conditions
from plait.tree.nodes import Array, Document, Map, MapItem
from plait.tree.secrets import HIDDEN
from plait.yaml.document_names import document_name, name_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plait.insight.impact import Rerun
    from plait.tree.nodes import Item
    from plait.tree.provenance import Change, Trace

_NEAR = 5


def absent(
    trace: Trace,
    documents: Sequence[Document],
    path: Path | None,
    *,
    files: Mapping[str, bytes | None] | None = None,
    rerun: Rerun | None = None,
) -> str:
    """Explains, as text, why a value is missing. path: the path of the value; None for all overlay items that matched
    nothing.

    files: contents of the inputs by absolute path. rerun: evaluates with replaced texts; raises PlaitError.
    """
    out: list[str] = []
    explainer = Explainer(trace)
    documents, names = explainer.visible(documents), explainer.names
    if path is not None:
        found = _why(trace, explainer, documents, path)
        out += found or _never_there(trace, explainer, documents, path, files or {}, rerun)
    marks = explainer.marks
    unmatched = [
        (item, [one for one in candidates if marks is None or not marks.is_there_by_secret(one)])
        for item, candidates in trace.unmatched
        if (path is None or _concerns(item, path))
    ]
    if unmatched or path is None:
        unknown = "" if marks is None else ", or a secret decides whether it does"
        out.append("overlay items that matched nothing:" if unmatched else f"every overlay item matched{unknown}")
    for item, candidates in unmatched:
        out += _unmatched(trace, item, candidates, names)
    return "\n".join(out) + "\n"


def _why(trace: Trace, explainer: Explainer, documents: Sequence[Document], path: Path) -> list[str]:
    """The lines about the value if it exists, or about its removal; empty if it never existed."""
    names = explainer.names
    there = places(path, documents, names)
    if there:
        return [f"{there[0]} is there:", "", to_text(explainer.history(there[0])).rstrip("\n")]
    unnamed = path
    if chosen(path, documents, names):
        # The document may have had other names before, and an action that renamed it took nothing out.
        unnamed = Path(path.text, None, path.steps)
        if len(documents) == 1:
            path = unnamed
    for effect in reversed(trace.effects):
        was = places(path, explainer.visible([effect.before]), names)
        if was and not (effect.after is not None and places(unnamed, explainer.visible([effect.after]), names)):
            by = effect.by
            shown = NodePath(documents[0], 0, was[0].way, names=names) if len(documents) == 1 else was[0]
            return [f"{shown} existed until this:", _line(trace, HistoryEntry(by.action, by.source, by.line))]
    for stage in reversed(trace.stages):
        # Data values are not the output, so a data value of this name was not removed from it.
        if stage.name == trace.DATA_VALUES:
            continue
        was = places(path, explainer.visible(stage.documents), names)
        if not was:
            continue
        out = [f"{was[0]} existed after {stage.name}, and was removed:"]
        for item in (*reversed(was[0].way), was[0].document):
            change = _removal(trace, item)
            if change is not None:
                out.append(_line(trace, HistoryEntry(change.action, change.source, change.line)))
                return out
        other = _instead(trace, documents, path, names)
        return [*out, " by later steps; no single action did it" if other is None else _line(trace, other)]
    return []


def _never_there(
    trace: Trace,
    explainer: Explainer,
    documents: Sequence[Document],
    path: Path,
    files: Mapping[str, bytes | None],
    rerun: Rerun | None,
) -> list[str]:
    names = explainer.names
    try:
        find(path, documents, names, reveals="--cleartext-secrets")
    except UsageError as error:
        problem = error
    marks = trace.marks
    gone = [
        (item, change)
        for item, change in trace.removals.items()
        if _is_last(item, path) and (marks is None or not marks.is_there_by_secret(item))
    ]
    out = [text_of(problem)]
    # The output with other outcomes may reveal secrets.
    if rerun is not None and (marks is None or marks.shows_all):
        out += _conditions(trace, explainer, path, files, rerun)
    for item, change in gone[:_NEAR]:
        where = HistoryEntry("written", item.source, item.line).place
        out.append(f"an item with that name, written at {where}, was removed by")
        out.append(_line(trace, HistoryEntry(change.action, change.source, change.line)))
        for cause in change.because[:1]:
            source, line = cause.source, cause.line
            if (source, line) != (change.source, change.line):
                out.append(_line(trace, HistoryEntry(getattr(cause, "action", "written"), source, line)))
    return out


def _conditions(
    trace: Trace, explainer: Explainer, path: Path, files: Mapping[str, bytes | None], rerun: Rerun
) -> list[str]:
    """Lines about the conditions that leave a value out, and about the data values that they read."""

    def exists(texts: Mapping[str, bytes]) -> bool:
        other, other_trace = rerun(texts)
        return bool(places(path, other.items, ItemNames() if other_trace is None else Explainer(other_trace).names))

    found = untaken_conditions(path, files, exists)
    if not found:
        return []
    out = [f"left out by {'a condition' if len(found) == 1 else 'conditions'}; with a different outcome, it exists:"]
    values = [one for stage in trace.stages if stage.name == trace.DATA_VALUES for one in stage.documents]
    for one in found:
        out.append(_line(trace, HistoryEntry("true" if not one.outcome else "false", one.source, one.line)))
        for name in one.data_values():
            for place in places(parse(name), values, explainer.names)[:1]:
                for entry in explainer.history(place).entries[-1:]:
                    out.append(_line(trace, entry))
    return out


def _instead(trace: Trace, documents: Sequence[Document], path: Path, names: ItemNames) -> HistoryEntry | None:
    """The entry that replaced the value at a path, or an ancestor, or None."""
    for length in range(len(path.steps) - 1, -1, -1):
        for place in places(Path(path.text, path.selector, path.steps[:length]), documents, names)[:1]:
            change = trace.changes.get(trace.original(place.item))
            if change is not None and change.source is not None:
                return HistoryEntry(change.action, change.source, change.line)
    return None


def _removal(trace: Trace, item: Item) -> Change | None:
    one: Item | None = item
    while one is not None:
        found = trace.removals.get(one)
        if found is not None:
            return found
        one = trace.copies.get(one)
    return None


def _is_last(item: Item, path: Path) -> bool:
    last = path.steps[-1] if path.steps else None
    return type(item) is MapItem and item.key == last


def _concerns(item: Item, path: Path) -> bool:
    keys = {step for step in path.steps if type(step) is str}
    return type(item) is MapItem and item.key in keys


def _line(trace: Trace, entry: HistoryEntry) -> str:
    marks = trace.marks
    hidden = entry.text is None or (marks is not None and marks.is_secret_line(entry.source, entry.line))
    text = "" if hidden or entry.text is None else f"  | {entry.text.strip()}"
    return f"  {entry.place}  {entry.action}{text}"


def _unmatched(trace: Trace, item: Item, candidates: list[Item], names: ItemNames) -> list[str]:
    """Lines about one overlay item: its matcher, and why each of the most similar candidates does not match."""
    annotation = (item.annotations or {}).get("overlay/match")
    out = [_line(trace, HistoryEntry(_described(item), item.source, item.line))]
    if annotation is not None:
        out.append(_line(trace, HistoryEntry("rule", annotation.source, annotation.line)))
    by = _rule(item)
    ranked = sorted(candidates, key=lambda other: -_likeness(item, other))[:_NEAR]
    for other in ranked:
        out.append(f"    {HistoryEntry('', other.source, other.line).place}  {_difference(item, other, by, names)}")
    if len(candidates) > _NEAR:
        out.append(f"    and {len(candidates) - _NEAR} more")
    if not candidates:
        out.append(" there were no candidates for a match")
    return out


def nearest_miss(item: Item, candidates: Sequence[Item], names: ItemNames) -> str | None:
    """The difference between an overlay item that matched nothing and the most similar candidate, or None.

    names: the names of the candidates.
    """
    if not candidates:
        return None
    other = max(candidates, key=lambda one: _likeness(item, one))
    return f"{HistoryEntry('', other.source, other.line).place} {_difference(item, other, _rule(item), names)}"


def _rule(item: Item) -> object:
    """The declared matcher of an overlay item, or None."""
    annotation = (item.annotations or {}).get("overlay/match")
    if annotation is None:
        return None
    return annotation.kwargs.get("by", annotation.args[0] if annotation.args else None)


def _described(item: Item) -> str:
    if type(item) is MapItem:
        return f'key "{item.key}"'
    return "document" if type(item) is Document else "array item"


def _likeness(expected: Item, other: Item) -> int:
    if type(expected.value) is Map and type(other.value) is Map:
        return sum(
            2 if (found := other.value.find(item.key)) is not None and found.value == item.value else found is not None
            for item in expected.value.items
        )
    return (
        1 if type(expected) is MapItem and type(other) is MapItem and str(expected.key)[:2] == str(other.key)[:2] else 0
    )


def _difference(expected: Item, other: Item, by: object, names: ItemNames) -> str:
    """The reason why a candidate does not match."""

    def shown(item: Item | None) -> str:
        value = None if item is None else HIDDEN if names.hides(item) else item.value
        return f'"{value}"' if type(value) is str and value is not HIDDEN else str(value)

    if type(expected) is MapItem and type(other) is MapItem:
        return f'has the key "{other.key}"'
    if type(by) is str:
        own = expected.value.find(by) if type(expected.value) is Map else None
        its = other.value.find(by) if type(other.value) is Map else None
        if its is None:
            return f'has no "{by}"'
        return f'"{by}" is {shown(its)}, not {shown(own)}'
    subset = getattr(by, "nodes", None)
    if type(subset) is Map and type(other.value) is Map:
        for item in subset.items:
            found = other.value.find(item.key)
            if found is None:
                return f'has no "{item.key}"'
            if type(item.value) is not Map and type(item.value) is not Array and found.value != item.value:
                return f'"{item.key}" is {shown(found)}, not {shown(item)}'
    is_named = isinstance(other, Document) and not any(map(names.hides, name_items(other)))
    return f"{(document_name(other) if is_named else None) or 'it'} does not match"
