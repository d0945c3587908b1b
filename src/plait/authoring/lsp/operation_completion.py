"""Completion in operations: types, parts of paths, keys."""

from __future__ import annotations

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp.features import CompletionItem
from plait.insight.history_text import shown
from plait.ops.operation_files import OPERATIONS
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.cursor import Cursor
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.registry import TrackedRun
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Document, Item, Value


def offers(state: ServerState, file: File, at: Cursor, line: int) -> Iterator[CompletionItem]:
    """The suggestions at the cursor. line: the line of the cursor."""
    if at.keys:
        return  # in the value of an operation
    text = at.typed
    if at.key == "type":
        for name in OPERATIONS:
            yield CompletionItem(name, "keyword", at.start)
    elif at.key == "path" and text[:1] in ("", "/"):
        start = at.start + len(text) - len(text.rpartition("/")[2])
        seen: set[str] = set()
        for evaluation, value in before_operation(state, file, line):
            for one in _tokens(evaluation, value, text.split("/")[1:-1], start, slash=not text):
                if one.label not in seen:
                    seen.add(one.label)
                    yield one
    elif not at.key:
        there = set() if at.is_item else at.there
        for name in ("type", "path", "value"):
            if name not in there:
                yield CompletionItem(name, "key", at.start, text=f"{name}: ")


def before_operation(state: ServerState, file: File, line: int) -> Iterator[tuple[Evaluation | None, Value]]:
    """The base of the operation on a line in each run: the document after the preceding operations."""
    way = file.ancestors_at(line)
    first = way[1].line if len(way) > 1 else line
    for watched in state.runs_of(file.path):
        if watched.run.command != "patch":
            continue
        evaluation = watched.good
        if evaluation is not None:
            yield evaluation, _applied_before(evaluation, file.path, first)
        else:
            yield from ((None, base.value) for base in _bases(state, watched)[:1])


def _applied_before(evaluation: Evaluation, path: str, line: int) -> Value:
    assert evaluation.documents is not None
    seen = False
    for effect in evaluation.trace.effects:
        here = path_of(effect.by.source) == path
        if (here and effect.by.line >= line) or (seen and not here):
            return effect.before.value
        seen = seen or here
    documents: Sequence[Document] = evaluation.documents.nodes.items
    return documents[0].value if documents else None


def _bases(state: ServerState, watched: TrackedRun) -> Sequence[Document]:
    for setting in watched.run.settings:
        if setting.name == "base":
            for path in watched.run.paths(setting):
                base = state.file(path)
                if base is not None:
                    return base.documents
    return ()


def _tokens(
    evaluation: Evaluation | None, value: Value, tokens: Sequence[str], start: int, *, slash: bool
) -> Iterator[CompletionItem]:
    """The path tokens that can follow the given tokens."""
    for token in tokens:
        value = _step(value, token.rstrip("?"))

    def told(item: Item) -> str:
        return shown(item.value) if evaluation is None else evaluation.shown(item)

    mark = "/" if slash else ""
    if type(value) is Map:
        for item in value.items:
            key = str(item.key).replace("~", "~0").replace("/", "~1")
            yield CompletionItem(f"{mark}{key}", "key", start, detail=told(item))
    elif type(value) is Array:
        for number, one in enumerate(value.items):
            name = one.value.find("name") if type(one.value) is Map else None
            is_hidden = name is not None and evaluation is not None and evaluation.is_secret(name)
            text = str(number) if name is None or is_hidden else f"name={name.value}"
            yield CompletionItem(f"{mark}{text}", "item", start)
        yield CompletionItem(f"{mark}-", "item", start, detail="after the last item")


def _step(value: Value, token: str) -> Value:
    if type(value) is Map:
        item = value.find(token.replace("~1", "/").replace("~0", "~"))
        return None if item is None else item.value
    if type(value) is not Array:
        return None
    key, equals, wanted = token.partition("=")
    for number, one in enumerate(value.items):
        if equals and type(one.value) is Map:
            found = one.value.find(key)
            if found is not None and str(found.value) == wanted:
                return one.value
        elif token == str(number):
            return one.value
    return None
