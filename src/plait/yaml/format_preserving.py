"""Edits a text so that it has a new value, and leaves all other lines unchanged.

The tree of the old text is compared with the new value from the root down, and only differences become text edits: a
scalar is replaced, the lines of a key or item are removed or inserted. Comments, blank lines, quotes, anchors, aliases
and the order of keys stay. A collection that cannot be changed in parts (a complex key, a duplicate key, a merge that
contributes the changed value) is rewritten as a whole. The result is parsed again; if its value is wrong, the document
is rewritten.
"""

from __future__ import annotations

from plait.base.errors import PlaitError, UsageError
from plait.base.lines import lines_with_breaks
from plait.base.source import Position, Source
from plait.base.text_diff import heaviest_pairs
from plait.base.text_edits import ConflictError, Edit, edited
from plait.tree.equality import alike
from plait.tree.nodes import Array, ArrayItem, Map, MapItem, is_filled, key_id
from plait.yaml.lossless.edits import line_end, line_start, own_start, removal
from plait.yaml.lossless.flow_collections import TreeError
from plait.yaml.lossless.nodes import ALIAS, PAIR, PLAIN, Collection
from plait.yaml.lossless.scalar_values import alias_name, body_start, scalar_value
from plait.yaml.lossless.scanner import scan
from plait.yaml.scalar_styles import FORMS, ScalarStyles, double_quoted
from plait.yaml.style import Style, quoted, style_of
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from plait.tree.nodes import Value
    from plait.yaml.lossless.nodes import Item, Node, Tree

    # The collection and the item that contain a node; None for the root.
    Slot: TypeAlias = tuple[Collection, Item] | None

_SIMILAR_CELLS = 4000  # maximum number of pairs of items that are compared to match old items with new ones


def keep_format(
    source: Source, old: Value, new: Value, read_first: Callable[[Source], Value], forms: ScalarStyles = FORMS
) -> str:
    """Edits the text of `source`, whose first document is `old`, so that the first document becomes `new`.

    Unchanged lines stay byte for byte, and so do all other documents. read_first: parses the first document of a text.
    forms: styles of new strings.
    """
    text = source.text
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text[len(mark) :]
    try:
        tree = scan(text)
    except TreeError:
        return mark + write_value(new, forms=forms)
    for result in _attempts(tree, old, new, forms):
        if _reads_as(result, new, read_first):
            return mark + result
    raise UsageError(
        "the text cannot be changed so that it reads as the new value", at=Position(source, 1), code="keep-format"
    )


def _attempts(tree: Tree, old: Value, new: Value, forms: ScalarStyles) -> Iterator[str]:
    """Candidate texts for a value, the one with the smallest changes first."""
    root = tree.documents[0].root
    # Comments after a literal block may be read as its lines; the second candidate therefore quotes multi-line strings.
    ways = (forms, ScalarStyles(forms.strings.misread, blocks=False))
    for one in ways:
        editor = Editor(tree, style_of(root, tree.text, one))
        try:
            editor.edit(root, old, new, None)
            yield editor.result()
        except (ConflictError, RecursionError):
            break
    for one in ways:
        yield _reprinted(tree, new, one)


def _reads_as(text: str, value: Value, read_first: Callable[[Source], Value]) -> bool:
    try:
        return alike(read_first(Source("", text)), value)
    except PlaitError:
        return False


def _reprinted(tree: Tree, value: Value, forms: ScalarStyles) -> str:
    """The text with the document as the printer prints it; text before and after it is preserved."""
    text, root = tree.text, tree.documents[0].root
    start, end = root.start, root.end
    if start == end:
        start = end = tree.documents[1].start if len(tree.documents) > 1 else len(text)
    line = line_start(text, start)
    head = text[:line]
    if text[line:start].strip():  # `--- x`
        head = text[:start].rstrip(" ") + "\n"
    tail = text[line_end(text, end) :]
    written = write_value(value, forms=forms).removesuffix("\n")
    if written.endswith("\n"):  # a literal block at the end would include the following blank lines
        tail = "\n" + tail.lstrip("\r\n")
    return head + (written.replace("\n", "\r\n") if "\r\n" in text else written) + (tail or "\n")


