"""Text edits for suggestions of diagnostics."""

from __future__ import annotations

import json
import re

from plait.authoring.edit.sites import Text
from plait.authoring.lint.layout import LintedFile
from plait.base.errors import PlaitError
from plait.base.extents import extent, find_word
from plait.base.source import Source
from plait.base.suggestions import (
    ARGUMENT,
    COMMENT,
    CONTENT,
    LINE_END,
    LOAD,
    OPTIONAL,
    QUOTE_VALUE,
    QUOTE_WORD,
    REMOVE,
    REPLACE,
    SIDE,
    VALUE,
)
from plait.base.text_edits import Edit
from plait.tree.nodes import MapItem
from plait.yaml.lossless.nodes import Collection
from plait.yaml.merge_conflicts import conflict_around
from plait.yaml.reader import read_value
from plait.ytt.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from plait.authoring.analysis.file_facts import File
    from plait.base.errors import Diagnostic
    from plait.base.source import Position
    from plait.base.suggestions import Kind, Suggestion

    # Creates the edits for a suggestion.
    Making: TypeAlias = Callable[["FaultyPart", Suggestion], Sequence[Edit]]

_VALUE = re.compile(r"(\s*+(?:- )*+(?:[\w./-]++:)?+ *+)(\S(?:.*\S)?)\s*$")
_PLAIN_COMMENT = re.compile(r"#(?![@!])")
_TITLES: Mapping[Kind, str] = {
    REPLACE: "Change to {}",
    QUOTE_WORD: "Quote the value",
    QUOTE_VALUE: "Quote the value",
    LOAD: "Add {}",
    ARGUMENT: "Add {}",
    LINE_END: "Add {}",
    OPTIONAL: "Create the missing parts: add {}",
    REMOVE: "Remove it",
    VALUE: "Expect {}",
    CONTENT: "Accept the output",
    SIDE: "Keep the lines of {}",
}
_SHOWN = {":": "a colon"}
_COMMENTS = {"#!": "Convert to a template comment: #!", "#@": "Convert to a value: #@"}

# Safe: changes no output. Unsafe: may change an output, or makes a run succeed. A suggestion without edits is only
# displayed.
SAFE, UNSAFE = "safe", "unsafe"


class Mending:
    """A suggestion with its edits. title: a short sentence. safety: SAFE or UNSAFE. accepts: the edit allows the
    reported construct.
    """

    __slots__ = ("accepts", "edits", "safety", "title")

    def __init__(self, title: str, edits: Sequence[Edit], safety: str, *, accepts: bool = False) -> None:
        self.title = title
        self.edits = edits
        self.safety = safety
        self.accepts = accepts


class FaultyPart:
    """The part of a file that a diagnostic is about. begin, end: its indexes in the line. word: a word of the
    diagnostic. also: its related positions.
    """

    __slots__ = ("also", "begin", "end", "file", "line", "text", "word")

    def __init__(self, file: File, line: int, begin: int, end: int, word: str, also: Sequence[Position] = ()) -> None:
        self.also = also
        self.file = file
        self.line = line
        self.begin = begin
        self.end = end
        self.word = word
        self.text = file.line(line)

    def edit(self, start: int, end: int, new: str) -> list[Edit]:
        """The edit that replaces a part of the line."""
        return [on_line(self.file, self.line, start, end, new)]

    def reword(self, word: str, new: str) -> list[Edit]:
        """The edit that replaces a word of the line: the faulty part if it is this word, else the first occurrence."""
        is_at_fault = self.text[self.begin : self.end] == word
        place = self.begin if is_at_fault else find_word(self.text, word, self.begin)
        return [] if place < 0 or word == new else self.edit(place, place + len(word), new)


def mendings(file: File, found: Diagnostic, at: Position | None = None) -> Iterator[Mending]:
    """The suggestions of a diagnostic that can be applied to a file. at: the faulty part, with its end."""
    at = at or extent(found)
    if at is None or not 0 < at.line <= len(file.lines):
        return
    begin = (at.column or 1) - 1
    fault = FaultyPart(file, at.line, begin, (at.end or begin + 2) - 1, found.word, found.also)
    for one in found.suggestions:
        edits = _MAKING[one.kind](fault, one)
        if edits:
            yield Mending(_title(one), edits, SAFE if one.kind == REMOVE else UNSAFE, accepts=one.kind == ARGUMENT)


def _title(suggestion: Suggestion) -> str:
    if suggestion.kind == COMMENT:
        return _COMMENTS.get(suggestion.new, f"Change to {suggestion.new}")
    return _TITLES[suggestion.kind].format(_SHOWN.get(suggestion.new, suggestion.new))


