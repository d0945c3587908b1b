"""The text of a scalar in operations, variables and messages."""

from __future__ import annotations

from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value


def scalar_text(value: Value) -> str:
    """A scalar as text: true, 5, 1.5."""
    if type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if type(value) is float:
        return write_value(value).rstrip("\n")
    return str(value)
