"""Facts about one file: its kind, its nodes by line, the names in its code."""

from __future__ import annotations

import re
from typing import NamedTuple

from plait.authoring.analysis.code import FileNames
from plait.authoring.project.run_inference import LAYERED, OPERATIONS, POLICY, kind_of_text
from plait.base.source import Source
from plait.tree.nodes import Array, Document, DocumentSet, Map, MapItem
from plait.yaml.lossless.binding import Spans
from plait.ytt.templates.directives import KNOWN
from plait.ytt.templates.recovery import STARLARK, TEXT, YAML, recover, unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.base.errors import Finding
    from plait.tree.nodes import Item
    from plait.ytt.templates.recovery import Recovered

PROJECT, OPS, LAYER, PLAIN = "project", "operations", "layered documents", "plain"
TEMPLATE = "template"

_ANNOTATION = re.compile(r"#(@[\w/-]+)")


class FileSettings(NamedTuple):
    """Settings with which the runs of a project read a file.

    kind: TEMPLATE, STARLARK, TEXT, OPS, LAYER or PLAIN; "" if only the text decides. is_marked: a file mark declares
    the kind, regardless of the text. ignore_unknown_comments, strict: as in `plait render`.
    """

    kind: str = ""
    is_marked: bool = False
    ignore_unknown_comments: bool = False
    strict: bool = False


BY_TEXT = FileSettings()


