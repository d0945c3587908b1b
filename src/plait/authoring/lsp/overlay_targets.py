"""The left side of an overlay: the documents and items that it matches."""

from __future__ import annotations

import re
from ast import literal_eval

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lsp.evaluation import descend
from plait.tree.nodes import Array, Map, MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.authoring.analysis.file_facts import File
    from plait.authoring.lsp.evaluation import Evaluation
    from plait.authoring.lsp.state import ServerState
    from plait.tree.nodes import Document, Item, Value


_SUBSET = re.compile(r"^@overlay/match +by *= *overlay\.subset\((\{.*?\})\)")


def is_overlay(file: File, ancestors: Sequence[Item]) -> bool:
    """True if a path is inside an overlay document."""
    comments = None if file.recovered.file is None else file.recovered.file.comments
    return (
        bool(ancestors)
        and comments is not None
        and any(comment.text.startswith("@overlay/match") for comment in comments.at(ancestors[0]))
    )


def left_documents(state: ServerState, evaluation: Evaluation, file: File, right: Item) -> Sequence[Document]:
    """The documents that an overlay document matches: selected by the subset in its matcher, or those that it changed.

    If neither is known, all documents of templates.
    """
    made = _of_templates(evaluation, file)
    subset = _subset(file, right)
    if subset is not None:
        return [document for document in made if _has(document.value, subset)]
    assert evaluation.documents is not None
    documents = evaluation.documents.nodes.items
    numbers: set[int] = set()
    if state.is_current(evaluation, file.path):
        numbers = {place.number for place in evaluation.set_by(file.path, right)}
    return [documents[number] for number in sorted(numbers)] or made or documents


def _subset(file: File, right: Item) -> dict[object, object] | None:
    comments = None if file.recovered.file is None else file.recovered.file.comments
    for comment in () if comments is None else comments.at(right):
        found = _SUBSET.match(comment.text)
        if found is not None:
            try:
                read = literal_eval(found[1])
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                return None
            return read if isinstance(read, dict) else None
    return None


def _has(value: Value, expected: object) -> bool:
    """True if a value contains all entries of a Starlark map."""
    if not isinstance(expected, dict):
        return bool(value == expected)
    if type(value) is not Map:
        return False
    for key, inner in expected.items():
        item = value.find(key)
        if item is None or not _has(item.value, inner):
            return False
    return True


def _of_templates(evaluation: Evaluation, file: File) -> Sequence[Document]:
    """The documents of templates, before any overlay. file: the file of the overlay, whose own documents are excluded."""
    made = next((stage.documents for stage in reversed(evaluation.trace.stages) if stage.name == "templates"), ())
    return [document for document in made if path_of(document.source) != file.path]


def left_items(state: ServerState, evaluation: Evaluation, file: File, ancestors: Sequence[Item]) -> Iterator[Item]:
    """The candidates for the matcher of the last item on a path."""
    if len(ancestors) == 1:
        yield from _of_templates(evaluation, file)
        return
    keys = [str(item.key) for item in ancestors[:-1] if type(item) is MapItem]
    for document in left_documents(state, evaluation, file, ancestors[0]):
        place = descend(document, keys)
        value = None if place is None else place.value
        if type(value) is Map or type(value) is Array:
            yield from value.items
