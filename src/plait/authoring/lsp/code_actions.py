"""Code actions: fixes of diagnostics, and refactorings."""

from __future__ import annotations

import os
import re

from plait.authoring.analysis.file_facts import OPS, TEMPLATE, keys_of
from plait.authoring.lint.codes import CODES
from plait.authoring.lint.mending import UNSAFE, Mending, at_top
from plait.authoring.lsp import claims, diagnostics
from plait.authoring.lsp.evaluation import descend
from plait.authoring.lsp.features import FileEdit, FileRange, Fix
from plait.authoring.lsp.linting import fix_of
from plait.authoring.lsp.navigation import project_files
from plait.tree.nodes import Array, Map, MapItem
from plait.yaml.lossless.nodes import PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.features import EditorDiagnostic
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Document, Item, Value
    from plait.yaml.comments import Comment

_TOKEN = re.compile(r"/([^/\s\"']+)")
_NO_NAME = re.compile(r"\W+")
# Extensions of files for `load`.
_LOADABLE = (".star", ".lib.yml", ".lib.txt")
_SCHEMA = "#@data/values-schema"


def fixes(state: ServerState, path: str, first: int, last: int) -> Iterator[tuple[EditorDiagnostic, Fix]]:
    """The fixes for problems on some lines, each verified."""
    limit = claims.budget(claims.SECONDS_OF_FIXES)
    for problem in diagnostics.problems(state, path):
        if first <= problem.span.line <= last:
            found = (*problem.fixes, *_loads(state, path, problem))
            for fix in claims.verified(
                state, path, found, limit, keeps=problem.found is None and problem.code in CODES
            ):
                yield problem, fix


def _loads(state: ServerState, path: str, problem: EditorDiagnostic) -> Iterator[Fix]:
    """Fixes for an undefined name: a `load` from another file."""
    file = state.file(path)
    if file is None or problem.found is None or problem.found.code != "undefined-name":
        return
    name = problem.found.word
    for other in project_files(state, path):
        if other.names.function(name) is None or other.path == path or not other.path.endswith(_LOADABLE):
            continue
        there = os.path.relpath(other.path, os.path.dirname(path)).replace(os.sep, "/")
        if not there.startswith(".."):
            load = f'load("{there}", "{name}")'
            yield fix_of(file, Mending(f"Add {load}", [at_top(file, load)], UNSAFE))


def changes(state: ServerState, path: str, line: int, column: int) -> Iterator[Fix]:
    """The refactorings of a line, each verified."""
    file = state.file(path)
    if file is not None:
        found = [*_changes(state, file, line, column)]
        yield from claims.verified(state, path, found, claims.budget(claims.SECONDS_OF_FIXES), keeps=True)


def _changes(state: ServerState, file: File, line: int, column: int) -> Iterator[Fix]:
    if file.kind == OPS:
        yield from _optional(file, line, column)
    elif file.kind == TEMPLATE:
        yield from _comment(file, line)
        yield from _to_data_value(state, file, line)
    yield from _to_schema(state, file, line)


def _optional(file: File, line: int, column: int) -> Iterator[Fix]:
    """Refactoring: adds a question mark after the path token under the cursor."""
    way = file.ancestors_at(line, column)
    if len(way) < 2 or type(way[-1]) is not MapItem or way[-1].key != "path":
        return
    text, span = file.line(line), file.spans.value(way[-1])
    start, first = (0, 0) if span is None else file.spans.place(span.start)
    for token in _TOKEN.finditer(text, first - 1) if start == line else ():
        if token.start() + 1 <= column <= token.end() + 1 and "?" not in text[first : token.end()] and token[1] != "-":
            place = FileRange(file.path, line, token.end() + 1, token.end() + 1)
            yield Fix(f"Make {token[0]} and everything below it if it is missing: add ?", [FileEdit(place, "?")])


def _comment(file: File, line: int) -> Iterator[Fix]:
    for one in _comments(file):
        if one.line != line or not one.own_line or one.text[:1] in ("@", "!"):
            continue
        place = FileRange(file.path, line, one.column, one.column + 1)
        yield Fix("Convert to a template comment: #!", [FileEdit(place, "#!")])


# ---- data values


