"""Edits of a text by its tree: what removes an item, and the text with all edits made.

Which comments belong to an item: those behind it on its last line, and those on the lines directly above it that begin in
its column, up to a blank line. Comments at the beginning of a text belong to the text. A line of code (`#@ `) belongs to
no item.
"""

from __future__ import annotations

import re

from plait.yaml.tree.nodes import PAIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.yaml.tree.nodes import Collection, Item, Tree

_REST = re.compile(r"[ \t\r]*(?:#[^\n]*)?(?:\n|\Z)")
_FLOW_REST = re.compile(r"[ \t\r]*,?[ \t\r]*(?:#[^\n]*)?(?:\n|\Z)")
_COMMENT = re.compile(r"( *)#(?!@[ \n\r])[^\n]*\n")
_COMMA = re.compile(r"[ \t]*,")
_ANNOTATION = re.compile(r"[ \t]*#@")


class Edit:
    """A part of a text, `text[start:end]`, and the text in its place."""

    __slots__ = ("end", "new", "start")

    def __init__(self, start: int, end: int, new: str) -> None:
        self.start = start
        self.end = end
        self.new = new


class ConflictError(Exception):
    """Edits that overlap."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits made. Those at one place are made in their order. Raises ConflictError if some overlap."""
    out: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        if edit.start < at:
            raise ConflictError
        out += (text[at : edit.start], edit.new)
        at = edit.end
    out.append(text[at:])
    return "".join(out)


def line_start(text: str, at: int) -> int:
    """The offset of the first character of a line."""
    start = text.rfind("\n", 0, at) + 1
    return start + (start == 0 and text.startswith("\ufeff"))


def line_end(text: str, at: int) -> int:
    """The offset of the line feed of a line, or of the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def own_start(text: str, item: Item) -> int:
    """Where the comments above an item that belong to it begin; the start of its line if there are none."""
    line = first = line_start(text, item.start)
    column = item.start - line
    while first > 0:
        before = line_start(text, first - 1)
        found = _COMMENT.match(text, before)
        if found is None or len(found[1]) != column:
            break
        first = before
    # Those at the beginning belong to the text.
    return line if not text[:first].strip() else first


def removal(tree: Tree, around: Collection, item: Item) -> list[Edit] | None:
    """What removes an item with its comments; None if it cannot be removed alone.

    The last item of a collection in brackets leaves the brackets; the last one of a block collection leaves nothing.
    """
    return _from_brackets(tree, around, item) if around.in_brackets else _from_block(tree, around, item)


def _from_block(tree: Tree, around: Collection, item: Item) -> list[Edit] | None:
    text = tree.text
    line = line_start(text, item.start)
    rest = _REST.match(text, item.end)
    if rest is None:
        return None
    if not text[line : item.start].strip(" "):
        return [Edit(own_start(text, item), rest.end(), "")]
    place = around.items.index(item)
    if place + 1 == len(around.items):
        return None
    # The next item takes the place on this line, and its comments go above it.
    following = around.items[place + 1]
    between = text[rest.end() : line_start(text, following.start)]
    if _ANNOTATION.search(between) is not None:
        return None
    indent = text[line : item.start].partition(text[line : item.start].lstrip(" "))[0]
    moved = "".join(indent + one.lstrip(" ") for one in between.splitlines(keepends=True) if one.strip())
    return [*([Edit(line, line, moved)] if moved else []), Edit(item.start, following.start, "")]


def _from_brackets(tree: Tree, around: Collection, item: Item) -> list[Edit] | None:
    text = tree.text
    if around.style is PAIR:
        return None
    line = line_start(text, item.start)
    rest = _FLOW_REST.match(text, item.end)
    if rest is not None and not text[line : item.start].strip(" \t") and len(around.items) > 1:
        return [Edit(line, rest.end(), "")]
    place = around.items.index(item)
    if place > 0:
        return [Edit(around.items[place - 1].end, item.end, "")]
    if len(around.items) > 1:
        return [Edit(item.start, around.items[1].start, "")]
    comma = _COMMA.match(text, item.end)
    return [Edit(item.start, item.end if comma is None else comma.end(), "")]
