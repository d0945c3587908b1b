"""Definitions and references of names: functions, variables, loads, data values, operations, documents."""

from __future__ import annotations

import os

from plait.authoring.analysis.file_facts import LAYER, OPS, PLAIN, TEMPLATE, keys_of
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.analysis.symbols import DATA_VALUES, NameOccurrence, Symbols, items_by_keys, keys_in
from plait.authoring.lsp import claims, layering_navigation, variables
from plait.authoring.lsp.evaluation import descend
from plait.authoring.lsp.features import FileRange
from plait.authoring.lsp.value_origins import origin_lines
from plait.tree.nodes import MapItem
from plait.ytt.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.authoring.analysis.code import Occurrence
    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.tree.lookups import Instance


def loaded_file(state: ServerState, file: File, path: str) -> File | None:
    """The file that `load(path)` reads, in its current state; None for a module or a missing file."""
    for evaluation in state.evaluations(file.path):
        for (source, written), found in evaluation.lookups.loads.items():
            target = path_of(found)
            if written == path and target is not None and path_of(source) == file.path:
                return state.file(target)
    if path.startswith(("@", "/")):
        return None
    return state.file(os.path.normpath(os.path.join(os.path.dirname(file.path), path)))


def definition(state: ServerState, path: str, line: int, column: int) -> list[FileRange]:
    """The definitions of the name at a position."""
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
        return [] if there is None else [FileRange(there.path, 1, 1, 1)]
    return (
        _exported(state, file, line, column)
        or layering_navigation.sources(state, file, line)
        or _of_node(state, file, line, column)
        or _of_lookup(state, file, line, column)
    )


def _of_lookup(state: ServerState, file: File, line: int, column: int) -> list[FileRange]:
    """The declaration of the data value that runs look up by the key or string at a position."""
    is_text = any(one.line == line and one.column <= column <= one.end for one in file.names.texts)
    if not is_text and file.names.lookup_at(line, column) is None:
        return []
    symbols = Symbols(claims.runs_for(state, file.path, claims.budget()), state.file)
    found = symbols.at(file.path, line, column)
    if found is None or not symbols.is_value(found[1]):
        return []
    declared = []
    for site in sorted(symbols.sites(found[1])):
        other = state.file(site.path)
        if other is not None and site in keys_in(other).get((site.line, symbols.text(site)), ()):
            declared.append(FileRange(*site))
    return declared or [FileRange(*found[0])]


def data_value_at(file: File, line: int, column: int) -> list[str] | None:
    """The keys of the data value at a position: `data.values.a.b` in code, up to the part at the cursor; else None."""
    found = file.names.lookup_at(line, column)
    path = None if found is None else found.path
    return [*path[3:]] if path is not None and path[:3] == DATA_VALUES and len(path) > 3 else None


def _exported(state: ServerState, file: File, line: int, column: int) -> list[FileRange]:
    """The binding of a library's export, for a string that names it."""
    texts = [one for one in file.names.texts if one.line == line and one.column <= column <= one.end]
    for evaluation in state.evaluations(file.path) if texts else ():
        for (source, name), places in evaluation.lookups.exports.items():
            there = path_of(source)
            asked = {(path_of(asked), number) for asked, number in places}
            other = state.file(there) if there and name == texts[0] and (file.path, line) in asked else None
            for one in () if other is None else other.names.occurrences:
                if other is not None and one.name == name and one.is_binding and one.scope is other.names.program:
                    return [_span(other, one)]
    return []


def declared_keys(state: ServerState, evaluation: Evaluation, file: File, line: int) -> list[str] | None:
    """The keys of the data value that a line declares or sets; None for a line outside of data values."""
    if state.is_current(evaluation, file.path):
        found = evaluation.declared_at(file.path, line)
        return [*found[0][1]] if found else None
    way = file.ancestors_at(line)
    is_values = any(
        path_of(document.source) == file.path
        for one in evaluation.lookups.instances
        for document in (*one.schemas, *one.given)
    )
    return keys_of(way) if is_values and len(way) > 1 else None


def _of_name(state: ServerState, file: File, occurrence: Occurrence) -> list[FileRange]:
    binding = file.names.binding(occurrence)
    load = file.names.load_of(occurrence.name) if binding is not None and binding.scope is file.names.program else None
    if load is not None:
        there = loaded_file(state, file, load[0].path)
        if there is not None:
            for other in there.names.occurrences:
                if other.name == load[1] and other.is_binding and other.scope is there.names.program:
                    return [_span(there, other)]
    return [] if binding is None else [_span(file, binding)]


def _span(file: File, occurrence: Occurrence) -> FileRange:
    return FileRange(file.path, occurrence.line, occurrence.column, occurrence.end)


