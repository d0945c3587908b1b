"""What a template's program calls to build nodes (spec ytt 3.5 to 3.13).

Each run of a template, and each call of a `def` that has nodes in it, has a builder. It knows, for each collection of
the template (a number, see `yaml_template.Plan`), the list that collection's items go to now. A node whose collection
was never opened, because a block skipped its owner, goes to the nearest collection around it that was; the first node
of a `def` makes its collection the result.

Repeated keys are looked for when a builder ends: its maps cannot be seen before (spec ytt 3.11).
"""

from __future__ import annotations

from plait.annotations import Annotation
from plait.errors import TemplateError
from plait.fragments import YamlFragment, to_nodes
from plait.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, key_id
from plait.source import Position
from plait.starlark import StarlarkError, Value, str_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from plait.annotations import Annotations
    from plait.nodes import Item
    from plait.nodes import Value as NodeValue
    from plait.source import Source
    from plait.templates.plans import Entry, Pattern, Plan

MAP_KEY_OVERRIDE = "yaml/map-key-override"
_SCALARS = frozenset({str, int, bool, float, type(None)})
_ITEM_WORDS = {Map: "map item", Array: "array item", DocumentSet: "document"}
_INT_MIN, _INT_MAX = -(1 << 63), (1 << 64) - 1


class Replacement(Value):
    """What `template.replace(value)` gives: the node being filled is replaced by the items of `value` (spec ytt 3.10)."""

    __slots__ = ("value",)
    type_name = "replacement"

    def __init__(self, value: object) -> None:
        self.value = value


class Builder:
    """The collections that are open in one run of a template or of one of its functions."""

    __slots__ = ("brought", "live", "maps", "root", "soft", "template")

    def __init__(self, template: Construction) -> None:
        self.template = template
        self.live: dict[int, list[Item]] = {}
        self.root: int | None = None
        self.maps: dict[int, list[MapItem]] = {}  # by identity
        # Map items that came from a dict by template.replace: they replace earlier ones without a word.
        self.soft: set[MapItem] = set()
        # Those that came from a fragment: the line of the node that they replaced.
        self.brought: dict[MapItem, int] = {}

    def items(self, site: int) -> list[Item]:
        """The list that a collection's items go to."""
        items = self.live.get(site)
        return self.into(site) if items is None else items

    def begin(self, site: int) -> list[Item]:
        """An empty list for them."""
        items: list[Item] = []
        self.live[site] = items
        if self.template.plan.sites[site].kind is Map:
            self.maps[id(items)] = items  # type: ignore[assignment]
        return items

    def into(self, site: int) -> list[Item]:
        """The list for a node whose own collection is not open."""
        sites = self.template.plan.sites
        parent = sites[site].parent
        while parent >= 0 and parent not in self.live:
            parent = sites[parent].parent
        if parent >= 0:
            if sites[parent].kind is not sites[site].kind:
                holder = {Map: "maps", Array: "arrays", DocumentSet: "document sets"}[sites[parent].kind]
                raise StarlarkError(
                    f"{holder} can only contain {_ITEM_WORDS[sites[parent].kind]}s; "
                    f"this is a {_ITEM_WORDS[sites[site].kind]}",
                    hint="start a new document with --- after a function that holds documents",
                )
            return self.live[parent]
        if self.root is not None:
            raise StarlarkError(
                f"{_ITEM_WORDS[sites[site].kind]} does not belong to what this function builds, "
                f"a {_kind_word(sites[self.root].kind)}",
                hint="start a new document with --- after the function",
            )
        self.root = site
        return self.begin(site)

    def end(self) -> YamlFragment:
        """The fragment that a function with nodes returns; an empty one when none of its nodes ran (spec ytt 3.7)."""
        self.check_keys()
        if self.root is None:
            return YamlFragment(None)
        site = self.template.plan.sites[self.root]
        return YamlFragment(site.kind(self.live[self.root], self.template.source, site.line))

    def finish(self) -> None:
        """The template ran to its end: what it built are its documents."""
        self.check_keys()
        template = self.template
        template.documents = DocumentSet(self.live.get(0, []), template.source, template.plan.sites[0].line)  # type: ignore[arg-type]

    def check_keys(self) -> None:
        """Resolve repeated keys in the maps that were built, in place: they are handed on only after this."""
        for items in self.maps.values():
            if len({item.key for item in items}) != len(items):
                self.override(items)

    def override(self, items: list[MapItem]) -> None:
        """Later items replace earlier ones of the same key, and stand at the end, if they may (spec ytt 3.11)."""
        found: dict[object, MapItem] = {}
        for item in items:
            key = key_id(item.key)
            earlier = found.pop(key, None)
            if earlier is not None and not (
                self.template.implicit_overrides
                or item in self.soft
                or (item.annotations is not None and MAP_KEY_OVERRIDE in item.annotations)
            ):
                shown = item.key if type(item.key) is str else str_of(item.key)
                brought = self.brought.get(item)
                raise TemplateError(
                    f"expected key '{shown}' to not be specified again (unless '{MAP_KEY_OVERRIDE}' annotation is added)",
                    at=item.position,
                    also=[earlier.position, *([Position(self.template.source, brought)] if brought else ())],
                    hint=f"to replace the earlier item, put #@{MAP_KEY_OVERRIDE} above the later one",
                )
            found[key] = item
        items[:] = found.values()


