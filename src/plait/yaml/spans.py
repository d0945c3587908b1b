"""Where nodes stand in their text, character by character: for edits that keep the format, and for source maps.

Spans are not in the nodes. Who needs them passes a `Spans` to `read`, which fills it; nobody else pays.
"""

from __future__ import annotations

from plait.nodes import ArrayItem, MapItem
from plait.yaml.numbering import dash_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Item


class Span:
    """A part of a text: `text[start:end]`."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Span({self.start}, {self.end})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))


class Spans:
    """The spans of one text's nodes, as indexes into `source.text`; `place` makes line and column of an index.

    items: document, map item or array item -> from its `---`, its key (or `?`) or its dash to the end of its value.
    keys: map item -> its key, with anchor and tag. values: item -> its value, with anchor and tag; a value that is not
    written has an empty span where it would stand. A block collection ends where its last item does; a block scalar
    includes the line breaks behind it. What an alias copied has no spans of its own (the alias is its item's value),
    and neither has a `<<`.
    """

    __slots__ = ("_frames", "_last", "_lines", "_shift", "_source_text", "_text", "items", "keys", "values")

    def __init__(self) -> None:
        self.items: dict[Item, Span] = {}
        self.keys: dict[MapItem, Span] = {}
        self.values: dict[Item, Span] = {}
        self._frames: list[tuple[Item, int, bool]] = []
        self._text = ""
        self._source_text = ""
        self._shift = 0
        self._last = 0
        self._lines: list[int] | None = None

    def place(self, index: int) -> tuple[int, int]:
        """Line and column, both from 1, of an index into the text."""
        from bisect import bisect_right

        if self._lines is None:
            text = self._source_text
            self._lines = [0]
            at = text.find("\n")
            while at >= 0:
                self._lines.append(at + 1)
                at = text.find("\n", at + 1)
        line = bisect_right(self._lines, index)
        return line, index - self._lines[line - 1] + 1

    def begin(self, text: str, source_text: str, shift: int) -> None:
        """Start anew. text: what is parsed, whose indexes are by `shift` larger than those of the source's text."""
        self.items.clear()
        self.keys.clear()
        self.values.clear()
        self._frames.clear()
        self._text = text
        self._source_text = source_text
        self._shift = shift
        self._last = 0
        self._lines = None

    def start_document(self, document: Item, end: int, *, explicit: bool) -> None:
        self._last = end
        # Without a `---` the document begins with the text.
        start = end - 3 if explicit else self._shift
        self.items[document] = Span(start - self._shift, end - self._shift)

    def scalar(self, item: Item, start: int, end: int) -> None:
        """A scalar or an alias: a new map item's key, or else the item's value."""
        if start == end and self._text[start - 1 : start] not in {":", "-", "?", ","}:
            # Nothing is written, and the parser has gone on to the next thing.
            start = end = self._last
        self._put(item, start, end)

    def start_collection(self, item: Item, start: int, *, flow: bool) -> None:
        self._begin_item(item, start)
        self._frames.append((item, start, flow))

    def end_collection(self, end: int) -> None:
        item, start, flow = self._frames.pop()
        self._put(item, start, end if flow else self._last)

    def _begin_item(self, item: Item, start: int) -> None:
        if item in self.items:
            return
        text = self._text
        at = start
        if type(item) is ArrayItem:
            if not (self._frames and self._frames[-1][2]):
                at = dash_before(text, start)
        else:
            before = start - 1
            while before >= 0 and text[before] in " \t":
                before -= 1
            if before >= 0 and text[before] == "?":
                at = before
        self.items[item] = Span(at - self._shift, at - self._shift)

    def _put(self, item: Item, start: int, end: int) -> None:
        self._begin_item(item, start)
        self._last = end
        span = Span(start - self._shift, end - self._shift)
        if type(item) is MapItem and item not in self.keys:
            self.keys[item] = span
        else:
            self.values[item] = span
        self.items[item].end = span.end
