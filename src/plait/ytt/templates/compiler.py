"""From the nodes and comments of a YAML template to a Starlark program that builds nodes (docs/reference/templates.md).

The program consists of the template's code lines and, between them, of statements that add nodes to a builder (see
`build`). A subtree without comments is a constant and is added as read. Siblings without code lines among or below them
form a *chunk*: one statement evaluates all their expressions and adds all their nodes, so that the cost of a template
grows with its expressions, not with its nodes.

A file that loads `@ytt:template` is compiled *node by node* instead. There an expression may replace the node that was
started last, so each node has to exist before the next expression is evaluated.
"""

from __future__ import annotations

from bisect import bisect_left

from plait.tree.nodes import Array, Document, Map, MapItem, key_id
from plait.ytt.starlark.program_parts import ArgsSlot, CodePart, ExprSlot
from plait.ytt.templates import directives, text
from plait.ytt.templates.lower import KEY_TEXT, TEXT, VALUE, BeginText, Fill, KeepKey, SetValue
from plait.ytt.templates.node_table import CollectionRow, ItemPattern, NodeTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.source import Source
    from plait.tree.nodes import Collection, DocumentSet, Item
    from plait.yaml.comments import Comments
    from plait.ytt.starlark.program_parts import Piece
    from plait.ytt.templates.directives import Directives
    from plait.ytt.templates.lower import Hole
    from plait.ytt.templates.node_table import Entry

# Maximum number of expressions of a statement, approximately.
_HOLES = 120


class Chunk:
    """The items of one statement, while they are collected.

    entries: constant items in lists, and patterns. slots: the code of the holes, in the order of the text.
    """

    __slots__ = ("entries", "holes", "slots")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.slots: list[ExprSlot] = []
        self.holes: list[Hole] = []

    def hole(self, kind: Hole) -> int:
        self.holes.append(kind)
        return len(self.holes) - 1

    def value(self, expression: ExprSlot) -> int:
        self.slots.append(expression)
        return self.hole(VALUE)

    def annotations(self, said: Directives, *, deferring: bool) -> int:
        """A hole for an item's annotations, if it has any. deferring: as of `plan`."""
        if not said.annotations:
            return -1
        for name, content, line in said.annotations:
            # In ytt a name is text within a string of the program: a quotation mark ends the string.
            written = f'"{name}", {content}' if '"' in name else content
            self.slots.append(ArgsSlot(written, line, deferred=deferring and name == "schema/default"))
        return self.hole([(name, line) for name, _, line in said.annotations])


def plan(
    documents: DocumentSet,
    comments: Comments,
    source: Source,
    *,
    ignore_unknown: bool,
    repeated_keys: bool,
    deferring: bool = False,
) -> tuple[list[Piece], NodeTable]:
    """The program pieces of a template, and the nodes they refer to.

    repeated_keys: some map has a key twice; its items then get statements of their own, and are compared when the map
    is complete. deferring: values may depend on later ones. Raises TemplateError as `directives.read` does.
    """
    planner = _Planner(
        comments, source, ignore_unknown=ignore_unknown, repeated_keys=repeated_keys, deferring=deferring
    )
    first = documents.items[0]
    if planner.stepwise and first.line > source.first_line and not source.text.lstrip().startswith("---"):
        # The empty document above the first `---` counts as well, because it can be replaced.
        documents = documents.with_items([Document(None, source, source.first_line), *documents.items])
    site = planner.site(documents, -1)
    planner.mark(documents, 1 << 62)
    planner.children(documents, site, templated=False)
    return planner.pieces, planner.plan


