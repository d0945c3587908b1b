"""The outline of a file: documents by kind and name, keys, functions, operations by path."""

from __future__ import annotations

from plait.authoring.analysis.file_facts import OPS
from plait.authoring.lsp.features import Symbol
from plait.tree.nodes import Array, Map, MapItem
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Item, Value

_DEEPEST = 6


def symbols(state: ServerState, path: str) -> list[Symbol]:
    """The named parts of a file, in the order of their lines."""
    file = state.file(path)
    if file is None:
        return []
    found = [
        Symbol(function.name, "function", function.line, _end_of(file, function.line))
        for function in file.names.functions
    ]
    for number, document in enumerate(file.documents):
        name = document_name(document) or f"document {number + 1}"
        if file.kind == OPS and type(document.value) is Array:
            found += _operations(file, document.value)
        elif document.value is not None:
            inner = list(_inner(file, document.value, 0))
            found.append(Symbol(name, "document", max(document.line, 1), file.last_line(document), inner=inner))
    return sorted(found, key=lambda symbol: symbol.line)


def folds(state: ServerState, path: str) -> list[tuple[int, int]]:
    """The first and the last line of each part that can be folded, in order, without duplicate first lines."""
    found: dict[int, int] = {}
    todo = [*symbols(state, path)]
    while todo:
        one = todo.pop()
        if one.last > one.line:
            found[one.line] = max(one.last, found.get(one.line, 0))
        todo += one.inner
    # A function that starts inside a node may end after it.
    out: list[list[int]] = []
    around: list[list[int]] = []
    for first, last in sorted(found.items()):
        while around and around[-1][1] < first:
            around.pop()
        for outer in around:
            outer[1] = max(outer[1], last)
        around.append([first, last])
        out.append(around[-1])
    return [(first, last) for first, last in out]


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


def _operations(file: File, operations: Array) -> Iterator[Symbol]:
    for number, item in enumerate(operations.items):
        path, kind = _text(item.value, "path"), _text(item.value, "type")
        yield Symbol(path or f"operation {number}", "operation", item.line, file.last_line(item), detail=kind)


def _text(value: Value, key: str) -> str:
    item = value.find(key) if type(value) is Map else None
    return item.value if item is not None and type(item.value) is str else ""


def _inner(file: File, value: Value, depth: int) -> Iterator[Symbol]:
    if depth >= _DEEPEST or (type(value) is not Map and type(value) is not Array):
        return
    items: Sequence[Item] = value.items
    for number, item in enumerate(items):
        name = str(item.key) if type(item) is MapItem else _text(item.value, "name") or f"[{number}]"
        kind = "key" if type(item) is MapItem else "item"
        yield Symbol(name, kind, item.line, file.last_line(item), inner=list(_inner(file, item.value, depth + 1)))


def selections(state: ServerState, path: str, line: int, column: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The values and items that enclose a position, innermost first: line and column of their starts and ends."""
    file = state.file(path)
    if file is None:
        return []
    spans, found = file.spans, [((1, 1), (len(file.lines), len(file.lines[-1]) + 1))]
    items: Sequence[Item] = file.documents
    while items:
        around: Item | None = None
        for item in items:
            parts = [part for part in (spans.item(item), spans.key(item), spans.value(item)) if part is not None]
            places = [(spans.place(part.start), spans.place(part.end)) for part in parts]
            inside = [one for one in places if one[0] <= (line, column) <= one[1]]
            if inside and inside[0] == places[0]:
                around = item
                for one in inside:
                    if one != found[-1]:
                        found.append(one)
                break
        value = None if around is None else around.value
        items = value.items if type(value) is Map or type(value) is Array else ()
    return found[::-1]
