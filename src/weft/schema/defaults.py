"""Defaults: the data values a schema stands for, and what is missing in those that were given (spec ytt 8.1).

Trees are immutable, so the nodes of defaults are made once, when the schema is built, and shared by every place that
needs them. Keys that are added follow those that are there, in the order of the schema.
"""

from __future__ import annotations

from weft.nodes import Array, ArrayItem, Document, Map, MapItem, key_id
from weft.schema.types import ANY, ArrayType, MapType, NullType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weft.nodes import Value
    from weft.schema.types import Declaration, Type


def defaults(declaration: Declaration) -> Document | None:
    """The data values when none are given, with the positions of the schema; None where there is no schema."""
    if declaration is ANY:
        return None
    return Document(declaration.default, declaration.source, declaration.line)


def fill(declaration: Declaration, document: Document) -> Document:
    """The document with every key that its maps miss, those in array items and nullable maps included.

    Returns the same object when nothing was missing; what did not change is shared. What does not conform to the schema
    is left as it is, for `check` to find. Spec ytt 8.1.
    """
    value = fill_type(declaration.type, document.value)
    return document if value is document.value else document.with_value(value)


def fill_type(declared: Type, value: Value) -> Value:
    """`fill`, for a value of a type."""
    while type(declared) is NullType:
        declared = declared.inner
    if type(declared) is MapType:
        return _fill_map(declared, value) if type(value) is Map else value
    if type(declared) is ArrayType and type(value) is Array:
        return _fill_array(declared.item.type, value)
    return value


def _fill_map(declared: MapType, value: Map) -> Map:
    declarations = declared.declarations
    given = set()
    items: list[MapItem] | None = None
    for place, item in enumerate(value.items):
        name = item.key if type(item.key) is str else key_id(item.key)
        declaration = declarations.get(name)
        if declaration is None:
            continue
        given.add(name)
        if type(item.value) is Map or type(item.value) is Array:
            filled = fill_type(declaration.type, item.value)
            if filled is not item.value:
                if items is None:
                    items = value.items.copy()
                items[place] = item.with_value(filled)
    if len(given) < len(declarations):
        if items is None:
            items = value.items.copy()
        items.extend(declaration.item for name, declaration in declarations.items() if name not in given)
    return value if items is None else value.with_items(items)


def _fill_array(declared: Type, value: Array) -> Array:
    items: list[ArrayItem] | None = None
    for place, item in enumerate(value.items):
        filled = fill_type(declared, item.value)
        if filled is not item.value:
            if items is None:
                items = value.items.copy()
            items[place] = item.with_value(filled)
    return value if items is None else value.with_items(items)
