"""Changes that the server offers are claims: each is checked by evaluating the runs that read an edited file."""

from __future__ import annotations

import os

from plait.analysis.verifying import Budget, Unverified, changes, checked, failures
from plait.errors import PlaitError
from plait.lsp.answers import Fix
from plait.lsp.evaluation import LIMITS
from plait.view import permitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from plait.analysis.verifying import Change, Checked
    from plait.lsp.answers import Edit
    from plait.lsp.state import State

# Seconds that a person waits for a change that was asked for.
SECONDS = 10.0
# The same for the fixes that are offered for a line, which nobody asked for.
SECONDS_OF_FIXES = 2.0


def budget(seconds: float = SECONDS) -> Budget:
    """What a check may take."""
    return Budget(seconds, {"steps": LIMITS["steps"], "memory": LIMITS["memory"]})


def runs_for(state: State, path: str, limit: Budget) -> list[Checked]:
    """The runs of the project of a file as they are now. A run without time left fails with that error."""
    texts = state.seen_by_runs()
    found = []
    for watched in state.runs_of(path):
        known = watched.checked
        if known is None or known[0] is not watched.evaluation or known[1] != state.texts:
            with permitted(watched.run.permissions):
                now = checked(watched.run, texts, limit, state.cache)
            known = watched.checked = watched.evaluation, dict(state.texts), now
            if limit.left <= 0:
                watched.checked = None
        found.append(known[2])
    return found


def edited(state: State, edits: Iterable[Edit], *, broken: bool = False) -> dict[str, bytes]:
    """The files that edits are for, with the edits made. Raises Unverified for a file that cannot be read as it is.

    broken: edit such a file, too.
    """
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.span.path, []).append(edit)
    out: dict[str, bytes] = {}
    for path, those in by_path.items():
        file = state.file(path)
        if file is None or (file.recovered.cut and not broken):
            raise Unverified(f"{path} has errors")
        lines = file.source.text.split("\n")
        for edit in sorted(those, key=lambda one: (one.span.line, one.span.column), reverse=True):
            line = lines[edit.span.line - 1]
            lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.text + line[edit.span.end - 1 :]
        out[path] = "\n".join(lines).encode("utf-8", "surrogateescape")
    return out


def first_change(
    state: State,
    runs: Sequence[Checked],
    edits: Iterable[Edit],
    limit: Budget,
    *,
    is_meant: Callable[[Change], bool] = lambda _: False,
) -> Change | None:
    """What the first run that makes something else makes with edits; None if all make the same.

    is_meant: returns True for another output that the edits are for. Raises Unverified.
    """
    texts = edited(state, edits)
    if not any(one.reads(texts) for one in runs):
        raise Unverified("no run reads these files")
    for one in runs:
        with permitted(one.run.permissions):
            seen = {**state.seen_by_runs(), **texts}
            found = next(changes([one], seen, edited=texts, budget=limit, cache=state.cache), None)
        if found is not None and not is_meant(found):
            return found
    return None


def verified(state: State, path: str, fixes: Iterable[Fix], limit: Budget, *, keeps: bool) -> Iterator[Fix]:
    """The fixes for a file that do what they say; of one that cannot be checked in time the title says so.

    keeps: a fix has to keep the output of each run that succeeds; otherwise it may not make one fail. What a run that
    fails says has to be gone.
    """
    runs: list[Checked] | None = None
    for fix in fixes:
        if runs is None:
            runs = runs_for(state, path, limit)
        try:
            holds = _holds(state, runs, fix, limit, keeps=keeps)
        except Unverified:
            yield Fix(f"{fix.title} (not verified)", fix.edits)
            continue
        if holds:
            yield fix


def _holds(state: State, runs: Sequence[Checked], fix: Fix, limit: Budget, *, keeps: bool) -> bool:
    """True if a fix does what it says. Raises Unverified."""
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
        return True  # the reader has one fault less; what the runs say of the file comes after the last one
    seen = {**state.seen_by_runs(), **texts}
    sound = [one for one in runs if one.error is None]
    failing = [one for one in runs if one.error is not None]
    for one in sound:
        with permitted(one.run.permissions):
            found = changes([one], seen, edited=texts, budget=limit, cache=state.cache)
            change = next(found, None)
        if change is not None and (keeps or isinstance(change.after, PlaitError)):
            return False
    for one in failing:
        with permitted(one.run.permissions):
            if next(failures([one], seen, texts, limit, state.cache), None) is not None:
                return False
    return True


def told(change: Change) -> str:
    """Why a change is rejected: the error and its line, or the value that would be another one."""
    name = change.before.run.name
    if isinstance(change.after, PlaitError):
        at = f"{change.after.at}: " if change.after.at is not None else ""
        said = f"{at}{change.after.message}".replace(os.path.join(change.before.run.directory, ""), "")
        return f'the run "{name}" would fail: {said}'
    where = _first_difference(change)
    return f'the output of the run "{name}" would change' + (f": {where}" if where else "")


def _first_difference(change: Change) -> str:
    """The place of the first value that differs; "" if no document does."""
    from plait.tools.diff import diff

    before, after = change.before.documents, change.after
    if before is None or isinstance(after, PlaitError):
        return ""
    found = next(iter(diff(before.nodes.items, after.nodes.items, in_order=True)), None)
    return "" if found is None else f"{found.document}:{found.path}" if found.path else found.document