def _written(state: ServerState, path: str, keys: Sequence[str]) -> list[FileRange]:
    """The declarations and settings of a data value: its schema, then values files, in order."""
    spans: dict[tuple[str, int], FileRange] = {}
    for evaluation in state.evaluations(path):
        for instance in evaluation.instances(path):
            _add_written(state, evaluation, instance, keys, spans)
    return list(spans.values())


def _add_written(
    state: ServerState,
    evaluation: Evaluation,
    instance: Instance,
    keys: Sequence[str],
    spans: dict[tuple[str, int], FileRange],
) -> None:
    for document in (*instance.schemas, *instance.given):
        for item, those in items_by_keys(document.value):
            where = path_of(item.source) if those == tuple(keys) else None
            if where is not None:
                spans.setdefault((where, item.line), key_span(state, where, item.line, keys[-1]))
    place = descend(instance.values, keys)
    for at in () if place is None or not place.way else origin_lines(evaluation.trace, place.item):
        spans.setdefault(at, key_span(state, *at, keys[-1]))


def key_span(state: ServerState, path: str, line: int, key: str) -> FileRange:
    """The span of a key on a line, or of the whole line."""
    file = state.file(path)
    return FileRange(path, line, 1, 1) if file is None else FileRange(path, line, *file.key_on(line, key))


def _of_node(state: ServerState, file: File, line: int, column: int) -> list[FileRange]:
    """Go to definition: returns the lines that produced the values on this line, and for a data value its schema.

    On a declaration it returns the line itself, which makes editors list references.
    """
    spans: dict[tuple[str, int], FileRange] = {}
    for evaluation in state.evaluations(file.path):
        for place in evaluation.by_line.get((file.path, line), ()):
            for where in origin_lines(evaluation.trace, place.item):
                if where != (file.path, line):
                    key = place.way[-1].key if place.way and type(place.way[-1]) is MapItem else ""
                    spans.setdefault(where, key_span(state, *where, str(key)))
        if not spans and file.kind != OPS and state.is_current(evaluation, file.path):
            for instance, keys in evaluation.declared_at(file.path, line):
                _add_written(state, evaluation, instance, keys, spans)
            own = spans.pop((file.path, line), None)
            if own is not None:
                return list(spans.values()) or [own]
    return list(spans.values()) or [
        FileRange(*site)
        for (_, _), sites in keys_in(file).items()
        for site in sites
        if site.line == line and site.column <= column <= site.end
    ]


def references(state: ServerState, path: str, line: int, column: int) -> list[FileRange]:
    """All uses of the name at a position, and its definition."""
    file = state.file(path)
    if file is None:
        return []
    variable = variables.name_at(file, line, column)
    name = variables.variable_at_line(state, file, line) if variable is None else variable[0]
    if name is not None:
        return [*variables.definitions(state, path, name), *variables.uses(state, path, name)]
    if file.kind == LAYER:
        return layering_navigation.named(state, file, line, column) or layering_navigation.dependents(state, file, line)
    runs = [watched.good or watched.evaluation for watched in state.runs_of(path) if watched.reads(path)]
    symbols = Symbols([one for one in runs if one is not None], state.file)
    found = symbols.at(path, line, column) or symbols.at(path, line, file.text_on(line)[0])
    if found is None:
        return []
    order = _order(state, path, [] if symbols.is_value(found[1]) else definition(state, *found[0][:3]))
    return [FileRange(*site) for site in sorted(symbols.sites(found[1]), key=order)]


def _order(
    state: ServerState, path: str, first: Sequence[FileRange]
) -> Callable[[NameOccurrence], tuple[int, NameOccurrence]]:
    """The sort key of references: the definitions, then declarations of data values in merge order, then the rest."""
    order = {(span.path, span.line): number for number, span in enumerate(first)}
    for evaluation in state.evaluations(path):
        for instance in evaluation.lookups.instances:
            for document in (*instance.schemas, *instance.given):
                for item, _ in items_by_keys(document.value):
                    where = path_of(item.source)
                    if where is not None:
                        order.setdefault((where, item.line), len(order))
    return lambda site: (order.get((site.path, site.line), len(order)), site)


def project_files(state: ServerState, path: str) -> Iterator[File]:
    """The templates and programs of the runs that read a file, and the file itself."""
    paths = {path}
    for watched in state.runs_of(path):
        if watched.evaluation is not None and watched.reads(path):
            paths.update(watched.evaluation.view.files)
    for one in sorted(paths):
        file = state.cached(one)
        if file is not None and file.kind in (TEMPLATE, STARLARK):
            yield file
