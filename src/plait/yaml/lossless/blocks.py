"""The lines of block scalars."""

from __future__ import annotations

import re

_SPACES = re.compile(r" *+")
_OTHER_BREAK = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
UNUSUAL = re.compile("[\r\x85\u2028\u2029]")


def lines_of(text: str) -> str:
    """The text with a line feed in place of every other break except CR LF. Block scalars depend on leading spaces."""
    return text if UNUSUAL.search(text) is None else _OTHER_BREAK.sub("\n", text)


def detected(text: str, at: int) -> int:
    """The indentation of a block scalar: that of its first line with text, or of a longer blank line before it."""
    deepest = 0
    while True:
        spaces = _SPACES.match(text, at)
        end = at if spaces is None else spaces.end()
        deepest = max(deepest, end - at)
        end += text.startswith("\r\n", end)
        if text[end : end + 1] != "\n":
            return deepest
        at = end + 1


def block_lines(indent: int) -> re.Pattern[str]:
    """A pattern that matches the lines of a block scalar with this indentation."""
    found = _LINES.get(indent)
    if found is None:
        if len(_LINES) > 200:
            _LINES.clear()
        found = _LINES[indent] = re.compile(
            rf"(?: {{0,{indent}}}\r?\n| {{{indent}}}[^\n]*+\n)*+(?: {{{indent}}}[^\n]*+)?"
        )
    return found


_LINES: dict[int, re.Pattern[str]] = {}


def block_end(text: str, header: str, end: int, body: int, last: int, indent: int) -> int:
    """The end of a block scalar: after its last line with text, or after its last line if blank lines are preserved."""
    if last <= body:
        return end
    stop = last - 1 if text[last - 1] == "\n" else last
    if "+" in header.partition("#")[0]:
        return max(stop, end)
    while stop > body:
        line = text.rfind("\n", body, stop) + 1 or body
        last = stop - text.endswith("\r", line, stop)
        if last - line > indent or text[line:last].strip(" "):
            return last
        stop = line - 1
    return end
