"""What a template's program calls to build nodes (spec ytt 3.5 to 3.13).

Each run of a template, and each call of a `def` that has nodes in it, has a builder. It knows, for each collection of
the template (a number, see `yaml_template.Plan`), the list that collection's items go to now. A node whose collection
was never opened, because a block skipped its owner, goes to the nearest collection around it that was; the first node
of a `def` makes its collection the result.

Repeated keys are looked for when a builder ends: its maps cannot be seen before (spec ytt 3.11).
"""

from __future__ import annotations

from weft.annotations import Annotation
from weft.errors import TemplateError
from weft.fragments import YamlFragment, to_nodes
from weft.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, key_id
from weft.source import Position
from weft.starlark import StarlarkError, Value, str_of
from weft.templates.text import inserter
from weft.templates.yaml_template import MAP_KEY_OVERRIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.annotations import Annotations
    from weft.nodes import Item
    from weft.nodes import Value as NodeValue
    from weft.source import Source
    from weft.templates.patterns import Entry, Pattern
    from weft.templates.yaml_template import Plan

_SCALARS = frozenset({str, int, bool, float, type(None)})
_ITEM_WORDS = {Map: "map item", Array: "array item", DocumentSet: "document"}
_INT_MIN, _INT_MAX = -(1 << 63), (1 << 64) - 1


class Replacement(Value):
    """What `template.replace(value)` gives: the node being filled is replaced by the items of `value` (spec ytt 3.10)."""

    __slots__ = ("value",)
    type_name = "replacement"

    def __init__(self, value: object) -> None:
        self.value = value


class Replaced(Exception):
    """A value is to replace its node, where nodes are made in place."""


class Builder:
    """The collections that are open in one run of a template or of one of its functions.

    touched: nodes were replaced, perhaps by nothing.
    """

    __slots__ = ("brought", "live", "maps", "root", "soft", "touched")

    def __init__(self) -> None:
        self.touched = False
        self.live: dict[int, list[Item]] = {}
        self.root: int | None = None
        self.maps: dict[int, list[MapItem]] = {}  # by identity
        # Map items that came from a dict by template.replace: they replace earlier ones without a word.
        self.soft: set[MapItem] = set()
        # Those that came from a fragment: the line of the node that they replaced.
        self.brought: dict[MapItem, int] = {}


# What code that makes nodes in place needs; the builder's functions see to ints, which must not be too large.
_IN_PLACE: dict[str, object] = {
    "$node.Array": Array,
    "$node.ArrayItem": ArrayItem,
    "$node.Document": Document,
    "$node.DocumentSet": DocumentSet,
    "$node.Map": Map,
    "$node.MapItem": MapItem,
    "$node.Replaced": Replaced,
    "$node.plain": frozenset({str, bool, float, type(None)}),
}


