"""Selects and orders the documents to show, with the filters of Deckhand's service on rendered documents.

Values of one filter are alternatives. All filters must match, and a document needs every given label.
"""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.base.similar_names import did_you_mean, listed
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from plait.layering.document import LayeredDocument
    from plait.tree.nodes import Value


# Maximum number of values shown.
_SHOWN = 6


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

    def reason(self, documents: Sequence[LayeredDocument], others: Sequence[LayeredDocument] = ()) -> str:
        """The first requested value that no document has, with the most similar one, or those that are there; "" if some
        document has each. others: those that are not in the output.
        """
        hidden = next((one for one in others if one not in documents and self.takes(one)), None)
        if hidden is not None:
            return (
                f"{hidden} is {'abstract' if hidden.abstract else 'replaced by its child'}, so it is not in the output"
            )
        attributes: tuple[tuple[str, Sequence[str], Callable[[LayeredDocument], str | None]], ...] = (
            ("schema", self.schemas, lambda document: document.schema),
            ("name", self.names, lambda document: document.name),
            ("layer", self.layers, lambda document: document.layer),
        )
        for what, given, read in attributes:
            printed = {read(document) for document in documents}
            known = {one for document in (*documents, *others) if (one := read(document))}
            for value in given:
                if any(
                    one is not None and (_has_schema(one, value) if what == "schema" else one == value)
                    for one in printed
                ):
                    continue
                parts = [part.strip() for part in value.split(",")]
                hint: str | None = did_you_mean(value, sorted(known))
                if hint is None and what == "schema":
                    hint = _of_kind(value, known)
                if len(parts) > 1 and all(part in known for part in parts):
                    hint = f"name only one: {' and '.join(parts)}"
                elif value in known:
                    hint = "only a document that is not in the output has it"
                return f'none has the {what} "{value}" ({hint or _there_are(what, known)})'
        for key, value in self.labels:
            if not any(_has_label(document, key, value) for document in documents):
                return f'none has the label "{key}={value}"'
        return ""


def _there_are(what: str, known: Collection[str]) -> str:
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return f"there are the {what}s {', '.join(sorted(known)[:_SHOWN])}{more}" if known else f"there are no {what}s"


def _of_kind(kind: str, schemas: Iterable[str]) -> str | None:
    """The hint for the middle part of a schema, which does not select alone, or None."""
    kinds = {one.rpartition("/")[0] for one in schemas}
    found = sorted(one for one in kinds if kind.lower() in one.lower().split("/"))
    if not found and kind.count("/") == 1:
        found = sorted(one for one in kinds if one.partition("/")[0] == kind.partition("/")[0])[:_SHOWN]
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
