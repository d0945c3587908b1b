"""The summary of a fleet: the number of runs, and equal errors once with the number of runs."""

from __future__ import annotations

from plait.fleet.outcome import FAILED, KEPT, LEFT, MADE, STORED
from plait.spell import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plait.fleet.outcome import Outcome

# So many environments are named of those that have one error, and of those that warn of one thing.
_NAMED = 3
# So many different errors are told.
_TOLD = 20


def counts_line(counts: Mapping[str, int], seconds: float, directory: str) -> str:
    """The number of runs by status, as one line."""
    total = sum(counts.values())
    said = [f"{counts[status]} {status}" for status in (MADE, STORED, KEPT, FAILED, LEFT) if counts.get(status)]
    return f"{counted(total, 'run')}: {', '.join(said) or 'nothing to do'}, in {duration(seconds)}; {directory}\n"


def faults_text(failed: Sequence[Outcome]) -> str:
    """The errors of runs, grouped, the largest group first."""
    groups = sorted(_by_error(failed), key=lambda one: -len(one))
    out = []
    for group in groups[:_TOLD]:
        errors = {outcome.error for outcome in group}
        text = group[0].error if len(errors) == 1 else group[0].fault
        out.append(f"plait: {counted(len(group), 'environment')}: {text}\n  first in: {_names(group)}\n\n")
    if len(groups) > _TOLD:
        rest = sum(map(len, groups[_TOLD:]))
        out.append(
            f"plait: {counted(rest, 'environment')} with {counted(len(groups) - _TOLD, 'other error')}: "
            "the manifest has them\n\n"
        )
    return "".join(out)


def _by_error(failed: Sequence[Outcome]) -> list[list[Outcome]]:
    """Runs with equal errors together, and with errors that differ in nothing but values on axes.

    An error that depends on the value of one axis belongs to that value and is not grouped with others.
    """
    faults: dict[str, set[str]] = {}
    for outcome in failed:
        faults.setdefault(outcome.error, set()).add(outcome.fault)
    groups: dict[str, list[Outcome]] = {}
    for outcome in failed:
        own = outcome.fault if len(faults[outcome.error]) == 1 else outcome.error
        groups.setdefault(own, []).append(outcome)
    return list(groups.values())


def warnings_text(outcomes: Iterable[Outcome]) -> str:
    """The warnings of runs, each once."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        for text in outcome.warnings:
            groups.setdefault(text, []).append(outcome)
    return "".join(f"plait: warning: {text} ({_names(group)})\n" for text, group in groups.items())


def _names(group: Sequence[Outcome]) -> str:
    names = ", ".join(outcome.name for outcome in group[:_NAMED])
    return names + (f" and {len(group) - _NAMED} more" if len(group) > _NAMED else "")


def duration(seconds: float) -> str:
    """A duration as text."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
