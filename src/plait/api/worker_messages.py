"""Messages of worker processes: the state of documents, and errors, both as JSON.

Decoding creates only plain data, whatever ran in the worker.
"""

from __future__ import annotations

import json

from plait.base import errors
from plait.base.errors import Finding, LayeringError, LimitError, PlaitError, conceal, full
from plait.base.source import Advice, Flag, Frame, Position, Quoted, Source, Wording
from plait.base.suggestions import Suggestion
from plait.base.warning_data import warning_data, warning_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from plait.engine.results import Fault, Place, State, Words

    class ErrorPayload(TypedDict):
        """An error. limit: the limit of a LimitError; kind: the kind of a LayeringError."""

        type: str
        document: Words | None
        fault: Fault
        findings: list[Fault]
        limit: str
        kind: str

    class ReplyPayload(TypedDict, total=False):
        """One of result, failure, misuse (the type and text of a TypeError or ValueError). spent: the worker has ended."""

        result: State
        failure: ErrorPayload
        misuse: tuple[str, str]
        spent: bool


def encode(reply: ReplyPayload) -> bytes:
    """Encodes a reply."""
    warnings = [warning_data(one) for one in reply.get("result", {}).get("warnings", ())]
    return json.dumps({"reply": reply, "warnings": warnings}).encode()


def decode(data: bytes) -> ReplyPayload:
    """Decodes a reply."""
    found = json.loads(data)
    reply: ReplyPayload = found["reply"]
    if found["warnings"]:  # as strings, they are without diagnostics in the reply
        reply["result"]["warnings"] = [warning_from(one) for one in found["warnings"]]
    return reply


def failure_of(error: PlaitError) -> ErrorPayload:
    """An error in serializable form."""
    kind = next(one.__name__ for one in type(error).__mro__ if one.__module__ == errors.__name__)
    return {
        "type": kind,
        "document": _words(full(error, "document")),
        "fault": fault_of(error),
        "findings": [fault_of(finding) for finding in error.findings],
        "limit": error.limit if isinstance(error, LimitError) else "",
        "kind": error.kind if isinstance(error, LayeringError) else "",
    }


def error_of(failure: ErrorPayload) -> PlaitError:
    """The error that `failure_of` serialized."""
    kind: type[PlaitError] = getattr(errors, failure["type"])
    findings = [finding_of(one) for one in failure["findings"]]
    one = finding_of(failure["fault"])
    error = kind(
        full(one, "message") or "",
        at=one.at,
        also=one.also,
        document=_text(failure["document"]),
        expected=full(one, "expected"),
        found=full(one, "found"),
        hint=full(one, "hint"),
        stack=one.stack,
        reference=failure["fault"]["reference"],
        code=one.code,
        word=one.word,
        suggestions=one.suggestions,
    )
    error.subject, error.detail = one.subject, one.detail
    if failure["fault"]["is_secret"]:
        conceal(error)
    error.findings = findings
    if isinstance(error, LimitError):
        error.limit = failure["limit"]
    if isinstance(error, LayeringError):
        error.kind = failure["kind"]
    return error


def fault_of(error: PlaitError | Finding) -> Fault:
    """A finding, or an error as a finding, in serializable form."""
    return {
        "message": _words(full(error, "message")) or "",
        "at": _place_of(error.at),
        "also": [place for at in error.also if (place := _place_of(at)) is not None],
        "expected": _words(full(error, "expected")),
        "found": _words(full(error, "found")),
        "hint": _words(full(error, "hint")),
        "code": error.code,
        "word": error.word,
        "subject": error.subject,
        "detail": str(error.detail),
        "suggestions": [(one.kind, one.new, one.old) for one in error.suggestions],
        "is_secret": error.is_concealed,
        "stack": [(step.text, _place_of(step.at), step.role, step.reference) for step in error.stack],
        "reference": str(error.reference) if isinstance(error.reference, str) else None,
    }


def finding_of(fault: Fault) -> Finding:
    """The finding that `fault_of` serialized."""
    made = Finding(
        _text(fault["message"]) or "",
        at=_position(fault["at"]),
        also=[at for place in fault["also"] if (at := _position(place)) is not None],
        expected=_text(fault["expected"]),
        found=_text(fault["found"]),
        hint=_text(fault["hint"]),
        stack=[Frame(text, _position(at), role=role, reference=told) for text, at, role, told in fault["stack"]],
        reference=fault["reference"],
        code=fault["code"],
        word=fault["word"],
        suggestions=[Suggestion(kind, new, old=old) for kind, new, old in fault["suggestions"]],
    )
    made.subject, made.detail = fault["subject"], fault["detail"]
    return conceal(made) if fault["is_secret"] else made


def _words(text: str | None) -> Words | None:
    """A text with its quotations, in serializable form."""
    if isinstance(text, Advice):
        return [part if isinstance(part, str) else (part.name, part.value) for part in text.parts]
    if not isinstance(text, Wording):
        return text
    return [
        (part.text, None if part.source is None else part.source.private) if isinstance(part, Quoted) else part
        for part in text.parts
    ]


def _text(words: Words | None) -> str | None:
    """The text that `_words` serialized."""
    if words is None or isinstance(words, str):
        return words
    parts = [part if isinstance(part, str) else _part(*part) for part in words]
    if any(isinstance(part, Flag) for part in parts):
        return Advice(*(part for part in parts if not isinstance(part, Quoted)))
    return Wording(*(part for part in parts if not isinstance(part, Flag)))


def _part(text: str, more: str | bool | None) -> Quoted | Flag:
    return Flag(text, more) if isinstance(more, str) else _quoted(text, more)


def _quoted(text: str, is_private: bool | None) -> Quoted:
    if is_private is None:
        return Quoted(text)
    source = Source("")
    source.private = is_private
    return Quoted(text, source)


def _place_of(at: Position | None) -> Place | None:
    if at is None:
        return None
    source = at.source
    if source is None:
        return (None, "", False, at.line, at.column, None, "")
    return (source.name, source.shown, source.private, at.line, at.column, at.text, source.flag)


def _position(place: Place | None) -> Position | None:
    if place is None:
        return None
    name, shown, private, line, column, text, flag = place
    if name is None:
        return Position(None, line, column)
    # Only this line of the text was sent. An unknown line comes after all known ones.
    source = Source(name, text or "", line if text is not None else line + 1)
    source.shown, source.private, source.flag = shown, private, flag
    return Position(source, line, column)
