"""Finds overlays and operations whose result depends on the order of their file names.

Candidates are values that two files set, one after the other. The runs are rendered with the files swapped. A value
that then changes, or a run that fails, is reported.
"""

from __future__ import annotations

import os
import re
from itertools import pairwise

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.finding import LintFinding, RelatedSpan
from plait.base.errors import PlaitError
from plait.insight.explain import Explainer
from plait.insight.node_paths import all_places, parse, places
from plait.insight.redaction import masked
from plait.tree.nodes import COLLECTIONS, equal
from plait.tree.provenance import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.lint.subject import EvaluatedRun, LintProject
    from plait.engine.results import Documents
    from plait.insight.node_paths import NodePath as Value
    from plait.tree.nodes import Item
    from plait.tree.provenance import Trace

# Maximum number of pairs that are tried; each costs a rendering of its run.
_MOST_PAIRS = 200

_NUMBERED = re.compile(r"\d")
_RELATIVE_LOAD = re.compile(r"""load\(\s*["'](?![@/])""")


class Pair:
    """Two files that set one value, the later one last. before, after: the changes."""

    __slots__ = ("after", "before", "ran", "value")

    def __init__(self, ran: EvaluatedRun, value: Value, before: Change, after: Change) -> None:
        self.ran = ran
        self.value = value
        self.before = before
        self.after = after

    @property
    def files(self) -> tuple[str, str]:
        """The files, in the order in which they were applied."""
        return path_of(self.before.source) or "", path_of(self.after.source) or ""


def order(subject: LintProject, *, listed: bool = False) -> Iterator[LintFinding]:
    """Pairs that do not commute. listed: include operations files in the order in which a run lists them."""
    seen: set[tuple[str, str]] = set()
    tried = 0
    for ran in subject.runs:
        code = {"render": "O201", "patch": "O202"}.get(ran.run.command)
        if code is None or ran.is_decided:
            continue
        for pair in _pairs(ran):
            if pair.files in seen:
                continue
            is_listed = _is_listed(ran, pair)
            if (is_listed and not (listed and code == "O202")) or not _can_swap(subject, ran, pair):
                continue
            seen.add(pair.files)
            tried += 1
            if tried > _MOST_PAIRS:
                return
            outcome = _swapped(subject, pair)
            if outcome is not None:
                yield _finding(pair, "O203" if is_listed else code, outcome)


def _pairs(ran: EvaluatedRun) -> Iterator[Pair]:
    """Values that two files set to different values, one after the other."""
    explainer = Explainer(ran.trace)
    marks = explainer.marks
    for value in all_places(explainer.visible(ran.documents.nodes.items), {}, explainer.names):
        if type(value.value) in COLLECTIONS or (marks is not None and marks.is_secret_place(*value.way)):
            continue
        changes = [one for one in _changes(ran.trace, value.item) if path_of(one.source) is not None]
        for after, before in pairwise(changes):
            if before.source is not after.source:
                yield Pair(ran, value, before, after)


def _changes(trace: Trace, item: Item) -> Iterator[Change]:
    """The changes that overlays and operations made to a value, the last one first."""
    for original, change in trace.versions(item):
        if change is None:
            # A file inserted the value with its parent, or it existed from the start.
            yield Change("written", original.source, original.line)
            return
        was = change.was
        is_step = change.action.startswith("overlay/") or change.action in ("replace", "remove")
        if is_step and (was is None or not equal(was.value, original.value)):
            yield change


def _is_listed(ran: EvaluatedRun, pair: Pair) -> bool:
    """True if the run names one of the files, so that the user chose their order."""
    name = {"render": "files", "patch": "ops"}[ran.run.command]
    named = {path for setting in ran.run.settings if setting.name == name for path in ran.run.paths(setting)}
    if not named:
        return True  # a command line typed by a user
    return not named.isdisjoint(pair.files) or _top(named, pair.files[0]) != _top(named, pair.files[1])


def _top(named: set[str], path: str) -> str:
    """The directory in a run's settings that contains a file."""
    return next((one for one in sorted(named, key=len, reverse=True) if path.startswith(one + os.sep)), "")


def _can_swap(subject: LintProject, ran: EvaluatedRun, pair: Pair) -> bool:
    """True if the files can be swapped, and only their names determine their order."""
    first, second = pair.files
    if not (subject.is_own(first) and subject.is_own(second)):
        return False
    if all(_NUMBERED.match(os.path.basename(path)) for path in pair.files):
        return False
    if ran.run.command == "patch":
        return all(subject.is_operations(path) for path in pair.files)
    texts = [subject.text(path) for path in pair.files]
    if os.path.dirname(first) != os.path.dirname(second) and any(_RELATIVE_LOAD.search(text) for text in texts):
        return False
    return all(_is_overlay(subject, path) for path in pair.files)


def _is_overlay(subject: LintProject, path: str) -> bool:
    """True if a file contains only overlays."""
    layout = subject.layout(path)
    return layout is not None and all(
        document.value is None or any(comment.text.startswith("@overlay/") for comment in layout.comments_of(document))
        for document in layout.documents.items
    )


def _swapped(subject: LintProject, pair: Pair) -> Documents | PlaitError | None:
    """The output of the run with the files swapped, or None if the value is the same."""
    first, second = (subject.text(path).encode("utf-8", "surrogateescape") for path in pair.files)
    texts = {pair.files[0]: second, pair.files[1]: first}
    for _, outcome in subject.differing(texts, only=pair.ran):
        if isinstance(outcome, PlaitError):
            # Errors of other types result from the changed file names.
            return outcome if type(outcome).__name__ in ("OverlayError", "OpsError") else None
        path = parse(str(pair.value))
        both = (masked(made.nodes.items, made.trace, view=pair.ran.view) for made in (pair.ran.documents, outcome))
        before, after = (places(path, documents) for documents in both)
        if len(before) != len(after) or not all(
            equal(one.value, other.value) for one, other in zip(before, after, strict=True)
        ):
            return outcome
    return None


def _finding(pair: Pair, code: str, outcome: Documents | PlaitError) -> LintFinding:
    before, after = pair.before, pair.after
    what = "overlays" if code == "O201" else "operations"
    if isinstance(outcome, PlaitError):
        other = "the other order is an error"
    else:
        other = "the other order sets a different value"
    reason = "in the order of the run" if code == "O203" else "only the file names decide the order"
    return LintFinding(
        code,
        pair.files[1],
        after.line,
        f"two {what} set {pair.value}, and this one is applied last: {reason}; {other}",
        also=[RelatedSpan(pair.files[0], before.line, "is applied before")],
        hint="" if code == "O203" else "put both into one file, list them in the run, or number the names of the files",
        runs=[pair.ran.run.name],
    )