class Editor:
    """Collects edits of one text; `result` is the edited text."""

    __slots__ = ("aliased", "anchors", "edits", "newline", "style", "text", "tree")

    def __init__(self, tree: Tree, style: Style | None = None) -> None:
        self.tree = tree
        self.text = tree.text
        self.style = Style() if style is None else style
        self.newline = "\r\n" if "\r\n" in tree.text else "\n"
        self.edits: list[Edit] = []
        # Anchors whose value changes: the new value, or a mark for a removed anchor.
        self.anchors: dict[str, Value | _RemovedAnchor] = {}
        self.aliased = _aliased(tree)

    def result(self) -> str:
        return edited(self.text, self.edits)

    def put(self, start: int, end: int, new: str) -> None:
        self.edits.append(Edit(start, end, new if self.newline == "\n" else new.replace("\n", self.newline)))

    # -- comparing ---------------------------------------------------------------------------------------------------

    def edit(self, node: Node, old: Value, new: Value, slot: Slot) -> None:
        """Changes a node with the value `old` so that its value is `new`."""
        if node.style is ALIAS:
            stands_for = self.anchors.get(alias_name(self.text, node), old)
            if isinstance(stands_for, _RemovedAnchor) or not alike(stands_for, new):
                self.replace(node, new, slot)
            return
        if old is new and not (node in self.aliased and self.touched(node)):
            self.unchanged(node)
            return
        if not isinstance(node, Collection):
            read = self.value(node, slot) if old is None else old
            if type(read) is type(new) and repr(read) == repr(new):
                self.unchanged(node)
            else:
                self.replace(node, new, slot)
            return
        fits = type(new) is (Map if node.is_map else Array) and type(old) is type(new)
        if fits and not node.items and not is_filled(new):
            self.unchanged(node)
            return
        if not fits or not node.items or not is_filled(new) or self.is_whole(node):
            if fits and alike(old, new) and not self.touched(node):
                self.unchanged(node)
            else:
                self.replace(node, new, slot)
            return
        before = len(self.edits)
        if node.anchor is not None:  # an inner node may redefine the anchor
            self.anchors[node.anchor] = new
        if isinstance(old, Map) and isinstance(new, Map):
            done = self.edit_map(node, old, new)
        else:
            done = isinstance(old, Array) and isinstance(new, Array) and self.edit_array(node, old, new)
        if not done:
            del self.edits[before:]
            self.replace(node, new, slot)

    def value(self, node: Node, slot: Slot) -> Value:
        """The value of a scalar. Raises ConflictError for a tag that the text does not fit."""
        column = -1 if slot is None or slot[0].in_brackets else slot[0].column
        try:
            return scalar_value(self.text, node, column)
        except ValueError:
            raise ConflictError from None

    def is_whole(self, node: Collection) -> bool:
        """True for a collection that cannot be changed in parts."""
        if node.tag is not None or node.style is PAIR:
            return True
        seen: set[object] = set()
        for item in node.items if node.is_map else ():
            key = item.key
            if key is None or isinstance(key, Collection) or key.anchor is not None or key.style is ALIAS:
                return True
            value = key_id(self.value(key, None))
            if item.is_explicit or item.sign < 0 or value in seen:
                return True
            seen.add(value)
        return False

    def touched(self, node: Node) -> bool:
        """True if an alias inside the node changes its value."""
        return any(
            one.style is ALIAS and alias_name(self.text, one) in self.anchors for one in _within(node, self.aliased)
        )

    def unchanged(self, node: Node) -> None:
        if self.anchors:
            for name in self.names(node):
                self.anchors.pop(name, None)

    def names(self, node: Node) -> list[str]:
        """The anchors in a node."""
        return [one.anchor for one in _within(node) if one.anchor is not None] if "&" in self.text else []

    # -- maps --------------------------------------------------------------------------------------------------------

    def edit_map(self, node: Collection, old: Map, new: Map) -> bool:
        """Changes a map item by item. Returns False if it must be rewritten."""
        items = node.items
        keys = [None if item.key is None else self.value(item.key, None) for item in items]
        merges = [place for place, item in enumerate(items) if keys[place] == "<<" and _is_plain(item.key)]
        if merges and (self.touched(node) or not _differs_after_merge(keys, old, new, merges[-1])):
            return False
        wanted = {key_id(item.key): item for item in new.items}
        found = [wanted.pop(key_id(key), None) for key in keys]
        added = [item for item in wanted.values() if not merges or old.find(item.key) is None]
        renamed = {} if merges else _renamed([old.find(key) for key in keys], found, added)
        gone: list[Item] = []
        kept = 0
        for place, item in enumerate(items):
            one = found[place] or renamed.get(place)
            if place in merges or (merges and place < merges[-1]):
                kept += 1
            elif one is not None:
                kept += 1
                known = old.find(keys[place])
                if place in renamed and item.key is not None:
                    self.put(item.key.start, item.key.end, self.style.flow(one.key))
                    added.remove(one)
                self.edit(item.value, known.value if known is not None else None, one.value, (node, item))
            else:
                gone.append(item)
                self.gone(item.value)
        if not kept or not self.remove(node, gone):
            return False
        for one in added:
            if node.in_brackets:
                end = items[-1].end
                self.put(end, end, f"{self.gap(node)}{self.style.flow(one.key)}: {self.style.flow(one.value)}")
            else:
                self.insert_lines(items[-1].end, indented(self.style.block(Map([one])), node.column))
        return True

    # -- arrays ------------------------------------------------------------------------------------------------------

    def edit_array(self, node: Collection, old: Array, new: Array) -> bool:
        """Changes an array item by item. Returns False if it must be rewritten."""
        items = node.items
        if len(old.items) != len(items):
            return False
        pairs = aligned(old.items, new.items)
        became = dict(pairs)
        if not became:
            return False
        gone: list[Item] = []
        for place, item in enumerate(items):
            if place in became:
                self.edit(item.value, old.items[place].value, new.items[became[place]].value, (node, item))
            else:
                gone.append(item)
                self.gone(item.value)
        if not self.remove(node, gone):
            return False
        from_old = {there: here for here, there in pairs}
        before = -1  # the last preserved old item before this one
        for there, one in enumerate(new.items):
            if there in from_old:
                before = from_old[there]
            elif not self.insert_item(node, before, one.value):
                return False
        return True

    def insert_item(self, node: Collection, before: int, value: Value) -> bool:
        """Inserts a new item after an old one (first if `before` is -1)."""
        items = node.items
        if node.in_brackets:
            if before >= 0:
                self.put(items[before].end, items[before].end, f"{self.gap(node)}{self.style.flow(value)}")
            else:
                self.put(items[0].start, items[0].start, f"{self.style.flow(value)}{self.gap(node)}")
            return True
        lines = indented(self.style.block(Array([ArrayItem(value)])), node.column)
        if before >= 0:
            self.insert_lines(items[before].end, lines)
            return True
        line = line_start(self.text, items[0].start)
        if self.text[line : items[0].start].strip():
            return False
        line = own_start(self.text, items[0])
        self.put(line, line, lines)
        return True

    # -- removing and inserting -- -----------------------------------------------------------------------------------

    def gone(self, node: Node) -> None:
        for name in self.names(node):
            self.anchors[name] = _GONE

    def remove(self, node: Collection, items: list[Item]) -> bool:
        """Removes items with their comments. Returns False if that is not possible."""
        edits = removal(self.tree, node, *items) if items else []
        self.edits += edits or ()
        return edits is not None

    def gap(self, node: Collection) -> str:
        """The text between two items in brackets: a comma, with a line break if other items have one."""
        items, text = node.items, self.text
        if len(items) > 1:
            between = text[items[-2].end : items[-1].start]
        else:
            between = "," + text[body_start(text, node) + 1 : items[0].start]
        return between if between.strip() == "," and between != "," else ", "

    def insert_lines(self, end: int, lines: str) -> None:
        """Inserts whole lines after the line that contains `end`."""
        at = line_end(self.text, end)
        if at >= len(self.text):
            self.put(at, at, "\n" + lines.removesuffix("\n"))
        else:
            self.put(at + 1, at + 1, lines)

    def replace(self, node: Node, new: Value, slot: Slot) -> None:
        """Replaces a node by a value; its anchor is preserved."""
        self.gone(node)
        prefix = ""
        if node.anchor is not None:
            prefix = f"&{node.anchor} "
            self.anchors[node.anchor] = new
        if slot is None:
            raise ConflictError  # the root: the document is rewritten
        around, item = slot
        text = self.text
        if around.in_brackets:
            lead = " " if node.start == node.end and text[node.start - 1 : node.start] == ":" else ""
            self.put(node.start, node.end, lead + prefix + self.style.flow(new))
            return
        after = item.sign + 1
        pad = self.tree.column(item.start)
        written = _after_mark(new, text[item.sign], pad, self.style, text[node.start : node.start + 1])
        if prefix:
            written = " " + (prefix.rstrip() if written.startswith("\n") else prefix) + written.removeprefix(" ")
        between = text[after : node.start]
        if "\n" not in written and node.start < node.end and "\n" not in between:
            self.put(node.start, node.end, written.removeprefix(" "))
            return
        if "#" in between and not prefix:  # comments between a key and its value stay where they are
            start = line_start(text, node.start) if written.startswith("\n") else node.start
            self.put(start, node.end, written[1:])
            return
        end = max(node.end, after)
        stop = line_end(text, end)
        if "\n" in written and "#" in text[end:stop]:  # a comment stays on the first line
            first, rest = written.split("\n", 1)
            self.put(after, stop, f"{first}{text[end:stop].rstrip()}\n{rest}")
        else:
            self.put(after, end, written)


