"""A review as messages at source lines: for GitHub annotations and SARIF."""

from __future__ import annotations

from plait.base.codes import DiagnosticCode
from plait.base.similar_names import counted
from plait.insight.diagnostic_formats import Message, RelatedPayload
from plait.review.consequences import REQUESTS, RULES
from plait.review.reports import by_kind, effects, failure_title, subjects_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.review.result import Cause, Failure, FoundConsequence, Review

CAUSE = DiagnosticCode("review-cause", "review-cause", "note", "changed lines that changed values of the output")
FAILURE = DiagnosticCode("review-failure", "review-failure", "error", "the change makes a run fail")
_CODES = {rule.name: DiagnosticCode(rule.name, rule.name, rule.severity, rule.reason) for rule in (*RULES, REQUESTS)}
_MOST = 5


def messages(review: Review) -> list[Message]:
    """The failures, the consequences at their causes, and the causes."""
    found = [message for one in review.failures if one.side == "head" for message in _of_failure(one)]
    found += [_of_consequence(review, one) for one in review.consequences]
    found += [message for cause in review.causes for message in _of_cause(cause)]
    return found


def _of_failure(one: Failure) -> Iterator[Message]:
    """The diagnostics of a failure, with the sentence about it."""
    title = failure_title(one)
    if not one.diagnostics:
        yield Message(FAILURE, "error", f"{title}: {one.message}", file=one.file, line=one.line, runs=one.runs)
    for found in one.diagnostics:
        code = found.code if found.code.code else FAILURE
        yield Message(
            code, "error", f"{title}: {found.text}", file=found.file, line=found.line, column=found.column, end=found.end,
            hint=found.hint, also=found.also, runs=one.runs, details=found.details,
        )  # fmt: skip


def _of_consequence(review: Review, one: FoundConsequence) -> Message:
    """The consequence at the cause of most values in its documents."""
    documents = {name for name, _ in one.subjects}
    near = next(rule.near for rule in (*RULES, REQUESTS) if rule.name == one.name)
    counts: dict[int, int] = {}
    for change in review.changes:
        if change.document in documents or change.place in documents or "" in documents:
            for number in change.causes:
                weight = change.values if near not in change.path else change.values << 32
                counts[number] = counts.get(number, 0) + weight
    best = max(counts, key=lambda number: counts[number], default=None)
    lines = None if best is None else review.causes[best].lines[0]
    return Message(
        _CODES[one.name],
        one.severity,
        f"{one.text} ({one.reason}): {subjects_text(one)}",
        file="" if lines is None else lines.file,
        line=0 if lines is None else lines.line,
        runs=one.runs,
    )


def _of_cause(cause: Cause) -> Iterator[Message]:
    rows = effects(cause.changes)
    texts = [f"{by_kind(one.document for one in changes)}: {text}" for text, changes in rows[:_MOST]]
    if len(rows) > _MOST:
        texts.append(f"{len(rows) - _MOST} more")
    first, *others = cause.lines
    yield Message(
        CAUSE,
        "note",
        f"{counted(cause.values, 'value')} of the output changed: {'; '.join(texts)}",
        file=first.file,
        line=first.line,
        also=[RelatedPayload(one.file, one.line, "reverted together") for one in others],
        runs=sorted({run for change in cause.changes for run in change.runs}),
    )
