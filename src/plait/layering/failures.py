"""Layering errors by kind, and the text forms of values and their types in messages.

Deckhand names every failure, and its service maps each name to an HTTP status; users search logs for these names. So a
`LayeringError` has its `kind`, and its message starts with it. The rest of the message is plait's.
"""

from __future__ import annotations

from plait.base.errors import Finding, LayeringError
from plait.base.similar_names import counted, with_article
from plait.tree.nodes import Array, Map, kind_name, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Unpack

    from plait.base.errors import Facts
    from plait.base.source import Position
    from plait.tree.nodes import Value

STATUSES = {
    "InvalidDocumentFormat": 400,
    "LayeringPolicyNotFound": 409,
    "InvalidDocumentLayer": 400,
    "InvalidDocumentParent": 400,
    "IndeterminateDocumentParent": 400,
    "InvalidDocumentReplacement": 400,
    "MissingDocumentKey": 400,
    "InvalidActionPath": 400,
    "UnsupportedActionMethod": 400,
    "SubstitutionSourceNotFound": 409,
    "SubstitutionSourceDataNotFound": 400,
    "UnknownSubstitutionError": 400,
    "SubstitutionDependencyCycle": 400,
    "EncryptionSourceNotFound": 400,
}
"""Every kind, with the status of the service's answer."""


class LayeringFailure(LayeringError):
    """A layering error. cause: equal for errors with one cause, which are reported together; else None."""

    cause: object = None


def failure(kind: str, message: str, **facts: Unpack[Facts]) -> LayeringFailure:
    """A `LayeringError` of this kind, which is also its code. If it only counts its findings, its code is that of the
    first.
    """
    error = LayeringFailure(f"{kind}: {message}", **facts)
    error.kind = error.code = kind
    if error.findings and error.at is None:
        error.code = error.findings[0].code
    error.detail = message
    return error


def document_finding(
    number: str,
    subject: object,
    detail: str,
    *,
    at: Position,
    code: str,
    also: Iterable[Position] = (),
    expected: str | None = None,
    found: str | None = None,
    hint: str | None = None,
) -> Finding:
    """A finding about one document. number: Deckhand's number, such as "D001", which starts the message."""
    message = f"{number} {subject}: {detail}"
    made = Finding(message, at=at, also=also, expected=expected, found=found, hint=hint, code=code)
    made.subject, made.detail = str(subject), detail
    return made


def raise_all(failures: Sequence[LayeringError]) -> None:
    """Raises the collected failures: one failure itself, or one error with a finding for each. Does nothing if there
    are none.

    They are sorted by position and text, so that the order of the documents does not matter. The kind is that of the
    first.
    """
    if not failures:
        return
    ordered = sorted(failures, key=_order)
    if len(ordered) == 1:
        raise ordered[0]
    findings = []
    by_cause: dict[object, list[LayeringError]] = {}
    for error in ordered:
        by_cause.setdefault(_cause(error), []).append(error)
    for error, *others in by_cause.values():
        if error.findings:
            findings.extend(error.findings)
        else:
            made = Finding(
                error.message,
                at=error.at,
                also=[
                    *error.also,
                    *(one.at.labelled("the same cause") for one in others[:_SHOWN] if one.at is not None),
                ],
                expected=error.expected,
                found="\n".join(filter(None, (error.found, _more(others)))) or None,
                hint=error.hint,
                stack=error.stack,
                code=error.code,
            )
            made.detail = error.detail
            findings.append(made)
    kinds = dict.fromkeys(error.kind for error in ordered)
    count = len(findings) + sum(len(errors) - 1 for errors in by_cause.values())
    causes = f" with {counted(len(findings), 'cause')}" if count > len(findings) else ""
    raise failure(ordered[0].kind, f"{count} problems{causes} ({', '.join(kinds)})", findings=findings)


def _order(error: LayeringError) -> tuple[str, int, str]:
    at = error.at
    name = "" if at is None or at.source is None else at.source.shown
    return name, 0 if at is None else at.line, error.message


def _cause(error: LayeringError) -> object:
    cause = error.cause if isinstance(error, LayeringFailure) else None
    return error if cause is None else cause


def _more(errors: Sequence[LayeringError]) -> str:
    """The number of further errors with the same cause, as a line; "" for none."""
    return f"{counted(len(errors), 'more document')} with this problem" if errors else ""


# Maximum number of positions shown for one cause.
_SHOWN = 3


_LONGEST = 80


def a_kind(value: object) -> str:
    """The type of a value with its article: `a map`, `an integer`, `null`."""
    name = kind_name(value)
    return name if name == "null" else with_article(name)


def lacking(value: Value, keys: Sequence[str]) -> str:
    """The keys that a map lacks, as `found`; the kind of any other value."""
    if type(value) is not Map:
        return kind_name(value)
    return (
        ", ".join(f"no `{key}`" for key in keys if value.find(key) is None) or "values of other types under these keys"
    )


def shown(value: Value) -> str:
    """A value in a message, as JSON Schema messages show it: `'text'`, `5`, `{'a': 1}`. Long values are cut."""
    text = repr(to_plain(value)) if type(value) is Map or type(value) is Array else repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