class _RemovedAnchor:
    """A removed anchor."""

    __slots__ = ()


_GONE = _RemovedAnchor()


def _within(node: Node, among: set[Node] | None = None) -> Iterator[Node]:
    """A node and all nodes in it. among: collections to enter, by default all."""
    pending = [node]
    while pending:
        one = pending.pop()
        yield one
        if isinstance(one, Collection) and (among is None or one in among):
            pending += [part for item in one.items for part in (item.key, item.value) if part is not None]


def _aliased(tree: Tree) -> set[Node]:
    """All aliases, and the nodes that contain one."""
    if "*" not in tree.text:
        return set()
    found: set[Node] = set()
    pairs = [*tree.walk()]
    for around, item in reversed(pairs):
        if any(part is not None and (part.style is ALIAS or part in found) for part in (item.key, item.value)):
            found.add(around)
            found.update(part for part in (item.key, item.value) if part is not None and part.style is ALIAS)
    return found


def _is_plain(key: Node | None) -> bool:
    return key is not None and key.style is PLAIN and key.tag is None


def _differs_after_merge(keys: list[Value], old: Map, new: Map, last: int) -> bool:
    """True if the maps differ only in new keys and in keys after the last `<<`."""
    behind = {key_id(key) for key in keys[last + 1 :]}
    for item in old.items:
        other = new.find(item.key)
        if other is None or (key_id(item.key) not in behind and not alike(item.value, other.value)):
            return False
    return True


