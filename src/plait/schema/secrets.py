"""Data values that a schema declares to be secret: `@schema/secret`."""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.schema.walk import every_alternative, items_of
from plait.secrets.others import others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.nodes import Document, Item, Value
    from plait.provenance import Trace
    from plait.schema.types import Declaration


def secret_items(declaration: Declaration, value: Value) -> Iterator[Item]:
    """The items of a value whose values are secret, those included that are so in another alternative."""
    for item, inner in _declared(declaration, value):
        if inner.secret:
            yield item
        else:
            yield from secret_items(inner, item.value)


def kept_secret(document: Document, declaration: Declaration, trace: Trace | None, *, others: bool) -> Document:
    """Data values with those marked that are secret. others: with other values in their place."""
    for item in secret_items(declaration, document.value):
        if item.source is not None and item.value is not None and item.value != "":
            item.source.hidden()
        if trace is not None:
            trace.hide_item(item)
    if not others:
        return document
    value = with_others(declaration, document.value)
    return document if value is document.value else document.with_value(value)


def with_others(declaration: Declaration, value: Value) -> Value:
    """The value with others in the place of its secrets."""
    if declaration.secret:
        return others(value)
    new: dict[Item, Value] = {}
    for item, inner in _declared(declaration, value):
        # What was not given is no secret; what is one in an alternative stays so in the next.
        if (item is not inner.item or not inner.required) and new.get(item, item.value) is item.value:
            new[item] = with_others(inner, item.value)
    if not new:
        return value
    assert isinstance(value, Map | Array)
    return value.with_values(new.get(item, item.value) for item in value.items)


def _declared(declaration: Declaration, value: Value) -> Iterator[tuple[Item, Declaration]]:
    """The items of a value with what declares them: of a part of a value nobody knows which alternative it is for."""
    for declared in every_alternative(declaration.type):
        yield from items_of(declared, value)


__all__ = ["kept_secret", "secret_items", "with_others"]
