"""Where in YAML the cursor stands: in a key or a value, and below which keys. For lines that are not finished, too."""

from __future__ import annotations

import re

from plait.nodes import Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.analysis.files import File
    from plait.nodes import Item

_KEY = re.compile(r"^[ \t]*(?:- +)*[\"']?([\w./-]*)$")
_VALUE = re.compile(r"^[ \t]*(?:- +)*[\"']?([\w./-]+)[\"']?:[ \t]+[\"']?([^\s\"'#{}\[\],]*)$")
_BEFORE_BRACE = re.compile(r"([\w./-]+)[\"']?:[ \t]*$")


class Cursor:
    """A place that a key or a value can be typed at.

    way: the items around it, the document first. keys: the keys around it, through arrays as if they were not there.
    key: the key whose value is typed; "" where a key is, or an item of a list. typed: what is there of it before the
    cursor; start: the column that it begins in. is_item: whether it stands behind the dash of a list.
    """

    __slots__ = ("is_item", "key", "keys", "start", "typed", "way")

    def __init__(
        self, way: Sequence[Item], keys: Sequence[str], key: str, typed: str, start: int, *, is_item: bool
    ) -> None:
        self.way = way
        self.keys = list(keys)
        self.key = key
        self.typed = typed
        self.start = start
        self.is_item = is_item

    @property
    def there(self) -> set[str]:
        """The keys that the innermost map around the cursor has already."""
        value = self.way[-1].value if self.way else None
        return {str(item.key) for item in value.items} if type(value) is Map else set()


def cursor(file: File, line: int, column: int) -> Cursor | None:
    """What stands before a column; None within comments and texts."""
    before = file.line(line)[: column - 1]
    if "#" in before:
        return None
    opened, inner = _flow(before)
    braces = [] if opened is None else _braces(before[opened:], before[:opened])
    plain = before if opened is None else before[:opened]
    indent = len(before) - len(before.lstrip(" -"))
    way = [item for item in file.way_to(line, indent) if not (type(item) is MapItem and item.line == line)]
    keys = [str(item.key) for item in way if type(item) is MapItem]
    if opened is not None:
        first = _BEFORE_BRACE.search(plain.lstrip(" -"))
        if first is None:
            return None
        keys += [key for _, key in braces if key]
    value = _VALUE.match(inner)
    if value is not None:
        return Cursor(way, keys, value[1], value[2], column - len(value[2]), is_item=False)
    key = _KEY.match(inner)
    if key is None:
        return None
    is_item = inner.lstrip().startswith("-") or (bool(braces) and braces[-1][0] == "[")
    return Cursor(way, keys, "", key[1], column - len(key[1]), is_item=is_item)


def _flow(before: str) -> tuple[int | None, str]:
    """Where the outermost brace or bracket that is open begins, and the text behind the last one, or behind its last comma."""
    opened: list[int] = []
    start = 0
    for place, char in enumerate(before):
        if char in "{[" and (opened or before[:place].rstrip().endswith((":", "-"))):
            opened.append(place)
            start = place + 1
        elif char in "}]" and opened:
            opened.pop()
        elif char == "," and opened:
            start = place + 1
    return (opened[0], before[start:]) if opened else (None, before)


def _braces(text: str, before: str) -> list[tuple[str, str]]:
    """The braces and brackets that are open at the end of a text, each with the key before it; before: what stands there."""
    open_: list[tuple[str, str]] = []
    for place, char in enumerate(text):
        if char in "{[":
            found = _BEFORE_BRACE.search(before + text[:place])
            open_.append((char, "" if found is None else found[1]))
        elif char in "}]" and open_:
            open_.pop()
    return open_