class _Planner:
    """One walk over a template's nodes.

    stepwise: node by node. commented: items with a commented item below them. said: the directives of an item. coded:
    items that need statements of their own, because there is code below or after them.
    """

    def __init__(
        self, comments: Comments, source: Source, *, ignore_unknown: bool, repeated_keys: bool, deferring: bool
    ) -> None:
        self.comments = comments
        self.source = source
        self.ignore_unknown = ignore_unknown
        self.repeated_keys = repeated_keys
        self.deferring = deferring
        self.stepwise = "@ytt:template" in source.text
        self.pieces: list[Piece] = []
        self.plan = NodeTable(stepwise=self.stepwise)
        self.commented: set[Item] = set()
        self.said: dict[Item, Directives] = {}
        self.coded: set[Item] = set()
        self.owner_lines = sorted({node.line for node in comments.of})

    def mark(self, collection: Collection, following: int) -> tuple[bool, bool]:
        """Fills `commented`, `said` and `coded` for the items of a collection.

        following: the line of the node after the collection. Only items whose lines contain a commented node are
        visited, unless all must be. Returns True if any item is commented, and True if any is coded.
        """
        lines = self.owner_lines
        of = self.comments.of
        look = self.repeated_keys or self.stepwise
        commented = coded = self.stepwise
        if self.repeated_keys and type(collection) is Map and _repeats(collection):
            commented = coded = True
        items: list[Item] = list(collection.items)
        for index, item in enumerate(items):
            found = of.get(item)
            own_code = False
            if found is not None:
                commented = True
                said = directives.read(
                    found, self.source, has_value=item.value is not None, ignore_unknown=self.ignore_unknown
                )
                if said:
                    self.said[item] = said
                    for expression in said.values if self.deferring else ():
                        expression.deferred = True
                    own_code = bool(said.ends) or said.is_text_templated or self.stepwise
                    coded = coded or bool(said.code)
            value = item.value
            if type(value) is Map or type(value) is Array:
                after = items[index + 1].line if index + 1 < len(items) else following
                if not look:
                    first = bisect_left(lines, item.line)
                    if first == len(lines) or lines[first] > after:
                        continue
                below, code_below = self.mark(value, after)
                if below:
                    self.commented.add(item)
                    commented = True
                own_code = own_code or code_below
            if own_code:
                self.coded.add(item)
                coded = True
        return commented, coded

    def site(self, collection: Collection, parent: int) -> int:
        """Adds a collection to the node table. Returns its number."""
        self.plan.sites.append(CollectionRow(type(collection), collection.line, parent))
        return len(self.plan.sites) - 1

    def children(self, collection: Collection, site: int, *, templated: bool) -> None:
        """Plans the items of a collection: chunks of items without code, and statements for the others."""
        chunk = Chunk()
        coded = self.coded
        keys: set[object] = set()  # of the chunk: the builder relies on it that they differ
        for item in collection.items:
            said = self.said.get(item, directives.NOTHING)
            by_itself = templated or item in coded
            key = key_id(item.key) if self.repeated_keys and type(item) is MapItem else None
            if chunk.entries and (by_itself or key in keys or said.code or len(chunk.holes) >= _HOLES):
                self.flush(chunk, site)
                chunk = Chunk()
                keys.clear()
            if key is not None:
                keys.add(key)
            self.pieces += said.code
            if by_itself:
                self.item(item, said, site, templated=templated)
            else:
                self.add(chunk, chunk.entries, item)
        self.flush(chunk, site)

    def add(self, chunk: Chunk, entries: list[Entry], item: Item) -> None:
        """Adds an item without code below it to the entries of a chunk."""
        said = self.said.get(item, directives.NOTHING)
        value = item.value
        if said.values:
            made = _pattern(item)
            made.annotated = chunk.annotations(said, deferring=self.deferring)
            # Of several values the last one is used, but all are evaluated.
            for expression in said.values:
                made.fills(chunk.value(expression))
            entries.append(made)
        elif item in self.commented and (type(value) is Map or type(value) is Array):
            made = _pattern(item)
            made.annotated = chunk.annotations(said, deferring=self.deferring)
            made.contains(type(value))
            made.children = []
            for inner in value.items:
                self.add(chunk, made.children, inner)
            entries.append(made)
        elif said.annotations:
            made = _pattern(item)
            made.annotated = chunk.annotations(said, deferring=self.deferring)
            entries.append(made)
        elif entries and type(entries[-1]) is list:
            entries[-1].append(item)
        else:
            entries.append([item])

    def flush(self, chunk: Chunk, site: int) -> None:
        """The statement that builds a chunk's items."""
        if not chunk.entries:
            return
        chunks = self.plan.chunks
        first = chunk.entries[0]
        line = first.line if isinstance(first, ItemPattern) else first[0].line
        self.pieces.append(Fill(line, chunk.slots, chunk.holes, site, len(chunks)))
        chunks.append(chunk.entries)

    def item(self, item: Item, said: Directives, site: int, *, templated: bool) -> None:
        """Appends the statements that build one item: the item, its contents, and the end of its block."""
        templated = templated or said.is_text_templated
        value = item.value
        chunk = Chunk()
        made = _pattern(item)
        if templated and type(item) is MapItem and type(item.key) is str and text.has_code(item.key):
            self.text(item.key, item.line)
            self.pieces.append(KeepKey(item.line))
            made.keyed = chunk.hole(KEY_TEXT)
        inner = -1
        later: list[ExprSlot] = []
        if said.values:
            made.annotated = chunk.annotations(said, deferring=self.deferring)
            if self.stepwise:
                later = said.values
            else:
                for expression in said.values:
                    made.fills(chunk.value(expression))
        elif (type(value) is Map or type(value) is Array) and (templated or item in self.commented):
            made.annotated = chunk.annotations(said, deferring=self.deferring)
            made.opens = inner = self.site(value, site)
            made.contains(type(value))
        else:
            if templated and type(value) is str and text.has_code(value):
                self.text(value, item.line)
                made.fills(chunk.hole(TEXT))
            made.annotated = chunk.annotations(said, deferring=self.deferring)
        if made.keyed < 0 and made.annotated < 0 and made.hole < 0 and inner < 0 and not later:
            chunk.entries.append([item])
        else:
            chunk.entries.append(made)
        self.flush(chunk, site)
        self.pieces.extend(map(SetValue, later))
        if inner >= 0 and (type(value) is Map or type(value) is Array):
            self.children(value, inner, templated=templated)
        if said.ends:
            self.pieces.append(CodePart("end", item.line))

    def text(self, value: str, line: int) -> None:
        """The pieces that build the text of a templated string."""
        self.pieces.append(BeginText(line))
        self.pieces.extend(text.pieces(text.parse(value, self.source, line)))


def _pattern(item: Item) -> ItemPattern:
    """A pattern for an item of the template, sharing its constants."""
    return ItemPattern(type(item), item.key if type(item) is MapItem else None, item.value, item.line)


def _repeats(collection: Map) -> bool:
    return len({item.key if type(item.key) is str else key_id(item.key) for item in collection.items}) != len(
        collection.items
    )
