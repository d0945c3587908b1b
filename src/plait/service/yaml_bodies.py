"""Reads and writes the YAML of requests, responses, and tables.

Scalars have the types of PyYAML, which Deckhand's clients use (`plait.layering.plain_scalars`).
"""

from __future__ import annotations

from plait.base.errors import LimitError, ReadError
from plait.base.source import Source
from plait.layering.job import LayerJob
from plait.layering.plain_scalars import Float, plain_values
from plait.service.api_errors import ApiError, bad_request
from plait.tree.nodes import Array, ArrayItem, Document, DocumentSet, Map, MapItem, from_plain, to_plain
from plait.yaml.reader import read
from plait.yaml.repeats import deduplicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.service.spool import Body
    from plait.tree.nodes import Value

_DEPTH = 300
LARGEST_VALUE = 1 << 20
"""Bytes of a body that is not a set of documents."""


def nodes_of(text: str, name: str) -> DocumentSet:
    """Parses text into documents. Raises ReadError, LimitError."""
    return deduplicate(read(Source(name, text), keep_mark=False, plain=plain_values, depth=_DEPTH))


def text_of(values: Sequence[object]) -> str:
    """Values as a stream of documents; empty if there are none."""
    return LayerJob.text(DocumentSet([Document(nodes_of_plain(value)) for value in values]))


def nodes_of_plain(value: object) -> Value:
    """Plain data as nodes. Floats print as in PyYAML, so that they are read as floats again."""
    if isinstance(value, dict):
        return Map([MapItem(nodes_of_plain(key), nodes_of_plain(inner)) for key, inner in value.items()])
    if isinstance(value, list | tuple):
        return Array([ArrayItem(nodes_of_plain(inner)) for inner in value])
    return Float(value) if isinstance(value, float) else from_plain(value)


def text_of_nodes(value: Value) -> str:
    """A node as a text with one document."""
    return LayerJob.text(DocumentSet([Document(value)]))


def node_of(text: str) -> Value:
    """The node of a text with one document, created by the service."""
    return nodes_of(text, "stored.yml").items[0].value


def value_of(text: str) -> object:
    """Plain data from a text created by `text_of`."""
    return to_plain(node_of(text))


def documents_of_body(body: bytes) -> list[Document]:
    """The documents of a request; empty for an empty body. Raises ApiError if it is not YAML, or contains anything
    except non-empty maps.
    """
    documents = _of_body(body).items
    if len(documents) == 1 and documents[0].value is None:
        return []
    strange = [
        str(number)
        for number, document in enumerate(documents, 1)
        if type(document.value) is not Map or not document.value.items
    ]
    if strange:
        raise bad_request(f"each document must be a map that is not empty; these are not: {', '.join(strange)}")
    return documents


def value_of_body(body: Body) -> object:
    """Returns the single document in a request body as plain data, or None if the body is empty.

    Raises ApiError if the body is invalid or larger than LARGEST_VALUE.
    """
    if body.size > LARGEST_VALUE:
        raise ApiError("HTTPContentTooLarge", 413, f"a tag or a validation can have at most {LARGEST_VALUE} bytes")
    documents = _of_body(body.read()).items
    if len(documents) != 1:
        raise bad_request(f"the body must be one document, not {len(documents)}")
    return to_plain(documents[0].value)


def _of_body(body: bytes) -> DocumentSet:
    try:
        return nodes_of(body.decode("utf-8"), "body")
    except UnicodeDecodeError as error:
        raise bad_request(f"the body must be UTF-8; byte {error.start + 1} is not") from None
    except ReadError as error:
        raise bad_request(f"the body must be YAML: {error.report().strip()}", error) from None
    except LimitError as error:
        raise bad_request(f"the body exceeds a limit: {error.message}", error) from None
