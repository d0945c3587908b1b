"""Keys that YAML 1.1 reads as booleans, such as `on` and `no`. Loaded only for messages."""

from __future__ import annotations

from plait.yaml.scalars import resolve_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.base.source import Source
    from plait.tree.nodes import Value

# The characters in front of a key without quotes.
_BEFORE = " {,"


def boolean_key(name: str, key: Value, source: Source | None, line: int) -> str | None:
    """The hint about a boolean key whose line has `name` without quotes in its place; None for any other key."""
    if type(key) is not bool or source is None or resolve_plain(name) is not key:
        return None
    text = f" {source.line(line) or ''}"
    if not any(f"{before}{name}:" in text for before in _BEFORE):
        return None
    value = "true" if key else "false"
    told = "a boolean" if name == value else f"the boolean {value} in YAML 1.1"
    return f'{source.shown}:{line}: the key {name} is {told}; write "{name}" in quotes'


def among(name: str, keys: Iterable[tuple[Value, Source | None, int]]) -> str | None:
    """The hint about the first of some keys, with their lines, that would have a name if it were in quotes; or None."""
    return next((hint for key in keys if (hint := boolean_key(name, *key)) is not None), None)
