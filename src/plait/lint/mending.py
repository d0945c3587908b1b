"""Edits for suggestions of diagnostics, made in the text of a file."""

from __future__ import annotations

import json
import re

from plait.edits import Edit
from plait.extents import extent, find_word
from plait.lint.layout import Layout
from plait.nodes import MapItem
from plait.suggestions import (
    ARGUMENT,
    COMMENT,
    LINE_END,
    LOAD,
    OPTIONAL,
    QUOTE_VALUE,
    QUOTE_WORD,
    REMOVE,
    REPLACE,
)
from plait.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.analysis.files import File
    from plait.errors import Diagnostic
    from plait.source import Position
    from plait.suggestions import Kind, Suggestion

    # Makes the edits for a suggestion: in a file, on a line, at the index of the part at fault and up to the one after it.
    Making: TypeAlias = Callable[[File, int, int, int, Diagnostic, Suggestion], Sequence[Edit]]

_VALUE = re.compile(r"^(\s*(?:- )*(?:[\w./-]+:)? *)(\S.*?)\s*$")
_PLAIN_COMMENT = re.compile(r"#(?![@!])")
_TITLES: Mapping[Kind, str] = {
    REPLACE: "Change to {}",
    QUOTE_WORD: "Put it in quotes",
    QUOTE_VALUE: "Put it in quotes",
    LOAD: "Add {}",
    ARGUMENT: "Add {}",
    LINE_END: "Add {}",
    OPTIONAL: "Make what is missing: add {}",
    REMOVE: "Remove it",
}
_SHOWN = {":": "a colon"}
_COMMENTS = {"#!": "Make it a comment of the template: #!", "#@": "Make it a value: #@"}

# Safe: changes no output. Unsafe: may change it, or makes a run succeed. A suggestion without edits is only displayed.
SAFE, UNSAFE = "safe", "unsafe"


class Mending:
    """A suggestion with its edits. title: a short sentence. safety: SAFE or UNSAFE."""

    __slots__ = ("edits", "safety", "title")

    def __init__(self, title: str, edits: Sequence[Edit], safety: str) -> None:
        self.title = title
        self.edits = edits
        self.safety = safety


def mendings(file: File, found: Diagnostic, at: Position | None = None) -> Iterator[Mending]:
    """The suggestions of a diagnostic for which edits of a file can be made. at: of the part at fault, with its end."""
    at = at or extent(found)
    if at is None or not 0 < at.line <= len(file.lines):
        return
    begin = (at.column or 1) - 1
    end = (at.end or begin + 2) - 1
    for one in found.suggestions:
        edits = _MAKING[one.kind](file, at.line, begin, end, found, one)
        if edits:
            yield Mending(_title(one), edits, SAFE if one.kind == REMOVE else UNSAFE)


def _title(one: Suggestion) -> str:
    if one.kind == COMMENT:
        return _COMMENTS.get(one.new, f"Change to {one.new}")
    return _TITLES[one.kind].format(_SHOWN.get(one.new, one.new))


def on_line(file: File, line: int, start: int, end: int, new: str) -> Edit:
    """An edit of a part of a line."""
    first = sum(len(text) + 1 for text in file.lines[: line - 1])
    return Edit(first + start, first + end, new, file.path)


def at_top(file: File, code: str) -> Edit:
    """An edit that adds a line of code at the top of a file."""
    return Edit(0, 0, f"{code}\n" if file.kind == STARLARK else f"#@ {code}\n", file.path)


def _word(file: File, line: int, begin: int, end: int, word: str) -> tuple[int, int] | None:
    """The part of a line that is a word: that at fault, or the first that reads so."""
    text = file.line(line)
    if text[begin:end] == word:
        return begin, end
    place = find_word(text, word, begin)
    return None if place < 0 else (place, place + len(word))


def _replace(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    place = _word(file, line, begin, end, one.old)
    return [] if place is None or one.old == one.new else [on_line(file, line, *place, one.new)]


def _quote_word(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    place = _word(file, line, begin, end, one.old)
    return [] if place is None else [on_line(file, line, *place, json.dumps(one.old, ensure_ascii=False))]


def _quote_value(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    value = _VALUE.match(file.line(line))
    if value is None:
        return []
    return [on_line(file, line, value.start(2), value.end(2), json.dumps(value[2], ensure_ascii=False))]


def _load(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    return [at_top(file, one.new)]


def _argument(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    annotation = f"#{one.old}"
    while annotation not in file.line(line).split():
        line -= 1
        if not file.line(line).lstrip().startswith("#"):
            return []
    text = file.line(line).rstrip()
    name = one.new.partition("=")[0]
    if find_word(text, name) >= 0:
        return []
    comma = "," if text.partition(annotation)[2].strip() else ""
    return [on_line(file, line, len(text), len(text), f"{comma} {one.new}")]


def _line_end(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    length = len(file.line(line).rstrip())
    return [on_line(file, line, length, length, one.new)]


def _comment(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    text = file.line(line)
    if one.old:
        begin, end = text.find(one.old), text.find(one.old) + len(one.old)
        return [on_line(file, line, begin, end, one.new)] if begin >= 0 else []
    mark = _PLAIN_COMMENT.search(text, begin) or _PLAIN_COMMENT.search(text)
    return [] if mark is None else [on_line(file, line, mark.start(), mark.end(), one.new)]


def _optional(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    text = file.line(line)
    is_token = text[begin:end] == one.old and text[begin - 1 : begin] == "/"
    return [on_line(file, line, end, end, one.new)] if is_token else []


def _remove(file: File, line: int, begin: int, end: int, found: Diagnostic, one: Suggestion) -> Sequence[Edit]:  # noqa: ARG001
    layout = Layout.of(file.path, file.source.text)
    items = [] if layout is None else [item for item in layout.at(line) if type(item) is MapItem]
    if found.word:
        items = [item for item in items if str(item.key) == found.word]
    return [] if layout is None or not items else layout.removal(items[0]) or []


_MAKING: Mapping[Kind, Making] = {
    REPLACE: _replace,
    QUOTE_WORD: _quote_word,
    QUOTE_VALUE: _quote_value,
    LOAD: _load,
    ARGUMENT: _argument,
    LINE_END: _line_end,
    COMMENT: _comment,
    OPTIONAL: _optional,
    REMOVE: _remove,
}
