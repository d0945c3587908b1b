"""Data values that a schema declares to be secret: `@schema/secret`."""

from __future__ import annotations

from plait.base.content import note_secrets
from plait.ytt.schema.walk import every_alternative, items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.tree.nodes import Item, Value
    from plait.tree.provenance import Trace
    from plait.ytt.schema.types import Declaration


def secret_items(declaration: Declaration, value: Value) -> Iterator[Item]:
    """The secret items of a value, including those that are secret in another alternative."""
    for item, inner in _declared(declaration, value):
        if inner.secret:
            yield item
        else:
            yield from secret_items(inner, item.value)


def hide_secrets(declaration: Declaration, value: Value, trace: Trace | None) -> None:
    """Marks the data values that a schema declares secret."""
    for item in secret_items(declaration, value):
        if item.source is not None and item.value is not None and item.value != "":
            item.source.hidden()
        note_secrets()
        if trace is not None:
            trace.hide_item(item)


def _declared(declaration: Declaration, value: Value) -> Iterator[tuple[Item, Declaration]]:
    """The items of a value with their declarations. The alternatives are not known, so all are included."""
    for declared in every_alternative(declaration.type):
        yield from items_of(declared, value)
