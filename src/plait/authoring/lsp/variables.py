"""Operations variables in the editor: uses of `((name))`, and the sources of values."""

from __future__ import annotations

import os
import re

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp.features import CompletionItem, FileRange
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.registry import TrackedRun
    from plait.authoring.lsp.state import ServerState
    from plait.authoring.project.run import Run

_USE = re.compile(r"\(\(!?([\w./-]+?)\)\)")
_BEGUN = re.compile(r"\(\(!?([\w./-]*)$")
_FLAG_NAME = re.compile(r"^([\w./-]+)=")
# Settings with files of variables, in which each key is a name.
_FILES = frozenset({"vars-files", "vars-store"})


def name_at(file: File, line: int, column: int) -> tuple[str, FileRange] | None:
    """The variable used at a position, without the part after a dot, and the span of its name."""
    for found in _USE.finditer(file.line(line)):
        if found.start() + 1 <= column <= found.end() + 1:
            return _root(found[1]), _span(file.path, line, found)
    return None


def variable_at_line(state: ServerState, file: File, line: int) -> str | None:
    """The variable that a line sets: in a file of variables, or in the project file."""
    for watched in state.runs_of(file.path):
        for name, span in given(state, watched.run):
            if span.path == file.path and span.line == line:
                return name
    return None


def definitions(state: ServerState, path: str, name: str) -> list[FileRange]:
    """The positions that set a variable or declare it as generated."""
    spans = []
    for watched in state.runs_of(path):
        if watched.run.command == "patch":
            spans += [span for other, span in given(state, watched.run) if other == name]
            spans += [span for other, span in generated(state, watched.run) if other == name]
    return list(dict.fromkeys(spans))


def uses(state: ServerState, path: str, name: str) -> list[FileRange]:
    """The uses of a variable in the base and the operations of the runs that a file belongs to."""
    runs = [watched for watched in state.runs_of(path) if watched.run.command == "patch"]
    found = [span for watched in runs for other, span in used(state, watched) if other == name]
    return list(dict.fromkeys(found))


def used(state: ServerState, watched: TrackedRun) -> Iterator[tuple[str, FileRange]]:
    """The variables used in the base, the operations and other files of a run, with spans."""
    for file in _texts(state, watched.run, [] if watched.evaluation is None else [*watched.evaluation.view.files]):
        for line, text in enumerate(file.lines, 1):
            if "((" in text:
                yield from ((_root(one[1]), _span(file.path, line, one)) for one in _USE.finditer(text))


def suggestions(state: ServerState, file: File, before: str, column: int) -> Iterator[CompletionItem]:
    """Completion items for variables after `((`."""
    begun = _BEGUN.search(before)
    if begun is None:
        return
    seen: set[str] = set()
    for watched in state.runs_of(file.path):
        if watched.run.command == "patch":
            for name, span in (*given(state, watched.run), *generated(state, watched.run)):
                if name not in seen:
                    seen.add(name)
                    where = f"{os.path.basename(span.path)}:{span.line}"
                    yield CompletionItem(name, "variable", column - len(begun[1]), detail=where)


def _root(text: str) -> str:
    """The name of a variable, without the part after a dot."""
    return text.partition(".")[0]


def _span(path: str, line: int, found: re.Match[str]) -> FileRange:
    name = _root(found[1])
    return FileRange(path, line, found.start(1) + 1, found.start(1) + 1 + len(name))


def given(state: ServerState, run: Run, *, stores: bool = True) -> Iterator[tuple[str, FileRange]]:
    """The variables that a run sets, with spans: in the project file, in its flags, in files.

    stores: include those in variables stores.
    """
    for item in () if run.given is None else run.given.items:
        path = path_of(item.source)
        if path is not None:
            yield str(item.key), _key(state, path, item.line, str(item.key))
    for setting in run.settings:
        if setting.name in _FILES and (stores or setting.name != "vars-store"):
            for path in run.paths(setting):
                yield from _keys(state, path)
        elif setting.name in {"var", "var-file"}:
            for text, at in setting.texts():
                named = _FLAG_NAME.match(text)
                path = path_of(at.source)
                if named is not None and path is not None:
                    yield named[1], _key(state, path, at.line, named[1])


def generated(state: ServerState, run: Run) -> Iterator[tuple[str, FileRange]]:
    """The variables that the base declares as generated."""
    for file in _texts(state, run):
        for document in file.documents:
            top = document.value
            listed = top.find("variables") if type(top) is Map else None
            for item in listed.value.items if listed is not None and type(listed.value) is Array else ():
                name = item.value.find("name") if type(item.value) is Map else None
                if name is not None and type(name.value) is str:
                    yield name.value, _key(state, file.path, name.line, name.value)


def _keys(state: ServerState, path: str) -> Iterator[tuple[str, FileRange]]:
    file = state.file(path)
    for document in () if file is None else file.documents:
        for item in document.value.items if type(document.value) is Map else ():
            yield str(item.key), _key(state, path, item.line, str(item.key))


def _key(state: ServerState, path: str, line: int, name: str) -> FileRange:
    file = state.file(path)
    text = "" if file is None else file.line(line)
    found = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    start = 0 if found is None else found.start()
    return FileRange(path, line, start + 1, start + 1 + len(name))


def _texts(state: ServerState, run: Run, read: Sequence[str] = ()) -> Iterator[File]:
    """The base and the ops files of a run, and other files that it has read."""
    paths = {path for setting in run.settings if setting.name in {"base", "ops"} for path in run.paths(setting)}
    for path in sorted(paths.union(read)):
        file = state.file(path)
        if file is not None:
            yield file
