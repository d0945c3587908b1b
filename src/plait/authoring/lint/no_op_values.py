"""Finds no-ops: items of overlays, operations and data of layered documents that set a value equal to the existing one."""

from __future__ import annotations

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.dead import is_of_values, operation_removal, operations_of
from plait.authoring.lint.finding import LintFinding, RelatedSpan
from plait.tree.nodes import COLLECTIONS, ArrayItem, Map, MapItem, equal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import LintProject
    from plait.tree.nodes import Document, Item, Value
    from plait.tree.provenance.marks import Marks

    Line = tuple[str, int]

# Keys that identify an item rather than configure it.
_NAMES = frozenset({"apiVersion", "kind", "name", "namespace", "id", "key", "schema"})


class _Places:
    """The lines that set a value. same: those that set the existing value, with its item. other: those that changed it."""

    def __init__(self) -> None:
        self.same: dict[Line, Item] = {}
        self.other: set[Line] = set()

    def note(self, marks: Marks | None, path: str | None, line: int, was: Item | None, item: Item | None) -> None:
        """Records a set value. was: the previous item. item: the new one; None if it was removed."""
        if path is None:
            return
        value = None if item is None else item.value
        if marks is not None and any(one is not None and marks.holds_secret(one) for one in (was, item)):
            # A finding must not reveal that a value equals a secret.
            self.other.add((path, line))
        elif was is not None and item is not None and type(value) not in COLLECTIONS and equal(was.value, value):
            self.same[path, line] = was
        else:
            self.other.add((path, line))

    def written(self, subject: LintProject) -> Iterator[tuple[LintedFile, Item, Item]]:
        """The scalars in files that never changed anything, each with one of the values that it replaced."""
        for path, line in sorted(self.same.keys() - self.other):
            layout = subject.layout(path)
            item = _written_scalar(layout, line) if layout is not None else None
            if layout is not None and item is not None:
                yield layout, item, self.same[path, line]


def same_values(subject: LintProject) -> Iterator[LintFinding]:
    """Overlay items that set an existing value wherever they are applied."""
    places = _Places()
    for ran in subject.runs:
        for item, change in ran.trace.changes.items():
            if change.action.startswith("overlay/"):
                places.note(ran.trace.marks, path_of(change.source), change.line, change.was, item)
        for change in ran.trace.removals.values():
            places.note(None, path_of(change.source), change.line, None, None)
    for layout, item, was in places.written(subject):
        if subject.is_own(layout.path) and not _is_identifying(layout, item) and not is_of_values(layout, item):
            message = f"this overlay sets {called(item)} to its existing value"
            yield _finding("S301", layout, item, was, message, "remove it, unless it documents the value")


def same_as_parent(subject: LintProject) -> Iterator[LintFinding]:
    """Data of layered documents that equals the parent's."""
    places = _Places()
    for ran in subject.runs:
        own: dict[tuple[str | None, int], Document] = {}
        for effect in ran.trace.effects:
            document = (path_of(effect.before.source), effect.before.line)
            if effect.by.action.startswith("actions"):
                own[document] = effect.before
            elif effect.by.action == "merge ." and document in own:
                _compare(ran.trace.marks, places, _data(effect.before), _data(own[document]))
    for layout, item, was in places.written(subject):
        if path_of(was.source) != layout.path:
            yield _finding("S307", layout, item, was, f"the parent gives {called(item)} the same value", "remove it")


def _data(document: Document) -> Value:
    found = document.value.find("data") if type(document.value) is Map else None
    return None if found is None else found.value


def _compare(marks: Marks | None, places: _Places, there: Value, own: Value) -> None:
    """Records the changes that a child's data makes to its parent's."""
    todo = [(there, own)]
    while todo:
        left, right = todo.pop()
        if type(left) is not Map or type(right) is not Map:
            continue
        for item in right.items:
            was = left.find(item.key)
            if was is not None and type(was.value) is Map and type(item.value) is Map:
                todo.append((was.value, item.value))
            else:
                places.note(marks, path_of(item.source), item.line, was, item)


def _finding(code: str, layout: LintedFile, item: Item, was: Item, message: str, hint: str) -> LintFinding:
    at = path_of(was.source)
    return layout.finding(
        code,
        item,
        message,
        also=[] if at is None else [RelatedSpan(at, was.line, "has the same value")],
        removes=layout.removal_of_all(item) or (),
        hint=hint,
    )


def _written_scalar(layout: LintedFile, line: int) -> Item | None:
    """The map or array item on a line, if it is the only one and a scalar; else None."""
    items = [item for item in layout.at(line) if type(item) in (MapItem, ArrayItem)]
    if len(items) != 1 or type(items[0].value) in COLLECTIONS or "#@" in layout.line(line):
        return None
    return items[0]


def _is_identifying(layout: LintedFile, item: Item) -> bool:
    """True if an item is usually repeated on purpose: to identify its parent, or to be matched."""
    if type(item) is not MapItem or item.key in _NAMES:
        return True
    up: Item | None = layout.parent(item)
    while up is not None:
        for comment in layout.comments_of(up):
            if comment.text.startswith("@overlay/match") and f'"{item.key}"' in comment.text:
                return True
        up = layout.parent(up)
    return False


def called(item: Item) -> str:
    """The name of an item in messages."""
    return f'"{item.key}"' if type(item) is MapItem else "an array item"


def same_operations(subject: LintProject) -> Iterator[LintFinding]:
    """Operations that set the existing value."""
    operations = [*operations_of(subject)]
    paths = {layout.path for layout, _, _ in operations}
    done: set[Line] = set()
    for ran in subject.runs:
        for effect in ran.trace.effects:
            path = path_of(effect.by.source)
            if path is None or path not in paths:
                continue
            marks = ran.trace.marks
            # A finding must not reveal that a document in an output with secrets is unchanged.
            is_open = marks is None or not marks.holds_secret(effect.before)
            is_same = is_open and effect.after is not None and equal(effect.before.value, effect.after.value)
            if not is_same:
                done.add((path, effect.by.line))
    for layout, item, kind in operations:
        if kind != "replace" or not done.isdisjoint((layout.path, line) for line in layout.lines(item)):
            continue
        yield layout.finding(
            "S302",
            item,
            "this operation changes nothing: the value is already the same",
            removes=operation_removal(layout, item) or (),
            hint="remove it",
        )
