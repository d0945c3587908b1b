"""Values that nobody is to see: in tests, snapshots and reports `(secret)` stands in their place.

They are those that `plait explain` conceals, made by variables stores or written in encrypted documents. What a run prints
as it is, such as a password in a template, is no secret here.
"""

from __future__ import annotations

from plait.nodes import Array, Document, Map
from plait.tools.diff import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.api.results import Documents
    from plait.nodes import Item, Value


def masked(documents: Documents) -> Sequence[Document]:
    """The documents of a recorded run without their secrets; those of another run as they are."""
    trace, items = documents.trace, documents.nodes.items
    if trace is None or not trace.secrets:
        return items
    from plait.tools.explain import Explainer
    from plait.tools.paths import all_places

    explainer = Explainer(trace)
    secret: set[Item] = {place.item for place in all_places(items, {}) if explainer.history(place).secret}
    return [_without(document, secret) for document in items]


def _without(document: Document, secret: set[Item]) -> Document:
    if document in secret:
        return document.with_value(HIDDEN)
    return document.with_value(_hidden(document.value, secret))


def _hidden(value: Value, secret: set[Item]) -> Value:
    if type(value) is Map or type(value) is Array:
        return value.with_values(HIDDEN if one in secret else _hidden(one.value, secret) for one in value.items)
    return value
