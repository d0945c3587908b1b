"""Warnings as plain data for files: texts with code and positions, but without suggestions."""

from __future__ import annotations

from plait.base.errors import Finding, Warning
from plait.base.excerpts import excerpt
from plait.base.source import Position, Source, public


def warning_data(text: Warning) -> dict[str, object]:
    """A warning as JSON."""
    found = excerpt(text.diagnostic)
    return {
        "text": str(text),
        "message": found.message,
        "code": found.code,
        "word": found.word,
        "at": None if found.at is None else _place(found.at),
        "also": [_place(one) for one in found.also],
    }


def _place(at: Position) -> list[object]:
    source = at.source or Source("")
    return [source.shown, at.line, at.column or 0, at.end or 0, at.label, at.text or "", source.private]


def warning_from(data: object) -> Warning:
    """The warning of `warning_data`. Raises ValueError if the data is not valid."""
    try:
        return _warning_from(data)
    except (KeyError, TypeError, ValueError):
        raise ValueError("not a warning") from None


def _warning_from(data: object) -> Warning:
    if not isinstance(data, dict):
        raise TypeError
    text, message, code, word = (_string(data[name]) for name in ("text", "message", "code", "word"))
    at = None if data["at"] is None else _position(data["at"])
    found = Finding(public(message), at=at, also=map(_position, data["also"]), code=code, word=word)
    found.severity = "warning"
    return Warning(text, found)


def _position(data: list[object]) -> Position:
    shown, line, column, end, label, text, private = data
    source = Source(_string(shown), _string(text), _number(line))
    source.private = bool(private)
    at = Position(source if source.shown else None, _number(line), _number(column) or None, _number(end) or None)
    return at.labelled(_string(label)) if label else at


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise TypeError
    return value
