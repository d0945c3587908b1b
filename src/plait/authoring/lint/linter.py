"""All findings of a project: selection, verification, suppression."""

from __future__ import annotations

from plait.authoring.lint import (
    ambiguous_scalars,
    dead,
    dead_code,
    dead_values,
    file_order,
    ignoring,
    likely_typos,
    missing_paths,
    no_op_values,
    portable,
    style,
)
from plait.authoring.lint.codes import CODES, WARNINGS, is_selected
from plait.authoring.lint.subject import LintProject
from plait.authoring.lint.verify import verified
from plait.authoring.project.run_selection import choose
from plait.base.input_view import permitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from plait.authoring.lint.finding import LintFinding
    from plait.authoring.lint.ignoring import LintSettings
    from plait.authoring.project.file import Project

    Looks = Callable[[LintProject], Iterable[LintFinding]]

# Codes for unused code and code without effect, which are confirmed by removing the code.
_PROVEN = frozenset({"D104", "D105", "D106", "D107", "D108", "D109", "D110"})
_PROVEN_BY_ITSELF = frozenset({"D101", "D102", "D103", "D111"})
_PROVEN_SILENT = frozenset({"S301", "S302", "S303", "S307"})
# Codes for facts about a text, which hold even if the code cannot be removed alone.
_FACTS = frozenset({"D105", "D107", "D108"})

# The check for each group of codes.
_LOOKS: tuple[tuple[tuple[str, ...], Looks], ...] = (
    (("D101",), dead.overlays),
    (("D102",), dead.operations),
    (("D103", "D111"), dead.layers),
    (("D104",), dead_values.data_values),
    (("D105",), dead_values.variables),
    (("D106", "D107", "D108"), dead_code.code),
    (("D109",), dead_values.libraries),
    (("D110",), dead_values.modules),
    (("S301",), no_op_values.same_values),
    (("S302",), no_op_values.same_operations),
    (("S303",), likely_typos.empty_merges),
    (WARNINGS, likely_typos.warnings),
    (("S307",), no_op_values.same_as_parent),
    (("S308",), missing_paths.missing_paths),
    (("R401",), ambiguous_scalars.inputs),
    (("R402",), ambiguous_scalars.outputs),
    (("T601", "T602", "T603", "T604", "T605"), style.style),
)


def lint(
    project: Project,
    runs: Sequence[str] = (),
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    portable_to: Sequence[str] = (),
) -> list[LintFinding]:
    """The findings about the runs of a project, by file and line.

    runs: names of runs, or patterns; by default all, and the first environments of each matrix. select: codes,
    prefixes, names or families to report, instead of the default ones; ignore: those not to report. portable_to: ytt,
    bosh, deckhand. Raises PlaitError if a run fails, UsageError for an unknown run or code.
    """
    with permitted(project.permissions):
        return findings_of(LintProject(project, choose(project, runs).runs), select, ignore, portable_to)


def findings_of(
    subject: LintProject,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    portable_to: Sequence[str] = (),
) -> list[LintFinding]:
    """As `lint`, for runs that are already evaluated."""
    settings = ignoring.LintSettings.of(subject.project.lint)
    wanted = looked_for(settings, select, ignore, portable_to)
    found = list(_found(subject, wanted, portable_to))
    found = list(ignoring.by_paths(found, settings, subject.project.directory))
    comments = list(ignoring.comments(subject))
    found = list(ignoring.silenced(found, comments))
    if "I901" in wanted:
        found += ignoring.unused(comments, wanted, found)
        found += ignoring.unmatched_paths(settings, subject.project.directory)
    unique = {finding.order: finding for finding in found}
    return [unique[key] for key in sorted(unique)]


def looked_for(
    settings: LintSettings, select: Sequence[str], ignore: Sequence[str], portable_to: Sequence[str]
) -> set[str]:
    """The codes to check. Raises UsageError for a pattern without codes."""
    for pattern in (*select, *ignore):
        ignoring.check_pattern(pattern)
    chosen = [*select] or [pattern for pattern, _ in settings.select]
    left_out = [*ignore, *(pattern for pattern, _ in settings.ignore)]
    targets = {portable.CODE_OF[target] for target in portable_to}
    return {
        code.code
        for code in CODES.values()
        if (
            code.code in targets
            or (any(is_selected(code.code, pattern) for pattern in chosen) if chosen else code.is_default)
        )
        and not any(is_selected(code.code, pattern) for pattern in left_out)
    }


def _found(subject: LintProject, expected: set[str], portable_to: Sequence[str]) -> Iterator[LintFinding]:
    """The findings with these codes, verified if required."""
    found: list[LintFinding] = []
    for codes, look in _LOOKS:
        if not expected.isdisjoint(codes):
            found += [finding for finding in look(subject) if finding.code in expected]
    if not expected.isdisjoint(("O201", "O202", "O203")):
        found += [one for one in file_order.order(subject, listed="O203" in expected) if one.code in expected]
    for target in portable_to or [name for name, code in portable.CODE_OF.items() if code in expected]:
        found += portable.differences(subject, target)
    for proved in (_PROVEN, _PROVEN_BY_ITSELF, _PROVEN_SILENT):
        claims = [
            finding for finding in found if finding.code in proved and (finding.removes or finding.code not in _FACTS)
        ]
        yield from verified(subject, claims, by_itself=proved is _PROVEN_BY_ITSELF)
        found = [finding for finding in found if finding not in claims]
    yield from found
