"""YAML templates: annotated nodes become the pieces of a Starlark program that builds nodes (spec ytt 3).

The program is made of the template's own code lines and of host statements. A subtree without comments is a constant:
it is shared into the output as it was read (design 6). Siblings without code lines among or under them are one statement
(see patterns.py); only items with code below them are opened and filled statement by statement. A host statement names
the collection it adds to by number; which list that is at run time, the builder of the function being run knows (see
construct.py).
"""

from __future__ import annotations

from bisect import bisect_left

from plait.nodes import COLLECTIONS, Map, MapItem, key_id
from plait.starlark import Args, Code, Expr, Host
from plait.templates import directives, text
from plait.templates.patterns import Chunk, pattern
from plait.templates.plans import Plan, Site

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import TypeAlias

    from plait.nodes import Collection, DocumentSet, Item
    from plait.source import Source
    from plait.starlark import Piece, Slots
    from plait.templates.plans import Entry
    from plait.yaml import Comments

    # An expression to be made with the module `lowering`, once it is needed.
    Expression: TypeAlias = Callable[[ModuleType], _ast.expr]


class NodeHost(Host):
    """A host statement that adds nodes: in a def it makes the def return a fragment. site: the collection it adds to."""

    __slots__ = ("site",)

    def __init__(self, line: int, slots: Sequence[Expr | Args], site: int) -> None:
        self.line = line
        self.slots = slots
        self.site = site


class Fill(NodeHost):
    """Adds the items of a chunk."""

    __slots__ = ("index", "names")

    def __init__(self, line: int, chunk: Chunk, site: int, index: int) -> None:
        super().__init__(line, chunk.slots, site)
        self.index = index
        self.names = chunk.names

    def lower(self, slots: Slots) -> list[_ast.stmt]:
        from plait.templates import lowering

        return lowering.fill(self, slots)


class Put(NodeHost):
    """Adds an item that opens a collection, or whose key or value is text with code.

    opens: the number of the collection that it opens, or -1.
    """

    __slots__ = ("item", "key", "names", "opens", "value")

    def __init__(
        self,
        item: Item,
        slots: Sequence[Expr | Args],
        site: int,
        key: Expression | None,
        value: Expression | None,
        names: list[tuple[str, int]],
        opens: int,
    ) -> None:
        super().__init__(item.line, slots, site)
        self.item = item
        self.key = key
        self.value = value
        self.names = names
        self.opens = opens

    def lower(self, slots: Slots) -> list[_ast.stmt]:
        from plait.templates import lowering

        return lowering.put(self, slots)


