"""Checks the documents of an output against the schemas of their kinds."""

from __future__ import annotations

from plait.base.errors import SchemaError, UsageError, warning
from plait.base.similar_names import listed
from plait.base.source import Position, Source
from plait.tree.nodes import Array, Map
from plait.ytt.json_schema.schema_index import name_of_kind
from plait.ytt.json_schema.violations import ViolationReporter
from plait.ytt.json_schema.watched import watched_catalogue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.base.errors import Finding, Warn
    from plait.tree.nodes import Document
    from plait.ytt.json_schema.catalogue import Catalogue


def check_output(documents: Iterable[Document], paths: Sequence[str], warn: Warn, *, quotes: bool = True) -> None:
    """Checks documents by the schemas of their kinds.

    paths: files and directories of schemas. warn: receives kinds without a schema, and keywords that are not checked.
    quotes: messages may quote lines of the documents. Raises SchemaError with all findings; UsageError for unusable
    schemas, ReadError, LimitError.
    """
    with watched_catalogue(paths) as catalogue:
        _check(documents, catalogue, warn, quotes=quotes)


def _check(documents: Iterable[Document], catalogue: Catalogue, warn: Warn, *, quotes: bool) -> None:
    told = ViolationReporter(catalogue.references)
    found: list[Finding] = []
    without: dict[str, Document] = {}
    checked: list[Document] = []
    for document in documents:
        if document.value is None:
            continue
        if catalogue.find(document) is None:
            without.setdefault(_kind_of(document), document)
            continue
        checked.append(document)
        found += [told.of_fault(fault, document=document) for fault in catalogue.check(document)]
    if catalogue.problems:
        raise UsageError(
            "schemas of the output cannot be used", findings=told.of_problems(), code="json-schema-unusable"
        )
    for note in told.of_notes():
        warn(note)
    for kind, document in without.items():
        message = f"{kind} has no schema; such documents are not checked{_lack(document, catalogue)}"
        at = document.position if document.source is not None else None
        warn(warning(message, at=at if quotes else _unquoted(at), code="kind-without-schema"))
    if found:
        if not quotes:
            for one in found:
                one.at, one.also = _unquoted(one.at), []
        # Without their number: some may depend on a secret.
        text = "the output does not match the schemas"
        error = SchemaError(text, findings=found, code="json-schema-violation").made_of()
        error.judged = (*checked, *(one.value for one in checked if isinstance(one.value, (Map, Array))))
        raise error


def _kind_of(document: Document) -> str:
    top = document.value
    if type(top) is Map:
        names = [item.value for key in ("kind", "apiVersion", "schema") if (item := top.find(key)) is not None]
        if names and all(type(one) is str for one in names):
            return " of ".join(map(str, names))
    return "a document without kind"


def _lack(document: Document, catalogue: Catalogue) -> str:
    """Says what a document without a schema lacks, or its schema; "" if that is unknown."""
    top = document.value
    kind, version = (top.find(key) if type(top) is Map else None for key in ("kind", "apiVersion"))
    if kind is None or type(kind.value) is not str or (version is not None and type(version.value) is not str):
        return ""
    known = catalogue.names()
    if not known:
        return ": no file of schemas is there"
    if version is None:
        return ": it has no apiVersion, which a schema is for"
    wanted = name_of_kind(str(version.value), kind.value)
    stem = kind.value.lower()
    alike = [one for one in known if one.startswith(stem) or stem.startswith(one.removesuffix(".json"))]
    return f": the name of its file would be {wanted}" + (f", and there is {listed(alike[:3])}" if alike else "")


def _unquoted(at: Position | None) -> Position | None:
    if at is None or at.source is None:
        return at
    source = Source(at.source.name)
    source.shown = at.source.shown
    return Position(source, at.line)
