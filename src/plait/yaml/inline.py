"""Values in flow style, for positions where a block does not fit."""

from __future__ import annotations

from plait.tree.nodes import Array, Map
from plait.yaml.scalar_styles import FORMS, double_quoted, one_line
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value
    from plait.yaml.scalar_styles import ScalarStyles

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./")


def flow_text(value: Value, forms: ScalarStyles = FORMS) -> str:
    """The value in flow style, on one line. forms: the scalar styles of strings."""
    if type(value) is Map:
        pairs = [f"{flow_text(item.key, forms)}: {flow_text(item.value, forms)}" for item in value.items]
        return "{" + ", ".join(pairs) + "}"
    if type(value) is Array:
        return "[" + ", ".join([flow_text(item.value, forms) for item in value.items]) + "]"
    if type(value) is not str:
        return write_value(value).removesuffix("\n")
    if value and set(value) <= _PLAIN and (forms.strings[value] or forms.strings.long[value]) == value:
        return value
    form = one_line(value)
    return form if form is not None and form.startswith(("!", '"', "'")) else double_quoted(value)
