"""Code lenses and inlay hints: rendered values, matches, and numbers of uses."""

from __future__ import annotations

from plait.authoring.analysis.file_facts import LAYER, OPS, TEMPLATE
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp.features import CodeLens, InlayHint
from plait.authoring.lsp.overlay_targets import is_overlay
from plait.authoring.lsp.unused_diagnostics import uses_of_values
from plait.authoring.lsp.value_origins import origin_lines
from plait.base.similar_names import counted
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.insight.node_paths import NodePath
    from plait.tree.nodes import Document, Item, Value

_LONGEST = 40
# Maximum number of values of a document that are searched for changes.
_MOST = 2000


def hints(state: ServerState, path: str, first: int, last: int) -> list[InlayHint]:
    """Inlay hints with the rendered value next to each expression on the requested lines."""
    file = state.file(path)
    if file is None or file.kind != TEMPLATE or file.recovered.file is None:
        return []
    evaluation = next(iter(state.evaluations(path)), None)
    if evaluation is None or not state.is_current(evaluation, path):
        return []
    out = []
    for line in range(first, min(last, len(file.lines)) + 1):
        text = file.line(line)
        if "#@ " not in text or text.lstrip().startswith("#@") or line in file.recovered.cut:
            continue
        places = evaluation.by_line.get((path, line), ())
        told = {_hint_text(evaluation, place) for place in places}
        if not told or None in told:
            continue
        some = sorted(value for value in told if value is not None)
        value = some[0] if len(some) == 1 else f"{', '.join(some[:2])}, … ({len(places)} values)"
        if len(value) > _LONGEST:
            value = value[: _LONGEST - 1] + "…"
        out.append(InlayHint(line, len(text.rstrip()) + 1, f" = {value}", f"in the run {evaluation.run.name}"))
    return out


def _hint_text(evaluation: Evaluation, node_path: NodePath) -> str | None:
    if type(node_path.value) is Map or type(node_path.value) is Array or evaluation.is_secret(node_path.item):
        return None
    return evaluation.shown(node_path.item)


def lenses(state: ServerState, path: str) -> list[CodeLens]:
    """The lenses above documents, data values and operations: matches, changes, and numbers of uses."""
    file = state.file(path)
    if file is None:
        return []
    evaluations = [one for one in state.evaluations(path) if state.is_current(one, path)]
    if not evaluations or any(one.trace.marks is not None and one.trace.marks.decides_places for one in evaluations):
        # If a secret decides which items an output has, every count would reveal the secret.
        return []
    if file.kind == OPS:
        return list(_of_operations(file, evaluations))
    if file.kind == LAYER:
        return list(_of_parents(file, evaluations))
    return [*_of_documents(state, file, evaluations[0]), *_of_values(state, file, evaluations[0])]


def _of_documents(state: ServerState, file: File, evaluation: Evaluation) -> Iterator[CodeLens]:
    """The matches of an overlay document, and the number of overlays that change a template's document."""
    if file.kind != TEMPLATE:
        return
    for document in file.documents:
        places = evaluation.set_by(file.path, document)
        if is_overlay(file, [document]):
            matches = evaluation.matches(file.path, document)
            if matches:
                changed = sum(one.changed for one in matches)
                more = "" if changed == len(matches) else f", changes {changed or 'none'}"
                yield CodeLens(document.line, f"matches {counted(len(matches), 'document')}{more}")
            elif places:
                yield CodeLens(document.line, f"adds {counted(len({place.number for place in places}), 'document')}")
        else:
            overlays = {one for place in places[:_MOST] for one in _overlays_of(state, file, evaluation, place)}
            if overlays:
                yield CodeLens(max(document.line, 1), f"changed by {counted(len(overlays), 'overlay')}")


def _overlays_of(
    state: ServerState, file: File, evaluation: Evaluation, node_path: NodePath
) -> Iterator[tuple[str, int]]:
    """The overlay documents that changed a value, by path and line."""
    for path, line in origin_lines(evaluation.trace, node_path.item):
        other = state.known(path) if path != file.path else file
        way = [] if other is None else other.ancestors_at(line)
        if other is not None and is_overlay(other, way):
            yield path, way[0].line


def _of_values(state: ServerState, file: File, evaluation: Evaluation) -> Iterator[CodeLens]:
    """The number of uses of each data value in the templates of a run."""
    values = [document for document in file.documents if _holds_values(file, document, evaluation)]
    used = uses_of_values(state, file.path) if values else None
    if used is None:
        return
    for document in values:
        yield from _uses(document.value, (), used)


def _holds_values(file: File, document: Document, evaluation: Evaluation) -> bool:
    comments = None if file.recovered.file is None else file.recovered.file.comments
    if comments is not None and any(one.text.startswith("@data/values") for one in comments.at(document)):
        return True
    return file.kind != TEMPLATE and evaluation.run.is_values_file(file.path)


def _uses(value: Value, keys: tuple[str, ...], used: Sequence[tuple[str, ...]]) -> Iterator[CodeLens]:
    for item in value.items if type(value) is Map else ():
        way = (*keys, str(item.key))
        own = sum(one[: len(way)] == way for one in used)
        whole = sum(0 < len(one) < len(way) and one == way[: len(one)] for one in used)
        if type(item.value) is Map and item.value.items:
            direct = sum(one == way for one in used)
            if direct:
                yield CodeLens(item.line, f"used in {counted(direct, 'place')}")
            yield from _uses(item.value, way, used)
        elif own + whole:
            yield CodeLens(item.line, f"used in {counted(own + whole, 'place')}")


def _of_operations(file: File, evaluations: Sequence[Evaluation]) -> Iterator[CodeLens]:
    """The number of values that an operation changes."""
    for document in file.documents:
        for item in document.value.items if type(document.value) is Array else ():
            counts = [count for one in evaluations if (count := _changed(one, file.path, item))]
            text = f"changes {counted(sum(counts), 'place')}" + (f" in {len(counts)} runs" if len(counts) > 1 else "")
            yield CodeLens(item.line, text if counts else "changes nothing")


def _changed(evaluation: Evaluation, path: str, operation: Item) -> int:
    """The number of values that an operation set or removed."""
    lines = {operation.line, *(item.line for item in operation.value.items)} if type(operation.value) is Map else set()
    gone = sum(change.line in lines and path_of(change.source) == path for change in evaluation.trace.removals.values())
    return gone + len({place.path for place in evaluation.set_by(path, operation)})


def _of_parents(file: File, evaluations: Sequence[Evaluation]) -> Iterator[CodeLens]:
    """The number of children of each document."""
    for number, document in enumerate(file.documents):
        after = file.documents[number + 1].line if number + 1 < len(file.documents) else len(file.lines) + 1
        count = max(
            sum(
                any(
                    getattr(one, "action", "") == "labels of the parent"
                    and document.line <= one.line < after
                    and path_of(one.source) == file.path
                    for one in because
                )
                for _, because in evaluation.trace.lineage.values()
            )
            for evaluation in evaluations
        )
        if count:
            yield CodeLens(max(document.line, 1), f"{count} {'child' if count == 1 else 'children'}")
