"""What in a document is not as the schema of its kind says."""

from __future__ import annotations

from itertools import islice

from plait.errors import LimitError
from plait.nodes import Array, Map
from plait.spell import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.kinds.schema import Schema
    from plait.nodes import Item, Value

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
# So many are told of one document.
_MOST = 100


class Fault:
    """Something that is wrong. item: what; message: in words, without the value; meant: what may have been meant."""

    __slots__ = ("item", "meant", "message")

    def __init__(self, item: Item, message: str, meant: Sequence[str] = ()) -> None:
        self.item = item
        self.message = message
        self.meant = meant


def faults(document: Item, schema: Schema) -> list[Fault]:
    """What is wrong in a document, in its order: wrong types, unknown and missing keys, values that there may not be.

    Raises LimitError.
    """
    try:
        return list(islice(_faults(document, schema), _MOST))
    except RecursionError:
        raise LimitError("the document is nested too deeply for its schema", at=document.position) from None


def _faults(item: Item, schema: Schema) -> Iterator[Fault]:
    value = item.value
    types = schema.types()
    if types and not _fits(value, types, schema):
        yield Fault(item, f"{_kind(value)} where {schema.type_text()} is expected")
        return
    choices = [] if types == ["boolean"] else schema.choices(alternatives=False)
    is_scalar = value is not None and not isinstance(value, (Map, Array))
    if choices and is_scalar and not any(type(choice) is type(value) and choice == value for choice in choices):
        listed = ", ".join(map(str, choices[:10])) + (", ..." if len(choices) > 10 else "")
        meant = near(value, [one for one in choices if isinstance(one, str)]) if type(value) is str else []
        yield Fault(item, f"the value is none of {listed}", meant)
    if type(value) is Map:
        yield from _of_map(item, value, schema)
    elif type(value) is Array:
        below = schema.item()
        for one in value.items if below is not None else ():
            yield from _faults(one, below)  # type: ignore[arg-type]


def _of_map(item: Item, value: Map, schema: Schema) -> Iterator[Fault]:
    properties = schema.properties()
    is_closed = schema.is_closed()
    for name in sorted(schema.required()):
        if value.find(name) is None:
            yield Fault(item, f'the key "{name}" is missing')
    for entry in value.items:
        key = entry.key
        below = properties.get(key) or schema.below(key) if type(key) is str else None
        if below is not None:
            yield from _faults(entry, below)
        elif is_closed:
            known = [name for name in properties if value.find(name) is None]
            yield Fault(entry, f'there is no key "{key}" here', near(key, known) if type(key) is str else [])


def _fits(value: Value, types: list[str], schema: Schema) -> bool:
    kind = _kind(value)
    if kind in types or (kind == "integer" and "number" in types):
        return True
    if kind == "number" and isinstance(value, float) and value.is_integer() and "integer" in types:
        return True
    if value is None:  # Kubernetes takes null for a key that is not there
        return True
    # Amounts are texts that may be written as numbers.
    return kind in ("integer", "number") and any("Quantity" in str(part.get("$ref", "")) for part in schema.parts())


def _kind(value: Value) -> str:
    if type(value) is Map:
        return "object"
    return "array" if type(value) is Array else _NAMES.get(type(value), "number")
