"""Documents without their secrets, for whatever shows values to somebody: tests, snapshots, reports, differences.

Secrets are the values that `plait explain` conceals: given as secrets, made by variables stores, written in encrypted
documents, and whatever was made of them. What a run prints as it is, such as a password in a template, is no secret here.
"""

from __future__ import annotations

from plait.nodes import Array, Document, Map
from plait.secrets import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.nodes import Item, Value
    from plait.provenance import Trace


class Labels:
    """Names for secrets, so that equal ones can be seen to be equal: `(secret)`, `(secret 2)`."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __call__(self, value: Value) -> str:
        from plait.yaml import write_value

        count = len(self._names) + 1
        return self._names.setdefault(write_value(value), HIDDEN if count == 1 else f"(secret {count})")


def masked(
    documents: Sequence[Document], trace: Trace | None, label: Callable[[Value], str] | None = None
) -> Sequence[Document]:
    """The documents of a recorded run without their secrets; those of another run as they are.

    label: gives what stands in the place of a secret; without it that is the same for all.
    """
    if trace is None or not trace.secrets:
        return documents
    from plait.tools.explain import Explainer
    from plait.tools.paths import all_places

    explainer = Explainer(trace)
    secret: set[Item] = {place.item for place in all_places(documents, {}) if explainer.history(place).secret}

    def without(item: Item) -> Value:
        if item in secret:
            return HIDDEN if label is None else label(item.value)
        value = item.value
        if type(value) is Map or type(value) is Array:
            return value.with_values(without(one) for one in value.items)
        return value

    return [document.with_value(without(document)) for document in documents]
