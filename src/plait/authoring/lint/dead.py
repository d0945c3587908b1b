"""Finds overlays, operations, substitutions and documents without effect on any output.

Candidates are items that were evaluated in some run, without a line that contributes to an output. Removing them proves
it (`verify`).
"""

from __future__ import annotations

from plait.authoring.analysis.file_facts import OPS
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.finding import LintFinding
from plait.base.text_edits import Edit
from plait.tree.nodes import Array, Document, Map, MapItem, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import EvaluatedRun, LintProject
    from plait.tree.nodes import Item

    Line = tuple[str, int]

_CHECKS = ("@overlay/assert", "@assert/")


def overlays(subject: LintProject) -> Iterator[LintFinding]:
    """Overlay items that were evaluated, but matched nothing or were overridden everywhere."""
    matched, missed = _overlay_lines(subject)
    used: set[Line] = set().union(*(ran.used for ran in subject.runs)) if subject.runs else set()
    dead = (matched | missed) - used
    for path in sorted({path for path, _ in dead}):
        layout = subject.layout(path) if subject.is_own(path) else None
        if layout is None:
            continue
        told: set[Item] = set()
        used_here = {number for one, number in used if one == path}
        for line in sorted(line for one, line in dead if one == path):
            item = _highest(layout, line, used_here, missed)
            if item is None or item in told or is_of_values(layout, item):
                continue
            told.add(item)
            removes = layout.removal(item)
            if removes is None or any(_is_check(layout, one) for one in _family(layout, item)):
                continue
            is_missed = (path, item.line) in missed
            what = f"this overlay {_kind(item)}"
            message = (
                f"{what} matches nothing in {_any(subject)}"
                if is_missed
                else f"all values set by {what} are overridden in {_all(subject)}"
            )
            yield layout.finding("D101", item, message, removes=removes, hint="remove it")


def _overlay_lines(subject: LintProject) -> tuple[set[Line], set[Line]]:
    """The lines of overlay items that matched, and of those that matched nothing."""
    matched: set[Line] = set()
    missed: set[Line] = set()
    for ran in subject.runs:
        for change in ran.trace.changes.values():
            path = path_of(change.source) if change.action.startswith("overlay/") else None
            if path is not None:
                matched.add((path, change.line))
        for item, _ in ran.trace.unmatched:
            path = path_of(item.source)
            if path is not None:
                missed.add((path, item.line))
    return matched, missed


def _highest(layout: LintedFile, line: int, used: set[int], missed: set[Line]) -> Item | None:
    """The outermost item that encloses the items on a line and contributes to no output."""
    items = layout.at(line)
    found: Item | None = None
    item: Item | None = items[0] if items else None
    while item is not None and used.isdisjoint(layout.lines(item)):
        # Code in the item may return other values, unless the item itself matches nothing.
        if not layout.has_code(item) or (layout.path, item.line) in missed:
            found = item
        item = layout.parent(item)
    return found


def _family(layout: LintedFile, item: Item) -> Iterator[Item]:
    """An item, its ancestors and its descendants."""
    yield item
    yield from walk(item.value)
    up = layout.parent(item)
    while up is not None:
        yield up
        up = layout.parent(up)


def _is_check(layout: LintedFile, item: Item) -> bool:
    """True if an item serves to reject a value, or to check that a value is missing."""
    for comment in layout.comments_of(item):
        if comment.text.startswith(_CHECKS):
            return True
        compact = comment.text.replace(" ", "").replace('"', "")
        if comment.text.startswith("@overlay/match") and compact.endswith("expects=0"):
            return True
    return False


def is_of_values(layout: LintedFile, item: Item) -> bool:
    """True if an item belongs to data values or their schema, which are merged like overlays."""
    document = layout.document_of(item)
    return document is not None and any(
        comment.text.startswith("@data/values") for comment in layout.comments_of(document)
    )


def _kind(item: Item) -> str:
    if type(item) is MapItem:
        return f'item "{item.key}"'
    return "document" if type(item) is Document else "array item"


def _any(subject: LintProject) -> str:
    return "any run" if len(subject.runs) > 1 else f'the run "{subject.runs[0].run.name}"'


def _all(subject: LintProject) -> str:
    return "every run" if len(subject.runs) > 1 else f'the run "{subject.runs[0].run.name}"'


