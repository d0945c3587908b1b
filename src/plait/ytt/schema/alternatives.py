"""Data values of several types: `@schema/one-of`.

The key named by `by` selects among maps. Without `by`, the alternative with the fewest findings is selected. Ties are
decided in favour of the alternative of the previous value, then of the default, then the first one.
"""

from __future__ import annotations

from plait.base.errors import Finding, part_of
from plait.base.limits import current_budget
from plait.base.similar_names import did_you_mean
from plait.base.source import Wording, public, quotation
from plait.tree.deferred_values import is_deferred
from plait.tree.nodes import SCALARS, Array, Map, MapItem, key_id, kind_name
from plait.ytt.schema.arguments import ONE_OF, check_one_of, refused
from plait.ytt.schema.check import check_item, key_text
from plait.ytt.schema.types import ArrayType, MapType, NullType, OneOfType, ScalarType, default_of
from plait.ytt.yaml_fragments import to_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.tree.annotations import Annotation
    from plait.tree.nodes import Document, Item, Value
    from plait.tree.provenance import Trace
    from plait.ytt.schema.types import Declaration, Type

# Number of keys that suffice to identify a map.
_NAMED = 4
# Overlay actions that are not merges.
_NO_MERGE = ("overlay/assert", "overlay/remove", "overlay/replace")


def one_of(annotation: Annotation, node: Item, declare: Callable[[Item], Declaration]) -> OneOfType:
    """The type that the annotation declares. declare: returns the declaration of an item. Raises InvalidSchema."""
    by = check_one_of(annotation, node)
    source, line = annotation.source, annotation.line
    found = []
    for argument in annotation.args:
        value = to_nodes(argument, source, line)
        if is_deferred(value):
            raise refused(f"@{ONE_OF} cannot depend on data values", node, annotation, expected="types that are known")
        found.append(declare(MapItem(None, value, source, line)))
    names = [_name(one.type, by) for one in found]
    declared = OneOfType(found, names, by, node.source, node.line, choose=choose, findings=findings)
    if by:
        _check_key(declared, annotation, node)
    chosen = None if is_deferred(node.value) else choose(declared, node.value)
    if chosen is not None:  # move the default's alternative to the front
        declared.alternatives = [chosen, *(one for one in found if one is not chosen)]
    return declared


def _name(declared: Type, by: str) -> str:
    """The name of an alternative in messages."""
    if type(declared) is MapType:
        if by in declared.declarations:
            return key_text(declared.declarations[by].default)
        keys = [key_text(one.key) for one in declared.declarations.values()]
        more = ", ..." if len(keys) > _NAMED else ""
        return f"map of {', '.join(keys[:_NAMED])}{more}" if keys else "map"
    if type(declared) is ArrayType:
        return f"array of {_name(declared.item.type, '')}"
    return declared.name


def _check_key(declared: OneOfType, annotation: Annotation, node: Item) -> None:
    """Checks that the key distinguishes all alternatives."""
    seen: set[object] = set()
    for one in declared.alternatives:
        key = one.type.declarations.get(declared.by) if type(one.type) is MapType else None
        if key is None or type(key.type) is not ScalarType or type(key.default) is float or key.secret:
            raise refused(
                f'not all alternatives are distinguished by "{declared.by}"',
                node,
                annotation,
                expected=f'maps, each with a string, integer or boolean as the default of "{declared.by}"',
                found=_name(one.type, "") if key is None else f"{key.type.name} (by {key.position})",
            )
        if key_id(key.default) in seen:
            raise refused(
                f'two alternatives have the same "{declared.by}"', node, annotation, found=key_text(key.default)
            )
        seen.add(key_id(key.default))


