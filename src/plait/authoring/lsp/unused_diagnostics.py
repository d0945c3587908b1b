"""Finds unused names, functions, data values, variables, overlays without a match, and variables without a value.

If a use could be hidden (a name in a string, `data.values` passed as a whole, an invalid file), nothing is reported.
"""

from __future__ import annotations

import re
from functools import lru_cache

from plait.authoring.analysis.data_value_uses import SCHEMA, declared, unused_values, uses_in
from plait.authoring.analysis.file_facts import LAYER, OPS, PROJECT, TEMPLATE
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.analysis.unused_names import LOAD, unused_names
from plait.authoring.lsp import variables
from plait.authoring.lsp.features import EditorDiagnostic, FileEdit, FileRange, Fix
from plait.authoring.lsp.navigation import project_files
from plait.base.codes import number_of
from plait.base.similar_names import nearest
from plait.insight.why_not import nearest_miss
from plait.ytt.templates.recovery import STARLARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Document, Item

UNUSED, WARNING, NOTE = "unused", "warning", "note"

_MENTIONED = re.compile(r"\.values((?:\.\w+)*)")
# Actions that have no effect without a match. A merge would insert the item.
_ACTIONS = ("overlay/remove", "overlay/replace", "overlay/assert", "overlay/insert")


def unused(state: ServerState, file: File) -> Iterator[EditorDiagnostic]:
    """All unused parts of a file."""
    if file.recovered.cut:
        return
    if file.kind in (TEMPLATE, STARLARK):
        yield from _names(file)
        yield from _functions(state, file)
        yield from _overlays(state, file)
    yield from _values(state, file)
    if file.kind != LAYER:
        yield from _variables(state, file)


# ---- names


def _names(file: File) -> Iterator[EditorDiagnostic]:
    """Loads that are never used, and local names that are never read."""
    for one, code in _unused_names(file):
        span = FileRange(file.path, one.line, one.column, one.end)
        what = "is loaded but never used" if code == LOAD else "is never used"
        yield EditorDiagnostic(span, UNUSED, f"{one.name} {what}", number_of(code))


def _functions(state: ServerState, file: File) -> Iterator[EditorDiagnostic]:
    """Functions at the top level whose name occurs nowhere else in this file, or in files that a run reads with it."""
    names = file.names
    own = [
        one
        for one in names.occurrences
        if one.is_binding
        and one.scope is names.program
        and names.function(one.name) is not None
        and len(names.same(one)) == 1
    ]
    if not own or not _is_known(state, file):
        return
    others = [other for other in _read_with(state, file) if other.path != file.path]
    for one in own:
        word = re.compile(rf"\b{re.escape(one.name)}\b")
        if len(word.findall(file.source.text)) == 1 and not any(word.search(other.source.text) for other in others):
            span = FileRange(file.path, one.line, one.column, one.end)
            yield EditorDiagnostic(span, UNUSED, f"nothing calls {one.name}", number_of("dead-function"))


def _is_known(state: ServerState, file: File) -> bool:
    """True if the runs that read a file could evaluate its current text."""
    found = [one for one in state.runs_of(file.path) if one.reads(file.path)]
    return bool(found) and all(
        one.good is not None and one.good is one.evaluation and state.is_current(one.good, file.path) for one in found
    )


def _read_with(state: ServerState, file: File) -> Iterator[File]:
    """All files of the runs that read a file."""
    for path in {path for one in state.evaluations(file.path) for path in one.view.files}:
        other = state.cached(path)
        if other is not None:
            yield other


# ---- data values


def _values(state: ServerState, file: File) -> Iterator[EditorDiagnostic]:
    """Data values of a schema that no template reads; without a schema, those of a values file."""
    documents = [*declared(file)] if file.kind == TEMPLATE else []
    has_schema = any(kind == SCHEMA for kind, _ in documents)
    if not documents or not _is_known(state, file):
        return
    if not has_schema and any(SCHEMA in other.source.text for other in _read_with(state, file)):
        return
    used = uses_of_values(state, file.path)
    if used is None:
        return
    # The parser does not see names in strings that are templates.
    used += [keys for other in _read_with(state, file) for keys in _mentioned(other.source.text)]
    own = [document for _, document in documents if not _is_for_library(file, document)]
    for keys, item in sorted(unused_values(own, used), key=lambda one: one[1].line):
        text = file.line(item.line)
        start = max(text.find(str(item.key)), 0)
        span = FileRange(file.path, item.line, start + 1, start + 1 + len(str(item.key)))
        yield EditorDiagnostic(span, UNUSED, f"no template of a run reads {'.'.join(keys)}", number_of("dead-value"))


