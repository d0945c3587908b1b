"""Formats with one value per line. Only the lines of changed values are edited."""

from __future__ import annotations

import re

from plait.base.errors import ReadError
from plait.base.source import Source
from plait.tree.nodes import COLLECTIONS, Array, Map, MapItem, kind_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plait.tree.nodes import Value


# These formats have older line breaks, too.
_PHYSICAL_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


def physical_lines(text: str) -> list[str]:
    """The lines with their line breaks: LF, CRLF or CR."""
    return _PHYSICAL_LINE.findall(text)


class KeyValueLine:
    """A key with its value and its lines. head: the text before the value."""

    __slots__ = ("end", "head", "key", "start", "value")

    def __init__(self, key: str, value: str, head: str, start: int, end: int) -> None:
        self.key = key
        self.value = value
        self.head = head
        self.start = start
        self.end = end


def as_map(entries: Iterable[KeyValueLine], source: Source) -> Map:
    """The entries as a map. If a key is repeated, the last value is used."""
    found: dict[str, MapItem] = {}
    for entry in entries:
        found[entry.key] = MapItem(entry.key, entry.value, source, entry.start + 1)
    return Map([*found.values()], source, 1)


def as_texts(value: Value) -> Value:
    """The value with all scalars as strings, as a format with only strings stores them."""
    if isinstance(value, Map | Array):
        return value.with_values([as_texts(item.value) for item in value.items])
    if value is None:
        return ""
    if type(value) is bool:
        return "true" if value else "false"
    return str(value)


def texts_of(value: Map, form: str) -> Map:
    """The map itself, for formats whose values are text. Raises ReadError if it contains a map or an array."""
    for item in value.items:
        if type(item.value) in COLLECTIONS:
            raise ReadError(
                f"{form} values are strings; this is a {kind_name(item.value)}",
                at=item.position,
                code="text-not-writable",
            )
    return value


def changed_lines(
    lines: list[str],
    entries: list[KeyValueLine],
    old: Map,
    new: Map,
    line: Callable[[str, str, str], str],
    end: int,
    lead: str,
) -> None:
    """Edits the lines in place, from the last to the first, so that their value is `new`.

    line: formats a line from head, key and value; the head of a new line is empty. end: index for new lines. lead: the
    head of a new line, with {} for its key.
    """
    known = {entry.key: entry for entry in entries}
    added = [
        line(lead.replace("{}", str(item.key)), str(item.key), str(item.value))
        for item in new.items
        if str(item.key) not in known
    ]
    if added and end > 0 and not lines[end - 1].endswith("\n"):
        lines[end - 1] += "\n"
    lines[end:end] = added
    for entry in reversed(entries):
        item, before = new.find(entry.key), old.find(entry.key)
        if item is None:
            del lines[entry.start : entry.end]
        elif known[entry.key] is entry and (before is None or before.value != item.value):
            stop = "" if not lines[entry.end - 1].endswith("\n") else "\n"
            lines[entry.start : entry.end] = [line(entry.head, entry.key, str(item.value)).removesuffix("\n") + stop]
