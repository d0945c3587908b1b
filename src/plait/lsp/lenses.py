"""What is shown beside and above lines: rendered values, and how much an overlay or an operation reaches."""

from __future__ import annotations

from plait.analysis.files import OPS, TEMPLATE
from plait.lsp.answers import Hint, Lens
from plait.nodes import Array, Map
from plait.tools.explain import is_secret
from plait.tools.telling import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.analysis.files import File
    from plait.lsp.evaluation import Evaluation
    from plait.lsp.state import State
    from plait.provenance import Trace
    from plait.tools.paths import Place

_LONGEST = 40


def hints(state: State, path: str, first: int, last: int) -> list[Hint]:
    """The rendered value beside each expression, on the lines asked for."""
    file = state.file(path)
    if file is None or file.kind != TEMPLATE or file.recovered.file is None:
        return []
    evaluation = next(iter(state.evaluations(path)), None)
    if evaluation is None or evaluation.trace is None or not state.is_current(evaluation, path):
        return []
    out = []
    for line in range(first, min(last, len(file.lines)) + 1):
        text = file.line(line)
        if "#@ " not in text or text.lstrip().startswith("#@"):
            continue
        places = evaluation.by_line.get((path, line), ())
        told = {_told(evaluation.trace, place) for place in places}
        if not told or None in told:
            continue
        some = sorted(value for value in told if value is not None)
        value = some[0] if len(some) == 1 else f"{', '.join(some[:2])}, … ({len(places)} values)"
        if len(value) > _LONGEST:
            value = value[: _LONGEST - 1] + "…"
        out.append(Hint(line, len(text.rstrip()) + 1, f" = {value}", f"in the run {evaluation.run.name}"))
    return out


def _told(trace: Trace, place: Place) -> str | None:
    value = place.value
    if type(value) is Map or type(value) is Array:
        return None
    item = trace.original(place.item)
    if trace.secrets and is_secret(trace, item.source, item.line):
        return None
    return shown(value)


def lenses(state: State, path: str) -> list[Lens]:
    """Above documents of an overlay: what they match; above operations and values: how many places they reach."""
    file = state.file(path)
    if file is None:
        return []
    evaluation = next(iter(state.evaluations(path)), None)
    if evaluation is None or not state.is_current(evaluation, path):
        return []
    if file.kind == OPS:
        return list(_of_operations(file, evaluation))
    return list(_of_documents(file, evaluation))


def _of_documents(file: File, evaluation: Evaluation) -> Iterator[Lens]:
    comments = None if file.recovered.file is None else file.recovered.file.comments
    if comments is None:
        return
    for document in file.documents:
        said = [comment.text.partition(" ")[0] for comment in comments.at(document)]
        if not any(name.startswith("@overlay/") for name in said):
            continue
        reached = {place.number for place in evaluation.set_by(file.path, document)}
        count = len(reached)
        yield Lens(document.line, f"changes {count} document{'' if count == 1 else 's'}")


def _of_operations(file: File, evaluation: Evaluation) -> Iterator[Lens]:
    for document in file.documents:
        if type(document.value) is not Array:
            continue
        for item in document.value.items:
            places = {place.path for place in evaluation.set_by(file.path, item)}
            yield Lens(item.line, f"sets {len(places)} value{'' if len(places) == 1 else 's'}")