def on_line(file: File, line: int, start: int, end: int, new: str) -> Edit:
    """An edit that replaces a part of a line."""
    first = sum(len(text) + 1 for text in file.lines[: line - 1])
    return Edit(first + start, first + end, new, file.path)


def at_top(file: File, code: str) -> Edit:
    """An edit that adds a line of code at the top of a file."""
    return Edit(0, 0, f"{code}\n" if file.kind == STARLARK else f"#@ {code}\n", file.path)


def _replace(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    return fault.reword(suggestion.old, suggestion.new)


def _quote_word(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    return fault.reword(suggestion.old, json.dumps(suggestion.old, ensure_ascii=False))


def _quote_value(fault: FaultyPart, _: Suggestion) -> Sequence[Edit]:
    value = _VALUE.match(fault.text)
    return [] if value is None else fault.edit(*value.span(2), json.dumps(value[2], ensure_ascii=False))


def _load(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    return [at_top(fault.file, suggestion.new)]


def _argument(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    annotation, line = f"#{suggestion.old}", fault.line
    while annotation not in fault.file.line(line).split():
        line -= 1
        if not fault.file.line(line).lstrip().startswith("#"):
            return []
    text = fault.file.line(line).rstrip()
    name = suggestion.new.partition("=")[0]
    if find_word(text, name) >= 0:
        return []
    comma = "," if text.partition(annotation)[2].strip() else ""
    return [on_line(fault.file, line, len(text), len(text), f"{comma} {suggestion.new}")]


def _line_end(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    length = len(fault.text.rstrip())
    return fault.edit(length, length, suggestion.new)


def _comment(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    text = fault.text
    if suggestion.old:
        begin = text.find(suggestion.old)
        return fault.edit(begin, begin + len(suggestion.old), suggestion.new) if begin >= 0 else []
    mark = _PLAIN_COMMENT.search(text, fault.begin) or _PLAIN_COMMENT.search(text)
    return [] if mark is None else fault.edit(*mark.span(), suggestion.new)


def _optional(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    text, begin, end = fault.text, fault.begin, fault.end
    is_token = text[begin:end] == suggestion.old and text[begin - 1 : begin] == "/"
    return fault.edit(end, end, suggestion.new) if is_token else []


def _remove(fault: FaultyPart, _: Suggestion) -> Sequence[Edit]:
    layout = LintedFile.of(fault.file.path, fault.file.source.text)
    items = [] if layout is None else [item for item in layout.at(fault.line) if type(item) is MapItem]
    if fault.word:
        items = [item for item in items if str(item.key) == fault.word]
    return [] if layout is None or not items else layout.removal(items[0]) or []


def _value(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    """The edit that replaces the scalar with the key of the diagnostic, or the only scalar with this value on the
    line.
    """
    try:
        text = Text(fault.file.source.text)
        old, new = (read_value(Source("", one)) for one in (suggestion.old, suggestion.new))
    except PlaitError:
        return []
    sites = [one for one in text.on_line(fault.line) if not isinstance(one.value, Collection) and text.holds(one, old)]
    sites = [one for one in sites if one.key == fault.word] or sites
    if len(sites) != 1:
        return []
    after = next(text.replaced(sites[0], new), None)
    return [] if after is None else [_difference(fault.file, after)]


def _difference(file: File, after: str) -> Edit:
    """The smallest edit that turns a file into a text."""
    before = file.source.text
    start = _common(before, after)
    same = _common(before[start:][::-1], after[start:][::-1])
    return Edit(start, len(before) - same, after[start : len(after) - same], file.path)


def _common(left: str, right: str) -> int:
    """The length of the common start."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(left), len(right)))


def _content(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    sources = [one.source for one in fault.also if one.source is not None and one.source.shown == suggestion.old]
    return [Edit(0, len(source.text), suggestion.new, source.shown) for source in sources[:1]]


def _side(fault: FaultyPart, suggestion: Suggestion) -> Sequence[Edit]:
    lines = fault.file.source.text.split("\n")
    found = conflict_around(lines, fault.line - 1)
    if found is None:
        return []
    kept = "".join(lines[number] + "\n" for number in found.side(suggestion.old))
    start = sum(len(line) + 1 for line in lines[: found.start])
    length = sum(len(line) + 1 for line in lines[found.start : found.end + 1])
    return [Edit(start, min(start + length, len(fault.file.source.text)), kept, fault.file.path)]


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
    VALUE: _value,
    CONTENT: _content,
    SIDE: _side,
}
