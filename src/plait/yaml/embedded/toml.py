"""Embedded TOML, edited by the library tomlkit, which preserves unchanged parts."""

from __future__ import annotations

from datetime import date, datetime, time

from plait.base.errors import LimitError, ReadError
from plait.base.source import Position, Source
from plait.tree.nodes import Map, from_plain, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from typing import Any

    from tomlkit import TOMLDocument

    from plait.tree.nodes import Value

# Maximum size in characters. The library parses this much in about a second, and cannot be interrupted.
_MOST = 1 << 18


def read(source: Source) -> Value:
    """Parses TOML text. Dates and times become strings. Raises ReadError, also if the library is not installed, and
    LimitError.
    """
    return from_plain(_plain(_parsed(source).unwrap()), source, 1)


def write(text: str, old: Value, new: Value) -> str:
    """The text with as few changes as possible. Raises ReadError if TOML cannot represent the value."""
    if not isinstance(old, Map) or not isinstance(new, Map):
        raise ReadError("a TOML file is a map", code="text-not-writable")
    document = _parsed(Source("", text))
    _change(document, old, new)
    return document.as_string()


def _parsed(source: Source) -> TOMLDocument:
    if len(source.text) > _MOST:
        raise LimitError(f"a TOML text of {len(source.text)} characters", expected=f"at most {_MOST}", code="too-large")
    try:
        import tomlkit
        from tomlkit.exceptions import ParseError, TOMLKitError
    except ImportError:
        raise ReadError(
            "embedded TOML needs an extra that is not installed",
            hint="install it: pip install plait[toml]",
            code="extra-not-installed",
        ) from None
    try:
        return tomlkit.parse(source.text)
    except ParseError as error:
        raise ReadError(
            str(error).partition(" at line")[0], at=Position(source, error.line), code="invalid-toml"
        ) from None
    except TOMLKitError as error:
        raise ReadError(str(error), at=Position(source, 1), code="invalid-toml") from None


def _change(container: MutableMapping[str, Any], old: Map, new: Map) -> None:
    for item in old.items:
        if new.find(item.key) is None:
            del container[str(item.key)]
    for item in new.items:
        key = str(item.key)
        before = old.find(item.key)
        if before is not None and before.value is item.value:
            continue
        if before is not None and isinstance(before.value, Map) and isinstance(item.value, Map):
            _change(container[key], before.value, item.value)
        elif before is None or to_plain(before.value) != to_plain(item.value):
            container[key] = _sayable(to_plain(item.value))


def _sayable(value: object) -> object:
    if value is None:
        raise ReadError("TOML has no null", code="text-not-writable")
    if isinstance(value, dict):
        return {str(key): _sayable(inner) for key, inner in value.items()}
    return [_sayable(inner) for inner in value] if isinstance(value, list) else value


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, datetime | date | time) else value
