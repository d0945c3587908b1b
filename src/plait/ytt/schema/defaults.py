"""Defaults of a schema: creates data values, and fills in missing ones (docs/reference/schemas.md).

Trees are immutable, so the nodes of defaults are created once, with the schema, and shared. Added keys follow the
existing ones, in the order of the schema.
"""

from __future__ import annotations

from plait.base.errors import LimitError, SchemaError
from plait.base.limits import current_budget
from plait.tree.deferred_values import Deferred, is_deferred
from plait.tree.nodes import SCALARS, Array, ArrayItem, Document, Map, MapItem, key_id
from plait.ytt.schema.check import check_item
from plait.ytt.schema.types import ANY, MANY, ArrayType, MapType, NullType, OneOfType, ScalarType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from plait.tree.nodes import Item, Value
    from plait.ytt.schema.types import Declaration, Type

    _Item = TypeVar("_Item", MapItem, ArrayItem)


def defaults(declaration: Declaration) -> Document | None:
    """The data values without explicit ones, with positions in the schema; None without a schema."""
    if declaration is ANY:
        return None
    return Document(declaration.default, declaration.source, declaration.line)


def fill(declaration: Declaration, document: Document, before: Document | None = None) -> Document:
    """The document with all missing keys, including those in array items and nullable maps.

    before: an earlier, complete and valid state of the document; shared parts are not visited again. Returns the same
    object if nothing is missing; unchanged parts are shared. Invalid parts are left to `check`. Raises LimitError.
    """
    try:
        value = fill_type(declaration.type, document.value, None if before is None else before.value)
    except RecursionError:
        raise LimitError("the data values are nested too deeply", at=document.position) from None
    return document if value is document.value else document.with_value(value)


def fill_type(declared: Type, value: Value, before: Value = None) -> Value:
    """As `fill`, for a value of a type."""
    if value is before:
        return value
    while type(declared) is NullType:
        declared = declared.inner
    if type(declared) is OneOfType:  # the items that may have changed
        return fill_type(declared.of(value), value)
    if type(declared) is MapType:
        return _fill_map(declared, value, before) if type(value) is Map else value
    if type(declared) is ArrayType and type(value) is Array:
        return _fill_array(declared.item, value, before)
    return value


def _fill_map(declared: MapType, value: Map, before: Value) -> Map:
    declarations = declared.declarations
    earlier = before.items if type(before) is Map else ()
    known = len(earlier)
    missing = len(declarations)
    items: list[MapItem] | None = None
    for place, item in enumerate(value.items):
        if place < known and earlier[place] is item:  # overlays do not reorder items
            if not declared.others or (item.key if type(item.key) is str else key_id(item.key)) in declarations:
                missing -= 1
            continue
        key = item.key
        declaration = declarations.get(key if type(key) is str else key_id(key))
        if declaration is not None:
            missing -= 1
        else:
            declaration = declared.other(key) if declared.others else None
            if declaration is None:
                continue
        inner = item.value
        if type(inner) is Map or type(inner) is Array:
            old: Value = None
            if place < known and type(key) is str and earlier[place].key == key:
                old = earlier[place].value
            filled = fill_type(declaration.type, inner, old)
            if filled is not inner:
                if items is None:
                    items = value.items.copy()
                items[place] = item.with_value(filled)
        elif type(inner) not in SCALARS and inner is not declaration.default and is_deferred(inner):
            if items is None:
                items = value.items.copy()
            items[place] = _fitted(declaration, item, inner)
    if missing > 0:
        if missing > MANY:
            current_budget().check_time()
        if items is None:
            items = value.items.copy()
        given = {item.key if type(item.key) is str else key_id(item.key) for item in items}
        items.extend(declaration.item for name, declaration in declarations.items() if name not in given)
    return value if items is None else value.with_items(items)


def fitted(declaration: Declaration, item: Item, value: Deferred) -> Deferred:
    """A deferred value, filled and checked by its declaration once it is computed."""

    def fit(known: Value) -> Value:
        filled = fill_type(declaration.type, known)
        findings = check_item(declaration.type, item.with_value(filled))
        if findings:
            raise SchemaError("One or more data values were invalid", findings=findings, code=findings[0].code)
        return filled

    return value.then(fit)


def _fitted(declaration: Declaration, item: _Item, value: Deferred) -> _Item:
    return item.with_value(fitted(declaration, item, value))  # type: ignore[arg-type]


def _fill_array(of: Declaration, value: Array, before: Value) -> Array:
    declared = of.type
    if type(declared) is ScalarType and all(type(item.value) in SCALARS for item in value.items):
        return value
    earlier = before.items if type(before) is Array else ()
    items: list[ArrayItem] | None = None
    for place, item in enumerate(value.items):
        if place < len(earlier) and earlier[place] is item:
            continue
        if is_deferred(item.value):
            if items is None:
                items = value.items.copy()
            items[place] = _fitted(of, item, item.value)
            continue
        filled = fill_type(declared, item.value)
        if filled is not item.value:
            if items is None:
                items = value.items.copy()
            items[place] = item.with_value(filled)
    return value if items is None else value.with_items(items)
