"""What in a document is not as its schema says."""

from __future__ import annotations

from itertools import islice

from plait.errors import LimitError, UsageError
from plait.kinds.wording import told
from plait.nodes import Array, Map
from plait.spell import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from plait.kinds.schema import Schema
    from plait.kinds.wording import Path
    from plait.nodes import Item, Value

    # The path to what is wrong, what is wrong with it, and what may have been meant.
    Violated: TypeAlias = "tuple[Path, str, Sequence[str]]"

# So many are told of one document.
MOST = 100


class Fault:
    """Something that is wrong.

    item: the node; path: how it is reached from the top of the document. message: what is wrong, in words, without the
    value. meant: what may have been meant in its place.
    """

    __slots__ = ("item", "meant", "message", "path")

    def __init__(self, item: Item, message: str, meant: Sequence[str] = (), path: Path = ()) -> None:
        self.item = item
        self.message = message
        self.meant = meant
        self.path = path

    def __repr__(self) -> str:
        return f"<Fault {'.'.join(map(str, self.path))}: {self.message}>"


def faults(document: Item, schema: Schema) -> list[Fault]:
    """What is wrong in a document, in its order.

    schema: one that a catalogue has given. Raises LimitError, and UsageError for a schema that has no end.
    """
    return placed(document, violations(as_json(document.value), schema))


def violations(plain: object, schema: Schema) -> list[Violated]:
    """As `faults`, for a value as JSON has it: path, message, names that may be meant."""
    from plait.layering.jsonschemas import UnusableSchemaError
    from plait.layering.jsonschemas import violations as found_by_library

    assert schema.checker is not None
    try:
        found = [
            one
            for error in islice(found_by_library(schema.checker, plain), MOST)
            for one in told(error)  # type: ignore[arg-type] # the library's own
        ]
    except UnusableSchemaError as error:
        raise UsageError(f"the schema of a document cannot be used: {error.message}") from None
    if schema.is_kind:
        found += islice(_undeclared(plain, schema, ()), MOST)
    each = {(path, message): (path, message, meant) for path, message, meant in found}
    return [*each.values()][:MOST]


def _undeclared(plain: object, schema: Schema, path: Path) -> Iterator[Violated]:
    """The keys that no part of a schema declares, where a map has no others."""
    if isinstance(plain, list):
        inner = schema.item()
        for number, one in enumerate(plain if inner is not None else ()):
            yield from _undeclared(one, inner, (*path, number))  # type: ignore[arg-type]
    if not isinstance(plain, dict):
        return
    properties = schema.properties()
    is_closed = schema.is_closed()
    for key, value in plain.items():
        below = properties.get(key) or schema.below(key)
        if below is not None:
            yield from _undeclared(value, below, (*path, key))
        elif is_closed:
            yield (
                (*path, key),
                f'there is no key "{key}" here',
                near(key, [name for name in properties if name not in plain]),
            )


def as_json(value: Value) -> object:
    """A value as JSON has it: keys are strings. Raises LimitError for one that is nested too deeply."""
    try:
        return _as_json(value)
    except RecursionError:
        raise LimitError("the document is nested too deeply for its schema") from None


def _as_json(value: Value) -> object:
    if type(value) is Map:
        return {key_of(item.key): _as_json(item.value) for item in value.items}
    if type(value) is Array:
        return [_as_json(item.value) for item in value.items]
    return value


def key_of(key: object) -> str:
    """What JSON makes of a key."""
    if type(key) is bool:
        return "true" if key else "false"
    return "null" if key is None else str(key)


def placed(document: Item, found: Sequence[Violated]) -> list[Fault]:
    """Violations at their nodes, in the order of the document."""
    out = []
    for path, message, meant in found:
        item = document
        order: list[int] = []
        for step in path:
            number, below = _below(item.value, step)
            if below is None:
                break
            item = below
            order.append(number)
        out.append((order, Fault(item, message, meant, path)))
    return [fault for _, fault in sorted(out, key=lambda one: one[0])]


def _below(value: Value, step: str | int) -> tuple[int, Item | None]:
    """What a step leads to, and its place."""
    if type(value) is Array and type(step) is int and step < len(value.items):
        return step, value.items[step]
    if type(value) is Map:
        return next(((number, one) for number, one in enumerate(value.items) if key_of(one.key) == step), (0, None))
    return 0, None
