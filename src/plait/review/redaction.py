"""Changes of values as a report shows them: on one line, of limited length, without secrets."""

from __future__ import annotations

from plait.review.result import ValueChange
from plait.review.values import ADDED, MOVED, REMOVED, RENAMED, is_secret_data, leaves, shown_name
from plait.tree.nodes import Array, Map
from plait.tree.secrets import HIDDEN
from plait.yaml.inline import flow_text
from plait.yaml.scalar_styles import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.insight.node_paths import NodePath
    from plait.review.evaluating import Outcome
    from plait.review.values import Change
    from plait.tree.nodes import Value

# Characters of a value in a report.
_LONGEST = 120
# Those that are shown before a difference.
_BEFORE = 30
# Characters and values of a collection that is shown with its items.
_LONGEST_WHOLE = 240
_MOST_LEAVES = 12


def full_place(place: NodePath, number: int) -> str:
    """The document and the path of a value. number: the number of a document without a name."""
    name, path = place.document_name or f"document {number + 1}", place.parts[1]
    return f"{name}:{path}" if path else name


def shown_change(change: Change, base: Outcome, head: Outcome) -> ValueChange:
    """A change for the report, without secrets."""
    before, old_path, old_name, is_old_secret = _side(base, change, is_new=False)
    after, new_path, new_name, is_new_secret = _side(head, change, is_new=True)
    is_secret = (
        is_old_secret
        or is_new_secret
        or is_secret_data((change.old, change.new), change.path.partition(".")[0].partition("[")[0])
    )
    values = max(
        leaves(change.before) if change.has_old and change.kind in (REMOVED, ADDED) else 1,
        leaves(change.after) if change.has_new and change.kind in (REMOVED, ADDED) else 1,
    )
    if change.kind == RENAMED:
        before, after = old_name, new_name
    elif change.kind == MOVED:
        before = after = None
    elif is_secret:
        before, after = (None if text is None else HIDDEN for text in (before, after))
    else:
        before, after = _cut(before, after)
    path = new_path if change.has_new else old_path
    made = ValueChange(
        change.kind, new_name if change.new is not None else old_name, path, before, after, values, is_secret=is_secret
    )
    made.of_keys = change.kind == MOVED and change.old is not None and type(change.before) is Map
    return made


def _side(outcome: Outcome, change: Change, *, is_new: bool) -> tuple[str | None, str, str, bool]:
    """The value, the path, and the document's name as shown on one side, and True for a secret."""
    document, number, way = (
        (change.new, change.new_number, change.new_way) if is_new else (change.old, change.old_number, change.old_way)
    )
    exists = change.has_new if is_new else change.has_old
    if document is None:
        return None, "", change.name, False
    marks = outcome.explainer.marks
    if number < 0:
        file = str(change.place[0][1]) if isinstance(change.place[0], tuple) else change.name
        secret = marks is not None and bool(way) and marks.is_secret(outcome.source(way[-1]))
        return (_text(way[-1].value) if exists and way else None), change.path, file, secret
    if marks is None:
        value: Value = way[-1].value if way else document.value
        return (_text(value, is_whole=bool(way)) if exists else None), change.path, shown_name(document, number), False
    place = outcome.place(document, number, way).named(outcome.explainer.names)
    name = place.document_name or f"document {number + 1}"
    if not exists:
        return None, change.path, name, False
    value = way[-1].value if way else document.value
    secret = outcome.explainer.hides(place) if way else outcome.explainer.is_secret(place.document)
    # A run with secrets: an item inside a collection can be one.
    return _text(value), change.path, name, secret or outcome.explainer.is_secret(place.item)


def _text(value: Value, *, is_whole: bool = False) -> str:
    """A value on one line. is_whole: a small collection is shown with its items."""
    if type(value) is Map or type(value) is Array:
        count = len(value.items)
        if is_whole and leaves(value) <= _MOST_LEAVES and len(text := flow_text(value)) <= _LONGEST_WHOLE:
            return text
        if not count:
            return "{}" if type(value) is Map else "[]"
        return f"{count} {'item' if type(value) is Array else 'key'}{'s' if count > 1 else ''}"
    # Quotes only where the value would be another one without them.
    return (one_line(value) if type(value) is str else None) or flow_text(value)


def _cut(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    """Two values of limited length. Their common beginning is left out if they would look the same otherwise."""
    start = 0
    if before is not None and after is not None and max(len(before), len(after)) > _LONGEST:
        shorter = min(len(before), len(after))
        equal = next((at for at in range(shorter) if before[at] != after[at]), shorter)
        start = equal - _BEFORE if equal > _LONGEST // 2 else 0
    most = _LONGEST_WHOLE if before is None or after is None else _LONGEST
    return _part(before, start, most), _part(after, start, most)


def _part(text: str | None, start: int, most: int) -> str | None:
    if text is None or (not start and len(text) <= most):
        return text
    end = start + most
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"
