"""The context of the cursor in YAML: a key or a value, and its enclosing keys. Works on unfinished lines."""

from __future__ import annotations

import re

from plait.tree.nodes import Map, MapItem
from plait.yaml.lossless.opened import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.tree.nodes import Item

_TYPED = re.compile(r"[\"']?(?<![\w./-])([\w./-]*)$")
# Characters of a value, which may be a version, an address, or code.
_TYPED_VALUE = re.compile(r"[\"']?(?<![^\s\"'#{}\[\],])([^\s\"'#{}\[\],]*)$")


class Cursor:
    """A position at which a key or a value can be typed.

    way: the enclosing items, the document first.
    keys: the enclosing keys; arrays have none.
    key: the key whose value is typed; "" in a key or an array item.
    typed: its text before the cursor. start: its first column.
    is_item: it follows the dash of an array item.
    """

    __slots__ = ("is_item", "key", "keys", "start", "typed", "way")

    def __init__(
        self, ancestors: Sequence[Item], keys: Sequence[str], key: str, typed: str, start: int, *, is_item: bool
    ) -> None:
        self.way = ancestors
        self.keys = list(keys)
        self.key = key
        self.typed = typed
        self.start = start
        self.is_item = is_item

    @property
    def there(self) -> set[str]:
        """The existing keys of the innermost map at the cursor."""
        value = self.way[-1].value if self.way else None
        return {str(item.key) for item in value.items} if type(value) is Map else set()


def cursor(file: File, line: int, column: int) -> Cursor | None:
    """The context before a column; None in comments and strings."""
    before = file.line(line)[: column - 1]
    if "#" in before:
        return None
    # Unreadable lines are omitted; lines after the cursor do not matter.
    above = "".join(f"{text}\n" for text in file.recovered.text.split("\n")[: line - 1])
    for pattern in (_TYPED, _TYPED_VALUE):
        found = pattern.search(before)
        if found is None:
            continue
        place = opened(above + before[: found.start()])
        if place is None or (pattern is _TYPED_VALUE and not place.key):
            continue
        way = file.ancestors_at(line, place.column)
        way = [item for item in way if not (type(item) is MapItem and item.line == line)]
        return Cursor(way, place.keys, place.key, found[1], column - len(found[1]), is_item=place.is_item)
    return None
