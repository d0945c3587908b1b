"""Data values that a schema declares to be secret: `@schema/secret`."""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.schema.walk import declared_items
from plait.secrets.others import others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.nodes import Item, Value
    from plait.schema.types import Declaration


def secret_items(declaration: Declaration, value: Value) -> Iterator[Item]:
    """The items of a value whose values are secret."""
    for item, inner in declared_items(declaration, value):
        if inner.secret:
            yield item
        else:
            yield from secret_items(inner, item.value)


def with_others(declaration: Declaration, value: Value) -> Value:
    """The value with others in the place of its secrets."""
    if declaration.secret:
        return others(value)
    new = {
        item: with_others(inner, item.value)
        for item, inner in declared_items(declaration, value)
        if item is not inner.item or not inner.required  # what was not given is no secret
    }
    if not new:
        return value
    assert isinstance(value, Map | Array)
    return value.with_values(new.get(item, item.value) for item in value.items)


__all__ = ["secret_items", "with_others"]
