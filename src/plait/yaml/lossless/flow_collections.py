"""Scans flow collections and single-line scalars."""

from __future__ import annotations

import re

from plait.yaml.lossless.nodes import ALIAS, EMPTY, FLOW, PAIR, PLAIN, Collection, Item, Node, Properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Pending: TypeAlias = list[tuple[int, int, str | None, str | None, int]]

# White space, line breaks and comments. At a token's start, a `#` always begins a comment.
GAP = re.compile(r"(?:[ \t\n]++|#[^\n]*+)*+")
# A plain scalar on one line, ended by a `#` after white space or a colon before white space.
WORD = r"(?:[^ \t\n:]|:(?=[^ \t\n]))"
PLAIN_LINE = re.compile(rf"(?:{WORD})++(?:[ \t]++(?!#){WORD}++)*+")
_FLOW_WORD = r"(?:[^ \t\n:,\[\]{}]|:(?=[^ \t\n]))"
_FLOW_LINE = re.compile(rf"{_FLOW_WORD}++(?:[ \t]++(?!#){_FLOW_WORD}++)*+")
# The continuation of a plain scalar on another line.
NEXT_LINE = re.compile(r"[ \t]*+\n[ \t\n]*+")
_SINGLE = re.compile(r"'[^']*+(?:''[^']*+)*+'")
_DOUBLE = re.compile(r'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"')
_NAME = re.compile(r"[&*][0-9A-Za-z_-]*+")
_URI = r"[0-9A-Za-z_;/?:@&=+$.!~*'()%\-"
TAG = re.compile(rf"!(?:<[^>\n]*+>|{_URI},\[\]]*+)")
_FLOW_TAG = re.compile(rf"!(?:<[^>\n]*+>|{_URI}]*+)")

# The token that a collection expects: an item, the key of a `?`, the colon after it, a value; in brackets, a comma.
ITEM, KEY, SIGN, VALUE, DONE = range(5)


class TreeError(ValueError):
    """The text is not valid YAML, or libyaml reads it differently."""


class UnclosedError(TreeError):
    """The text ends within brackets. open: their collections, the outermost first, each with the expected token."""

    def __init__(self, at: int, open: list[tuple[Collection, int]]) -> None:
        super().__init__(at)
        self.open = open


class FlowScanner:
    """The part of the scanner that reads single-line scalars and flow collections."""

    __slots__ = ("size", "text")

    text: str
    size: int
    hears = False

    def scalar(self, at: int, first: str) -> tuple[str, int]:
        """The style of the scalar at an offset, and its end; for a plain scalar, on its first line."""
        text = self.text
        if first in {'"', "'"}:
            found = (_DOUBLE if first == '"' else _SINGLE).match(text, at)
            style = first
        elif first == "*":
            found, style = _NAME.match(text, at), ALIAS
        else:
            found, style = PLAIN_LINE.match(text, at), PLAIN
        if found is None:
            raise TreeError(at)
        return style, found.end()

    def flow(self, at: int) -> Collection:
        """The flow collection that begins at an offset."""
        return self.inside(at + 1, [], Collection(at, FLOW, None, 0, is_map=self.text[at] == "{"), ITEM, [])

    def line_inside(
        self, at: int, outer: list[tuple[Collection, int]], node: Collection, waits: int, pending: Pending
    ) -> None:
        """Called at the first token of each line in brackets, if `hears` is true. Arguments as for `inside`."""

    def inside(
        self, at: int, outer: list[tuple[Collection, int]], node: Collection, waits: int, pending: Pending
    ) -> Collection:
        """Scans a flow collection from an offset inside it. Returns the outermost collection.

        outer: the enclosing collections, outermost first, each with the token it expects. waits: the token that `node`
        expects.
        """
        text, size, hears = self.text, self.size, self.hears
        while True:
            start = at
            at = GAP.match(text, at).end()  # type: ignore[union-attr]
            if hears and text.find("\n", start, at) >= 0:
                self.line_inside(at, outer, node, waits, pending)
            if at >= size:
                raise UnclosedError(node.start, [*outer, (node, waits)])
            first = text[at]
            item = node.items[-1] if node.items else None
            if first in ",]}" or (first == ":" and pending):
                done: Node | None = None
                if waits != DONE and (waits != ITEM or pending or first == ","):
                    done, waits = _absent(at, item, waits, pending)
                    pending = []
                if done is None:
                    if node.style is PAIR:
                        node.end = node.items[-1].end
                        node, waits = outer.pop()
                        continue
                    at += 1
                    if first == ",":
                        waits = ITEM
                        continue
                    if (first == "}") is not node.is_map:
                        raise TreeError(at)
                    node.end = at
                    if not outer:
                        return node
                    done, (node, waits) = node, outer.pop()
                    item = node.items[-1] if node.items else None
            elif first == ":":
                if waits == SIGN and item is not None:
                    item.sign = at
                else:
                    node = _without_key(at, outer, node, waits)
                waits, at = VALUE, at + 1
                continue
            elif waits in (SIGN, DONE):
                raise TreeError(at)
            elif first == "?":
                node = _explicit_key(at, outer, node, waits)
                waits, at = KEY, at + 1
                continue
            elif first in "&!":
                pending.append((at, *read_property(text, at, _FLOW_TAG), 0))
                at = pending[-1][1]
                continue
            else:
                properties = _joined(pending) if pending else None
                pending = []
                start = at if properties is None else properties.start
                if first in "[{":
                    outer.append((node, waits))
                    node = Collection(start, FLOW, properties, 0, is_map=first == "{")
                    waits, at = ITEM, at + 1
                    continue
                style, at = self.flow_scalar(at, first)
                done = Node(start, at, style, properties)
            # `done` is complete: attach it where a node is expected.
            if waits == ITEM:
                entry = Item(done.start, None, -1)
                node.items.append(entry)
                if node.is_map:
                    entry.key, waits = done, SIGN
                else:
                    entry.value, waits = done, DONE
            elif item is None:
                raise TreeError(at)
            elif waits == VALUE:
                item.value, waits = done, DONE
            else:
                item.key, waits = done, SIGN

    def flow_scalar(self, at: int, first: str) -> tuple[str, int]:
        if first in "\"'*":
            return self.scalar(at, first)
        text = self.text
        found = _FLOW_LINE.match(text, at)
        if found is None:
            raise TreeError(at)
        end = found.end()
        while True:
            gap = NEXT_LINE.match(text, end)
            found = None if gap is None or text[gap.end() : gap.end() + 1] == "#" else _FLOW_LINE.match(text, gap.end())
            if found is None:
                return PLAIN, end
            end = found.end()


