"""How messages show a value: as JSON Schema messages do, but short; and what they call its kind."""

from __future__ import annotations

from plait.nodes import Array, Map, kind_name, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value

_LONGEST = 80


def a_kind(value: object) -> str:
    """What messages call the kind of a value, with its article: `a map`, `an integer`, `null`."""
    name = kind_name(value)
    return name if name == "null" else f"an {name}" if name[0] in "aeiou" else f"a {name}"


def shown(value: Value) -> str:
    """A value in a message: `'text'`, `5`, `{'a': 1}`; long ones are cut."""
    text = repr(to_plain(value)) if type(value) is Map or type(value) is Array else repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
