"""Finds code without effect, and reports the warnings of runs."""

from __future__ import annotations

from plait.authoring.lint.finding import LintFinding
from plait.authoring.lint.mending import SAFE, mendings
from plait.authoring.lint.no_op_values import called
from plait.authoring.project.run import relative_to_cwd
from plait.base.codes import number_of
from plait.base.extents import extent
from plait.base.source import Position
from plait.base.text_edits import Edit
from plait.tree.nodes import Array, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import LintProject
    from plait.base.errors import Diagnostic, Warning
    from plait.tree.nodes import Item


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
