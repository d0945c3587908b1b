"""Positions of parts of texts."""

from __future__ import annotations

from plait.base.source import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Item

# Maximum number of lines of a text.
_LINES = 500


def place_of(item: Item, text: str) -> Position | None:
    """The position of a part of an item's text. None if the item does not come from a file.

    A value set by an operation has the position of the operation; its text is on one of the following lines.
    """
    at = item.position if item.source is not None else None
    if at is None or at.source is None:
        return None
    for number in range(at.line, at.line + _LINES):
        line = at.source.line(number)
        if line is None or (number > at.line and line.startswith("- ")):  # the next operation
            break
        if text in line:
            return at if number == at.line else Position(at.source, number)
    return at
