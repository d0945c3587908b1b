"""How messages of validation show a value: as JSON Schema messages do, but short."""

from __future__ import annotations

from plait.nodes import Array, Map, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value

_LONGEST = 80


def shown(value: Value) -> str:
    """A value in a message: `'text'`, `5`, `{'a': 1}`; long ones are cut."""
    text = repr(to_plain(value)) if type(value) is Map or type(value) is Array else repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