def _renamed(old: list[MapItem | None], found: list[MapItem | None], added: list[MapItem]) -> dict[int, MapItem]:
    """Renamed items of a map: the new item by the index of the old one. old: all items. found: new items with the same
    key.

    A rename looks like a removal and an addition, so it is recognized only if exactly one item is replaced, or no other
    item stays.
    """
    gone = [place for place, item in enumerate(found) if item is None]
    if len(gone) < len(found) and not len(gone) == len(added) == 1:
        return {}
    pairs: dict[int, MapItem] = {}
    left = [*added]
    for place in gone:
        before = old[place]
        for one in left if before is not None else ():
            if before is not None and (alike(before.value, one.value) or _likeness(before.value, one.value) > 0):
                pairs[place] = one
                left.remove(one)
                break
    return pairs


def indented(text: str, pad: int) -> str:
    """The text with `pad` before each non-empty line."""
    if pad == 0:
        return text
    lead = " " * pad
    return "".join(lead + line if line.strip("\n") else line for line in lines_with_breaks(text))


def _after_mark(value: Value, mark: str, pad: int, style: Style, quote: str) -> str:
    """The text after `key:` or `-` for a value, without the last line break. quote: the previous quoting."""
    if type(value) is str and value.endswith("\n\n"):
        # A literal block would include the blank lines that follow.
        return " " + double_quoted(value)
    if type(value) is str and quote and quote in "\"'" and "\n" not in value:
        return " " + quoted(value, quote)
    if mark == ":":
        lines = style.block(Map([MapItem("k", value)])).removeprefix("k")
    else:
        lines = style.block(Array([ArrayItem(value)]))
    return indented(lines, pad)[pad:].removeprefix(mark).removesuffix("\n")


def aligned(old: list[ArrayItem], new: list[ArrayItem]) -> list[tuple[int, int]]:
    """Pairs of old and new items: identical objects first, then the most similar items between them."""
    places = {id(item): place for place, item in enumerate(old)}
    pairs: list[tuple[int, int]] = []
    here = there = 0
    for place, item in enumerate(new):
        at = places.get(id(item), -1)
        if at >= here:
            pairs += _between(old, new, here, at, there, place)
            pairs.append((at, place))
            here, there = at + 1, place + 1
    pairs += _between(old, new, here, len(old), there, len(new))
    return pairs


def _between(
    old: list[ArrayItem], new: list[ArrayItem], here: int, here_end: int, there: int, there_end: int
) -> list[tuple[int, int]]:
    rows, columns = here_end - here, there_end - there
    if rows == columns or not rows or not columns or rows * columns > _SIMILAR_CELLS:
        return [(here + n, there + n) for n in range(min(rows, columns))]
    likeness = [
        [_likeness(old[here + row].value, new[there + column].value) for column in range(columns)]
        for row in range(rows)
    ]
    return [(here + row, there + column) for row, column in heaviest_pairs(likeness)]


def _likeness(old: Value, new: Value) -> int:
    """The similarity of two values; 0 if they have nothing in common."""
    if type(old) is Map and type(new) is Map:
        return sum(
            1 + 2 * (type(item.value) is type(other.value) and item.value == other.value)
            for item in old.items
            if (other := new.find(item.key)) is not None
        )
    if type(old) is Array and type(new) is Array:
        return 1
    return 4 if type(old) is type(new) and old == new else 0
