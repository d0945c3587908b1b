"""YAML templates: annotated nodes become the pieces of a Starlark program that builds nodes (spec ytt 3).

The program is made of the template's own code lines and of host statements, one a node that needs one. A subtree
without comments is a constant: it is shared into the output as it was read, and a run of constant siblings is one
statement (design 6). A host statement names the collection it adds to by number; which list that is at run time, the
builder `$builder` of the function being run knows (see construct.py).
"""

from __future__ import annotations

import _ast
from bisect import bisect_left

from weft.nodes import COLLECTIONS, ArrayItem, Document, Map, MapItem, key_id
from weft.starlark import Args, Code, Expr, Host
from weft.templates import directives, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weft.nodes import Collection, DocumentSet, Item
    from weft.source import Source
    from weft.starlark import Piece, Slot, Slots
    from weft.yaml import Comments

TEXT_TEMPLATED = "yaml/text-templated-strings"
MAP_KEY_OVERRIDE = "yaml/map-key-override"


class NodeHost(Host):
    """A host statement that adds nodes: in a def it makes the def return a fragment."""

    __slots__ = ()


class Site:
    """A collection of the template: what it is, where, and in which collection its owner stands."""

    __slots__ = ("kind", "line", "parent")

    def __init__(self, kind: type, line: int, parent: int) -> None:
        self.kind = kind
        self.line = line
        self.parent = parent


class Plan:
    """What a compiled template's program refers to by number: collections (`sites`) and constant items."""

    __slots__ = ("constants", "sites")

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.constants: list[Item] = []


def plan(
    documents: DocumentSet, comments: Comments, source: Source, *, ignore_unknown: bool, repeated_keys: bool
) -> tuple[list[Piece], Plan]:
    """The program pieces of a template and what they refer to.

    repeated_keys: some map has a key twice; its items are then checked while the program runs.
    Raises TemplateError as `directives.read` does.
    """
    planner = _Planner(comments, source, ignore_unknown=ignore_unknown, repeated_keys=repeated_keys)
    site = planner.site(documents, -1)
    planner.mark(documents, 1 << 62)
    planner.children(documents, site, templated=False)
    last = directives.read(comments.at(documents), -1, source, has_value=False, ignore_unknown=ignore_unknown)
    planner.pieces.extend(Code(line.text, line.line) for line in last.code)
    for _name, content, line in last.annotations:  # evaluated for their errors, and dropped
        planner.pieces.append(Host(line, [Args(content, line)], _discard))
    return planner.pieces, planner.plan


def _discard(slots: Slots) -> list[_ast.stmt]:
    return [_ast.Expr(value=_annotation("", 0, slots[0]))]


def _name(identifier: str) -> _ast.expr:
    return _ast.Name(id=identifier, ctx=_ast.Load())


def _constant(value: str | int | float | bool | None) -> _ast.expr:  # noqa: PYI041
    return _ast.Constant(value=value, kind=None)


def _call(function: str, *args: _ast.expr) -> list[_ast.stmt]:
    return [_ast.Expr(value=_ast.Call(func=_name(function), args=[_name("$builder"), *args], keywords=[]))]


def _annotation(name: str, line: int, slot: Slot) -> _ast.expr:
    assert isinstance(slot, tuple)
    args, keywords = slot
    return _ast.Call(func=_name("$node.annotation"), args=[_constant(name), _constant(line), *args], keywords=keywords)


