"""Embedded Java properties: `key = value`, with `#` and `!` comments, values continued after a backslash, and
escapes.
"""

from __future__ import annotations

import re

from plait.base.errors import ReadError
from plait.base.source import Source
from plait.tree.nodes import Map
from plait.yaml.embedded.key_value_lines import KeyValueLine, as_map, changed_lines, physical_lines, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.tree.nodes import Value

_KEY = re.compile(r"[ \t\f]*((?:\\.|[^\\=: \t\f\n])+)[ \t\f]*(?:[=:][ \t\f]*)?")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_MEANING = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def read(source: Source) -> Map:
    """Parses properties into a map of strings."""
    return as_map(_entries(physical_lines(source.text)), source)


def write(text: str, old: Value, new: Value) -> str:
    """The text with as few changed lines as possible. Raises ReadError if properties cannot represent the value."""
    if not isinstance(old, Map) or not isinstance(new, Map):
        raise ReadError("properties are a map", code="text-not-writable")
    lines = physical_lines(text)
    entries = _entries(lines)
    lead = "{} = " if any(re.search(r"\s=\s", entry.head) for entry in entries) else "{}="
    texts = texts_of(new, "a properties text")
    changed_lines(lines, entries, old, texts, _line, entries[-1].end if entries else len(lines), lead)
    return "".join(lines)


def _entries(lines: list[str]) -> list[KeyValueLine]:
    found: list[KeyValueLine] = []
    at = 0
    while at < len(lines):
        start = at
        text = lines[at].rstrip("\r\n")
        at += 1
        if not text.strip() or text.lstrip()[0] in "#!":
            continue
        while (len(text) - len(text.rstrip("\\"))) % 2 and at < len(lines):
            text = text[:-1] + lines[at].rstrip("\r\n").lstrip()
            at += 1
        match = _KEY.match(text)
        if match is not None:
            found.append(KeyValueLine(_unescape(match[1]), _unescape(text[match.end() :]), match[0], start, at))
    return found


def _unescape(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        char = match[1]
        return chr(int(char[1:], 16)) if len(char) > 1 else _MEANING.get(char, char)

    return _ESCAPE.sub(one, text)


def _line(head: str, key: str, value: str) -> str:
    if not head.rstrip(" \t=:").endswith(_escaped(key, key=True)) and head.rstrip(" \t=:") == key:
        head = head.replace(key, _escaped(key, key=True), 1)
    if not re.search(r"[=:\s]$", head):
        head += "="
    return f"{head}{_escaped(value)}\n"


def _escaped(text: str, *, key: bool = False) -> str:
    text = (
        text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t").replace("\f", "\\f")
    )
    if key:
        return re.sub(r"([ =:])", r"\\\1", text).replace("#", "\\#").replace("!", "\\!")
    return re.sub(r"^ ", r"\\ ", text)
