"""What is said of a fleet when it has ended: how many runs, and equal errors once with how many have them."""

from __future__ import annotations

from plait.fleet.outcome import FAILED, KEPT, LEFT, MADE, STORED
from plait.spell import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plait.fleet.outcome import Outcome

# So many environments are named of those that have one error, and of those that warn of one thing.
_NAMED = 3


def counts_line(counts: Mapping[str, int], seconds: float, directory: str) -> str:
    """How many runs there were of each status."""
    total = sum(counts.values())
    said = [f"{counts[status]} {status}" for status in (MADE, STORED, KEPT, FAILED, LEFT) if counts.get(status)]
    return f"{counted(total, 'run')}: {', '.join(said) or 'nothing to do'}, in {duration(seconds)}; {directory}\n"


def faults_text(failed: Sequence[Outcome]) -> str:
    """The errors of runs, equal ones together, those that most have first."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in failed:
        groups.setdefault(outcome.fault, []).append(outcome)
    out = []
    for group in sorted(groups.values(), key=lambda one: -len(one)):
        first = group[0]
        out.append(f"plait: {counted(len(group), 'environment')}: {first.error}\n  first in: {_names(group)}\n\n")
    return "".join(out)


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
    """A time as people say it."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
