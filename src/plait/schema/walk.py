"""Data values beside what a schema declares of them."""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.schema.types import ArrayType, MapType, NullType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.nodes import Item, Value
    from plait.schema.types import Declaration


def declared_items(declaration: Declaration, value: Value) -> Iterator[tuple[Item, Declaration]]:
    """The items of a value, each with what declares it; those that nothing declares are left out."""
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


__all__ = ["declared_items"]
