"""Verifies findings: code reported as unused is removed and every run is rendered again. Only confirmed findings are
reported.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.authoring.lint.finding import LintFinding
    from plait.authoring.lint.subject import LintProject

# Maximum number of renderings; anything still unproven is not reported.
_MOST_RENDERINGS = 64


def verified(subject: LintProject, findings: Sequence[LintFinding], *, by_itself: bool) -> list[LintFinding]:
    """The findings whose `removes` together change no output.

    by_itself: also check each alone, because one of two may only serve the other.
    """

    def is_same(some: Sequence[LintFinding]) -> bool:
        return subject.same_with([edit for finding in some for edit in finding.removes])

    found = _halves([finding for finding in findings if finding.removes], is_same, [_MOST_RENDERINGS])
    return [one for one in found if is_same([one])] if by_itself and len(found) > 1 else found


def kept(subject: LintProject, findings: Sequence[LintFinding]) -> list[LintFinding]:
    """The findings whose `edits`, all applied together, change no output."""

    def is_same(some: Sequence[LintFinding]) -> bool:
        return subject.same_with([edit for finding in some for edit in finding.edits])

    found = _halves(findings, is_same, [_MOST_RENDERINGS])
    while found and not is_same(found):  # each holds alone, but not together
        found = found[: len(found) // 2]
    return found


def _halves(
    some: Sequence[LintFinding], is_same: Callable[[Sequence[LintFinding]], bool], left: list[int]
) -> list[LintFinding]:
    """The findings that hold. All are tried at once, because usually all hold; if that fails, each half is tried
    separately.

    left: the remaining number of attempts.
    """
    if not some or left[0] <= 0:
        return []
    left[0] -= 1
    if is_same(some):
        return [*some]
    if len(some) == 1:
        return []
    middle = len(some) // 2
    return [*_halves(some[:middle], is_same, left), *_halves(some[middle:], is_same, left)]
