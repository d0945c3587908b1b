"""What a worker process sends back: the state of documents, errors by their parts, both as JSON.

Nothing that a worker sends becomes more than data here, whatever ran in it.
"""

from __future__ import annotations

import json

from plait import errors
from plait.errors import Finding, LayeringError, LimitError, PlaitError, Step
from plait.source import Position, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias, TypedDict

    from plait.api.results import State

    Place: TypeAlias = "tuple[str | None, str, bool, int, int | None, str | None]"

    class Fault(TypedDict):
        """A finding, or an error without what only errors have."""

        message: str
        at: Place | None
        also: list[Place]
        expected: str | None
        found: str | None
        hint: str | None
        trail: list[tuple[str, Place | None]]

    class Failure(TypedDict):
        """An error. limit: of a LimitError; kind: of a LayeringError."""

        type: str
        document: str | None
        fault: Fault
        findings: list[Fault]
        limit: str
        kind: str

    class Reply(TypedDict, total=False):
        """One of result, failure, misuse (the type and text of a TypeError or ValueError). spent: the worker has ended."""

        result: State
        failure: Failure
        misuse: tuple[str, str]
        spent: bool


def encode(reply: Reply) -> bytes:
    """The bytes of a reply."""
    return json.dumps(reply).encode()


def decode(data: bytes) -> Reply:
    """The reply of these bytes."""
    found: Reply = json.loads(data)
    return found


def failure_of(error: PlaitError) -> Failure:
    """An error as what can be sent."""
    kind = next(one.__name__ for one in type(error).__mro__ if one.__module__ == errors.__name__)
    return {
        "type": kind,
        "document": error.document,
        "fault": fault_of(error),
        "findings": [fault_of(finding) for finding in error.findings],
        "limit": error.limit if isinstance(error, LimitError) else "",
        "kind": error.kind if isinstance(error, LayeringError) else "",
    }


def error_of(failure: Failure) -> PlaitError:
    """The error that was sent."""
    kind: type[PlaitError] = getattr(errors, failure["type"])
    findings = [finding_of(one) for one in failure["findings"]]
    one = finding_of(failure["fault"])
    error = kind(
        one.message,
        at=one.at,
        also=one.also,
        document=failure["document"],
        expected=one.expected,
        found=one.found,
        hint=one.hint,
        trail=one.trail,
        findings=findings,
    )
    if isinstance(error, LimitError):
        error.limit = failure["limit"]
    if isinstance(error, LayeringError):
        error.kind = failure["kind"]
    return error


def fault_of(error: PlaitError | Finding) -> Fault:
    """A finding, or what an error says as one, as what can be sent."""
    return {
        "message": error.message,
        "at": _place_of(error.at),
        "also": [place for at in error.also if (place := _place_of(at)) is not None],
        "expected": error.expected,
        "found": error.found,
        "hint": error.hint,
        "trail": [(step.text, _place_of(step.at)) for step in error.trail],
    }


def finding_of(fault: Fault) -> Finding:
    """The finding that was sent."""
    return Finding(
        fault["message"],
        at=_position(fault["at"]),
        also=[at for place in fault["also"] if (at := _position(place)) is not None],
        expected=fault["expected"],
        found=fault["found"],
        hint=fault["hint"],
        trail=[Step(text, _position(place)) for text, place in fault["trail"]],
    )


def _place_of(at: Position | None) -> Place | None:
    if at is None:
        return None
    source = at.source
    if source is None:
        return (None, "", False, at.line, at.column, None)
    return (source.name, source.shown, source.private, at.line, at.column, at.text)


def _position(place: Place | None) -> Position | None:
    if place is None:
        return None
    name, shown, private, line, column, text = place
    if name is None:
        return Position(None, line, column)
    # Of the text only this line came along; a line that is not known stands behind all there are.
    source = Source(name, text or "", line if text is not None else line + 1)
    source.shown, source.private = shown, private
    return Position(source, line, column)
