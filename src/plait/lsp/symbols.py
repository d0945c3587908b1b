"""The outline of a file: documents by kind and name, keys, functions, operations by path."""

from __future__ import annotations

from plait.analysis.files import OPS
from plait.errors import PlaitError
from plait.lsp.answers import Symbol
from plait.naming import document_name
from plait.nodes import Array, Map, MapItem
from plait.source import Source
from plait.yaml import Spans, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.analysis.files import File
    from plait.lsp.state import State
    from plait.nodes import Item, Value

_DEEPEST = 6


def symbols(state: State, path: str) -> list[Symbol]:
    """The parts of a file that have a name, in the order of their lines."""
    file = state.file(path)
    if file is None:
        return []
    found = [
        Symbol(function.name, "function", function.line, _end_of(file, function.line))
        for function in file.names.functions
    ]
    documents = file.documents
    ends = _Ends(file)
    for number, document in enumerate(documents):
        after = ends.of(document, documents[number + 1].line - 1 if number + 1 < len(documents) else len(file.lines))
        name = document_name(document) or f"document {number + 1}"
        if file.kind == OPS and type(document.value) is Array:
            found += _operations(document.value, after, ends)
        elif document.value is not None:
            inner = list(_inner(document.value, after, 0, ends))
            found.append(Symbol(name, "document", max(document.line, 1), after, inner=inner))
    return sorted(found, key=lambda symbol: symbol.line)


def folds(state: State, path: str) -> list[tuple[int, int]]:
    """The first and the last line of each part that can be folded, in order; each first line once."""
    found: dict[int, int] = {}
    todo = [*symbols(state, path)]
    while todo:
        one = todo.pop()
        if one.last > one.line:
            found[one.line] = max(one.last, found.get(one.line, 0))
        todo += one.inner
    return sorted(found.items())


class _Ends:
    """The last lines of nodes, without comments and annotations behind them."""

    def __init__(self, file: File) -> None:
        self._ends: dict[tuple[type, int], int] = {}
        try:
            documents = read(Source(file.path, file.source.text), merge_lists=False)
        except PlaitError:  # of a broken file the next node is all that is known
            return
        spans = Spans(documents)
        text = file.source.text
        for item in (*spans.nodes, *documents.items):
            span = spans.item(item)
            if span is not None:
                last = spans.place(span.start)[0] + text[span.start : span.end].rstrip().count("\n")
                key = type(item), item.line
                self._ends[key] = max(last, self._ends.get(key, 0))

    def of(self, item: Item, before: int) -> int:
        """The last line of a node. before: the last line before the next one."""
        return min(self._ends.get((type(item), item.line), before), before)


def _end_of(file: File, line: int) -> int:
    """The line of the `end` of a function."""
    depth = 0
    for number in range(line, len(file.lines) + 1):
        code = file.line(number).strip().removeprefix("#@").strip()
        if code.endswith(":") and code.partition(" ")[0] in {"def", "if", "for", "while"}:
            depth += 1
        elif code == "end":
            depth -= 1
            if depth <= 0:
                return number
    return line


def _operations(operations: Array, last: int, ends: _Ends) -> Iterator[Symbol]:
    for number, item in enumerate(operations.items):
        after = ends.of(item, operations.items[number + 1].line - 1 if number + 1 < len(operations.items) else last)
        path, kind = _text(item.value, "path"), _text(item.value, "type")
        yield Symbol(path or f"operation {number}", "operation", item.line, after, detail=kind)


def _text(value: Value, key: str) -> str:
    item = value.find(key) if type(value) is Map else None
    return item.value if item is not None and type(item.value) is str else ""


def _inner(value: Value, last: int, depth: int, ends: _Ends) -> Iterator[Symbol]:
    if depth >= _DEEPEST or (type(value) is not Map and type(value) is not Array):
        return
    items: Sequence[Item] = value.items
    for number, item in enumerate(items):
        after = max(ends.of(item, items[number + 1].line - 1 if number + 1 < len(items) else last), item.line)
        if type(item) is MapItem:
            inner = [*_inner(item.value, after, depth + 1, ends)]
            yield Symbol(str(item.key), "key", item.line, after, inner=inner)
        else:
            name = _text(item.value, "name")
            inner = [*_inner(item.value, after, depth + 1, ends)]
            yield Symbol(name or f"[{number}]", "item", item.line, after, inner=inner)
