"""The defaults of a schema: the values of missing keys, in every object.

Constants select among alternatives: `{"kind": {"const": "disk"}}` applies to objects with this `kind`. Other
conditional defaults, in `oneOf`, `if` and the like, are ignored.
"""

from __future__ import annotations

from threading import Lock

from plait.base.errors import UsageError
from plait.base.limits import current_budget, limit_error
from plait.tree.nodes import Array, Map, MapItem, count_nodes, from_plain
from plait.ytt.json_schema.check import key_of
from plait.ytt.json_schema.keyword_types import below
from plait.ytt.json_schema.patterns import matches
from plait.ytt.json_schema.subschema import only_alternative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.base.source import Position
    from plait.tree.nodes import ArrayItem, Value
    from plait.ytt.json_schema.subschema import Subschema

    # Returns the position of a keyword of a schema.
    Where: TypeAlias = "Callable[[Mapping[str, object], str], Position]"

# Keywords whose subschemas apply to some values only.
_CONDITIONAL = ("anyOf", "contains", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then")

# Keywords that affect defaults; a schema without any of them only refers to another one.
_SAYING = frozenset(
    ("additionalProperties", "default", "items", "nullable", "patternProperties", "prefixItems", "properties", "type")
)


class KnownConstraints:
    """The constraints on a value that apply whatever it is. key: equal for equal constraints. alternatives: branches of
    `anyOf` and `oneOf` that differ in a `const`.
    """

    __slots__ = ("_below", "_chosen", "_items", "alternatives", "key", "parts")

    def __init__(self, schemas: Iterable[Subschema]) -> None:
        self.parts = [*{id(part.node): part for one in schemas for part in one.certain()}.values()]
        self.key = tuple(id(part.node) for part in self.parts if part.node.keys() & _SAYING)
        self._below: dict[str, KnownConstraints] = {}
        self._items: dict[int, KnownConstraints] = {}
        self.alternatives = [several for part in self.parts for several in _alternatives(part)]
        self._chosen: dict[tuple[int, ...], KnownConstraints] = {}

    def chosen(self, value: Map) -> KnownConstraints:
        """The constraints, including the alternatives that the constants in an object select."""
        found = [one for several in self.alternatives if (one := _fitting(several, value)) is not None]
        if not found:
            return self
        key = tuple(id(one.node) for one in found)
        if key not in self._chosen:
            self._chosen[key] = KnownConstraints([*self.parts, *found])
        return self._chosen[key]

    def names(self) -> list[str]:
        """The named keys, in order."""
        return list(dict.fromkeys(name for part in self.parts for name in _map(part, "properties")))

    def default(self) -> Subschema | None:
        """The part that declares the default, or None."""
        return next((part for part in self.parts if "default" in part.node), None)

    def is_object(self) -> bool:
        """True if an object is accepted here."""
        return any(part.node.get("type") == "object" for part in self.parts)

    def is_nullable(self) -> bool:
        """True if OpenAPI's `nullable` permits null here."""
        return any(part.node.get("nullable") is True for part in self.parts)

    def below(self, key: str) -> KnownConstraints:
        """The constraints on the value of a key."""
        found = self._below.get(key)
        if found is None:
            found = self._below[key] = KnownConstraints(inner for part in self.parts for inner in _of_key(part, key))
        return found

    def item(self, number: int) -> KnownConstraints:
        """The constraints on an item of an array."""
        nodes = [_of_item(part.node, number) for part in self.parts]
        place = number if any(is_own for _, is_own in nodes) else -1  # all other items have the same constraints
        found = self._items.get(place)
        if found is None:
            schemas = [part.inner(node) for part, (node, _) in zip(self.parts, nodes, strict=True)]
            found = self._items[place] = KnownConstraints(one for one in schemas if one is not None)
        return found


def _alternatives(part: Subschema) -> Iterator[Sequence[tuple[Subschema, Mapping[str, object]]]]:
    """The alternatives at a position, with the constants that distinguish them."""
    for keyword in ("anyOf", "oneOf"):
        several = part.node.get(keyword)
        schemas = [part.inner(node) for node in several] if isinstance(several, list) and len(several) > 1 else []
        found = [(one, constants) for one in schemas if one is not None and (constants := _constants(one))]
        if found:
            yield found


def _constants(place: Subschema) -> dict[str, object]:
    named = [item for part in place.certain() for item in _map(part, "properties").items()]
    return {key: constant for key, node in named if (constant := _constant(node)) is not None}


def _constant(node: object) -> str | None:
    """The only string that a schema allows, or None. OpenAPI uses `enum` for this."""
    if not isinstance(node, dict):
        return None
    choices = [node["const"]] if "const" in node else node.get("enum")
    one = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    return one if isinstance(one, str) else None


def _fitting(several: Sequence[tuple[Subschema, Mapping[str, object]]], value: Map) -> Subschema | None:
    """The alternative whose constants the map has, comparing only keys that the map has. None if none or several
    match.
    """
    found = []
    for schema, constants in several:
        given = [(item.value, constants[key]) for item in value.items if (key := key_of(item.key)) in constants]
        if given and all(one == constant for one, constant in given):
            found.append(schema)
    return found[0] if len(found) == 1 else None


def _map(part: Subschema, keyword: str) -> Mapping[str, object]:
    found = part.node.get(keyword)
    return found if isinstance(found, dict) else {}


def _of_key(part: Subschema, key: str) -> Iterator[Subschema]:
    named = [_map(part, "properties")[key]] if key in _map(part, "properties") else []
    named += [node for pattern, node in _map(part, "patternProperties").items() if matches(pattern, key)]
    for node in named or [part.node.get("additionalProperties")]:
        inner = part.inner(node)
        if inner is not None:
            yield inner


def _of_item(node: Mapping[str, object], number: int) -> tuple[object, bool]:
    """The schema of an item, and True if it applies to that item only."""
    rest = node.get("items")
    first = node.get("prefixItems")
    if isinstance(rest, list):
        first, rest = rest, node.get("additionalItems")
    if isinstance(first, list) and number < len(first):
        return first[number], True
    return rest, False


class Defaults:
    """The defaults of one schema. where: returns the positions of keywords.

    is_ytts: the schema was written by ytt, which does not express that an object always exists, or is null if nullable.
    """

    __slots__ = ("_count", "_known", "_lock", "_open", "_where", "is_ytts", "top")

    def __init__(self, schema: Subschema, where: Where, *, is_ytts: bool = False) -> None:
        self.top = KnownConstraints([schema])
        self._where = where
        self.is_ytts = is_ytts
        self._known: dict[tuple[int, ...], tuple[Value] | None] = {}
        # The constraints being built, and the number of nodes so far.
        self._open: list[tuple[int, ...]] = []
        self._count = 0
        self._lock = Lock()

    def built(self) -> Value:
        """The value without explicit values. Raises LimitError, and UsageError for endless defaults."""
        if self.top.default() is None:
            return self.fill(Map([]))
        with self._lock:
            self._count = 0
            found = self._default_of(self.top)
        return None if found is None else found[0]

    def fill(self, value: Value, before: Value = None) -> Value:
        """A value with defaults for all missing keys; the same object if nothing is missing.

        before: an earlier, filled state; shared parts are not visited again. Raises as `built` does.
        """
        with self._lock:
            self._count = 0
            return self._fill(self.top, value, before)

    def remaining(self, left: Value, right: Value) -> Value:
        """The parts of `left` that remain when `right` is merged into it. A map or array is dropped if `right` has
        another type, or selects another alternative of the schema.
        """
        return self._remaining(self.top, left, right)

    def _remaining(self, held: KnownConstraints, left: Value, right: Value) -> Value:
        if type(right) in (Map, Array) and type(left) is not type(right):
            return None
        if type(left) is not Map or type(right) is not Map:
            return left
        before, after = held.chosen(left), held.chosen(right)
        if after is not held and after is not before:
            return None
        items = left.items.copy()
        for number, item in enumerate(items):
            other = right.find(item.key)
            if other is not None:
                inner = self._remaining(before.below(key_of(item.key)), item.value, other.value)
                items[number] = item if inner is item.value else item.with_value(inner)
        return left.with_items(items) if any(a is not b for a, b in zip(items, left.items, strict=True)) else left

    def _default_of(self, held: KnownConstraints) -> tuple[Value] | None:
        """The default of a missing key, in a tuple; None if it has none."""
        if held.key in self._known:
            return self._known[held.key]
        self._take(1)
        says = held.default()
        found: tuple[Value] | None = None
        if says is not None:
            at = self._where(says.node, "default")
            if held.key in self._open:
                raise UsageError("the default contains itself", at=at, code="json-schema-unusable")
            self._open.append(held.key)
            try:
                found = (self._fill(held, from_plain(says.node["default"], at.source, at.line)),)
            finally:
                self._open.pop()
        elif self.is_ytts and held.is_nullable():
            found = (None,)
        elif self.is_ytts and held.is_object():
            at = self._where(held.parts[0].node, "type")
            found = (self._fill(held, Map([], at.source, at.line)),)
        self._known[held.key] = found
        return found

    def _missing(self, held: KnownConstraints, there: set[str]) -> Iterator[MapItem]:
        """The items that an object lacks."""
        for name in held.names():
            below_it = held.below(name)
            found = None if name in there else self._default_of(below_it)
            if found is not None:
                if isinstance(found[0], (Map, Array)):
                    self._take(count_nodes(found[0]))
                says = below_it.default()
                at = self._where((says or below_it.parts[0]).node, "default" if says else "type")
                yield MapItem(name, found[0], at.source, at.line)

    def _fill(self, held: KnownConstraints, value: Value, before: Value = None) -> Value:
        if value is before or not held.parts:
            return value
        if type(value) is Map:
            return self._fill_map(held, value, before if type(before) is Map else None)
        if type(value) is Array:
            earlier = before.items if type(before) is Array else []
            items: list[ArrayItem] = []
            for number, item in enumerate(value.items):
                old = earlier[number].value if number < len(earlier) else None
                inner = self._fill(held.item(number), item.value, old)
                items.append(item if inner is item.value else item.with_value(inner))
            return value if all(a is b for a, b in zip(items, value.items, strict=True)) else value.with_items(items)
        return value

    def _fill_map(self, held: KnownConstraints, value: Map, before: Map | None) -> Map:
        """An object with its defaults. A default may select the alternative."""
        while True:
            filled = self._filled(held.chosen(value), value, before)
            if filled is value or not held.alternatives:
                return filled
            value = filled

    def _filled(self, held: KnownConstraints, value: Map, before: Map | None) -> Map:
        items: list[MapItem] = []
        for item in value.items:
            old = before.find(item.key) if before is not None else None
            inner = self._fill(held.below(key_of(item.key)), item.value, None if old is None else old.value)
            items.append(item if inner is item.value else item.with_value(inner))
        is_same = all(a is b for a, b in zip(items, value.items, strict=True))
        missing = [*self._missing(held, {key_of(item.key) for item in items})]
        return value if is_same and not missing else value.with_items([*items, *missing])

    def _take(self, count: int) -> None:
        self._count += count
        current_budget().check_time()
        if self._count > (most := current_budget().node_limit()):
            raise limit_error("the defaults of the schema", "nodes", most)


def conditional_defaults(nodes: Iterable[Mapping[str, object]]) -> Iterator[Mapping[str, object]]:
    """The schemas whose default applies only to some values. nodes: all reachable schemas."""
    seen: set[int] = set()
    for node in nodes:
        todo = [inner for inner, steps in below(node) if _is_conditional(node, str(steps[0]), inner)]
        while todo:
            one = todo.pop()
            if isinstance(one, dict) and id(one) not in seen:
                seen.add(id(one))
                if "default" in one:
                    yield one
                todo += [inner for inner, _ in below(one)]


def _is_conditional(node: Mapping[str, object], keyword: str, inner: object) -> bool:
    """True if the schemas below a keyword apply to some values only and no discriminator selects them."""
    if keyword in ("anyOf", "oneOf"):
        properties = inner.get("properties") if isinstance(inner, dict) else None
        named = properties.values() if isinstance(properties, dict) else ()
        has_constant = any(_constant(one) is not None for one in named)
        return not has_constant and only_alternative(node.get(keyword)) is None
    return keyword in _CONDITIONAL
