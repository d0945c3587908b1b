"""Faults of a document under its schema."""

from __future__ import annotations

from itertools import islice

from plait.base.errors import LimitError, UsageError
from plait.base.json_schema import UnusableSchemaError
from plait.base.json_schema import violations as found_by_library
from plait.base.similar_names import near
from plait.base.source import Position, Source
from plait.tree.nodes import Array, Map
from plait.ytt.json_schema.messages import Violation, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.tree.nodes import Item, Value
    from plait.ytt.json_schema.messages import Path
    from plait.ytt.json_schema.subschema import Subschema

# Maximum number of violations reported per document.
MOST = 100
# Keys of every Kubernetes object, even if its schema does not declare them.
_SHARED = ("apiVersion", "kind", "metadata")


class SchemaViolation:
    """A violation in a document.

    way: the nodes from the document to the violation; path: the same as keys and indexes. message: without the value.
    meant: similar names for the key (is_of_key) or the value. missing: the missing key, or None. schema, keyword: the
    violated rule, if it is from a schema.
    """

    __slots__ = ("is_of_key", "keyword", "meant", "message", "missing", "path", "schema", "way")

    def __init__(self, ancestors: Sequence[Item], violation: Violation) -> None:
        self.way = ancestors
        self.path = violation.path
        self.message = violation.message
        self.meant = violation.meant
        self.missing = violation.missing
        self.is_of_key = violation.is_of_key
        self.schema = violation.schema
        self.keyword = violation.keyword

    def __repr__(self) -> str:
        return f"<Fault {'.'.join(map(str, self.path))}: {self.message}>"

    @property
    def item(self) -> Item:
        """The invalid node."""
        return self.way[-1]


def faults(document: Item, schema: Subschema) -> list[SchemaViolation]:
    """The faults of a document, in document order.

    schema: a schema returned by a catalogue. Raises LimitError, and UsageError for an endless schema.
    """
    return placed(document, violations(as_json(document.value), schema))


def violations(plain: object, schema: Subschema) -> list[Violation]:
    """As `faults`, for a value in its JSON form."""
    assert schema.checker is not None
    try:
        found = [
            one
            for error in islice(found_by_library(schema.checker, plain), MOST)
            for one in told(error)  # type: ignore[arg-type] # the library's own
        ]
        if schema.is_kind:
            found += islice(_undeclared(plain, schema, ()), MOST)
    except UnusableSchemaError as error:
        at = Position(Source(schema.path), 1)
        raise UsageError(
            f"the schema cannot be used for a document: {error.message}", at=at, code="json-schema-unusable"
        ) from None
    except RecursionError:
        raise _too_deep() from None
    # A missing key is not reported if a misspelling of it is.
    misspelt = {(one.path[:-1], name) for one in found if one.is_of_key for name in one.meant}
    each = {(one.path, one.message): one for one in found if (one.path, one.missing) not in misspelt}
    return [*each.values()][:MOST]


def _undeclared(plain: object, schema: Subschema, path: Path) -> Iterator[Violation]:
    """The keys that no part of a schema declares, in maps that accept only declared keys."""
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
        elif is_closed and not (path == () and key in _SHARED):
            meant = near(key, [name for name in properties if name not in plain])
            yield Violation((*path, key), f'there is no key "{key}" here', meant, True, schema.node, "properties")


def as_json(value: Value) -> object:
    """A value in its JSON form: keys are strings. Raises LimitError if it is nested too deeply."""
    try:
        return _as_json(value)
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> LimitError:
    return LimitError("the document is nested too deeply for its schema")


def _as_json(value: Value) -> object:
    if type(value) is Map:
        return {key_of(item.key): _as_json(item.value) for item in value.items}
    if type(value) is Array:
        return [_as_json(item.value) for item in value.items]
    return value


def key_of(key: object) -> str:
    """The JSON text of a key."""
    if type(key) is bool:
        return "true" if key else "false"
    return "null" if key is None else str(key)


def placed(document: Item, found: Sequence[Violation]) -> list[SchemaViolation]:
    """The violations with their nodes, in document order."""
    out = []
    for violation in found:
        way = [document]
        order: list[int] = []
        for step in violation.path:
            number, below = _below(way[-1].value, step)
            if below is None:
                break
            way.append(below)
            order.append(number)
        out.append((order, SchemaViolation(way, violation)))
    return [fault for _, fault in sorted(out, key=lambda one: one[0])]


def _below(value: Value, step: str | int) -> tuple[int, Item | None]:
    """The value below one step and its position in the container; None if it is missing."""
    if type(value) is Array and type(step) is int and step < len(value.items):
        return step, value.items[step]
    if type(value) is Map:
        return next(((number, one) for number, one in enumerate(value.items) if key_of(one.key) == step), (0, None))
    return 0, None
