"""Documents in the forms in which the service accepts, stores and returns them."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from plait.layering.document import POLICY, VALIDATION_POLICY, LayeredDocument
from plait.layering.secrets import Redactor, is_empty
from plait.layering.validation import check_document
from plait.service import project_files, revision_store
from plait.service.api_errors import ApiError, check_name, code_of
from plait.service.facts import facts_of, labels_of
from plait.service.revision_store import Content, Kind, RevisionDocument
from plait.service.yaml_bodies import node_of, text_of, text_of_nodes
from plait.tree.nodes import Document as Node
from plait.tree.nodes import Map, MapItem
from plait.yaml.writer import SEPARATOR, write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.base.errors import Finding
    from plait.service.api_errors import Entry as Message
    from plait.tree.nodes import Value

_PARTS = ("data", "metadata", "schema")


def checked(nodes: Sequence[Node]) -> list[LayeredDocument]:
    """The documents of a request. Raises ApiError for the first invalid one."""
    return [_checked(node, number) for number, node in enumerate(nodes)]


def _checked(node: Node, number: int) -> LayeredDocument:
    findings = check_document(node, control_data=False)
    if findings:
        raise invalid([message_of("D001", finding, *_named(node)) for finding in findings])
    document = LayeredDocument(node, number)
    project_files.check(document)
    for text in identity_of(document):
        check_name(text, f"a name in document {number + 1}")
    return document


def invalid(messages: list[Message]) -> ApiError:
    """The error for invalid documents."""
    return ApiError(
        "InvalidDocumentFormat",
        400,
        "the documents are not well formed",
        entries=messages,
        reason="Validation",
    )


def message_of(code: str, finding: Finding, schema: str, layer: str, name: str) -> Message:
    """A finding in the format of the API."""
    return {
        "diagnostic": finding.found or finding.expected or (str(finding.at) if finding.at is not None else ""),
        "documents": [{"layer": layer, "name": name, "schema": schema}],
        "error": True,
        "kind": "ValidationMessage",
        "level": "Error",
        "message": f"{finding.subject}: {finding.detail}",
        "name": code,
        "plait": code_of(finding),
    }


def _named(node: Node) -> tuple[str, str, str]:
    """Schema, layer and name, or empty strings."""
    metadata = _find(node.value, "metadata")
    found = _find(node.value, "schema"), _find(_find(metadata, "layeringDefinition"), "layer"), _find(metadata, "name")
    schema, layer, name = (part if type(part) is str else "" for part in found)
    return schema, layer, name


def _find(value: Value, key: str) -> Value:
    item = value.find(key) if type(value) is Map else None
    return item.value if item is not None else None


def identity_of(document: LayeredDocument) -> tuple[str, str, str]:
    """The identity of a document in the tables."""
    return document.schema, document.layer or "", document.name


def is_shown(entry: RevisionDocument) -> bool:
    """True if listings include the document. Deckhand omits some."""
    return entry.control != revision_store.VALIDATION_POLICY


def completed(document: LayeredDocument) -> Map:
    """The document in its stored form: its three parts, with default metadata added."""
    metadata = document.metadata
    if document.encrypted and is_empty(document.data):
        metadata = _set(metadata, "storagePolicy", "cleartext")
    metadata = _default(metadata, "storagePolicy", "cleartext")
    metadata = _default(metadata, "replacement", False)
    definition = _find(metadata, "layeringDefinition")
    definition = definition if type(definition) is Map else Map([])
    metadata = _set(metadata, "layeringDefinition", _default(definition, "abstract", False))
    parts: tuple[Value, ...] = (document.data, metadata, document.schema)
    return Map([MapItem(key, value) for key, value in zip(_PARTS, parts, strict=True)])


def data_of(top: Map) -> Value:
    """The data of a stored document."""
    return _find(top, "data")


def with_data(top: Map, data: Value) -> Map:
    """A stored document with other data."""
    return _set(top, "data", data)


def _default(value: Map, key: str, default: Value) -> Map:
    return value if value.find(key) is not None else _set(value, key, default)


def _set(value: Map, key: str, new: Value) -> Map:
    there = value.find(key)
    if there is None:
        return value.with_items([*value.items, MapItem(key, new)])
    return value.with_items([item.with_value(new) if item is there else item for item in value.items])


def digest_of(top: Map) -> str:
    """The digest of a stored document, independent of the order of keys."""
    return hashlib.sha256(write_value(top, sort=True).encode("utf-8", "surrogatepass")).hexdigest()


def content_of(top: Map, *, encrypted: bool) -> Content:
    """The stored content of a document."""
    document = LayeredDocument(Node(top), 0)
    kind = Kind(encrypted, document.abstract, control_of(document.schema))
    return Content(digest_of(top), kind, text_of_nodes(top), facts_of(document).text(), labels_of(document))


class Filled(NamedTuple):
    """The columns of a stored document."""

    encrypted: bool
    abstract: bool
    control: int
    facts: str
    labels: dict[str, str]


def filled(text: str, *, encrypted: bool) -> Filled:
    """The columns of a stored text."""
    document = LayeredDocument(Node(top_of(text)), 0)
    control = control_of(document.schema)
    return Filled(encrypted, document.abstract, control, facts_of(document).text(), labels_of(document))


def control_of(schema: str) -> int:
    """The type of control document for a schema; 0 for any other schema."""
    if schema.startswith(POLICY):
        return revision_store.POLICY
    return revision_store.VALIDATION_POLICY if schema.startswith(VALIDATION_POLICY) else 0


def top_of(text: str) -> Map:
    """A stored document as nodes."""
    top = node_of(text)
    assert type(top) is Map
    return top


def redacted(text: str) -> str:
    """A document for clients without access to secrets: data and paths of substitutions hashed."""
    document = LayeredDocument(Node(node_of(text)), 0)
    metadata, data = Redactor().hidden(document, document.data)
    parts: tuple[Value, ...] = (data, metadata, document.schema)
    return text_of_nodes(Map([MapItem(key, value) for key, value in zip(_PARTS, parts, strict=True)]))


def stream(documents: Iterable[tuple[RevisionDocument, str]], revision: int | None = None) -> Iterator[str]:
    """Documents as parts of one text, each with its id and status. revision: replaces that of the last change."""
    statuses: dict[tuple[str, int], str] = {}
    separator = ""
    for entry, text in documents:
        at = entry.bucket, entry.since if revision is None else revision
        if at not in statuses:
            statuses[at] = text_of([{"status": {"bucket": at[0], "revision": at[1]}}])
        yield f"{separator}{text}id: {entry.id}\n{statuses[at]}"
        separator = SEPARATOR
