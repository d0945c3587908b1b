"""Selects and orders the documents to show, with the filters of Deckhand's service on rendered documents.

Values of one filter are alternatives. All filters must match, and a document needs every given label.
"""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.base.similar_names import did_you_mean, listed
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plait.layering.document import LayeredDocument
    from plait.tree.nodes import Value


class Selection:
    """A selection of documents. schemas: complete, `namespace/Kind` or `namespace`. labels: (key, value) strings."""

    __slots__ = ("labels", "layers", "names", "schemas")

    def __init__(
        self,
        *,
        schemas: Sequence[str] = (),
        names: Sequence[str] = (),
        layers: Sequence[str] = (),
        labels: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.schemas = schemas
        self.names = names
        self.layers = layers
        self.labels = labels

    def __bool__(self) -> bool:
        return bool(self.schemas or self.names or self.layers or self.labels)

    def takes(self, document: LayeredDocument) -> bool:
        """True if the document is selected."""
        return (
            (not self.schemas or any(_has_schema(document.schema, schema) for schema in self.schemas))
            and (not self.names or document.name in self.names)
            and (not self.layers or document.layer in self.layers)
            and all(_has_label(document, key, value) for key, value in self.labels)
        )

    def reason(self, documents: Iterable[LayeredDocument]) -> str:
        """The first requested value that no document has, with the most similar one; "" if some document has each."""
        all_of = list(documents)
        for what, given, known in (
            ("schema", self.schemas, {document.schema for document in all_of}),
            ("name", self.names, {document.name for document in all_of}),
            ("layer", self.layers, {document.layer for document in all_of if document.layer is not None}),
        ):
            for value in given:
                if not any(_has_schema(one, value) if what == "schema" else one == value for one in known):
                    parts = [part.strip() for part in value.split(",")]
                    hint = did_you_mean(value, sorted(known)) or (_of_kind(value, known) if what == "schema" else None)
                    if len(parts) > 1 and all(part in known for part in parts):
                        return f'none has the {what} "{value}" (name only one: {" and ".join(parts)})'
                    return f'none has the {what} "{value}"{f" ({hint})" if hint else ""}'
        for key, value in self.labels:
            if not any(_has_label(document, key, value) for document in all_of):
                return f'none has the label "{key}={value}"'
        return ""


def _of_kind(kind: str, schemas: Iterable[str]) -> str | None:
    """The hint for the middle part of a schema, which does not select alone, or None."""
    found = sorted({one.rpartition("/")[0] for one in schemas if kind.lower() in one.lower().split("/")})
    return f"did you mean {listed(found, quote=chr(34))}?" if found else None


def _has_schema(schema: str, expected: str) -> bool:
    return schema == expected or expected in (schema.partition("/")[0], schema.rpartition("/")[0])


def _has_label(document: LayeredDocument, key: str, value: str) -> bool:
    item = document.labels.find(key) if document.labels is not None else None
    if item is None:
        return False
    found: Value = item.value
    if type(found) is bool:
        return ("true" if found else "false") == value
    return type(found) is not Map and type(found) is not Array and str(found) == value


ORDERS: dict[str, Callable[[LayeredDocument], int | tuple[str, ...]] | None] = {
    "dependency": None,
    "input": lambda document: document.order,
    "name": lambda document: (document.name, document.schema, document.layer or ""),
    "schema": lambda document: (document.schema, document.name, document.layer or ""),
    "layer": lambda document: (document.layer or "", document.schema, document.name),
}


def in_order(documents: Sequence[LayeredDocument], order: str) -> Sequence[LayeredDocument]:
    """The documents in one of `ORDERS`. Raises UsageError for an unknown order."""
    if order not in ORDERS:
        raise UsageError(
            f'unknown order "{order}"',
            expected=", ".join(ORDERS),
            hint=did_you_mean(order, ORDERS),
            code="unknown-choice",
        )
    key = ORDERS[order]
    return documents if key is None else sorted(documents, key=key)
