"""Where a name is defined and used: functions, variables, loads, data values, operations, documents."""

from __future__ import annotations

import os

from plait.analysis.files import LAYER, OPS, PLAIN, TEMPLATE, keys_of
from plait.analysis.places import path_of
from plait.lsp import families, variables
from plait.lsp.answers import Span
from plait.lsp.behind import lines_behind
from plait.nodes import MapItem
from plait.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.analysis.code import Occurrence
    from plait.analysis.files import File
    from plait.lsp.state import State


# Flags whose values begin with the keys of a data value.
_KEYED = ("data-value", "data-value-yaml", "data-value-file")


def loaded_file(state: State, file: File, path: str) -> File | None:
    """The file that `load(path)` reads, as it is now; None for a module or what is not there."""
    if path.startswith("@"):
        return None
    if path.startswith("/"):
        for watched in state.runs_of(file.path):
            for directory in watched.run.directories():
                found = state.file(os.path.join(directory, path[1:]))
                if found is not None:
                    return found
        return None
    return state.file(os.path.normpath(os.path.join(os.path.dirname(file.path), path)))


def definition(state: State, path: str, line: int, column: int) -> list[Span]:
    """Where what stands at a place is defined."""
    file = state.file(path)
    if file is None:
        return []
    variable = variables.name_at(file, line, column)
    if variable is not None:
        return variables.definitions(state, path, variable[0])
    keys = data_value_at(file, line, column)
    if keys is not None:
        return _written(state, path, keys)
    one = file.names.at(line, column) if file.kind != PLAIN else None
    if one is not None and one.scope is not None:
        return _of_name(state, file, one)
    load = next((load for load in file.names.loads if load.line == line), None)
    if load is not None:
        there = loaded_file(state, file, load.path)
        return [] if there is None else [Span(there.path, 1, 1, 1)]
    return families.sources(state, file, line) or _of_node(state, file, line)


def data_value_at(file: File, line: int, column: int) -> list[str] | None:
    """The keys of the data value at a place: `data.values.a.b` in code, up to the part at the cursor."""
    found = file.names.chain_at(line, column)
    if found is None:
        return None
    chain, index = found
    load = file.names.load_of(chain.names[0])
    if load is None or load[0].path != "@ytt:data" or chain.names[1:2] != ["values"] or index < 2:
        return None
    return chain.names[2 : index + 1]


def _of_name(state: State, file: File, one: Occurrence) -> list[Span]:
    binding = file.names.binding(one)
    load = file.names.load_of(one.name) if binding is not None and binding.scope is file.names.program else None
    if load is not None:
        there = loaded_file(state, file, load[0].path)
        if there is not None:
            for other in there.names.occurrences:
                if other.name == load[1] and other.is_binding and other.scope is there.names.program:
                    return [_span(there, other)]
    return [] if binding is None else [_span(file, binding)]


def _span(file: File, one: Occurrence) -> Span:
    return Span(file.path, one.line, one.column, one.end)


def _written(state: State, path: str, keys: Sequence[str]) -> list[Span]:
    """Where a data value is written: its schema, then values files, in the order in which they were laid over each other."""
    spans: dict[tuple[str, int], Span] = {}
    for evaluation in state.evaluations(path):
        place = evaluation.value(keys)
        for where in [] if place is None else lines_behind(evaluation.trace, place.item):
            spans.setdefault(where, key_span(state, *where, keys[-1]))
    return list(spans.values())


def key_span(state: State, path: str, line: int, key: str) -> Span:
    """A key on a line, or the line."""
    file = state.file(path)
    text = "" if file is None else file.line(line)
    place = text.find(key)
    if place < 0:
        return Span(path, line, len(text) - len(text.lstrip()) + 1, len(text) + 1)
    return Span(path, line, place + 1, place + 1 + len(key))


def _of_node(state: State, file: File, line: int) -> list[Span]:
    """What a line changes: the lines behind the values that it has set, but for itself; of a data value, its schema."""
    spans: dict[tuple[str, int], Span] = {}
    for evaluation in state.evaluations(file.path):
        for place in evaluation.by_line.get((file.path, line), ()):
            for where in lines_behind(evaluation.trace, place.item):
                if where != (file.path, line):
                    key = place.way[-1].key if place.way and type(place.way[-1]) is MapItem else ""
                    spans.setdefault(where, key_span(state, *where, str(key)))
        keys = keys_of(file.way_to(line))
        if not spans and keys and file.kind != OPS and evaluation.value(keys) is not None:
            return [span for span in _written(state, file.path, keys) if (span.path, span.line) != (file.path, line)]
    return list(spans.values())