def _to_data_value(state: ServerState, file: File, line: int) -> Iterator[Fix]:
    """Refactoring: turns a literal into a data value, with the literal as default in the schema."""
    way = file.ancestors_at(line)
    item = way[-1] if len(way) > 1 else None
    if type(item) is not MapItem:
        return
    node = file.spans.node(item)
    around = None if node is None else file.spans.collection(way[-2])
    if node is None or around is None or around.in_brackets or node.properties or node.style not in (PLAIN, '"', "'"):
        return
    (first, start), last = file.spans.place(node.start), file.spans.place(node.end)
    declaration = _schema_of(state, file)
    if not (first == last[0] == item.line == line) or declaration is None or declaration[0] is file:
        return
    other, document = declaration
    there = {str(item.key) for item in document.value.items} if type(document.value) is Map else set()
    name = _free(_NO_NAME.sub("_", str(item.key)).strip("_") or "value", there)
    written = file.line(line)[start - 1 : last[1] - 1]
    edits = [FileEdit(FileRange(file.path, line, start, last[1]), f"#@ data.values.{name}")]
    edits.append(_below(other, document, [], f"{name}: {written}"))
    if not any(here == "data" and load.path == "@ytt:data" for load in file.names.loads for here, _, _ in load.names):
        edits.append(FileEdit(FileRange(file.path, 1, 1, 1), '#@ load("@ytt:data", "data")\n'))
    yield Fix(f"Convert to the data value {name}", edits)


def _free(name: str, there: set[str]) -> str:
    if name[0].isdigit():
        name = f"_{name}"
    free, number = name, 2
    while free in there:
        free, number = f"{name}_{number}", number + 1
    return free


def _to_schema(state: ServerState, file: File, line: int) -> Iterator[Fix]:
    """Refactoring: declares a key of data values in the schema."""
    way = file.ancestors_at(line)
    # The outermost item on the line; others may be inside its braces.
    while len(way) > 2 and way[-2].line == line and type(way[-2]) is MapItem:
        way.pop()
    declaration = _schema_of(state, file)
    if len(way) < 2 or way[-1].line != line or declaration is None or declaration[0] is file:
        return
    if not all(type(item) is MapItem for item in way[1:]):
        return
    is_values = any(one.run.is_values_file(file.path) for one in state.runs_of(file.path)) or (
        file.kind == TEMPLATE and "#@data/values" in file.source.text
    )
    keys = keys_of(way)
    other, document = declaration
    around = descend(document, keys[:-1])
    if not is_values or around is None or type(around.value) is not Map or around.value.find(keys[-1]) is not None:
        return
    indent = _column(file, way[-1])
    last = _end(file, way[-1])
    value = way[-1].value
    if type(value) is Array and len(value.items) > 1 and value.items[1].line > value.items[0].line:
        # A schema has one item, which declares the type of all items.
        last, value = value.items[1].line - 1, value.with_items(value.items[:1])
    if not _is_typed(value):
        return
    lines = [text[indent:] for text in file.lines[line - 1 : last]]
    yield Fix(f"Add {keys[-1]} to the schema", [_below(other, document, keys[:-1], "\n".join(lines).rstrip())])


def _is_typed(value: Value) -> bool:
    """True if every value implies its type, so that it can be a schema's default."""
    if type(value) is Map:
        return all(_is_typed(item.value) for item in value.items)
    if type(value) is Array:
        return len(value.items) == 1 and _is_typed(value.items[0].value)
    return value is not None


def _end(file: File, item: Item) -> int:
    """The last line of an item, including deeper comments and code below it."""
    last = end = file.last_line(item)
    deeper = {one.line for one in _comments(file) if one.own_line and one.column - 1 > _column(file, item)}
    for number in range(last + 1, len(file.lines) + 1):
        if number in deeper:
            end = number
        elif file.line(number).strip():
            break
    return end


def _column(file: File, item: Item) -> int:
    """The column of an item, from 0."""
    span = file.spans.item(item)
    return 0 if span is None else file.spans.place(span.start)[1] - 1


def _comments(file: File) -> Sequence[Comment]:
    comments = None if file.recovered.file is None else file.recovered.file.comments
    return () if comments is None else comments.all


def _schema_of(state: ServerState, file: File) -> tuple[File, Document] | None:
    """The first document that declares data values in the runs that read a file."""
    for evaluation in state.evaluations(file.path):
        for path in evaluation.view.files:
            other = state.file(path)
            comments = None if other is None or other.recovered.file is None else other.recovered.file.comments
            if other is None or comments is None or _SCHEMA not in other.source.text:
                continue
            for document in other.documents:
                if any(one.text.startswith("@data/values-schema") for one in comments.at(document)):
                    return other, document
    return None


def _below(file: File, document: Document, keys: Sequence[str], text: str) -> FileEdit:
    """An edit that inserts lines at the end of a map of a document."""
    place = descend(document, keys)
    value = None if place is None else place.value
    items = value.items if type(value) is Map else []
    if items:
        last, indent = _end(file, items[-1]), _column(file, items[-1])
    else:
        last, indent = max(document.line, 1), 0
    spaces = " " * indent
    lines = "\n".join(f"{spaces}{one}" if one else one for one in text.split("\n"))
    if last >= len(file.lines):
        end = len(file.lines[-1]) + 1
        return FileEdit(FileRange(file.path, len(file.lines), end, end), f"\n{lines}\n")
    return FileEdit(FileRange(file.path, last + 1, 1, 1), f"{lines}\n")
