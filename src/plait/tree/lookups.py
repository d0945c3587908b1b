"""Records the names that an evaluation looked up: files by `load`, data values by key. For tools that find uses of a
name.

Recorded only if the context has a `Lookups`; otherwise it costs nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.source import Source
    from plait.tree.nodes import Document, Map, MapItem


class Instance:
    """The data values of one evaluation of a library, or of the root.

    library: the name of its directory, "" for the root. schemas, given: the documents from which the values are
    computed, in order. values: the result. sources: the files that were evaluated with these values.
    """

    __slots__ = ("given", "library", "schemas", "sources", "values")

    def __init__(self, library: str, schemas: Sequence[Document], given: Sequence[Document], values: Document) -> None:
        self.library = library
        self.schemas = schemas
        self.given = given
        self.values = values
        self.sources: set[Source] = set()


class Lookups:
    """The lookups of one evaluation.

    instances: data values, in order of completion. loads: (loading file, path) to the loaded file. reads: for each data
    value item, the (source, line) of each program that read it by its key. wholes: the same for maps whose keys were
    read as data, as in `for key in data.values`. exports: (file, name) of each name that `library.export` returned, to
    the lines that requested it. passed: maps documents passed to `with_data_values` to the lines that passed them.
    """

    __slots__ = ("_exports", "_schemas", "exports", "instances", "loads", "passed", "reads", "wholes")

    def __init__(self) -> None:
        self.instances: list[Instance] = []
        self.loads: dict[tuple[Source | None, str], Source] = {}
        self.reads: dict[MapItem, set[tuple[Source, int]]] = {}
        self.wholes: dict[Map, set[tuple[Source, int]]] = {}
        self.passed: dict[Document, Sequence[tuple[Source, int]]] = {}
        self.exports: dict[tuple[Source, str], set[tuple[Source, int]]] = {}
        # By identity of a file's exported names. The object is stored so that its identity stays unique.
        self._exports: dict[int, tuple[object, Source]] = {}
        # By identity of the schema. The object is stored so that its identity stays unique.
        self._schemas: dict[int, tuple[object, Sequence[Document]]] = {}

    def declared(self, schema: object, documents: Sequence[Document]) -> None:
        """Records the documents of a schema."""
        self._schemas[id(schema)] = schema, documents

    def complete(self, library: str, schema: object, given: Sequence[Document], values: Document) -> None:
        """Records complete data values. schema: as passed to `declared`, or None."""
        _, schemas = self._schemas.get(id(schema), (None, ()))
        self.instances.append(Instance(library, schemas, given, values))

    def ran(self, source: Source, values: object) -> None:
        """Records that a file was evaluated with data values. values: the value of a document among the instances."""
        for instance in reversed(self.instances):
            if instance.values.value is values:
                instance.sources.add(source)
                return

    def end(self) -> None:
        """Releases state that only the evaluation needed."""
        self._schemas.clear()
        self._exports.clear()

    def passes(self, document: Document) -> None:
        """Records that the current program passes data values to a library."""
        self.passed[document] = _caller()

    def read(self, item: MapItem) -> None:
        """Records that the current program reads a data value by its key."""
        self.reads.setdefault(item, set()).update(_caller())

    def whole(self, node: Map) -> None:
        """Records that the current program reads the keys of a map as data."""
        self.wholes.setdefault(node, set()).update(_caller())

    def defines(self, source: Source, names: object) -> None:
        """Records the names that a library file defines."""
        self._exports[id(names)] = names, source

    def export(self, names: object, name: str) -> None:
        """Records that the current program requests a name of a library. names: as passed to `defines`."""
        _, source = self._exports.get(id(names), (None, None))
        if source is not None:
            self.exports.setdefault((source, name), set()).update(_caller())


def _caller() -> Sequence[tuple[Source, int]]:
    """Returns the source and current line of the calling program as a one-item sequence; empty outside a program."""
    frame = sys._getframe(2)
    while frame is not None:
        source = frame.f_globals.get("$source")
        if source is not None:
            return ((source, frame.f_lineno),)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return ()
