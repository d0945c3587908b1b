"""Verifies the changes that the server offers, by evaluating the runs that read an edited file."""

from __future__ import annotations

import os
from itertools import accumulate

import plait.base.text_edits
from plait.authoring.analysis.verifying import CheckBudget, Checked, Unverified, changes, checked, failures
from plait.authoring.lsp.evaluation import LIMITS
from plait.authoring.lsp.features import Fix
from plait.authoring.lsp.state import content_of
from plait.base.errors import PlaitError
from plait.base.input_view import permitted
from plait.insight.diff import diff
from plait.ytt.templates.recovery import findings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from plait.authoring.analysis.verifying import EditEffect
    from plait.authoring.lsp.features import FileEdit
    from plait.authoring.lsp.state import ServerState

# Timeout in seconds for a change that the user requested.
SECONDS = 10.0
# Timeout in seconds for fixes that are offered without a request.
SECONDS_OF_FIXES = 2.0


def budget(seconds: float = SECONDS) -> CheckBudget:
    """The limits of a verification."""
    return CheckBudget(seconds, {"steps": LIMITS["steps"], "memory": LIMITS["memory"]})


class Runs(list[Checked]):
    """The runs in which a change is checked. left: the reason why other runs are not; "" if these are all."""

    left = ""


def runs_for(state: ServerState, path: str, limit: CheckBudget) -> Runs:
    """The current runs of a file's project, with all environments of a matrix."""
    texts = state.seen_by_runs()
    found = Runs()
    watched_runs, left = state.registry.all_runs_of(path)
    if left:
        found.left = f"{left} environments were not checked"
    for watched in watched_runs:
        known = watched.checked
        if known is None or known[0] is not watched.evaluation or known[1] != state.texts or _is_old(known[2], texts):
            if limit.left <= 0:
                found.left = "the runs take too long"
                break
            with permitted(watched.run.permissions):
                now = checked(watched.run, texts, limit, state.refreshed_engine())
            if limit.left <= 0 and now.error is not None:
                found.left = "the runs take too long"
                break
            known = watched.checked = watched.evaluation, dict(state.texts), now
        found.append(known[2])
    return found


def _is_old(known: Checked, texts: Container[str]) -> bool:
    """True if a file that a run has read has changed since then."""
    return any(path not in texts and content_of(path) != data for path, data in known.view.files.items())


def edited(state: ServerState, edits: Iterable[FileEdit], *, broken: bool = False) -> dict[str, bytes]:
    """The files of edits, with the edits applied. Raises Unverified for an unreadable file.

    broken: include invalid files.
    """
    by_path: dict[str, list[FileEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.span.path, []).append(edit)
    out: dict[str, bytes] = {}
    for path, those in by_path.items():
        file = state.file(path)
        if file is None or (file.recovered.cut and not broken):
            raise Unverified(f"{path} has errors")
        starts = [0, *accumulate(len(line) + 1 for line in file.lines)]
        try:
            text = plait.base.text_edits.edited(file.source.text, (_in_text(starts, one) for one in those))
        except plait.base.text_edits.ConflictError:
            raise Unverified("edits overlap") from None
        out[path] = text.encode("utf-8", "surrogateescape")
    return out


def _in_text(starts: Sequence[int], edit: FileEdit) -> plait.base.text_edits.Edit:
    """An edit with character indexes. starts: the offsets of the lines."""
    span = edit.span
    first, last = starts[span.line - 1], starts[(span.last or span.line) - 1]
    return plait.base.text_edits.Edit(first + span.column - 1, last + span.end - 1, edit.text)


def first_change(
    state: ServerState,
    runs: Runs,
    edits: Iterable[FileEdit],
    limit: CheckBudget,
    *,
    is_meant: Callable[[EditEffect], bool] = lambda _: False,
) -> EditEffect | None:
    """The changed output of the first run that an edit affects, or None.

    is_meant: returns True for an intended change. Raises Unverified.
    """
    texts = edited(state, edits)
    if not any(one.reads(texts) for one in runs):
        raise Unverified(runs.left or "no run reads these files")
    for one in runs:
        with permitted(one.run.permissions):
            seen = {**state.seen_by_runs(), **texts}
            found = next(changes([one], seen, edited=texts, budget=limit, engine=state.refreshed_engine()), None)
        if found is not None and not is_meant(found):
            return found
    if runs.left:
        raise Unverified(runs.left)
    return None


def verified(state: ServerState, path: str, fixes: Iterable[Fix], limit: CheckBudget, *, keeps: bool) -> Iterator[Fix]:
    """The fixes of a file that evaluation confirms. The title of an unverified fix contains a note.

    keeps: a fix must keep the output of each run that succeeds; otherwise it must not make one fail. The error of a
    failing run must disappear.
    """
    runs: Runs | None = None
    for fix in fixes:
        if runs is None:
            runs = runs_for(state, path, limit)
        try:
            holds = _holds(state, runs, fix, limit, keeps=keeps or fix.keeps)
        except Unverified:
            yield Fix(f"{fix.title} (not verified)", fix.edits, keeps=fix.keeps)
            continue
        if holds:
            yield fix


def _holds(state: ServerState, runs: Runs, fix: Fix, limit: CheckBudget, *, keeps: bool) -> bool:
    """True if a fix holds. Raises Unverified."""
    texts = edited(state, fix.edits, broken=True)
    is_broken = False
    for path, data in texts.items():
        before = state.file(path)
        count = 0 if before is None else len(before.faults)
        if before is not None and count:
            after = before.with_text(data.decode("utf-8", "surrogateescape"))
            if len(after.faults) >= count:
                return False
            is_broken = True
    if is_broken:
        return True  # the file has one fault less; runs report it once the last fault is fixed
    seen = {**state.seen_by_runs(), **texts}
    sound = [one for one in runs if one.error is None]
    failing = [one for one in runs if one.error is not None]
    for one in sound:
        with permitted(one.run.permissions):
            found = changes([one], seen, edited=texts, budget=limit, engine=state.refreshed_engine())
            change = next(found, None)
        if change is not None and (keeps or isinstance(change.after, PlaitError)):
            return False
    for one in failing:
        with permitted(one.run.permissions):
            if next(failures([one], seen, texts, limit, state.refreshed_engine()), None) is not None:
                return False
    if runs.left:
        raise Unverified(runs.left)
    return True


def told(change: EditEffect) -> str:
    """The reason for rejecting a change: the error and its line, or the value that would change."""
    name = change.before.run.name
    if isinstance(change.after, PlaitError):
        # A finding with a position is more helpful than a headline without one.
        found = next((one for one in findings_of(change.after) if one.at is not None), change.after)
        at = f"{found.at}: " if found.at is not None else ""
        said = f"{at}{found.message}".replace(os.path.join(change.before.run.directory, ""), "")
        return f'the run "{name}" would fail: {said}'
    where = _first_difference(change)
    return f'the output of the run "{name}" would change' + (f": {where}" if where else "")


def _first_difference(change: EditEffect) -> str:
    """The path of the first value that differs; "" if no document does."""
    before, after = change.before.documents, change.after
    if before is None or isinstance(after, PlaitError):
        return ""
    found = next(iter(diff(before.nodes.items, after.nodes.items, in_order=True)), None)
    return "" if found is None else f"{found.document}:{found.path}" if found.path else found.document
