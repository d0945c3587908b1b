"""What a template's loop or function makes at once: values, and the stencil that says which items they are in.

A statement that runs often adds one tuple to the parts of its map or array. The writer puts the values into the
stencil's text; the nodes are made if anything else asks for them (see `plait.nodes`).
"""

from __future__ import annotations

from plait.nodes import Array, ArrayItem, Map, MapItem, of_parts, walk
from plait.yaml import ITEM, key_forms, write_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.nodes import Item, Piece, Written
    from plait.nodes import Value as NodeValue
    from plait.source import Source
    from plait.templates.plans import Entry

# What functions make can come to stand at any depth.
_LEADS = 64


class Stencil:
    """The items of a chunk. keys: of its items, if it is a map's. texts: the items as text, by what stands before them.

    parts_of: the collection of its one item, if the value is a list with its parts.
    """

    __slots__ = ("entries", "keys", "parts_of", "texts")

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        first = entries[0]
        self.parts_of = None if type(first) is list or first.children is not None else first.inner  # type: ignore[union-attr]
        self.keys: list[NodeValue] = []
        for entry in entries:
            if type(entry) is list:
                self.keys += [item.key for item in entry if type(item) is MapItem]
            elif entry.kind is MapItem:  # type: ignore[union-attr]
                self.keys.append(entry.key)  # type: ignore[union-attr]
        self.texts: dict[str, Written | None] = {}

    def make(self, part: tuple[object, ...], source: Source | None) -> list[Item]:
        """The items with these values. A list among these is the parts of a collection."""
        if self.parts_of is not None:
            part = (of_parts(self.parts_of, part[0], source, self.entries[0].line),)  # type: ignore[arg-type, union-attr]
        return _made(self.entries, part, source)

    def written(self, lead: str) -> Written | None:
        """The items as text with holes (see `plait.nodes`), or None where a key has no form on one line."""
        if lead in self.texts:
            return self.texts[lead]
        if len(self.texts) >= _LEADS:
            self.texts.clear()
        outline = _Outline()
        kind = MapItem if self.keys else ArrayItem
        written: Written | None = None
        if outline.add(self.entries, kind, lead, " " * len(lead)):
            if outline.pieces and outline.text == "\n":
                text, before, _, for_map, for_array = outline.pieces[-1]
                outline.pieces[-1] = (text, before, True, for_map, for_array)
            written = (tuple(outline.pieces), outline.text, outline.count * ITEM)
        self.texts[lead] = written
        return written


def _made(entries: Iterable[Entry], part: tuple[object, ...], source: Source | None) -> list[Item]:
    items: list[Item] = []
    for entry in entries:
        if type(entry) is list:
            items += entry
            continue
        line = entry.line  # type: ignore[union-attr]
        value: object
        if entry.children is not None:  # type: ignore[union-attr]
            value = entry.inner(_made(entry.children, part, source), source, line)  # type: ignore[union-attr, misc]
        else:
            value = part[entry.hole]  # type: ignore[union-attr]
        if entry.kind is MapItem:  # type: ignore[union-attr]
            items.append(MapItem(entry.key, value, source, line))  # type: ignore[union-attr, arg-type]
        else:
            items.append(ArrayItem(value, source, line))  # type: ignore[arg-type]
    return items


class _Outline:
    """Entries as text. pieces: the text before each hole, and what else belongs to it; text: what is behind the last."""

    __slots__ = ("count", "pieces", "text")

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.text = ""
        self.count = 0

    def add(self, entries: Iterable[Entry], kind: type, lead: str, pad: str) -> bool:
        """Add entries of one collection; whether all keys have a form on one line."""
        for entry in entries:
            if type(entry) is list:
                items: Map | Array = Map(entry) if kind is MapItem else Array(entry)  # type: ignore[arg-type]
                self.text += write_items(items, lead)
                self.count += sum(1 for _ in walk(items))
                lead = pad
                continue
            self.count += 1
            map_item = kind is MapItem
            head: str | None = "-"
            if map_item:
                head = key_forms[entry.key] if type(entry.key) is str else None  # type: ignore[union-attr]
                if head is None:
                    return False
            if entry.children is None:  # type: ignore[union-attr]
                below = pad + "  "
                if map_item:
                    start = f"{self.text}{lead}{head}"
                    self.pieces.append((start + " ", start + "\n", False, (below, below), (pad, pad)))
                else:
                    first = (f"{lead}- ", below)
                    self.pieces.append((f"{self.text}{lead}- ", self.text, False, first, first))
                self.text = "\n"
            else:
                inner = MapItem if entry.inner is Map else ArrayItem  # type: ignore[union-attr]
                begin = f"{lead}- "
                below = pad if map_item and inner is ArrayItem else pad + "  "
                if map_item:
                    self.text += f"{lead}{head}\n"
                    begin = below
                if not self.add(entry.children, inner, begin, below):  # type: ignore[union-attr]
                    return False
            lead = pad
        return True
