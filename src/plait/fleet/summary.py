"""The summary of a fleet: the number of runs, and each distinct error with its number of runs."""

from __future__ import annotations

from copy import copy

from plait.base.equal_errors import grouped
from plait.base.errors import Warning
from plait.base.similar_names import counted
from plait.base.source import Frame
from plait.fleet.run_result import CACHED, FAILED, RENDERED, SKIPPED, UP_TO_DATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plait.base.equal_errors import Key
    from plait.fleet.run_result import RunResult

# Maximum number of environments named for one error or warning.
_NAMED = 3
# Maximum number of different errors reported.
_TOLD = 20


def counts_line(counts: Mapping[str, int], seconds: float, directory: str) -> str:
    """The number of runs by status, as one line."""
    total = sum(counts.values())
    said = [
        f"{counts[status]} {status}" for status in (RENDERED, CACHED, UP_TO_DATE, FAILED, SKIPPED) if counts.get(status)
    ]
    return f"{counted(total, 'run')}: {', '.join(said) or 'nothing to do'}, in {duration(seconds)}; {directory}\n"


def statistics_text(statistics: Mapping[str, tuple[int, int]]) -> str:
    """The numbers of reused and of new objects, one type per line."""
    lines = [f"{name}: {reused} reused, {new} new\n" for name, (reused, new) in statistics.items()]
    return "".join(lines) or "nothing was reused\n"


def faults_text(failed: Sequence[RunResult], program: str = "plait: ") -> str:
    """The errors of runs, grouped, the largest group first. program: precedes each error."""
    groups = by_error(failed)
    out = []
    for group in groups[:_TOLD]:
        out.append(f"{program}{counted(len(group), 'environment')}: {group[0].error}\n  first in: {_names(group)}\n\n")
    if len(groups) > _TOLD:
        rest = sum(map(len, groups[_TOLD:]))
        out.append(
            f"{program}{counted(rest, 'environment')} with {counted(len(groups) - _TOLD, 'other error')}: see the manifest\n\n"
        )
    return "".join(out)


def by_error(failed: Sequence[RunResult]) -> list[list[RunResult]]:
    """Groups runs by equal errors, or errors that differ only in axis values; the largest group first.

    An error that depends on the value of one axis is not grouped with those of other values.
    """
    faults: dict[Key, set[Key]] = {}
    for outcome in failed:
        faults.setdefault(outcome.same, set()).add(outcome.fault)
    groups = grouped(failed, lambda one: one.fault if len(faults[one.same]) == 1 else one.same)
    return sorted(groups, key=lambda one: -len(one))


def warnings_of(outcomes: Iterable[RunResult]) -> list[Warning]:
    """The warnings of runs, without duplicates, each with the names of its runs."""
    told = [(text, outcome) for outcome in outcomes for text in outcome.warnings]
    groups = grouped(told, lambda one: one[0])
    return [_of_runs(group[0][0], _names([one for _, one in group])) for group in groups]


def _of_runs(text: Warning, names: str) -> Warning:
    """A warning with the names of its runs."""
    found = copy(text.diagnostic)
    found.stack = [*found.stack, Frame(f"in the runs {names}")]
    return Warning(f"{text} ({names})", found)


def _names(group: Sequence[RunResult]) -> str:
    names = ", ".join(outcome.name for outcome in group[:_NAMED])
    return names + (f" and {len(group) - _NAMED} more" if len(group) > _NAMED else "")


def duration(seconds: float) -> str:
    """A duration as text."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
