"""Values on one line, in flow style: where a block has no room."""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.yaml.forms import double_quoted, one_line
from plait.yaml.scalars import needs_quotes
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Value

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./")


def flow_text(value: Value) -> str:
    """A value on one line, as it can stand within brackets."""
    if type(value) is Map:
        return "{" + ", ".join(f"{flow_text(item.key)}: {flow_text(item.value)}" for item in value.items) + "}"
    if type(value) is Array:
        return "[" + ", ".join(flow_text(item.value) for item in value.items) + "]"
    if type(value) is not str:
        return write_value(value).removesuffix("\n")
    if value and set(value) <= _PLAIN and not needs_quotes(value):
        return value
    form = one_line(value)
    return form if form is not None and form.startswith(("!", '"', "'")) else double_quoted(value)
