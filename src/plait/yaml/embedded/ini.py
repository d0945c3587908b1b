"""Embedded INI files: `[sections]` of `key = value`, with `;` and `#` comments on lines of their own.

Entries above the first section are at the root; a section is a map of strings.
"""

from __future__ import annotations

import re

from plait.base.errors import ReadError
from plait.base.source import Position, Source
from plait.tree.nodes import Map, MapItem
from plait.yaml.embedded.key_value_lines import KeyValueLine, as_map, changed_lines, physical_lines, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value

_SECTION = re.compile(r"[ \t]*\[([^\]\n]*)\][ \t]*(?:[;#].*)?$")
_ENTRY = re.compile(r"([^=:\n]*[=:][ \t]*+)(.*)$")


class _Section:
    """One section, from its first line, which has its name, to its last. name: None for entries above all sections."""

    __slots__ = ("end", "entries", "name", "start")

    def __init__(self, name: str | None, start: int) -> None:
        self.name = name
        self.start = start
        self.end = start
        self.entries: list[KeyValueLine] = []


def read(source: Source) -> Map:
    """Parses INI text. Raises ReadError for an invalid line."""
    top, *sections = _sections(source)
    items = [*as_map(top.entries, source).items]
    for section in sections:
        if any(item.key == section.name for item in items):
            raise ReadError(
                f"duplicate section [{section.name}]", at=Position(source, section.start + 1), code="invalid-ini"
            )
        items.append(MapItem(section.name, as_map(section.entries, source), source, section.start + 1))
    return Map(items, source, 1)


def write(text: str, old: Value, new: Value) -> str:
    """The text with as few changed lines as possible. Raises ReadError if INI cannot represent the value."""
    if not isinstance(old, Map) or not isinstance(new, Map):
        raise ReadError("an INI file is a map", code="text-not-writable")
    lines = physical_lines(text)
    top, *sections = _sections(Source("", text))
    lead = "{}=" if any(re.search(r"\S=", entry.head) for one in (top, *sections) for entry in one.entries) else "{} = "
    known = {section.name for section in sections}
    for item in new.items:
        if isinstance(item.value, Map) and item.key not in known:
            if lines and not lines[-1].endswith("\n"):
                lines[-1] += "\n"
            lines += [*(["\n"] if lines and lines[-1].strip() else []), f"[{item.key}]\n"]
            changed_lines(lines, [], Map([]), _texts(item.value), _line, len(lines), lead)
    for section in reversed(sections):
        wanted, before = new.find(section.name), old.find(section.name)
        if wanted is None:
            del lines[section.start : section.end]
        elif isinstance(wanted.value, Map) and before is not None and isinstance(before.value, Map):
            end = section.entries[-1].end if section.entries else section.start + 1
            changed_lines(lines, section.entries, before.value, _texts(wanted.value), _line, end, lead)
        else:
            raise ReadError(f"[{section.name}] is a map", code="text-not-writable")
    plain = _texts(Map([item for item in new.items if not isinstance(item.value, Map)]))
    changed_lines(lines, top.entries, old, plain, _line, top.entries[-1].end if top.entries else 0, lead)
    return "".join(lines)


def _texts(values: Map) -> Map:
    return texts_of(values, "a section of an INI file")


def _line(head: str, _key: str, value: str) -> str:
    if "\n" in value:
        raise ReadError("a value of an INI file is one line", code="text-not-writable")
    return f"{head}{value}".rstrip(" ") + "\n"


def _sections(source: Source) -> list[_Section]:
    found = [_Section(None, 0)]
    lines = physical_lines(source.text)
    for number, text in enumerate(lines):
        line = text.rstrip("\r\n")
        if not line.strip() or line.lstrip()[0] in ";#":
            continue
        section = _SECTION.match(line)
        if section is not None:
            found[-1].end = number
            found.append(_Section(section[1].strip(), number))
            continue
        entry = _ENTRY.match(line)
        key = "" if entry is None else entry[1].rstrip(" \t")[:-1].strip(" \t")
        if entry is None or not key:
            raise ReadError(
                "no key and no section",
                at=Position(source, number + 1),
                expected="[section], or key = value",
                code="invalid-ini",
            )
        found[-1].entries.append(KeyValueLine(key, entry[2].rstrip(" \t"), entry[1], number, number + 1))
    found[-1].end = len(lines)
    return found