class Construction:
    """The names that a template's program gets; those that make nodes are the same for all its runs.

    implicit_overrides: a repeated key silently replaces the earlier one (`--implicit-map-key-overrides`).
    """

    def __init__(self, plan: Plan, source: Source, *, implicit_overrides: bool) -> None:
        self.plan = plan
        self.source = source
        self.implicit_overrides = implicit_overrides
        self.documents: DocumentSet = DocumentSet([], source, 1)
        self._shared: dict[str, object] | None = None

    def run_names(self, built: list[DocumentSet]) -> dict[str, object]:
        """The names for one run; its documents are added to `built`."""
        shared = self._shared
        if shared is None:
            shared = self._shared = {**self.names(), "$node.chunks": self.plan.chunks, **_IN_PLACE}

        def finish(builder: Builder) -> None:
            built.append(self.finished(builder))

        return {**shared, "$node.finish": finish}

    def names(self) -> dict[str, Callable[..., object]]:
        """Host names for the program: `$node.begin`, `$node.fill`, ..."""
        source = self.source
        sites = self.plan.sites
        constants = self.plan.constants
        chunks = self.plan.chunks
        into = self.into
        computed = self.computed

        def begin() -> Builder:
            return Builder()

        def opened(builder: Builder, site: int, line: int) -> Map | Array | DocumentSet:
            kind = sites[site].kind
            items: list[Item] = []
            builder.live[site] = items
            if kind is Map:
                builder.maps[id(items)] = items  # type: ignore[assignment]
                return Map(items, source, line)  # type: ignore[arg-type]
            return kind(items, source, line)  # type: ignore[no-any-return]

        def fill(builder: Builder, site: int, index: int, /, *values: object) -> None:
            items = builder.live.get(site)
            if items is None:
                items = into(builder, site)
            make(builder, chunks[index], values, items)

        def refill(builder: Builder, items: list[Item], index: int, /, *values: object) -> None:
            make(builder, chunks[index], values, items)

        def data(value: object, line: int, owner: str) -> NodeValue:
            if type(value) is Replacement:
                raise Replaced
            try:
                return computed(value, line, owner)
            except StarlarkError as error:
                raise placed(error, line) from None

        def list_of(builder: Builder, site: int) -> list[Item]:
            items = builder.live.get(site)
            return into(builder, site) if items is None else items

        def enlist(builder: Builder, site: int) -> list[Item]:
            items: list[Item] = []
            builder.live[site] = items
            if sites[site].kind is Map:
                builder.maps[id(items)] = items  # type: ignore[assignment]
            return items

        def watched(builder: Builder) -> list[MapItem]:
            items: list[MapItem] = []
            builder.maps[id(items)] = items
            return items

        def make(builder: Builder, entries: list[Entry], values: tuple[object, ...], items: list[Item]) -> None:
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
                        if kind is Document or type(value) is Replacement:
                            try:
                                put(builder, items, entry, value, annotations)  # type: ignore[arg-type]
                            except StarlarkError as error:
                                raise placed(error, line) from None
                            continue
                        try:
                            value = computed(value, line, "map item" if kind is MapItem else "array item")
                        except StarlarkError as error:
                            raise placed(error, line) from None
                elif entry.children is not None:  # type: ignore[union-attr]
                    inner: list[Item] = []
                    make(builder, entry.children, values, inner)  # type: ignore[union-attr]
                    value = entry.inner(inner, source, line)  # type: ignore[union-attr, misc]
                else:
                    value = entry.value  # type: ignore[union-attr]
                if kind is MapItem:
                    items.append(MapItem(entry.key, value, source, line, annotations))  # type: ignore[union-attr, arg-type]
                elif kind is ArrayItem:
                    items.append(ArrayItem(value, source, line, annotations))  # type: ignore[arg-type]
                else:
                    items.append(Document(value, source, line, annotations, computed=hole >= 0 and value is not None))  # type: ignore[arg-type]

        def put(
            builder: Builder, items: list[Item], entry: Pattern, value: object, annotations: Annotations | None
        ) -> None:
            if entry.kind is MapItem:
                replace_map_item(builder, items, value.value, entry.line)  # type: ignore[attr-defined]
            elif entry.kind is ArrayItem:
                replace_array_item(builder, items, value.value, entry.line)  # type: ignore[attr-defined]
            else:
                add_document(items, value, entry.line, annotations)

        def placed(error: StarlarkError, line: int) -> StarlarkError:
            if error.at is None:
                error.at = Position(source, line)
            return error

        def map_item(
            builder: Builder,
            site: int,
            key: NodeValue,
            value: object,
            line: int,
            annotations: Annotations | None = None,
        ) -> None:
            items = builder.live.get(site)
            if items is None:
                items = into(builder, site)
            if type(value) in _SCALARS and type(value) is not int:
                items.append(MapItem(key, value, source, line, annotations))  # type: ignore[arg-type]
            elif type(value) is Replacement:
                replace_map_item(builder, items, value.value, line)
            else:
                items.append(MapItem(key, computed(value, line, "map item"), source, line, annotations))

        def array_item(
            builder: Builder, site: int, value: object, line: int, annotations: Annotations | None = None
        ) -> None:
            items = builder.live.get(site)
            if items is None:
                items = into(builder, site)
            if type(value) in _SCALARS and type(value) is not int:
                items.append(ArrayItem(value, source, line, annotations))  # type: ignore[arg-type]
            elif type(value) is Replacement:
                replace_array_item(builder, items, value.value, line)
            else:
                items.append(ArrayItem(computed(value, line, "array item"), source, line, annotations))

        def document(
            builder: Builder, site: int, value: object, line: int, annotations: Annotations | None = None
        ) -> None:
            items = builder.live.get(site)
            if items is None:
                items = into(builder, site)
            add_document(items, value, line, annotations)

        def add_document(items: list[Item], value: object, line: int, annotations: Annotations | None) -> None:
            if type(value) is Replacement:
                replace_document(items, value.value, line)
                return
            made = computed(value, line, "document")
            items.append(
                Document(made, source, line, annotations, type(value) is not YamlFragment and value is not None)
            )

        def replace_map_item(builder: Builder, items: list[Item], value: object, line: int) -> None:
            nodes = to_nodes(value, source, line)
            if type(nodes) is not Map:
                raise _wrong_replacement("map", value)
            if type(value) is not YamlFragment:
                builder.soft.update(nodes.items)
            else:
                builder.brought.update(dict.fromkeys(nodes.items, line))
            builder.maps[id(items)] = items  # type: ignore[assignment]
            builder.touched = True
            items += nodes.items

        def replace_array_item(builder: Builder, items: list[Item], value: object, line: int) -> None:
            nodes = to_nodes(value, source, line)
            if type(nodes) is not Array:
                raise _wrong_replacement("array", value)
            builder.touched = True
            items += nodes.items

        def replace_document(items: list[Item], value: object, line: int) -> None:
            nodes = to_nodes(value, source, line)
            if type(nodes) is DocumentSet:
                items += nodes.items
            elif type(nodes) is Array and type(value) is not YamlFragment:
                items += [
                    Document(
                        item.value,
                        item.source,
                        item.line,
                        None,
                        computed=type(item.value) is Map or type(item.value) is Array,
                    )
                    for item in nodes.items
                ]
            else:
                raise _wrong_replacement("document set", value)

        def open_map_item(
            builder: Builder, site: int, key: NodeValue, inner: int, line: int, annotations: Annotations | None = None
        ) -> None:
            items = builder.live.get(site)
            if items is None:
                items = into(builder, site)
            items.append(MapItem(key, opened(builder, inner, line), source, line, annotations))

        def open_array_item(
            builder: Builder, site: int, inner: int, line: int, annotations: Annotations | None = None
        ) -> None:
            items = builder.live.get(site)
            if items is None:
                items = into(builder, site)
            items.append(ArrayItem(opened(builder, inner, line), source, line, annotations))

        def open_document(
            builder: Builder, site: int, inner: int, line: int, annotations: Annotations | None = None
        ) -> None:
            items = builder.live.get(site)
            if items is None:
                items = into(builder, site)
            items.append(Document(opened(builder, inner, line), source, line, annotations))

        def annotation(name: str, line: int, /, *args: object, **kwargs: object) -> Annotation:
            return Annotation(name, args, kwargs, source, line)

        def constant_key(index: int) -> NodeValue:
            return constants[index].key  # type: ignore[union-attr]

        def constant_value(index: int) -> NodeValue:
            return constants[index].value

        return {
            "$node.begin": begin,
            "$node.end": self.end,
            "$node.finish": self.finish,
            "$node.done": self.done,
            "$node.fill": fill,
            "$node.refill": refill,
            "$node.data": data,
            "$node.list": list_of,
            "$node.enlist": enlist,
            "$node.watched": watched,
            "$node.map_item": map_item,
            "$node.array_item": array_item,
            "$node.document": document,
            "$node.open_map_item": open_map_item,
            "$node.open_array_item": open_array_item,
            "$node.open_document": open_document,
            "$node.annotation": annotation,
            "$node.constant_key": constant_key,
            "$node.constant_value": constant_value,
            "$text.insert": inserter(source),
            "$text.join": "".join,
        }

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

    def into(self, builder: Builder, site: int) -> list[Item]:
        """The list for a node whose own collection is not open."""
        sites = self.plan.sites
        parent = sites[site].parent
        while parent >= 0 and parent not in builder.live:
            parent = sites[parent].parent
        if parent >= 0:
            if sites[parent].kind is not sites[site].kind:
                holder = {Map: "maps", Array: "arrays", DocumentSet: "document sets"}[sites[parent].kind]
                raise StarlarkError(
                    f"{holder} can only contain {_ITEM_WORDS[sites[parent].kind]}s; "
                    f"this is a {_ITEM_WORDS[sites[site].kind]}",
                    hint="start a new document with --- after a function that holds documents",
                )
            return builder.live[parent]
        if builder.root is not None:
            raise StarlarkError(
                f"{_ITEM_WORDS[sites[site].kind]} does not belong to what this function builds, "
                f"a {_kind_word(sites[builder.root].kind)}",
                hint="start a new document with --- after the function",
            )
        builder.root = site
        items: list[Item] = []
        builder.live[site] = items
        if sites[site].kind is Map:
            builder.maps[id(items)] = items  # type: ignore[assignment]
        return items

    def end(self, builder: Builder) -> YamlFragment:
        """The fragment that a function with nodes returns; an empty one when none of its nodes ran (spec ytt 3.7)."""
        self.check_keys(builder)
        if builder.root is None:
            return YamlFragment(None)
        site = self.plan.sites[builder.root]
        items = builder.live[builder.root]
        return YamlFragment(site.kind(items, self.source, site.line))

    def done(self, builder: Builder, site: int, items: list[Item]) -> YamlFragment:
        """The same for a function whose nodes were made in place."""
        self.check_keys(builder)
        if not items and not builder.touched:
            return YamlFragment(None)
        root = self.plan.sites[site]
        return YamlFragment(root.kind(items, self.source, root.line))

    def finished(self, builder: Builder) -> DocumentSet:
        """The template ran to its end: what it built are its documents."""
        self.check_keys(builder)
        return DocumentSet(builder.live.get(0, []), self.source, self.plan.sites[0].line)  # type: ignore[arg-type]

    def finish(self, builder: Builder) -> None:
        self.documents = self.finished(builder)

    def check_keys(self, builder: Builder) -> None:
        """Resolve repeated keys in the maps that were built, in place: they are handed on only after this."""
        for items in builder.maps.values():
            if len({item.key for item in items}) != len(items):
                self.override(items, builder)

    def override(self, items: list[MapItem], builder: Builder) -> None:
        """Later items replace earlier ones of the same key, and stand at the end, if they may (spec ytt 3.11)."""
        found: dict[object, MapItem] = {}
        for item in items:
            key = key_id(item.key)
            earlier = found.pop(key, None)
            if earlier is not None and not (
                self.implicit_overrides
                or item in builder.soft
                or (item.annotations is not None and MAP_KEY_OVERRIDE in item.annotations)
            ):
                shown = item.key if type(item.key) is str else str_of(item.key)
                brought = builder.brought.get(item)
                raise TemplateError(
                    f"expected key '{shown}' to not be specified again (unless '{MAP_KEY_OVERRIDE}' annotation is added)",
                    at=item.position,
                    also=[earlier.position, *([Position(self.source, brought)] if brought else ())],
                    hint=f"to replace the earlier item, put #@{MAP_KEY_OVERRIDE} above the later one",
                )
            found[key] = item
        items[:] = found.values()


def _kind_word(kind: type) -> str:
    return {Map: "map", Array: "array", DocumentSet: "document set"}[kind]


def _wrong_replacement(expected: str, value: object) -> StarlarkError:
    from weft.fragments import go_type_name

    return StarlarkError(f"expected value to be {expected}, but was {go_type_name(value)}")