def operations(subject: LintProject) -> Iterator[LintFinding]:
    """Operations that remove missing items, or whose values are replaced by later ones."""
    ran = [one for one in subject.runs if one.run.command == "patch"]
    done = {
        (path, effect.by.line)
        for one in subject.runs
        for effect in one.trace.effects
        if (path := path_of(effect.by.source)) is not None
    }
    used: set[Line] = set().union(*(one.used for one in ran)) if ran else set()
    is_decided = any(one.trace.marks is not None and one.trace.marks.decides for one in subject.runs)
    for layout, item, kind in operations_of(subject):
        lines = {(layout.path, at) for at in layout.lines(item)}
        is_done = not done.isdisjoint(lines)
        if kind == "test" or (is_done and not used.isdisjoint(lines)):
            continue
        if not is_done and (kind != "remove" or is_decided):
            continue  # it has no effect, or its effect would reveal a secret
        removes = operation_removal(layout, item)
        if removes is None:
            continue
        if is_done:
            message = f"all values set by this operation are overridden in {_all(subject)}"
            hint = "remove it, or apply its file after the operations that override it"
        else:
            message = f"this operation removes nothing in {_any(subject)}"
            hint = "remove it, or correct its path"
        yield layout.finding("D102", item, message, removes=removes, hint=hint)


def operations_of(subject: LintProject) -> Iterator[tuple[LintedFile, Item, str]]:
    """The operations in the files of runs, each with its type."""
    for file in subject.files():
        layout = subject.layout(file.path) if file.kind == OPS else None
        for document in () if layout is None else layout.documents.items[:1]:
            for item in document.value.items if type(document.value) is Array else ():
                found = item.value.find("type") if type(item.value) is Map else None
                if layout is not None and found is not None:
                    yield layout, item, str(found.value)


def operation_removal(layout: LintedFile, item: Item) -> list[Edit] | None:
    """The edits that remove an operation, or None. Removing the last operation leaves an empty list."""
    removes = layout.removal(item)
    around = layout.parent(item)
    if removes is None or around is None or type(around.value) is not Array:
        return removes
    if len(around.value.items) > 1:
        return removes
    first = removes[0]
    return [Edit(first.start, first.end, "[]\n", first.path), *removes[1:]]


def layers(subject: LintProject) -> Iterator[LintFinding]:
    """Abstract documents without children, and substitutions without effect."""
    ran = [one for one in subject.runs if one.run.command == "layer"]
    used: set[Line] = set().union(*(one.used for one in ran)) if ran else set()
    yield from _substitutions(subject, ran, used)
    abstract: set[Line] = set()
    for one in ran:
        for effect in one.trace.effects:
            path = path_of(effect.before.source)
            if effect.by.action == "abstract document" and path is not None:
                abstract.add((path, effect.before.line))
    for path, line in sorted(abstract):
        layout = subject.layout(path)
        at = () if layout is None else layout.at(line)
        item = next((one for one in at if type(one) is Document), None)
        if layout is None or item is None or used & {(path, at) for at in layout.lines(item)}:
            continue
        removes = layout.removal(item)
        if removes is not None:
            yield LintFinding(
                "D111",
                path,
                line,
                f"no document inherits from this abstract document in {_any(subject)}",
                removes=removes,
                hint="remove it, or add a child",
            )


def _substitutions(subject: LintProject, ran: list[EvaluatedRun], used: set[Line]) -> Iterator[LintFinding]:
    done = {
        (path, effect.by.line)
        for one in ran
        for effect in one.trace.effects
        if effect.by.action.startswith("substitution from") and (path := path_of(effect.by.source)) is not None
    }
    for path, line in sorted(done - used):
        layout = subject.layout(path)
        at = () if layout is None else layout.at(line)
        if layout is None or not at:
            continue
        item: Item | None = at[-1]
        while item is not None and not _is_entry(item):
            item = layout.parent(item)
        if item is None or used & {(path, at) for at in layout.lines(item)}:
            continue
        removes = layout.removal(item)
        if removes is not None:
            yield layout.finding(
                "D103",
                item,
                f"the value of this substitution is overridden in {_any(subject)}",
                removes=removes,
                hint="remove it",
            )


def _is_entry(item: Item) -> bool:
    """True if an item is an entry of a list of substitutions."""
    value = item.value
    return type(value) is Map and value.find("src") is not None and value.find("dest") is not None
