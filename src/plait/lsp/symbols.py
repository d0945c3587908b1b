"""The outline of a file: documents by kind and name, keys, functions, operations by path."""

from __future__ import annotations

from plait.analysis.files import OPS
from plait.lsp.answers import Symbol
from plait.naming import document_name
from plait.nodes import Array, Map, MapItem

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
    for number, document in enumerate(documents):
        after = documents[number + 1].line - 1 if number + 1 < len(documents) else len(file.lines)
        name = document_name(document) or f"document {number + 1}"
        if file.kind == OPS and type(document.value) is Array:
            found += _operations(document.value, after)
        elif document.value is not None:
            inner = list(_inner(document.value, after, 0))
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


def _operations(operations: Array, last: int) -> Iterator[Symbol]:
    for number, item in enumerate(operations.items):
        after = operations.items[number + 1].line - 1 if number + 1 < len(operations.items) else last
        path, kind = _text(item.value, "path"), _text(item.value, "type")
        yield Symbol(path or f"operation {number}", "operation", item.line, after, detail=kind)


def _text(value: Value, key: str) -> str:
    item = value.find(key) if type(value) is Map else None
    return item.value if item is not None and type(item.value) is str else ""


def _inner(value: Value, last: int, depth: int) -> Iterator[Symbol]:
    if depth >= _DEEPEST or (type(value) is not Map and type(value) is not Array):
        return
    items: Sequence[Item] = value.items
    for number, item in enumerate(items):
        after = max(items[number + 1].line - 1 if number + 1 < len(items) else last, item.line)
        if type(item) is MapItem:
            yield Symbol(str(item.key), "key", item.line, after, inner=list(_inner(item.value, after, depth + 1)))
        else:
            name = _text(item.value, "name")
            yield Symbol(
                name or f"[{number}]", "item", item.line, after, inner=list(_inner(item.value, after, depth + 1))
            )
