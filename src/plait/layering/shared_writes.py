"""Records which line changed shared data when documents are rendered as Deckhand does. A comparison names these lines
as causes.

Data is shared when a substitution inserts it without a deep copy. A write into shared data is recorded with its action
or destination. The record is passed on with values read from that data.
"""

from __future__ import annotations

from plait.layering.data_paths import compile_path
from plait.layering.path_edits import item_at
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plait.layering.document import LayeredDocument, Substitution
    from plait.tree.nodes import ArrayItem, MapItem, Value

    Node = Map | Array | MapItem | ArrayItem


class Writer:
    """The cause of a change: an action of a document, or a destination of one of its substitutions."""

    __slots__ = ("document", "step")

    def __init__(self, document: LayeredDocument, step: ArrayItem | Map) -> None:
        self.document = document
        self.step = step


class SharedWrites:
    """The writers of shared data, by the written item, or by the collection that lost an item."""

    __slots__ = ("_now", "_read", "_shared", "_writers")

    def __init__(self) -> None:
        self._now: Writer | None = None
        self._read: Writer | None = None
        # By the identity of a node. The node is stored so that its identity stays unique.
        self._shared: dict[int, Node] = {}
        self._writers: dict[int, tuple[Node, Writer]] = {}

    def begin(self, document: LayeredDocument, step: ArrayItem | Map) -> None:
        """Called before a document's action or destination is applied."""
        self._now = Writer(document, step)

    def read(self, source: LayeredDocument | None, entry: Substitution | None) -> None:
        """Sets the source of the values that follow: a substitution's source document and entry, or None for the child
        of an action.
        """
        self._read = None
        if source is not None and entry is not None and type(source.data) is Map:
            item = item_at(source.data, compile_path(entry.path or ""))
            self._read = self._writer(item) if item is not None else None

    def share(self, values: Iterable[Map | Array]) -> None:
        """Records that these collections are shared from now on."""
        self._shared.update((id(value), value) for value in values)

    def same(self, old: Node, new: Node) -> None:
        """Records that a node replaces another one and inherits its record."""
        if id(old) in self._shared and (type(new) is Map or type(new) is Array):
            self._shared[id(new)] = new
        writer = self._writer(old)
        if writer is not None:
            self._writers[id(new)] = (new, writer)

    def wrote(self, target: Map | Array, item: MapItem | ArrayItem, old: MapItem | ArrayItem | None = None) -> None:
        """Records that an item was inserted into the target. old: the replaced item."""
        writer = self._now if id(target) in self._shared else self._read
        if writer is None and old is not None:
            writer = self._writer(old)
        if writer is not None:
            self._writers[id(item)] = (item, writer)

    def changed(self, node: Node) -> None:
        """Records that an item was removed from a collection, or should have been removed but stays."""
        if self._now is not None:
            self._writers[id(node)] = (node, self._now)

    def of(self, data: Value, way: Sequence[Value]) -> Writer | None:
        """The writer of the value at a path, or of its innermost ancestor with a writer."""
        found: Writer | None = None
        for step in way:
            if type(data) is Map:
                found = self._writer(data) or found
                item: MapItem | ArrayItem | None = data.find(step)
            elif type(data) is Array and type(step) is int:
                found = self._writer(data) or found
                item = data.items[step] if step < len(data.items) else None
            else:
                item = None
            if item is None:
                return found
            found = self._writer(item) or found
            data = item.value
        return found

    def _writer(self, node: Node) -> Writer | None:
        found = self._writers.get(id(node))
        return found[1] if found is not None else None