class Construction:
    """A template whose program builds nodes.

    own_names: the names of this template's program; the others are in NAMES. documents: what the last run made.
    implicit_overrides: a repeated key silently replaces the earlier one (`--implicit-map-key-overrides`).
    """

    def __init__(self, plan: Plan, source: Source, *, implicit_overrides: bool) -> None:
        self.plan = plan
        self.source = source
        self.implicit_overrides = implicit_overrides
        self.documents = DocumentSet([], source, 1)
        self.own_names: dict[str, object] = {
            "$node.begin": self.begin,
            "$node.annotation": self.annotation,
            "$node.constant_key": self.constant_key,
            "$node.constant_value": self.constant_value,
            "$text.insert": inserter(source),
        }

    def begin(self) -> Builder:
        return Builder(self)

    def annotation(self, name: str, line: int, /, *args: object, **kwargs: object) -> Annotation:
        return Annotation(name, args, kwargs, self.source, line)

    def constant_key(self, index: int) -> NodeValue:
        return self.plan.constants[index].key  # type: ignore[union-attr]

    def constant_value(self, index: int) -> NodeValue:
        return self.plan.constants[index].value

    def computed(self, value: object, line: int, owner: str) -> NodeValue:
        """The node value for a computed one. Raises TemplateError for a document set, StarlarkError for what cannot be data."""
        if type(value) is int:
            if not _INT_MIN <= value <= _INT_MAX:
                raise StarlarkError(
                    f"integer {value if abs(value) < 10**40 else 'of ' + str(value.bit_length()) + ' bits'} is out of range",
                    expected="an integer of at most 64 bits",
                )
            return value
        nodes = to_nodes(value, self.source, line)
        if type(nodes) is DocumentSet:
            article = {"map item": "map items", "array item": "array items", "document": "documents"}[owner]
            raise StarlarkError(
                f"{article} can only contain arrays, maps, or scalars; this is a document set",
                hint="use template.replace(...) from @ytt:template on a document (---)",
            )
        return nodes


def inserter(source: Source) -> Callable[..., None]:
    """What `$text.insert` does: append literals and the values between them, which must be strings (spec ytt 4).

    lines: of the values, then, for those who want to know (see tracing.py), of the literals.
    """

    def insert(parts: list[str], literals: tuple[str, ...], lines: tuple[int, ...], /, *values: object) -> None:
        parts.append(literals[0])
        for place, value in enumerate(values):
            if type(value) is not str:
                from plait.fragments import go_type_name

                raise StarlarkError(
                    f"cannot set non-string value ({go_type_name(value)}), consider using str(...) to convert to string",
                    at=Position(source, lines[place]),
                )
            parts.append(value)
            parts.append(literals[place + 1])

    return insert


def _kind_word(kind: type) -> str:
    return {Map: "map", Array: "array", DocumentSet: "document set"}[kind]


def _wrong_replacement(expected: str, value: object) -> StarlarkError:
    from plait.fragments import go_type_name

    return StarlarkError(f"expected value to be {expected}, but was {go_type_name(value)}")


# ---- what programs call; the builder says for which template


def _fill(builder: Builder, site: int, index: int, /, *values: object) -> None:
    _make(builder, builder.template.plan.chunks[index], values, builder.items(site))


def _make(builder: Builder, entries: list[Entry], values: tuple[object, ...], items: list[Item]) -> None:
    source = builder.template.source
    for entry in entries:
        if type(entry) is list:
            items += entry
            continue
        line = entry.line  # type: ignore[union-attr]
        kind = entry.kind  # type: ignore[union-attr]
        hole = entry.hole  # type: ignore[union-attr]
        annotations: Annotations | None = (
            None if entry.annotated < 0 else values[entry.annotated]  # type: ignore[union-attr, assignment]
        )
        value: object
        if hole >= 0:
            value = values[hole]
            if type(value) not in _SCALARS or type(value) is int:
                try:
                    if kind is Document or type(value) is Replacement:
                        _put(builder, items, entry, value, annotations)  # type: ignore[arg-type]
                        continue
                    value = builder.template.computed(value, line, "map item" if kind is MapItem else "array item")
                except StarlarkError as error:
                    raise _placed(error, source, line) from None
        elif entry.children is not None:  # type: ignore[union-attr]
            inner: list[Item] = []
            _make(builder, entry.children, values, inner)  # type: ignore[union-attr]
            value = entry.inner(inner, source, line)  # type: ignore[union-attr, misc]
        else:
            value = entry.value  # type: ignore[union-attr]
        if kind is MapItem:
            items.append(MapItem(entry.key, value, source, line, annotations))  # type: ignore[union-attr, arg-type]
        elif kind is ArrayItem:
            items.append(ArrayItem(value, source, line, annotations))  # type: ignore[arg-type]
        else:
            items.append(Document(value, source, line, annotations, computed=hole >= 0 and value is not None))  # type: ignore[arg-type]