def plan(
    documents: DocumentSet, comments: Comments, source: Source, *, ignore_unknown: bool, repeated_keys: bool
) -> tuple[list[Piece], Plan]:
    """The program pieces of a template and what they refer to.

    repeated_keys: some map has a key twice; it is then made by statements, and checked when it is complete.
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


class _Planner:
    """One walk over a template's nodes."""

    def __init__(self, comments: Comments, source: Source, *, ignore_unknown: bool, repeated_keys: bool) -> None:
        self.comments = comments
        self.source = source
        self.ignore_unknown = ignore_unknown
        self.repeated_keys = repeated_keys
        self.pieces: list[Piece] = []
        self.plan = Plan()
        # Items that have a commented item below them; what the comments of each item say, if anything; and items that
        # need statements of their own, for code stands below or behind them.
        self.busy: set[Item] = set()
        self.said: dict[Item, directives.Directives] = {}
        self.coded: set[Item] = set()
        self.owner_lines = sorted({node.line for node in comments.of})

    def mark(self, collection: Collection, following: int) -> tuple[bool, bool]:
        """Fill `busy`, `said` and `coded` for the items of a collection; whether any is commented, any coded.

        following: the line of the node after the collection. Only items whose range of lines holds a commented node's
        line are looked into.
        """
        lines = self.owner_lines
        of = self.comments.of
        look = self.repeated_keys
        commented = coded = False
        if look and type(collection) is Map and _repeats(collection):
            commented = coded = True
        items: list[Item] = list(collection.items)
        for index, item in enumerate(items):
            found = of.get(item)
            own_code = False
            if found is not None:
                commented = True
                said = directives.read(
                    found,
                    item.line,
                    self.source,
                    has_value=item.value is not None,
                    ignore_unknown=self.ignore_unknown,
                )
                if said:
                    self.said[item] = said
                    own_code = bool(said.ends) or said.is_text_templated
                    coded = coded or bool(said.code)
            if type(item.value) in COLLECTIONS:
                after = items[index + 1].line if index + 1 < len(items) else following
                if not look:
                    first = bisect_left(lines, item.line)
                    if first == len(lines) or lines[first] > after:
                        continue
                below, code_below = self.mark(item.value, after)  # type: ignore[arg-type]
                if below:
                    self.busy.add(item)
                    commented = True
                own_code = own_code or code_below
            if own_code:
                self.coded.add(item)
                coded = True
        return commented, coded

    def site(self, collection: Collection, parent: int) -> int:
        """Number a collection."""
        self.plan.sites.append(Site(type(collection), collection.line, parent))
        return len(self.plan.sites) - 1

    def children(self, collection: Collection, site: int, *, templated: bool) -> None:
        """Plan the items of a collection: chunks of items without code, and statements for the others."""
        chunk = Chunk()
        coded = self.coded
        for item in collection.items:
            said = self.said.get(item, directives.NOTHING)
            by_itself = templated or item in coded
            if chunk.entries and (by_itself or said.code or len(chunk.names) >= _HOLES):
                self.flush(chunk, site)
                chunk = Chunk()
            self.pieces.extend(Code(line.text, line.line) for line in said.code)
            if by_itself:
                self.item(item, said, site, templated=templated)
            else:
                self.pattern(chunk, chunk.entries, item)
        self.flush(chunk, site)

    def pattern(self, chunk: Chunk, entries: list[Entry], item: Item) -> None:
        """Add an item without code below it to a chunk."""
        said = self.said.get(item)
        if item in self.busy and (said is None or not said.values):
            children: list[Entry] = []
            at = -1 if said is None else chunk.annotations(said)
            for inner in item.value.items:  # type: ignore[union-attr]
                self.pattern(chunk, children, inner)
            entries.append(pattern(item, -1, at, type(item.value), children))
        elif said is not None and (said.annotations or said.values):
            chunk.add(entries, item, said)
        else:
            chunk.add_constant(entries, item)

    def flush(self, chunk: Chunk, site: int) -> None:
        """The statement that makes a chunk's items."""
        if not chunk.entries:
            return
        chunks = self.plan.chunks
        index = len(chunks)
        chunks.append(chunk.entries)
        first = chunk.entries[0]
        line = first[0].line if type(first) is list else first.line  # type: ignore[union-attr]
        self.pieces.append(Fill(line, chunk, site, index))

    def item(self, item: Item, said: directives.Directives, site: int, *, templated: bool) -> None:
        """The pieces of one item: the item itself, what is in it, and the end of its block."""
        templated = templated or said.is_text_templated
        value = item.value
        text_key = templated and type(item) is MapItem and _has_code(item.key)
        if text_key:
            self.text(item.key, item.line)  # type: ignore[union-attr, arg-type]
            self.pieces.append(text.TextHost(item.line, [], _assign_key))
        if not said.values and type(value) in COLLECTIONS and (templated or item in self.busy):
            inner = self.site(value, site)  # type: ignore[arg-type]
            self.put(item, said, site, None, text_key=text_key, opens=inner)
            self.children(value, inner, templated=templated)  # type: ignore[arg-type]
        elif templated and not said.values and _has_code(value):
            self.text(value, item.line)  # type: ignore[arg-type]
            self.put(item, said, site, _text_value, text_key=text_key)
        elif text_key:
            self.put(item, said, site, self.shared(item, "value"), text_key=True)
        else:
            chunk = Chunk()
            self.pattern(chunk, chunk.entries, item)
            self.flush(chunk, site)
        if said.ends:
            self.pieces.append(Code("end", item.line))

    def shared(self, item: Item, part: str) -> Expression:
        """The key or the value of a constant item."""
        self.plan.constants.append(item)
        index = len(self.plan.constants) - 1
        return lambda lowering: lowering.call(f"$node.constant_{part}", lowering.constant(index))

    def text(self, value: str, line: int) -> None:
        """Pieces that leave the text of a templated string in `$parts`."""
        self.pieces.append(text.TextHost(line, [], _begin_text))
        self.pieces.extend(text.pieces(text.parse(value, self.source, line)))

    def put(
        self,
        item: Item,
        said: directives.Directives,
        site: int,
        value: Expression | None,
        *,
        text_key: bool,
        opens: int = -1,
    ) -> None:
        """An item with a key or value of text with code, or one whose collection is to be opened.

        value: the item's value if the comments give none. opens: the number of the collection to open.
        """
        names = [(name, line) for name, _, line in said.annotations]
        key: Expression | None = None
        if type(item) is MapItem:
            if text_key:
                key = _text_key
            elif type(item.key) in COLLECTIONS:
                key = self.shared(item, "key")
            else:
                key = _constant(item.key)
        slots: list[Expr | Args] = [Args(content, at) for _, content, at in said.annotations]
        slots += [Expr(given.text or "()", given.line) for given in said.values]
        self.pieces.append(Put(item, slots, site, key, value, names, opens))


def _constant(value: object) -> Expression:
    return lambda lowering: lowering.constant(value)


def _text_key(lowering: ModuleType) -> _ast.expr:
    made: _ast.expr = lowering.name("$node.key")
    return made


def _text_value(lowering: ModuleType) -> _ast.expr:
    made: _ast.expr = lowering.joined_text()
    return made


def _begin_text(_slots: Slots) -> list[_ast.stmt]:
    from plait.templates import lowering

    return lowering.begin_text()


def _assign_key(_slots: Slots) -> list[_ast.stmt]:
    from plait.templates import lowering

    return [lowering.assign("$node.key", lowering.joined_text())]


def _discard(slots: Slots) -> list[_ast.stmt]:
    from plait.templates import lowering

    return lowering.discard(slots)


# A statement has at most about so many holes.
_HOLES = 120


def _has_code(value: object) -> bool:
    return type(value) is str and ("(@" in value or "@)" in value)


def _repeats(collection: Map) -> bool:
    return len({item.key if type(item.key) is str else key_id(item.key) for item in collection.items}) != len(
        collection.items
    )
