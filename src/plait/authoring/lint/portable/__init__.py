"""Finds differences from ytt, BOSH and Deckhand in the files of a project.

docs/compatibility lists all differences. Each entry of these lists has a check here, or a reason why it has none
(`entries`). A check finds the lines to which the entry applies.
"""

from __future__ import annotations

from plait.authoring.lint.finding import LintFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.lint.portable.rule import PortabilityRule
    from plait.authoring.lint.subject import LintProject

CODE_OF = {"ytt": "P501", "bosh": "P502", "deckhand": "P503"}
_NAMES = {"ytt": "ytt", "bosh": "BOSH", "deckhand": "Deckhand"}


def entries(target: str) -> Sequence[PortabilityRule]:
    """Returns the portability rules for a reference program. target: a key of `CODE_OF`, such as "ytt"."""
    from plait.authoring.lint.portable import bosh, deckhand, ytt

    return {"ytt": ytt.ENTRIES, "bosh": bosh.ENTRIES, "deckhand": deckhand.ENTRIES}[target]


def differences(subject: LintProject, target: str) -> Iterator[LintFinding]:
    """The differences in the runs and files of a project. target: a key of `CODE_OF`."""
    for entry in entries(target):
        if entry.check is None:
            continue
        for spot in entry.check(subject):
            yield LintFinding(
                CODE_OF[target],
                spot.path,
                spot.line,
                f"{_NAMES[target]} {entry.says}",
                column=spot.column,
                hint=entry.hint,
            )
