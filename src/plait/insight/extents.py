"""The lines of a file's nodes and statements, for queries about a line.

The trace has only the first line of each node and statement. `Extents` maps every line of a file to those.
"""

from __future__ import annotations

from plait.base.errors import PlaitError
from plait.base.source import Source
from plait.tree.nodes import Array, Document, Map, MapItem
from plait.yaml.lossless.binding import Spans
from plait.yaml.reader import read
from plait.ytt.starlark import syntax
from plait.ytt.starlark.parsing import parse_program
from plait.ytt.starlark.scan import ScanFailure, scan
from plait.ytt.templates.recovery import STARLARK, TEXT, YAML, recover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.tree.nodes import Item
    from plait.ytt.starlark.program_parts import Piece
    from plait.ytt.starlark.syntax import Statement


class Scalar:
    """A scalar in a text. start, end: its indexes. value: as read."""

    __slots__ = ("end", "start", "value")

    def __init__(self, start: int, end: int, value: object) -> None:
        self.start = start
        self.end = end
        self.value = value


class Extents:
    """The nodes and statements of one file, by line.

    is_read: False for a file that is neither YAML nor Starlark, or cannot be read: then every line may have an effect.
    """

    __slots__ = ("_below", "_bodies", "_code", "_first", "_scalars", "is_read", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.is_read = False
        self._first: dict[int, set[int]] = {}  # maps a line to the first lines of the nodes and statements on it
        self._below: dict[int, set[int]] = {}  # maps a first line to the lines inside
        self._bodies: list[tuple[int, int, int]] = []  # first line of a function, and the lines of its body
        self._code: set[int] = set()
        self._scalars: dict[int, list[Scalar]] = {}
        kind = STARLARK if source.name.endswith(".star") else YAML if _is_yaml(source.name) else TEXT
        try:
            if kind == YAML:
                self._read_nodes()
            self._read_code(kind)
        except (PlaitError, RecursionError):
            self.is_read = False

    def starts(self, line: int) -> set[int]:
        """The first lines of the scalar and the statement on a line, and the line itself."""
        return {line, *self._first.get(line, ())}

    def within(self, line: int) -> set[int]:
        """The lines inside all nodes and statements that begin or continue on a line."""
        return {inner for first in self.starts(line) for inner in self._below.get(first, ())}

    def function(self, line: int) -> int:
        """The first line of the innermost function whose body contains a line; 0 if there is none."""
        return max((first for first, start, end in self._bodies if start <= line <= end), default=0)

    def is_blank(self, line: int) -> bool:
        """True for a line outside any node, statement or annotation: blank, or a comment."""
        text = (self.source.line(line) or "").strip()
        if not self.is_read or line in self._first or line in self._below or line in self._code:
            return False
        return not text or (text.startswith("#") and not text.startswith("#@"))

    def scalars(self, line: int) -> Sequence[Scalar]:
        """The scalars that begin or continue on a line."""
        return self._scalars.get(line, ())

    def has_code(self, line: int) -> bool:
        """True if the line has code or an annotation."""
        return line in self._code or "#@" in (self.source.line(line) or "")

    # ---- nodes

    def _read_nodes(self) -> None:
        documents = read(Source(self.source.name, self.source.text), merge_lists=False)
        spans = Spans(documents)
        for document in documents.items:
            self._add_node(document, spans)
        self.is_read = True

    def _add_node(self, top: Item, spans: Spans) -> None:
        around: list[tuple[Item, tuple[int, ...]]] = [(top, ())]
        while around:
            item, outer = around.pop()
            value = item.value
            span = spans.value(item)
            key = spans.key(item) if type(item) is MapItem else None
            is_implied = type(item) is Document and spans.is_implied(item)
            begins = set() if is_implied else {item.line}
            if key is not None:
                begins.add(spans.place(key.start)[0])
            for first in outer:
                self._below.setdefault(first, set()).update(begins)
            for first in begins:
                self._below.setdefault(first, set()).add(item.line)
            if type(value) is Map or type(value) is Array:
                around += [(inner, (*outer, *begins)) for inner in value.items]
                continue
            if span is None:
                continue
            text = self.source.text[span.start : span.end]
            start = spans.place(span.start)[0]
            last = start + text.rstrip().count("\n")
            for number in range(min(start, item.line), last + 1):
                self._first.setdefault(number, set()).update(begins)
                self._scalars.setdefault(number, []).append(Scalar(span.start, span.start + len(text.rstrip()), value))

    # ---- code

    def _read_code(self, kind: str) -> None:
        found = recover(self.source, kind, ignore_unknown_comments=True)
        if found.faults:
            self.is_read = False
            return
        if kind == STARLARK:
            self.is_read = True
        if not found.pieces:
            return
        starts = self._note_tokens(found.pieces)
        statements, _, _ = parse_program(found.pieces, self.source)
        for statement in statements:
            self._note_statement(statement, starts)

    def _note_tokens(self, pieces: Sequence[Piece]) -> dict[int, int]:
        """Notes the lines of each statement; returns the last line by the first."""
        try:
            tokens = scan(pieces, self.source)
        except ScanFailure:
            self.is_read = False
            return {}
        ends: dict[int, int] = {}
        first = 0
        for kind, value, line, _ in tokens:
            if kind in ("newline", "host", "end of file"):
                first = 0
                continue
            first = first or line
            last = line + (str(value).count("\n") if kind == "string literal" else 0)
            for number in range(ends.get(first, line), last + 1):
                self._code.add(number)
                if number != first:
                    self._first.setdefault(number, set()).add(first)
            ends[first] = max(ends.get(first, 0), last)
        return ends

    def _note_statement(self, statement: Statement, ends: dict[int, int]) -> set[int]:
        """Records the lines inside a statement. Returns the lines of the statement, including those."""
        inner: set[int] = set()
        for one in _blocks(statement):
            inner |= self._note_statement(one, ends)
        lines = {statement.line, *inner}
        if isinstance(statement, syntax.HostStatement):
            lines |= {slot.line for slot in statement.host.slots}
        if inner:
            self._below.setdefault(statement.line, set()).update(inner)
            if isinstance(statement, syntax.Def):
                last = max(ends.get(line, line) for line in inner)
                self._bodies.append((statement.line, statement.line, last))
        return lines


def _blocks(statement: Statement) -> Iterator[Statement]:
    """The statements inside a statement."""
    if isinstance(statement, syntax.If):
        yield from statement.yes
        yield from statement.no
    elif isinstance(statement, (syntax.For, syntax.While, syntax.Def)):
        yield from statement.body


def _is_yaml(name: str) -> bool:
    return name.endswith((".yml", ".yaml", ".json")) or "." not in name.rpartition("/")[2]