def _absent(at: int, item: Item | None, waits: int, pending: Pending) -> tuple[Node | None, int]:
    """The empty node before a sign, or before a colon with only properties; None if no node belongs there. Also returns
    the token that the collection expects next.
    """
    if pending:
        properties = _joined(pending)
        return Node(properties.start, properties.end, EMPTY, properties), waits
    if item is None or waits == ITEM:
        raise TreeError(at)
    if waits == SIGN:
        end = item.start if item.key is None else item.key.end
        item.value = Node(end, end, EMPTY, None)
        return None, DONE
    place = (item.start if waits == KEY else item.sign) + 1
    return Node(place, place, EMPTY, None), waits


def _without_key(at: int, outer: list[tuple[Collection, int]], node: Collection, waits: int) -> Collection:
    """The collection for a colon without a key before it: `? :`, or a pair in a sequence. Raises TreeError."""
    item = node.items[-1] if node.items else None
    if item is None or not (waits == KEY or (waits == DONE and not node.is_map)):
        raise TreeError(at)
    if waits == KEY:
        item.key = Node(item.start + 1, item.start + 1, EMPTY, None)
        item.sign = at
        return node
    key = item.value
    pair = item.value = Collection(key.start, PAIR, None, 0, is_map=True)
    pair.items.append(Item(key.start, key, at))
    outer.append((node, DONE))
    return pair


def _explicit_key(at: int, outer: list[tuple[Collection, int]], node: Collection, waits: int) -> Collection:
    """The collection for the key after a `?`; in a sequence, a pair. Raises TreeError."""
    if waits != ITEM:
        raise TreeError(at)
    if not node.is_map:
        entry = Item(at, None, -1)
        pair = entry.value = Collection(at, PAIR, None, 0, is_map=True)
        node.items.append(entry)
        outer.append((node, DONE))
        node = pair
    node.items.append(Item(at, None, -1))
    return node


def _joined(pending: Pending) -> Properties:
    anchor = next((one[2] for one in pending if one[2] is not None), None)
    tag = next((one[3] for one in pending if one[3] is not None), None)
    return Properties(pending[0][0], pending[-1][1], anchor, tag)


def read_property(text: str, at: int, tags: re.Pattern[str]) -> tuple[int, str | None, str | None]:
    """The end of an anchor or a tag, with its name."""
    found = (_NAME if text[at] == "&" else tags).match(text, at)
    end = at + 1 if found is None else found.end()
    return (end, text[at + 1 : end], None) if text[at] == "&" else (end, None, text[at:end])
