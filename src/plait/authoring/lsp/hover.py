"""Hover texts: the final value and its origin, signatures, types, descriptions."""

from __future__ import annotations

import os

from plait.authoring.analysis.code import ITEM
from plait.authoring.analysis.file_facts import OPS, PROJECT
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp import navigation, projectfile, reference, resource_schemas, variables
from plait.authoring.lsp.features import Hover, SourceLine
from plait.authoring.lsp.markdown import block, code, plain
from plait.authoring.lsp.schemas import declared
from plait.insight.explain import Explainer
from plait.insight.history_text import shown, to_text
from plait.insight.value_source import value_source
from plait.tree.nodes import Array, Map
from plait.tree.secrets import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.insight.explain import History
    from plait.insight.node_paths import NodePath

_MOST_PLACES = 3
_MOST_LINES = 12


def hover(state: ServerState, path: str, line: int, column: int) -> Hover | None:
    """The hover text at a position, or None."""
    file = state.file(path)
    if file is None:
        return None
    # A consistent set, because another evaluation may end meanwhile.
    evaluations = [*state.evaluations(path)]
    sources: dict[SourceLine, None] = {}
    parts = [*_of_variable(state, file, line, column)] or [*_of_code(state, file, line, column, evaluations, sources)]
    if file.kind == PROJECT:
        text = projectfile.hover(file, line, column)
        parts += [] if text is None else [text]
    annotation = reference.annotation_at(file, line, column)
    if annotation is not None:
        parts.append(annotation)
    if not parts or file.kind == OPS:
        parts += _of_values(state, file, line, evaluations, sources)
    return Hover("\n\n---\n\n".join(parts), [*sources]) if parts else None


def _of_variable(state: ServerState, file: File, line: int, column: int) -> Iterator[str]:
    """The definitions of a variable of operations."""
    found = variables.name_at(file, line, column)
    if found is None:
        return
    places = [
        f"{os.path.basename(span.path)}:{span.line}" for span in variables.definitions(state, file.path, found[0])
    ]
    if places:
        yield f"{code(f'(({found[0]}))')} gets its value in {', '.join(map(plain, places))}"
    elif any(one.run.command == "patch" for one in state.runs_of(file.path)):
        yield f"nothing sets {code(f'(({found[0]}))')}"


def _of_code(
    state: ServerState,
    file: File,
    line: int,
    column: int,
    evaluations: Sequence[Evaluation],
    sources: dict[SourceLine, None],
) -> Iterator[str]:
    """The hover text for a name in code: a data value, a member of a module, or a function."""
    keys = navigation.data_value_at(file, line, column)
    if keys is not None:
        if ITEM not in keys:  # items of a list have their own values
            yield from _data_value(state, file.path, keys, evaluations, sources)
        return
    found = file.names.chain_at(line, column)
    if found is not None:
        chain, index = found
        load = file.names.load_of(chain.names[0])
        if load is not None and load[0].path.startswith("@ytt:") and index == 1:
            text = reference.member(load[0].path[5:], chain.names[1])
            if text:
                yield text
                return
        if index:
            return
    one = file.names.at(line, column)
    if one is None:
        return
    if one.scope is None:
        text = reference.universal(one.name)
        if text:
            yield text
        return
    function = file.names.function(one.name)
    load = file.names.load_of(one.name)
    if function is not None:
        yield reference.signature(function, file.source)
    elif load is not None:
        there = navigation.loaded_file(state, file, load[0].path)
        other = None if there is None else there.names.function(load[1])
        if there is not None and other is not None:
            yield reference.signature(other, there.source)
        else:
            yield f"{code(load[1])} of {code(load[0].path)}"


def _data_value(
    state: ServerState,
    path: str,
    keys: Sequence[str],
    evaluations: Sequence[Evaluation],
    sources: dict[SourceLine, None],
) -> Iterator[str]:
    """A data value in each evaluation: its value and its origin."""
    seen: set[str] = set()
    for evaluation in evaluations:
        for instance, place in evaluation.values(path, keys):
            history = Explainer(evaluation.trace).history(place)
            name = "data.values." + ".".join(keys)
            value = _value(place, secret=history.secret)
            said = declared(state, evaluation, keys, path)
            where = f"run {plain(evaluation.run.name)}" + (
                f", library {plain(instance.library)}" if instance.library else ""
            )
            parts = [f"{code(name)}: {value} *({where})*", "" if said is None else said.text()]
            text = "\n\n".join([*filter(None, parts), _table(to_text(history), evaluation)])
            if text not in seen and len(seen) < _MOST_PLACES:  # a run may evaluate a library several times
                seen.add(text)
                _note_source(sources, history, evaluation)
                yield text


def _of_values(
    state: ServerState, file: File, line: int, evaluations: Sequence[Evaluation], sources: dict[SourceLine, None]
) -> Iterator[str]:
    """The output values that a line has set, with their histories, or the data value that it sets."""
    for evaluation in evaluations:
        places = evaluation.by_line.get((file.path, line), ())
        scalars = [place for place in places if type(place.value) is not Map and type(place.value) is not Array]
        for place in (scalars or places)[:_MOST_PLACES]:
            yield _history(evaluation, place, sources)
        if len(scalars or places) > _MOST_PLACES:
            yield f"and {len(scalars or places) - _MOST_PLACES} more values"
        if not places:
            keys = navigation.declared_keys(state, evaluation, file, line)
            if keys and ITEM not in keys and evaluation.value(file.path, keys) is not None:
                yield from _data_value(state, file.path, keys, evaluations, sources)
                return


def _history(evaluation: Evaluation, node_path: NodePath, sources: dict[SourceLine, None]) -> str:
    history = Explainer(evaluation.trace).history(node_path)
    _note_source(sources, history, evaluation)
    value = _value(node_path, secret=history.secret)
    said = resource_schemas.described(evaluation, node_path)
    about = "" if said is None else f"{plain(said)}\n\n"
    return f"{code(evaluation.name_of(node_path))}: {value} *(run {plain(evaluation.run.name)})*\n\n{about}{_table(to_text(history), evaluation)}"


def _note_source(sources: dict[SourceLine, None], history: History, evaluation: Evaluation) -> None:
    """Adds the line that sets a value."""
    entry = value_source(history)
    path = None if entry is None else path_of(entry.source)
    if entry is not None and path is not None:
        content = evaluation.view.files.get(path)
        sources[SourceLine(path, entry.line, evaluation.run.directory, content)] = None


def _table(text: str, evaluation: Evaluation) -> str:
    """A history without its first line. Files are named relative to the directory of the run."""
    lines = text.replace(os.path.join(evaluation.run.directory, ""), "").rstrip("\n").split("\n")[1:]
    if len(lines) > _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"  ... {len(lines) - _MOST_LINES} more"]
    return block("\n".join(line[2:] for line in lines))


def _value(node_path: NodePath, *, secret: bool) -> str:
    text = HIDDEN if secret else shown(node_path.value)
    return code(text)
