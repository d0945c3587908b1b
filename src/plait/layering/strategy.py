"""The rendering steps in which plait and Deckhand differ: those that copy values between documents.

`LayeringStrategy` implements plait's rules, `deckhand.DeckhandStrategy` those of Deckhand.
"""

from __future__ import annotations

from plait.layering.data_paths import action_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from plait.layering.data_paths import DataPath
    from plait.layering.document import LayeredDocument, Substitution
    from plait.layering.tracing import StepTracer
    from plait.tree.nodes import ArrayItem, Map, Value

    Methods: TypeAlias = Mapping[str, Callable[[Value, Value, DataPath], Value]]


class LayeringStrategy:
    """plait's own rules: no tree is changed in place.

    methods: the layering actions by name; each receives the data so far, the child's data and a path, and returns new
    data. insert: returns the data of a document with a value at a destination. shares_data: a later step may change
    the data of several documents.
    """

    __slots__ = ("_insert", "methods")
    shares_data = False

    def __init__(self, methods: Methods, insert: Callable[[Value, Value, str, Map], Value]) -> None:
        self.methods = methods
        self._insert = insert

    def action_path(self, text: str) -> DataPath:
        """The path of an action. Raises PathError."""
        return action_path(text)

    def initial_data(self, child: LayeredDocument, parent: LayeredDocument) -> Value:  # noqa: ARG002
        """The data to which the actions of a child are applied."""
        return parent.data

    def finished_data(self, data: Value) -> Value:
        """The child's data after its actions."""
        return data

    def recording(self, told: StepTracer) -> None:
        """Called before a document's actions or substitutions when tracing. told: receives changes made in place."""

    def before_step(self, document: LayeredDocument, item: ArrayItem | Map) -> None:
        """Called before each action, and each destination of a substitution, of a document."""

    def taken(self, source: LayeredDocument, entry: Substitution, value: Value) -> Value:  # noqa: ARG002
        """The value to substitute, from the source's data."""
        return value

    def substituted(
        self,
        document: LayeredDocument,  # noqa: ARG002
        data: Value,
        entry: Substitution,  # noqa: ARG002
        dest: Map,
        text: str,
        value: Value,
    ) -> Value:
        """The document's data with the value at the destination whose path is `text`. Raises PathError."""
        return self._insert(data, value, text, dest)

    def done(self, documents: Sequence[LayeredDocument]) -> None:
        """Called when all documents are rendered. Raises LayeringError."""