class File:
    """A file as in the editor, or on disk.

    kind: TEMPLATE, STARLARK, TEXT, OPS, LAYER, PROJECT or PLAIN. recovered: its readable part.
    """

    __slots__ = ("_keys", "_names", "_reading", "_spans", "kind", "lines", "path", "recovered", "source")

    def __init__(
        self, path: str, text: str, reading: FileSettings = BY_TEXT, extensions: frozenset[str] = frozenset()
    ) -> None:
        """extensions: extensions that the runs enable (`--with`)."""
        self.path = path
        self.source = Source(path, text)
        self.source.extensions = extensions
        self.lines = text.split("\n")
        self._names: FileNames | None = None
        self._spans: Spans | None = None
        self._keys: dict[tuple[int, str], list[tuple[int, int, int]]] | None = None
        self._reading = reading
        if path.endswith(".star"):
            self.kind = STARLARK
        elif path.endswith((".yml", ".yaml")):
            self.kind = _KINDS.get(
                kind_of_text(text.encode("utf-8", "replace")) or "", TEMPLATE if "#@" in text else PLAIN
            )
            if path.endswith(("/plait.yml", "/plait.yaml")) and "#@" not in text:
                self.kind = PROJECT
        else:
            self.kind = TEXT if "(@" in text else PLAIN
        if reading.kind and (reading.is_marked or self.kind in (PLAIN, TEMPLATE)):
            self.kind = reading.kind
        self.recovered: Recovered
        if self.kind == PLAIN and (reading.is_marked or not path.endswith((".yml", ".yaml", ".json"))):
            # A plain file's comments and parentheses are not code, and text that a program reads is not YAML.
            self.recovered = unread(text)
        else:
            self.recovered = recover(
                self.source,
                {STARLARK: STARLARK, TEXT: TEXT}.get(self.kind, YAML),
                ignore_unknown_comments=self.kind != TEMPLATE or reading.ignore_unknown_comments,
                strict=reading.strict and self.kind in (TEMPLATE, PLAIN),
            )

    def with_text(self, text: str) -> File:
        """The same file with another text."""
        return File(self.path, text, self._reading, self.source.extensions)

    @property
    def faults(self) -> Sequence[Finding]:
        return self.recovered.faults

    @property
    def names(self) -> FileNames:
        if self._names is None:
            self._names = FileNames(self.recovered, self.source)
        return self._names

    @property
    def documents(self) -> Sequence[Document]:
        """The documents of a YAML file, as written."""
        return () if self.recovered.file is None else self.recovered.file.documents.items

    @property
    def spans(self) -> Spans:
        """The spans of the items of a YAML file. Lines dropped in recovery are empty."""
        if self._spans is None:
            file = self.recovered.file
            self._spans = Spans(DocumentSet([]) if file is None else file.documents)
        return self._spans

    def name_of(self, item: Item) -> tuple[int, int, int] | None:
        """Line, column and end of an item's key without quotes, or of its value on one line.

        None if they are unknown.
        """
        span = self.spans.key(item) or self.spans.value(item)
        if span is None:
            return None
        line, column = self.spans.place(span.start)
        text = self.line(line)
        end = min(column + span.end - span.start, len(text.rstrip()) + 1)
        if text[column - 1 : column] in ('"', "'") and end - column > 1:
            column, end = column + 1, end - 1
        return line, column, max(end, column + 1)

    @property
    def keys(self) -> Mapping[tuple[int, str], Sequence[tuple[int, int, int]]]:
        """The positions of keys, by the line of the item and the key: line, column, and end."""
        if self._keys is None:
            self._keys = {}
            for item in self.spans.nodes:
                place = self.name_of(item) if type(item) is MapItem else None
                if place is not None and type(item) is MapItem:
                    line, column, end = place
                    if self.line(line)[column - 1 : end - 1] == str(item.key):
                        self._keys.setdefault((item.line, str(item.key)), []).append(place)
        return self._keys

    def key_on(self, line: int, key: str) -> tuple[int, int]:
        """The column and end of a key on a line. Without such a key, those of the line's text."""
        known = self.keys.get((line, key))
        if known:
            return known[0][1:]
        at = self.line(line).find(key) if key else -1
        return (at + 1, at + 1 + len(key)) if at >= 0 else self.text_on(line)

    def text_on(self, line: int) -> tuple[int, int]:
        """The column of a line's text after its dashes, and the end of the text."""
        text = self.line(line)
        start = len(text) - len(text.lstrip()) + 1
        for item in self.ancestors_at(line):
            span = self.spans.key(item) or self.spans.value(item)
            if span is not None and span.start < span.end and self.spans.place(span.start)[0] == line:
                start = self.spans.place(span.start)[1]
                if type(item) is MapItem:
                    break
        return start, max(len(text.rstrip()), start) + 1

    def last_line(self, item: Item) -> int:
        """The line on which an item ends."""
        span = self.spans.item(item)
        return item.line if span is None else self.spans.place(max(span.end - 1, span.start))[0]

    def line(self, number: int) -> str:
        """The text of a line, from 1; "" beyond the end."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def ancestors_at(self, line: int, column: int = 1 << 30) -> list[Item]:
        """The document and the items that enclose a position, outermost first. The last one is the item of the line."""
        way: list[Item] = []
        items: Sequence[Item] = self.documents
        while True:
            found = None
            for item in items:
                if item.line <= line and self._indent(item) < column:
                    found = item
                elif item.line > line:
                    break
            if found is None:
                return way
            way.append(found)
            value = found.value
            if type(value) is not Map and type(value) is not Array:
                return way
            items = value.items

    def ancestors_below(self, line: int) -> list[Item]:
        """The ancestors of the first item or document that begins below a line; empty if there is none."""
        way: list[Item] = []
        items: Sequence[Item] = self.documents
        while True:
            item = next((one for one in items if self.last_line(one) > line), None)
            if item is None:
                return []
            way.append(item)
            if item.line > line:
                return way
            value = item.value
            if type(value) is not Map and type(value) is not Array:
                return []
            items = value.items

    def _indent(self, item: Item) -> int:
        if type(item) is Document:
            return -1
        span = self.spans.item(item)
        return 1 << 30 if span is None else self.spans.tree.column(span.start)  # a copy created by an alias

    def annotations(self) -> Iterator[tuple[str, int, int]]:
        """The names of annotations: name without the number sign, line, column of the number sign."""
        for number, text in enumerate(self.lines, 1):
            if "#@" in text:
                for found in _ANNOTATION.finditer(text):
                    if found[1] in KNOWN:
                        yield found[1], number, found.start() + 1


_KINDS = {OPERATIONS: OPS, LAYERED: LAYER, POLICY: LAYER}


def keys_of(ancestors: Sequence[Item]) -> list[str]:
    """The keys on a path. Indexes of array items are omitted."""
    return [str(item.key) for item in ancestors if type(item) is MapItem]
