"""go-yaml's messages about values of a wrong type, for runs that replace bosh."""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.ops.values import scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value

_TAGS: dict[type, str] = {Map: "!!map", Array: "!!seq", str: "!!str", bool: "!!bool", int: "!!int", float: "!!float"}
# Longer scalars are cut.
_LONGEST = 10


def wrong_type(value: Value, line: int, wanted: str) -> str:
    """The error of go-yaml for a value. wanted: the type in Go that it should have been."""
    tag = _TAGS.get(type(value), "!!null")
    shown = ""
    if type(value) is not Map and type(value) is not Array:
        text = scalar_text(value)
        shown = f" `{text if len(text) <= _LONGEST else f'{text[: _LONGEST - 3]}...'}`"
    return f"yaml: unmarshal errors:\n  line {line}: cannot unmarshal {tag}{shown} into {wanted}"


def go_value(value: Value) -> str:
    """A value as Go prints it with `%v`."""
    if type(value) is Map:
        pairs = sorted(f"{go_value(item.key)}:{go_value(item.value)}" for item in value.items)
        return f"map[{' '.join(pairs)}]"
    if type(value) is Array:
        return f"[{' '.join(go_value(item.value) for item in value.items)}]"
    return "<nil>" if value is None else scalar_text(value)
