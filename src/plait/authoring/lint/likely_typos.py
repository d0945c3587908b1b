"""Finds code without effect, and operations that create a key similar to an existing one."""

from __future__ import annotations

from plait.authoring.analysis.file_facts import OPS
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.finding import LintFinding, RelatedSpan
from plait.authoring.lint.mending import SAFE, mendings
from plait.authoring.lint.no_op_values import called
from plait.authoring.project.run import relative_to_cwd
from plait.base.codes import number_of
from plait.base.extents import extent
from plait.base.similar_names import is_slip
from plait.base.source import Position
from plait.base.text_edits import Edit
from plait.tree.nodes import Array, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import EvaluatedRun, LintProject
    from plait.base.errors import Diagnostic, Warning
    from plait.tree.nodes import Item, Value


# Actions that insert an item, rather than merge it.
_ACTIONS = frozenset({"@overlay/append", "@overlay/insert", "@overlay/replace", "@overlay/remove", "@overlay/assert"})


def empty_merges(subject: LintProject) -> Iterator[LintFinding]:
    """Empty maps and arrays that are merged by overlays."""
    for path in subject.paths:
        layout = subject.layout(path) if subject.is_own(path) else None
        if layout is None or "@overlay/" not in layout.text:
            continue
        for item in layout.items:
            if type(item) is not MapItem or type(item.value) not in (Map, Array) or item.value.items:  # type: ignore[union-attr]
                continue
            document = layout.document_of(item)
            if document is None or not _is_overlay(layout, document) or _has_action(layout, item):
                continue
            yield layout.finding(
                "S303",
                item,
                f"merging the empty {'map' if type(item.value) is Map else 'array'} {called(item)} changes nothing",
                removes=layout.removal(item) or (),
                hint="to replace by the empty value, add #@overlay/replace; otherwise remove it",
            )


def _is_overlay(layout: LintedFile, item: Item) -> bool:
    return any(comment.text.startswith("@overlay/") for comment in layout.comments_of(item))


def _has_action(layout: LintedFile, item: Item) -> bool:
    """True if an item, or an ancestor, may be inserted rather than merged."""
    names = [comment.text.partition(" ")[0] for comment in layout.comments_of(item)]
    if any(name.startswith("@overlay/") for name in names):
        return True
    up: Item | None = item
    while up is not None:
        for comment in layout.comments_of(up):
            name = comment.text.partition(" ")[0]
            if name in _ACTIONS or "missing_ok" in comment.text:
                return True
        up = layout.parent(up)
    return False


# ---- warnings of runs


def warnings(subject: LintProject) -> Iterator[LintFinding]:
    """The warnings of runs as findings."""
    seen: set[Warning] = set()
    for ran in subject.runs:
        for warning in ran.documents.warned:
            found = warning.diagnostic
            at = found.at
            if not found.code or at is None or at.source is None or at.line < 1 or warning in seen:
                continue
            seen.add(warning)
            shown = at.source.shown
            path = next((one for one in subject.paths if shown in (relative_to_cwd(one), one)), None)
            if path is None:
                continue
            code, line = number_of(found.code), at.line
            yield LintFinding(
                code,
                path,
                line,
                found.message,
                edits=_mended(subject, path, found) if subject.is_own(path) else (),
            )


def _mended(subject: LintProject, path: str, found: Diagnostic) -> Sequence[Edit]:
    """The edits of the first safe suggestion of a warning. Only an editor, which asks the user, applies unsafe ones."""
    file = subject.file(path)
    if file is None or found.at is None:
        return ()
    at = extent(found, Position(file.source, found.at.line, found.at.column))
    return next((one.edits for one in mendings(file, found, at) if one.safety == SAFE), ())


# ---- operations that create a key similar to an existing one


def near_misses(subject: LintProject) -> Iterator[LintFinding]:
    """Operations that create a key with `?` while a similar key exists."""
    seen: set[tuple[str, int, str]] = set()
    for ran in subject.runs if any(one.run.command == "patch" for one in subject.runs) else ():
        for item, change in () if ran.is_decided else ran.trace.changes.items():
            path = path_of(change.source)
            if change.action != "replace" or change.was is not None or path is None:
                continue
            if type(item) is not MapItem or type(item.key) is not str or (path, change.line, item.key) in seen:
                continue
            seen.add((path, change.line, item.key))
            found = _operation_at(subject, path, change.line)
            if found is None or "?" not in str(found[1].value):
                continue
            layout, written = found
            operation = layout.parent(written)
            near = None if operation is None else _nearly(ran, path, layout.lines(operation), item)
            if near is None:
                continue
            at = path_of(near.source)
            yield LintFinding(
                "S304",
                path,
                written.line,
                f'the key "{item.key}" is created, although "{near.key}" exists',
                also=[] if at is None else [RelatedSpan(at, near.line, "is there")],
                hint=f'did you mean "{near.key}"?',
            )


def _nearly(ran: EvaluatedRun, path: str, lines: frozenset[int], item: MapItem) -> MapItem | None:
    """The sibling with a similar name of an item that an operation created, or None. lines: of the operation."""
    for effect in ran.trace.effects:
        if effect.by.line in lines and path_of(effect.by.source) == path and effect.after is not None:
            around = _map_with(effect.after.value, item)
            for one in () if around is None else around.items:
                if type(one.key) is str and type(item.key) is str and one is not item and is_slip(item.key, one.key):
                    return one
    return None


def _operation_at(subject: LintProject, path: str, line: int) -> tuple[LintedFile, Item] | None:
    """The file and the path item of the operation on a line, or None."""
    layout = subject.layout(path)
    file = subject.file(path)
    if layout is None or file is None or file.kind != OPS:
        return None
    up: Item | None = next(iter(layout.at(line)), None)
    while up is not None:
        found = up.value.find("path") if type(up.value) is Map else None
        if found is not None:
            return layout, found
        up = layout.parent(up)
    return None


def _map_with(value: Value, expected: MapItem) -> Map | None:
    """The map that contains an item, or None."""
    todo = [value]
    while todo:
        here = todo.pop()
        if type(here) is Map:
            if any(item is expected for item in here.items):
                return here
            todo += [item.value for item in here.items]
        elif type(here) is Array:
            todo += [item.value for item in here.items]
    return None