class _Planner:
    """One walk over a template's nodes."""

    def __init__(self, comments: Comments, source: Source, *, ignore_unknown: bool, repeated_keys: bool) -> None:
        self.comments = comments
        self.source = source
        self.ignore_unknown = ignore_unknown
        self.repeated_keys = repeated_keys
        self.pieces: list[Piece] = []
        self.plan = Plan()
        # Items that have a commented item, or a map with a repeated key, below them.
        self.busy: set[Item] = set()
        self.owner_lines = sorted({node.line for node in comments.of})

    def mark(self, collection: Collection, following: int) -> bool:
        """Fill `busy` for a collection whose owner is followed by a node at line `following`; whether anything is.

        Only items whose range of lines holds a commented node's line are looked into.
        """
        lines = self.owner_lines
        found = self.repeated_keys and type(collection) is Map and _repeats(collection)
        items: list[Item] = list(collection.items)
        for index, item in enumerate(items):
            after = items[index + 1].line if index + 1 < len(items) else following
            if not self.repeated_keys:
                first = bisect_left(lines, item.line)
                if first == len(lines) or lines[first] > after:
                    continue
            found = found or item in self.comments.of
            if type(item.value) in COLLECTIONS and self.mark(item.value, after):  # type: ignore[arg-type]
                self.busy.add(item)
                found = True
        return found

    def site(self, collection: Collection, parent: int) -> int:
        """Number a collection."""
        self.plan.sites.append(Site(type(collection), collection.line, parent))
        return len(self.plan.sites) - 1

    def children(self, collection: Collection, site: int, *, templated: bool) -> None:
        """Plan the items of a collection."""
        static: list[Item] = []
        of = self.comments.of
        repeated = self.repeated_keys and type(collection) is Map and _repeats(collection)
        plain = not templated and not repeated
        for item in collection.items:
            found = of.get(item)
            if found is None and plain and item not in self.busy:
                static.append(item)
                continue
            said = directives.read(
                found or (),
                item.line,
                self.source,
                has_value=item.value is not None,
                ignore_unknown=self.ignore_unknown,
            )
            if not said and plain and item not in self.busy:
                static.append(item)
                continue
            self.flush(static, site)
            self.item(item, said, site, templated=templated)
        self.flush(static, site)

    def flush(self, static: list[Item], site: int) -> None:
        """One statement for a run of constant items."""
        if not static:
            return
        constants = self.plan.constants
        first = len(constants)
        constants.extend(static)
        last = len(constants)
        self.pieces.append(
            NodeHost(
                static[0].line,
                [],
                lambda _slots: _call("$node.keep", _constant(site), _constant(first), _constant(last)),
            )
        )
        static.clear()

    def item(self, item: Item, said: directives.Directives, site: int, *, templated: bool) -> None:
        """The pieces of one item: code before it, the item itself, what is in it, and the end of its block."""
        self.pieces.extend(Code(line.text, line.line) for line in said.code)
        templated = templated or any(name == TEXT_TEMPLATED for name, _, _ in said.annotations)
        value = item.value
        text_key = templated and type(item) is MapItem and _has_code(item.key)
        if text_key:
            self.text(item.key, item.line)  # type: ignore[union-attr, arg-type]
            self.pieces.append(text.TextHost(item.line, [], lambda _slots: _assign_key()))
        if said.values:
            self.put(item, said, site, [Expr(v.text or "()", v.line) for v in said.values], None, text_key=text_key)
        elif type(value) in COLLECTIONS and (templated or item in self.busy):
            inner = self.site(value, site)  # type: ignore[arg-type]
            self.put(item, said, site, [], _constant(inner), text_key=text_key, opens=True)
            self.children(value, inner, templated=templated)  # type: ignore[arg-type]
        elif templated and _has_code(value):
            self.text(value, item.line)  # type: ignore[arg-type]
            self.put(item, said, site, [], text.joined(), text_key=text_key)
        elif text_key:
            self.put(item, said, site, [], self.shared(item, "value"), text_key=True)
        else:
            self.keep(item, said, site)
        if said.ends:
            self.pieces.append(Code("end", item.line))

    def shared(self, item: Item, part: str) -> _ast.expr:
        """An expression for the key or the value of a constant item."""
        self.plan.constants.append(item)
        return _ast.Call(
            func=_name(f"$node.constant_{part}"), args=[_constant(len(self.plan.constants) - 1)], keywords=[]
        )

    def text(self, value: str, line: int) -> None:
        """Pieces that leave the text of a templated string in `$parts`."""
        self.pieces.append(text.TextHost(line, [], lambda _slots: text.begin()))
        self.pieces.extend(text.pieces(text.parse(value, self.source, line)))

    def keep(self, item: Item, said: directives.Directives, site: int) -> None:
        """A constant item, with annotations or without."""
        index = len(self.plan.constants)
        self.plan.constants.append(item)
        names = [(name, line) for name, _, line in said.annotations]

        def lower(slots: Slots) -> list[_ast.stmt]:
            if not slots:
                return _call("$node.keep", _constant(site), _constant(index), _constant(index + 1))
            return _call("$node.annotated", _constant(site), _constant(index), _annotations(names, slots))

        self.pieces.append(NodeHost(item.line, [Args(text, line) for _, text, line in said.annotations], lower))

    def put(
        self,
        item: Item,
        said: directives.Directives,
        site: int,
        values: list[Expr],
        value: _ast.expr | None,
        *,
        text_key: bool,
        opens: bool = False,
    ) -> None:
        """An item whose value is computed (`values`), given (`value`), or a collection to be opened."""
        names = [(name, line) for name, _, line in said.annotations]
        line = item.line
        function = _FUNCTIONS[type(item)][opens]
        key: _ast.expr | None = None
        if type(item) is MapItem:
            if text_key:
                key = _name("$node.key")
            else:
                key = self.shared(item, "key") if type(item.key) in COLLECTIONS else _constant(item.key)  # type: ignore[arg-type]

        def lower(slots: Slots) -> list[_ast.stmt]:
            before: list[_ast.stmt] = []
            result = value
            for slot in slots[len(names) :]:
                assert isinstance(slot, _ast.expr)
                if result is not None:
                    before.append(_ast.Expr(value=result))
                result = slot
            assert result is not None
            arguments = [_constant(site)]
            if key is not None:
                arguments.append(key)
            arguments += [result, _constant(line)]
            if names:
                arguments.append(_annotations(names, slots))
            return [*before, *_call(function, *arguments)]

        slots = [Args(content, at) for _, content, at in said.annotations]
        self.pieces.append(NodeHost(line, [*slots, *values], lower))


_FUNCTIONS: dict[type, tuple[str, str]] = {
    MapItem: ("$node.map_item", "$node.open_map_item"),
    ArrayItem: ("$node.array_item", "$node.open_array_item"),
    Document: ("$node.document", "$node.open_document"),
}


def _has_code(value: object) -> bool:
    return type(value) is str and ("(@" in value or "@)" in value)


def _assign_key() -> list[_ast.stmt]:
    return [_ast.Assign(targets=[_ast.Name(id="$node.key", ctx=_ast.Store())], value=text.joined())]


def _annotations(names: list[tuple[str, int]], slots: Slots) -> _ast.expr:
    """`{name: $node.annotation(name, line, args...)}`; of a repeated name the last one stands."""
    return _ast.Dict(
        keys=[_constant(name) for name, _ in names],
        values=[_annotation(name, line, slot) for (name, line), slot in zip(names, slots, strict=False)],
    )


def _repeats(collection: Map) -> bool:
    return len({item.key if type(item.key) is str else key_id(item.key) for item in collection.items}) != len(
        collection.items
    )
