"""Finds the lines that contribute to an output, by the provenance of its values."""

from __future__ import annotations

from plait.authoring.analysis.source_paths import path_of
from plait.insight.explain import Explainer
from plait.insight.node_paths import all_places
from plait.tree.nodes import COLLECTION_TYPES, Document, Map, walk
from plait.tree.provenance import Contributor
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.base.source import Source
    from plait.tree.nodes import DocumentSet
    from plait.tree.provenance import Origin, Trace


def lines_used(trace: Trace, documents: DocumentSet) -> set[tuple[str, int]]:
    """The lines (absolute path, line) that contribute to an output: origins and contributors of its values, and causes
    of removals.

    Overridden values are not followed, so a line that contributes only to them is not included.
    """
    found: set[tuple[Source | None, int]] = set()
    todo: list[Origin] = [documents, *trace.texts.values(), *(array for _, array in trace.lines.values())]
    for change in trace.removals.values():
        found.add((change.source, change.line))
        todo += change.because
    for _, because in trace.lineage.values():
        todo += because
    # The text printed instead of an encrypted value has no origins.
    hidden = {document_name(document) for document in documents.items if _is_encrypted(document)}
    if hidden:
        todo += [one.after for one in trace.effects if one.after is not None and document_name(one.after) in hidden]
    return _lines_of(trace, todo, found)


def lines_of_secrets(trace: Trace, documents: DocumentSet) -> set[tuple[str, int]]:
    """As `lines_used`, for the values of an output that are not shown."""
    explainer = Explainer(trace)
    places = all_places(explainer.visible(documents.items), {}, explainer.names)
    return _lines_of(trace, [one.item for one in places if explainer.hides(one)], set())


def _lines_of(trace: Trace, todo: list[Origin], found: set[tuple[Source | None, int]]) -> set[tuple[str, int]]:
    """The lines of origins, and of the origins of these. found: receives the lines of contributors."""
    seen: set[int] = set()
    while todo:
        origin = todo.pop()
        if id(origin) in seen:
            continue
        seen.add(id(origin))
        if isinstance(origin, Contributor):
            found.add((origin.source, origin.line))
            todo += origin.because
        elif isinstance(origin, COLLECTION_TYPES):
            todo += walk(origin)
        else:
            if type(origin) is Document:
                todo += walk(origin.value)
            while True:
                todo += trace.presence.get(origin, ())
                if origin in trace.changes or origin not in trace.copies:
                    break
                origin = trace.copies[origin]
                if id(origin) in seen:
                    break
                seen.add(id(origin))
            made = trace.changes.get(origin)
            if made is None:
                found.add((origin.source, origin.line))
            else:
                found.add((made.source, made.line))
                todo += made.because
    return {(path, line) for source, line in found if (path := path_of(source)) is not None}


def _is_encrypted(document: Document) -> bool:
    top = document.value
    metadata = top.find("metadata") if type(top) is Map else None
    policy = metadata.value.find("storagePolicy") if metadata is not None and type(metadata.value) is Map else None
    return policy is not None and policy.value == "encrypted"
