"""Edits of a text by its tree: removes items, and applies edits.

An item owns the comments after it on its last line, and those directly above it in its column, up to a blank line. It
owns annotations (`#@name`) above it in any column. Comments at the start of a text belong to the text. A line of code
(`#@ `) has no owner.
"""

from __future__ import annotations

import re

from plait.base.lines import lines_with_breaks
from plait.base.text_edits import Edit
from plait.yaml.lossless.nodes import PAIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.yaml.lossless.nodes import Collection, Item, Tree

_REST = re.compile(r"[ \t\r]*(?:#[^\n]*)?(?:\n|\Z)")
_FLOW_REST = re.compile(r"[ \t\r]*+(?:,[ \t\r]*+)?(?:#[^\n]*)?(?:\n|\Z)")
_COMMENT = re.compile(r"( *)#(?!@[ \n\r])(@[A-Za-z])?[^\n]*\n")
_IS_ANNOTATION = re.compile(r" *#@[A-Za-z]")
_COMMA = re.compile(r"[ \t]*,")


def line_start(text: str, at: int) -> int:
    """The offset of the first character of a line."""
    start = text.rfind("\n", 0, at) + 1
    return start + (start == 0 and text.startswith("\ufeff"))


def line_end(text: str, at: int) -> int:
    """The offset of the line feed of a line, or of the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def own_start(text: str, item: Item) -> int:
    """The start of the comments above an item that belong to it, or the start of its line."""
    line = first = line_start(text, item.start)
    column = item.start - line
    while first > 0:
        before = line_start(text, first - 1)
        found = _COMMENT.match(text, before)
        if found is None or (len(found[1]) != column and not found[2]):
            break
        first = before
    # Comments at the beginning belong to the text, except annotations.
    while first < line and not text[:first].strip("\ufeff \t\r\n") and not _IS_ANNOTATION.match(text, first):
        first = line_end(text, first) + 1
    return first


def removal(tree: Tree, parent: Collection, *items: Item) -> list[Edit] | None:
    """The edits that remove items of a collection with their comments; None if they cannot be removed alone.

    If all items are removed, a collection in brackets becomes empty brackets, and a block collection becomes empty.
    """
    gone = [item in items for item in parent.items]
    return _from_brackets(tree.text, parent, gone) if parent.in_brackets else _from_block(tree.text, parent, gone)


def _from_block(text: str, parent: Collection, gone: list[bool]) -> list[Edit] | None:
    edits: list[Edit] = []
    covered = -1
    for place, item in enumerate(parent.items):
        if not gone[place] or place < covered:
            continue
        line = line_start(text, item.start)
        rest = _REST.match(text, item.end)
        if rest is None:
            return None
        before = text[line : item.start]
        if not before.strip(" "):
            start = own_start(text, item)
            if rest.end() == len(text) and not text.endswith("\n") and start > 0:
                # The line above is the last one, and has no line break then.
                start = max(start - 1, edits[-1].end if edits else 0)
            edits.append(Edit(start, rest.end(), ""))
            continue
        # The next remaining item moves to this line, with its comments above it.
        covered = next((one for one in range(place + 1, len(gone)) if not gone[one]), -1)
        if covered < 0:
            return None
        rest = _REST.match(text, parent.items[covered - 1].end)
        if rest is None:
            return None
        start = parent.items[covered].start
        between = text[rest.end() : line_start(text, start)]
        if "#@" in between:
            return None
        indent = before[: len(before) - len(before.lstrip(" "))]
        moved = "".join(indent + one.lstrip(" ") for one in lines_with_breaks(between) if one.strip())
        edits += [*([Edit(line, line, moved)] if moved else []), Edit(item.start, start, "")]
    return edits


def _from_brackets(text: str, parent: Collection, gone: list[bool]) -> list[Edit] | None:
    items = parent.items
    if parent.style is PAIR:
        return None
    if all(gone):
        comma = _COMMA.match(text, items[-1].end)
        return [Edit(items[0].start, items[-1].end if comma is None else comma.end(), "")]
    own_lines = [_own_line(text, item) for item, goes in zip(items, gone, strict=True) if goes]
    if all(own_lines):
        edits = [edit for edit in own_lines if edit is not None]
        last = items[len(gone) - 1 - gone[::-1].index(False)]
        comma = _COMMA.match(text, last.end)
        if gone[-1] and comma is not None and _COMMA.match(text, items[-1].end) is None:
            edits.append(Edit(last.end, comma.end(), ""))  # the last item has no trailing comma, as before
        return edits
    edits = []
    stays = False
    for place, goes in enumerate(gone):
        if not goes:
            stays = True
        elif stays:
            edits.append(Edit(items[place - 1].end, items[place].end, ""))
        else:
            edits.append(Edit(items[place].start, items[place + 1].start, ""))
    return edits


def _own_line(text: str, item: Item) -> Edit | None:
    """The edit that removes the lines of an item in brackets, or None if it shares a line."""
    line = line_start(text, item.start)
    rest = _FLOW_REST.match(text, item.end)
    return None if rest is None or text[line : item.start].strip(" \t") else Edit(line, rest.end(), "")