def references(state: State, path: str, line: int, column: int) -> list[Span]:
    """Every use of what stands at a place, with where it is defined."""
    file = state.file(path)
    if file is None:
        return []
    variable = variables.name_at(file, line, column)
    name = variables.given_at(state, file, line) if variable is None else variable[0]
    if name is not None:
        return [*variables.definitions(state, path, name), *variables.uses(state, path, name)]
    if file.kind == LAYER:
        return families.named(state, file, line, column) or families.dependents(state, file, line)
    keys = data_value_at(file, line, column)
    if keys is None and file.names.at(line, column) is None and file.kind in (PLAIN, TEMPLATE):
        way = file.way_to(line)
        keys = (
            keys_of(way) if any(one.value(keys_of(way)) for one in state.evaluations(path)) and len(way) > 1 else None
        )
    if keys is not None:
        return list(_uses_of_value(state, path, keys))
    one = file.names.at(line, column)
    if one is None or one.scope is None:
        return []
    return list(_uses_of_name(state, file, one))


def _uses_of_value(state: State, path: str, keys: Sequence[str]) -> Iterator[Span]:
    yield from _written(state, path, keys)
    yield from _in_flags(state, path, keys)
    for other in project_files(state, path):
        for chain in other.names.chains:
            load = other.names.load_of(chain.names[0])
            if load is None or load[0].path != "@ytt:data" or chain.names[1 : 2 + len(keys)] != ["values", *keys]:
                continue
            name, line, column = chain.parts[1 + len(keys)]
            yield Span(other.path, line, column, column + len(name))


def _in_flags(state: State, path: str, keys: Sequence[str]) -> Iterator[Span]:
    """A data value in the flags that a project file has for it, such as `data-value: [app.name=x]`."""
    name = ".".join(keys)
    for watched in state.runs_of(path):
        for setting in watched.run.settings:
            if setting.flag is None or setting.flag.name not in _KEYED:
                continue
            for text, at in setting.texts():
                key = text.partition("=")[0]
                project = path_of(at.source)
                file = None if project is None else state.file(project)
                if file is None or not (key == name or key.startswith(f"{name}.")):
                    continue
                place = file.line(at.line).find(key)
                if place >= 0:
                    start = place + len(name) - len(keys[-1]) + 1
                    yield Span(file.path, at.line, start, start + len(keys[-1]))


def _uses_of_name(state: State, file: File, one: Occurrence) -> Iterator[Span]:
    """A name in its file; if it is at the top of it, also in the files that load it, or in the one it is loaded from."""
    home, name = file, one.name
    if one.scope is file.names.program:
        load = file.names.load_of(one.name)
        there = None if load is None else loaded_file(state, file, load[0].path)
        if load is not None and there is not None:
            home, name = there, load[1]
    first = next((other for other in home.names.occurrences if other.name == name and other.is_binding), None)
    if home is file or first is None:
        first = one
        home = file
    yield from (_span(home, other) for other in home.names.same(first))
    if first.scope is not home.names.program:
        return
    for other in project_files(state, file.path):
        if other.path == home.path:
            continue
        for one_load in other.names.loads:
            target = loaded_file(state, other, one_load.path)
            if target is None or target.path != home.path:
                continue
            for here, original, _ in one_load.names:
                if original == name and here != original:
                    yield from _quoted(other, one_load.line, original)
                elif original == name:
                    bound = [o for o in other.names.occurrences if o.name == here and o.scope is other.names.program]
                    yield from (_span(other, found) for found in bound)


def _quoted(file: File, line: int, name: str) -> Iterator[Span]:
    """A name in quotes, in a `load` statement that begins on a line."""
    for number in range(line, min(line + 20, len(file.lines)) + 1):
        for quote in "\"'":
            place = file.line(number).find(f"{quote}{name}{quote}")
            if place >= 0:
                yield Span(file.path, number, place + 2, place + 2 + len(name))
                return


def project_files(state: State, path: str) -> Iterator[File]:
    """The templates and programs that runs read which read a file, and the file itself."""
    paths = {path}
    for watched in state.runs_of(path):
        if watched.evaluation is not None and watched.reads(path):
            paths.update(watched.evaluation.view.files)
    for one in sorted(paths):
        file = state.file(one)
        if file is not None and file.kind in (TEMPLATE, STARLARK):
            yield file