def _put(builder: Builder, items: list[Item], entry: Pattern, value: object, annotations: Annotations | None) -> None:
    if entry.kind is MapItem:
        _replace_map_item(builder, items, value.value, entry.line)  # type: ignore[attr-defined]
    elif entry.kind is ArrayItem:
        _replace_array_item(builder, items, value.value, entry.line)  # type: ignore[attr-defined]
    else:
        _add_document(builder, items, value, entry.line, annotations)


def _placed(error: StarlarkError, source: Source, line: int) -> StarlarkError:
    if error.at is None:
        error.at = Position(source, line)
    return error


def _map_item(
    builder: Builder, site: int, key: NodeValue, value: object, line: int, annotations: Annotations | None = None
) -> None:
    items = builder.items(site)
    template = builder.template
    if type(value) in _SCALARS and type(value) is not int:
        items.append(MapItem(key, value, template.source, line, annotations))  # type: ignore[arg-type]
    elif type(value) is Replacement:
        _replace_map_item(builder, items, value.value, line)
    else:
        items.append(MapItem(key, template.computed(value, line, "map item"), template.source, line, annotations))


def _array_item(builder: Builder, site: int, value: object, line: int, annotations: Annotations | None = None) -> None:
    items = builder.items(site)
    template = builder.template
    if type(value) in _SCALARS and type(value) is not int:
        items.append(ArrayItem(value, template.source, line, annotations))  # type: ignore[arg-type]
    elif type(value) is Replacement:
        _replace_array_item(builder, items, value.value, line)
    else:
        items.append(ArrayItem(template.computed(value, line, "array item"), template.source, line, annotations))


def _document(builder: Builder, site: int, value: object, line: int, annotations: Annotations | None = None) -> None:
    _add_document(builder, builder.items(site), value, line, annotations)


def _add_document(
    builder: Builder, items: list[Item], value: object, line: int, annotations: Annotations | None
) -> None:
    template = builder.template
    if type(value) is Replacement:
        _replace_document(template.source, items, value.value, line)
        return
    made = template.computed(value, line, "document")
    computed = type(value) is not YamlFragment and value is not None
    items.append(Document(made, template.source, line, annotations, computed))


def _replace_map_item(builder: Builder, items: list[Item], value: object, line: int) -> None:
    nodes = to_nodes(value, builder.template.source, line)
    if type(nodes) is not Map:
        raise _wrong_replacement("map", value)
    if type(value) is not YamlFragment:
        builder.soft.update(nodes.items)
    else:
        builder.brought.update(dict.fromkeys(nodes.items, line))
    builder.maps[id(items)] = items  # type: ignore[assignment]
    items += nodes.items


def _replace_array_item(builder: Builder, items: list[Item], value: object, line: int) -> None:
    nodes = to_nodes(value, builder.template.source, line)
    if type(nodes) is not Array:
        raise _wrong_replacement("array", value)
    items += nodes.items


def _replace_document(source: Source, items: list[Item], value: object, line: int) -> None:
    nodes = to_nodes(value, source, line)
    if type(nodes) is DocumentSet:
        items += nodes.items
    elif type(nodes) is Array and type(value) is not YamlFragment:
        items += [
            Document(
                item.value, item.source, item.line, None, computed=type(item.value) is Map or type(item.value) is Array
            )
            for item in nodes.items
        ]
    else:
        raise _wrong_replacement("document set", value)


def _opened(builder: Builder, site: int, line: int) -> Map | Array | DocumentSet:
    kind = builder.template.plan.sites[site].kind
    return kind(builder.begin(site), builder.template.source, line)  # type: ignore[no-any-return]


def _open_map_item(
    builder: Builder, site: int, key: NodeValue, inner: int, line: int, annotations: Annotations | None = None
) -> None:
    builder.items(site).append(MapItem(key, _opened(builder, inner, line), builder.template.source, line, annotations))


def _open_array_item(
    builder: Builder, site: int, inner: int, line: int, annotations: Annotations | None = None
) -> None:
    builder.items(site).append(ArrayItem(_opened(builder, inner, line), builder.template.source, line, annotations))


def _open_document(builder: Builder, site: int, inner: int, line: int, annotations: Annotations | None = None) -> None:
    builder.items(site).append(Document(_opened(builder, inner, line), builder.template.source, line, annotations))


# The names that the programs of all templates share.
NAMES: dict[str, object] = {
    "$node.end": Builder.end,
    "$node.finish": Builder.finish,
    "$node.fill": _fill,
    "$node.map_item": _map_item,
    "$node.array_item": _array_item,
    "$node.document": _document,
    "$node.open_map_item": _open_map_item,
    "$node.open_array_item": _open_array_item,
    "$node.open_document": _open_document,
    "$text.join": "".join,
}
