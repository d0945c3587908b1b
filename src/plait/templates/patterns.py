"""Patterns: items whose shape is known and whose holes a template computes.

Siblings without code lines among or under them need no statements of their own: one statement evaluates all their
expressions, and `fill` makes the items. So the cost of a template grows with its expressions, not with its nodes.
"""

from __future__ import annotations

from plait.nodes import MapItem
from plait.starlark import Args, Expr
from plait.templates.plans import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.nodes import Item
    from plait.templates.directives import Directives
    from plait.templates.plans import Entry


def pattern(
    item: Item, hole: int, annotated: int, inner: type | None = None, children: list[Entry] | None = None
) -> Pattern:
    """A pattern after an item of the template, whose constants it shares."""
    key = item.key if type(item) is MapItem else None
    return Pattern(type(item), key, item.value, item.line, hole, annotated, inner, children)


class Chunk:
    """A run of siblings that one statement makes: constant items in lists, and patterns.

    slots: the code of its holes, in the order of the text. names: for each hole that is annotations, their names and
    lines; None for a value.
    """

    __slots__ = ("entries", "names", "slots")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.slots: list[Expr | Args] = []
        self.names: list[list[tuple[str, int]] | None] = []

    def add_constant(self, entries: list[Entry], item: Item) -> None:
        """Add an item that is shared as it is to a list of entries."""
        if entries and type(entries[-1]) is list:
            entries[-1].append(item)
        else:
            entries.append([item])

    def add(self, entries: list[Entry], item: Item, said: Directives) -> None:
        """Add an item with holes of its own to a list of entries; its annotations are evaluated before its value."""
        annotated = self.annotations(said)
        hole = -1
        if said.values:
            # Of several values the last one stands, but all are evaluated.
            for line in said.values:
                hole = self.value(line.text or "()", line.line)
        entries.append(pattern(item, hole, annotated))

    def annotations(self, said: Directives) -> int:
        """Reserve a hole for an item's annotations, if it has any."""
        if not said.annotations:
            return -1
        for _, content, line in said.annotations:
            self.slots.append(Args(content, line))
        self.names.append([(name, line) for name, _, line in said.annotations])
        return len(self.names) - 1

    def value(self, text: str, line: int) -> int:
        self.slots.append(Expr(text, line))
        self.names.append(None)
        return len(self.names) - 1