def _is_for_library(file: File, document: Document) -> bool:
    comments = None if file.recovered.file is None else file.recovered.file.comments
    return comments is not None and any(one.text.startswith("@library/ref") for one in comments.at(document))


def uses_of_values(state: ServerState, path: str) -> list[tuple[str, ...]] | None:
    """The keys after `data.values` in the files of the runs that read a file; None if a file is invalid."""
    found: list[tuple[str, ...]] = []
    for other in project_files(state, path):
        if other.recovered.cut:
            return None
        found += uses_in(other)
    return found


def _mentioned(text: str) -> Iterator[tuple[str, ...]]:
    for found in _MENTIONED.finditer(text) if "(@" in text else ():
        yield tuple(found[1].split(".")[1:])


# ---- overlays


def _overlays(state: ServerState, file: File) -> Iterator[EditorDiagnostic]:
    """Overlay items that may match nothing, and match nothing in any run."""
    if "#@overlay/" not in file.source.text or not _is_known(state, file):
        return
    found: dict[int, tuple[Evaluation, Item, list[Item]]] = {}
    done: set[int] = set()
    for evaluation in state.evaluations(file.path):
        unmatched = {
            item.line: (evaluation, item, candidates)
            for item, candidates in evaluation.trace.unmatched
            if path_of(item.source) == file.path and any(name in (item.annotations or {}) for name in _ACTIONS)
        }
        did = {
            one.line
            for change in evaluation.trace.removals.values()
            for one in (change, *change.because)
            if path_of(getattr(one, "source", None)) == file.path and hasattr(one, "line")
        }
        done |= {line for line in unmatched if line in did or (file.path, line) in evaluation.by_line}
        found |= unmatched
    for line, (evaluation, item, candidates) in sorted(found.items()):
        if line not in done:
            miss = nearest_miss(item, candidates, evaluation.names)
            message = "matches nothing" + ("" if miss is None else f"\nnearest: {miss}")
            span = FileRange(file.path, line, *file.text_on(line))
            yield EditorDiagnostic(span, UNUSED, message, number_of("dead-overlay"))


# ---- variables of operations


def _variables(state: ServerState, file: File) -> Iterator[EditorDiagnostic]:
    """Variables with a value that are not used, and used ones without a value."""
    runs = [one for one in state.runs_of(file.path) if one.run.command == "patch"]
    if not runs or any(one.good is None or one.good is not one.evaluation for one in runs):
        return
    used: set[str] = set()
    for one in runs:
        used |= {name for name, _ in variables.used(state, one)}
    seen: set[FileRange] = set()
    for one in runs:
        for name, span in variables.given(state, one.run, stores=False):
            if span.path == file.path and name not in used and span not in seen:
                seen.add(span)
                yield EditorDiagnostic(span, UNUSED, f"(({name})) is not used", number_of("dead-variable"))
    if file.kind == PROJECT:
        return
    for one in runs:
        known = {name for name, _ in (*variables.given(state, one.run), *variables.generated(state, one.run))}
        if not known or any(setting.name == "vars-env" for setting in one.run.settings):
            continue
        for name, span in variables.used(state, one):
            if span.path == file.path and name not in known and span not in seen:
                seen.add(span)
                yield _without_value(name, span, tuple(sorted(known)), one.run.name, is_ops=file.kind == OPS)


# These are called for all open files and all variables at every keystroke.
_unused_names = lru_cache(maxsize=16)(lambda file: [*unused_names(file)])
_nearest = lru_cache(maxsize=1 << 10)(nearest)


def _without_value(name: str, span: FileRange, known: tuple[str, ...], run: str, *, is_ops: bool) -> EditorDiagnostic:
    near = _nearest(name, known)
    message = f"(({name})) has no value\nin the run {run}"
    if near is None:
        return EditorDiagnostic(span, NOTE, message, number_of("unresolved-variables"))
    fix = Fix(f"Change to {near}", [FileEdit(span, near)])
    severity = WARNING if is_ops else NOTE
    message += f"\nhint: did you mean {near}?"
    return EditorDiagnostic(span, severity, message, number_of("unresolved-variables"), fixes=[fix])
