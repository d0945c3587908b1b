"""Data values that a schema declares to be secret: `@schema/secret`."""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.schema.types import ArrayType, MapType, NullType
from plait.secrets.others import others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.nodes import Item, Value
    from plait.schema.types import Declaration


def secret_items(declaration: Declaration, value: Value) -> Iterator[Item]:
    """The items of a value whose values are secret."""
    for item, inner in _declared(declaration, value):
        if inner.secret:
            yield item
        else:
            yield from secret_items(inner, item.value)


def with_others(declaration: Declaration, value: Value) -> Value:
    """The value with others in the place of its secrets."""
    if declaration.secret:
        return others(value)
    new = {item: with_others(inner, item.value) for item, inner in _declared(declaration, value)}
    if not new:
        return value
    assert isinstance(value, Map | Array)
    return value.with_values(new.get(item, item.value) for item in value.items)


def _declared(declaration: Declaration, value: Value) -> Iterator[tuple[Item, Declaration]]:
    """The items of a value, each with what declares it."""
    declared = declaration.type
    while type(declared) is NullType:
        declared = declared.inner
    if type(declared) is MapType and type(value) is Map:
        for item in value.items:
            inner = declared.find(item.key)
            if inner is not None:
                yield item, inner
    elif type(declared) is ArrayType and type(value) is Array:
        for one in value.items:
            yield one, declared.item


__all__ = ["secret_items", "with_others"]
