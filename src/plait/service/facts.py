"""Facts about a document that determine the documents it reads: labels, parent selector, substitution sources.

They are computed and stored with the document, so that dependencies are found without parsing it again.
"""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from plait.tree.nodes import Map, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.layering.document import LayeredDocument
    from plait.tree.nodes import Value

    Key = tuple[str, str]
    Pairs = frozenset[str]


class Facts(NamedTuple):
    """Facts about a document.

    selector: the selector of its parent, empty for none. inherits: it uses data of its parent, or replaces it. sources:
    schema and name of the documents that its substitutions read. Label pairs are strings, equal if keys and values are
    equal and have the same types.
    """

    labels: Pairs
    selector: Pairs
    inherits: bool
    sources: frozenset[Key]

    def text(self) -> str:
        """The facts as stored in the tables; "" for none."""
        if not (self.labels or self.selector or self.inherits or self.sources):
            return ""
        return json.dumps([sorted(self.labels), sorted(self.selector), self.inherits, sorted(self.sources)])


NONE = Facts(frozenset(), frozenset(), inherits=False, sources=frozenset())


def facts_from(text: str) -> Facts:
    """The facts that `Facts.text` returned."""
    if not text:
        return NONE
    labels, selector, inherits, sources = json.loads(text)
    return Facts(
        frozenset(labels), frozenset(selector), inherits, frozenset((schema, name) for schema, name in sources)
    )


def facts_of(document: LayeredDocument) -> Facts:
    """The facts about a document."""
    sources = set()
    for item in document.substitutions:
        src = _at(item.value, "src")
        schema, name = _at(src, "schema"), _at(src, "name")
        if isinstance(schema, str) and isinstance(name, str):
            sources.add((str(schema), str(name)))
    inherits = document.selector is not None and bool(document.actions or document.replacement)
    return Facts(_pairs(document.labels), _pairs(document.selector), inherits, frozenset(sources))


def labels_of(document: LayeredDocument) -> dict[str, str]:
    """The labels by which requests can filter, as indexed: those whose key and value are strings."""
    found = document.labels.items if document.labels is not None else []
    return {
        indexed(item.key): indexed(item.value)
        for item in found
        if isinstance(item.key, str) and isinstance(item.value, str)
    }


LONGEST_LABEL = 200
"""Maximum characters of a part of a label that are indexed unchanged."""


def indexed(text: str) -> str:
    """A part of a label in the form in which it is indexed. The end of a long text is replaced by a digest, because
    indexes limit the length.

    So is the end of a text with NUL, which PostgreSQL cannot store, and which no request can contain.
    """
    if len(text) <= LONGEST_LABEL and "\0" not in text:
        return str(text)
    return (
        text[: LONGEST_LABEL - 64].replace("\0", "") + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    )


def _at(value: Value, key: str) -> Value:
    item = value.find(key) if type(value) is Map else None
    return item.value if item is not None else None


def _pairs(labels: Map | None) -> Pairs:
    if labels is None:
        return frozenset()
    return frozenset(repr((_stable(key_id(item.key)), _stable(key_id(item.value)))) for item in labels.items)


def _stable(value: object) -> object:
    """The value with one form for equal numbers: 0.0 and -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_stable, value))
    return value + 0.0 if isinstance(value, float) else value
