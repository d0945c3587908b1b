"""Selects documents for a `patch` step of a pipeline."""

from __future__ import annotations

from plait.base.similar_names import did_you_mean
from plait.engine.pipeline import Step, check_keys
from plait.tree.nodes import Array, Document, Map
from plait.yaml.document_names import OutputError, document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plait.tree.nodes import MapItem, Value
    from plait.tree.provenance import Origin, Trace

_SELECTORS = ("kind", "name", "schema", "namespace", "subset")


def selected(
    step: Step, documents: Sequence[Document], fits: Callable[[Document], bool], trace: Trace | None = None
) -> set[Document]:
    """The documents that match `select`; without it, the only document. Raises OutputError if there is none.

    fits: returns True if the operations of the step can be applied to a document; only for a hint. trace: records documents whose selection depends on a secret.
    """
    if not documents:
        raise OutputError(
            "there are no documents to patch",
            at=step.item.position,
            hint="add a render or layer step before it",
            code="selection",
        )
    select = step.map("select")
    names = ", ".join(document_name(document) or "a document without a name" for document in documents)
    if select is None:
        if len(documents) == 1:
            return set(documents)
        raise OutputError(
            '"select" is missing: a patch changes one document',
            at=step.item.position,
            expected=f'"select" with one or more of {", ".join(_SELECTORS)}',
            found=names,
            hint=_missing(documents, [document for document in documents[:_TRIED] if fits(document)]),
            code="selection",
        )
    check_keys(select, _SELECTORS, '"select"')
    marks = None if trace is None else trace.marks
    chosen = {document for document in documents if _is_meant(document, select)}
    if trace is not None and marks is not None:
        for document in documents:
            sees_all = select.find("subset") is not None and marks.decides_places
            if sees_all or marks.is_secret(document, *_compared(document, select)):
                # The secret decides if the step changes the document, so each later value depends on the secret.
                control = marks.control("select", select.source, select.line)
                trace.presence[document] = (*trace.presence.get(document, ()), control)
                trace.chosen.add(document)
        marks.forget()
    if not chosen:
        raise OutputError(
            "no document is selected",
            at=select.position,
            found=names,
            hint=_nearest(select, documents),
            code="selection",
        )
    return chosen


# Documents to which the operations are applied for a hint.
_TRIED = 20


def _missing(documents: Sequence[Document], fitting: Sequence[Document]) -> str | None:
    """A hint with a selector, for a step without one. fitting: documents to which its operations can be applied."""
    meant = (*fitting, *documents)[0]
    pairs: list[str] = []
    alike = list(documents)
    for key in ("kind", "schema", "name", "namespace"):
        item = _selector(meant, key)
        if len(alike) > 1 and item is not None and type(item.value) is str:
            alike = [one for one in alike if _fits(one, key, item.value)]
            pairs.append(f"{key}: {item.value}")
    if len(alike) > 1:
        return None
    only = "; the operations fail on the others" if len(fitting) == 1 and len(documents) <= _TRIED else ""
    return f"patch: {{select: {{{', '.join(pairs)}}}, ...}} changes {document_name(meant)}{only}"


def _nearest(select: Map, documents: Sequence[Document]) -> str | None:
    """A similar value for the first setting that no document has, or None."""
    for item in select.items:
        key = str(item.key)
        if key == "subset" or any(_fits(document, key, item.value) for document in documents):
            continue
        wanted = item.value.items[0].value if type(item.value) is Array and item.value.items else item.value
        known = [str(found.value) for document in documents if (found := _selector(document, key)) is not None]
        return did_you_mean(str(wanted), known)
    return None


def _is_meant(document: Document, select: Map) -> bool:
    return all(_fits(document, str(item.key), item.value) for item in select.items)


def _compared(document: Document, select: Map) -> Iterator[Origin]:
    """Yields the items of a document that the settings of `select` compare."""
    for item in select.items:
        key = str(item.key)
        if key == "subset":
            # The compared values depend on the earlier ones.
            if isinstance(document.value, (Map, Array)):
                yield document.value
        elif (found := _selector(document, key)) is not None:
            yield found


def _fits(document: Document, key: str, expected: Value) -> bool:
    if key == "subset":
        return _contains(document.value, expected)
    found = _selector(document, key)
    if found is None:
        return False
    wanted_ones = [one.value for one in expected.items] if type(expected) is Array else [expected]
    return any(type(found.value) is type(one) and found.value == one for one in wanted_ones)


def _selector(document: Document, key: str) -> MapItem | None:
    """The item of a document that a setting of `select` is compared with, or None."""
    top = document.value
    if type(top) is not Map:
        return None
    if key not in ("name", "namespace"):
        return top.find(key)
    metadata = top.find("metadata")
    inner = metadata.value if metadata is not None else None
    found = inner.find(key) if type(inner) is Map else None
    return top.find("name") if found is None and key == "name" else found


def _contains(value: Value, expected: Value) -> bool:
    if type(expected) is Map:
        if type(value) is not Map:
            return False
        for item in expected.items:
            found = value.find(item.key)
            if found is None or not _contains(found.value, item.value):
                return False
        return True
    if type(expected) is Array:
        return (
            type(value) is Array
            and len(value.items) == len(expected.items)
            and all(_contains(a.value, b.value) for a, b in zip(value.items, expected.items, strict=True))
        )
    return type(value) is type(expected) and value == expected
