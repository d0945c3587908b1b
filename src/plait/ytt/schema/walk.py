"""Walks data values together with their declarations."""

from __future__ import annotations

from plait.tree.nodes import Array, Map
from plait.ytt.schema.types import ArrayType, MapType, NullType, OneOfType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.tree.nodes import Item, Value
    from plait.ytt.schema.types import Declaration, Type


def declared_items(declaration: Declaration, value: Value) -> Iterator[tuple[Item, Declaration]]:
    """The items of a value with their declarations, without undeclared items."""
    return items_of(declaration.type.of(value), value)


def items_of(declared: Type, value: Value) -> Iterator[tuple[Item, Declaration]]:
    """As `declared_items`, for a value of a type."""
    if type(declared) is MapType and type(value) is Map:
        for item in value.items:
            inner = declared.find(item.key)
            if inner is not None:
                yield item, inner
    elif type(declared) is ArrayType and type(value) is Array:
        for one in value.items:
            yield one, declared.item


def every_alternative(declared: Type) -> list[Type]:
    """All types that a value other than null may have."""
    if type(declared) is NullType:
        return every_alternative(declared.inner)
    if type(declared) is OneOfType:
        return [inner for one in declared.alternatives for inner in every_alternative(one.type)]
    return [declared]


def declarations_in(declared: Type) -> Iterator[Declaration]:
    """The declarations of the items in a type's values."""
    for one in every_alternative(declared):
        if type(one) is MapType:
            yield from (*one.declarations.values(), *one.others)
        elif type(one) is ArrayType:
            yield one.item