def choose(declared: OneOfType, value: Value, before: Declaration | None = None) -> Declaration:
    """The alternative for a value. before: its previous alternative. Raises LimitError."""
    if declared.by:
        key = value.find(declared.by) if type(value) is Map else None
        if key is not None and not is_deferred(key.value):
            for one in declared.alternatives:
                if key_id(declared.discriminator(one)) == key_id(key.value):
                    return one
        return before or declared.alternatives[0]
    candidates = dict.fromkeys(declared.alternatives if before is None else [before, *declared.alternatives])
    fitting = [one for one in candidates if _is_of_kind(one.type, value)] or [next(iter(candidates))]
    if len(fitting) == 1:
        return fitting[0]
    current_budget().check_time()
    item = MapItem(None, value)
    best, least = fitting[0], -1
    for one in fitting:
        wrong = len(check_item(one.type, item))
        if not wrong:
            return one
        if least < 0 or wrong < least:
            best, least = one, wrong
    return best


def _is_of_kind(declared: Type, value: Value) -> bool:
    if type(declared) is MapType:
        return type(value) is Map
    return type(value) is Array if type(declared) is ArrayType else type(value) in declared.kinds


def findings(declared: OneOfType, item: Item) -> list[Finding]:
    """The findings about an item's value, for the alternative selected for it."""
    value = item.value
    names = ", ".join(declared.names)
    chosen = choose(declared, value)
    key = value.find(declared.by) if declared.by and type(value) is Map else None
    if key is not None and key_id(key.value) != key_id(declared.discriminator(chosen)):
        is_scalar = type(key.value) in SCALARS and (key.source is None or not key.source.private)
        found = quotation(key_text(key.value)) if is_scalar else public(kind_name(key.value))
        meant = None if is_deferred(key.value) else did_you_mean(key_text(key.value), declared.names)
        return [
            Finding(
                public(f'Given data value is of no alternative: "{declared.by}" chooses one'),
                at=key.position,
                also=[declared.position.labelled("the declaration")],
                expected=public(f"one of {{ {names} }} (from {declared.position})"),
                found=public("a value that is computed from other data values") if is_deferred(key.value) else found,
                hint=None if meant is None else quotation(meant),
                code="no-alternative",
            ).made_of(item, key)
        ]
    if not _is_of_kind(chosen.type, value):
        return [
            Finding(
                public("Given data value is of no alternative"),
                at=item.position,
                also=[declared.position.labelled("the declaration")],
                expected=public(f"one of {{ {names} }} (from {declared.position})"),
                found=public(kind_name(value)),
                hint=public("@schema/nullable in the schema allows null") if value is None else None,
                code="no-alternative",
            ).made_of(item, *_inside(value))
        ]
    wrong = check_item(chosen.type, item)
    for one in wrong:
        # The values decide which alternative is used.
        one.made_of(*(one.origins or ()), item, *_inside(value))
        told = public(f' (as the alternative "{declared.name_of(chosen)}" of {names})')
        one.message = Wording(part_of(one, "message"), told)
    return wrong


def _inside(value: Value) -> Sequence[Map | Array]:
    return [value] if isinstance(value, (Map, Array)) else []


def without_replaced(declared: Type, value: Value, explicit: Value) -> Value:
    """The previous value, without defaults of alternatives that the explicit value does not select."""
    if type(declared) is NullType:
        return value if value is None else without_replaced(declared.inner, value, explicit)
    if type(declared) is OneOfType:
        if explicit is None or is_deferred(explicit):
            return value
        before = choose(declared, value)
        chosen = choose(declared, explicit, before)
        return without_replaced(chosen.type, value if chosen is before else default_of(chosen.type), explicit)
    if type(declared) is not MapType or type(value) is not Map or type(explicit) is not Map:
        return value
    rooms: dict[MapItem, Value] = {}
    for item in explicit.items:
        inner, there = declared.find(item.key), value.find(item.key)
        if inner is None or there is None or any(name in (item.annotations or {}) for name in _NO_MERGE):
            continue
        room = without_replaced(inner.type, there.value, item.value)
        if room is not there.value:
            rooms[there] = room
    return value.with_values(rooms.get(one, one.value) for one in value.items) if rooms else value


def without_replaced_alternatives(
    root: Declaration, explicit: Document, before: Document, trace: Trace | None
) -> Document:
    """Applies `without_replaced` to all data values. A trace records defaults as such."""
    value = without_replaced(root.type, before.value, explicit.value)
    if value is before.value:
        return before
    if trace is not None:
        trace.relate(before.value, value, "schema default")
    return before.with_value(value)
