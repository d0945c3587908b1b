"""Filters, order and limits of a request for the documents of a revision."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, exists, false, func, or_, select, true

from plait.service.documents import top_of
from plait.service.facts import indexed
from plait.service.paging import ordered, part
from plait.service.revision_store import VALIDATION_POLICY, in_revision, stored_query, stored_rows
from plait.service.route_arguments import LARGEST_PAGE
from plait.service.tables import ENTRIES, LABELS
from plait.tree.nodes import Array, Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol, TypeVar

    from sqlalchemy import Connection

    from plait.service.database import Column
    from plait.service.revision_store import RevisionDocument, StoredDocument
    from plait.service.route_arguments import Call
    from plait.tree.nodes import Value

    class ListedDocument(Protocol):
        """A document of a revision, raw or rendered."""

        @property
        def entry(self) -> RevisionDocument: ...

        @property
        def text(self) -> str: ...

    One = TypeVar("One", bound=ListedDocument)


def chosen(call: Call, documents: Sequence[One], is_shown: Callable[[One], bool]) -> tuple[Sequence[One], int | None]:
    """The rendered documents that the parameters of a request select, and the marker of the next ones. Raises ApiError.

    documents: in order, including hidden ones, which markers count, so that documents before a marker are not visited.
    """
    window = call.window(LARGEST_PAGE)
    nodes = _Nodes()
    keys = call.parameters("sort")
    if keys:
        wanted = (one for one in documents if is_shown(one) and _is_chosen(call, one, nodes))
        return window.of(_sorted(call, wanted, nodes, keys))
    found: list[One] = []
    for place in range(window.marker, len(documents)):
        one = documents[place]
        if is_shown(one) and _is_chosen(call, one, nodes):
            if len(found) == window.most:
                return found, place if found else None
            found.append(one)
    return found, None


def _sorted(call: Call, documents: Iterable[One], nodes: _Nodes, keys: Sequence[str]) -> list[One]:
    descending = call.parameter("order") == "desc"
    return sorted(documents, key=lambda one: [_rank(nodes.at(one, key)) for key in keys], reverse=descending)


class selected:  # noqa: N801 - reads as what it gives
    """An iterator over the stored documents of a revision that the parameters of a request select.

    encrypted: include secret ones. marker: the marker of the next ones, known at the end of the iteration, or None.
    Raises ApiError.
    """

    def __init__(self, call: Call, connection: Connection, revision: int, *, encrypted: bool) -> None:
        self.marker: int | None = None
        self._window = window = call.window(LARGEST_PAGE)
        keys = call.parameters("sort")
        columns = [_COLUMNS.get(key) for key in keys]
        seen = [in_revision(revision), ENTRIES.c.control != VALIDATION_POLICY]
        if not encrypted:
            seen.append(ENTRIES.c.encrypted.is_(False))
        conditions = and_(*seen, *_conditions(call, connection))
        descends = call.parameter("order") == "desc"
        self._found: Iterable[StoredDocument]
        if not keys:
            query = part(connection, stored_query(conditions), [(ENTRIES.c.id, descends)], window)
            self._found = stored_rows(connection, query)
        elif all(column is not None for column in columns):
            order = [(column, descends) for column in columns if column is not None]
            order.append((ENTRIES.c.id, False))
            # Rows to be sorted contain no texts.
            ids = part(connection, select(ENTRIES.c.id).where(conditions), order, window, seen=seen).subquery()
            query = ordered(stored_query(ENTRIES.c.id.in_(select(ids.c.id))), order)
            self._found = stored_rows(connection, query)
        else:
            everything = stored_rows(connection, stored_query(conditions).order_by(ENTRIES.c.id))
            self._found, self.marker = window.of(_sorted(call, everything, _Nodes(), keys))

    def __iter__(self) -> Iterator[StoredDocument]:
        last = 0
        for count, one in enumerate(self._found):
            if count < self._window.most:
                last = one.entry.id
                yield one
            else:
                # At most one such row exists, and the database cursor ends with it.
                self.marker = last or None


_COLUMNS: dict[str, Column] = {
    "schema": ENTRIES.c.schema,
    "metadata.name": ENTRIES.c.name,
    "metadata.layeringDefinition.layer": ENTRIES.c.layer,
    "status.bucket": ENTRIES.c.bucket,
    "status.revision": ENTRIES.c.since,
    "id": ENTRIES.c.id,
}


def _conditions(call: Call, connection: Connection) -> Iterator[ColumnElement[bool]]:
    """The conditions on documents."""
    schemas = call.parameters("schema")
    if schemas:
        yield or_(*map(_of_schema, schemas))
    for name in ("metadata.name", "metadata.layeringDefinition.layer", "status.bucket"):
        wanted = call.parameters(name)
        if wanted:
            yield _COLUMNS[name].in_(wanted)
    abstract = [text.lower() for text in call.parameters("metadata.layeringDefinition.abstract")]
    if abstract:
        yield or_(
            *(ENTRIES.c.abstract.is_(value) for value, text in ((True, "true"), (False, "false")) if text in abstract),
            false(),
        )
    for text in call.parameters("metadata.label"):
        key, is_pair, value = text.partition("=")
        yield _labelled(connection, key, value) if is_pair else false()


# Maximum number of documents with a label that are looked up individually.
_FEW = 500


def _labelled(connection: Connection, key: str, value: str) -> ColumnElement[bool]:
    """The condition that a document has a label. If many documents have it, the first ones of a list are quickly found
    among all documents.
    """
    pair = and_(LABELS.c.key == indexed(key), LABELS.c.value == indexed(value))
    if connection.execute(select(true()).where(pair).offset(_FEW).limit(1)).scalar():
        return exists().where(LABELS.c.digest == ENTRIES.c.digest, pair)
    return ENTRIES.c.digest.in_(connection.execute(select(LABELS.c.digest).where(pair)).scalars().all())


def _of_schema(wanted: str) -> ColumnElement[bool]:
    """The condition that `wanted` is the schema, its namespace, or namespace and kind."""
    if wanted.count("/") > 1:
        return ENTRIES.c.schema == wanted
    # LIKE is case-insensitive in SQLite.
    start = f"{wanted}/"
    return or_(ENTRIES.c.schema == wanted, func.substr(ENTRIES.c.schema, 1, len(start)) == start)


class _Nodes:
    """The nodes of documents, parsed on demand."""

    def __init__(self) -> None:
        self._read: dict[int, Map] = {}

    def at(self, listed_document: ListedDocument, path: str) -> Value:
        """The value at a path, such as `metadata.name`; None if there is none."""
        entry = listed_document.entry
        if path in _OF_ENTRY:
            return _OF_ENTRY[path](entry)
        if entry.id not in self._read:
            self._read[entry.id] = top_of(listed_document.text)
        value: Value = self._read[entry.id]
        for step in path.removeprefix("$").strip(".").split("."):
            item = value.find(step) if type(value) is Map else None
            value = item.value if item is not None else None
        return value


_OF_ENTRY: dict[str, Callable[[RevisionDocument], Value]] = {
    "schema": lambda entry: entry.schema,
    "metadata.name": lambda entry: entry.name,
    "metadata.layeringDefinition.layer": lambda entry: entry.layer or None,
    "status.bucket": lambda entry: entry.bucket,
    "status.revision": lambda entry: entry.since,
    "id": lambda entry: entry.id,
}


def _is_chosen(call: Call, listed_document: ListedDocument, nodes: _Nodes) -> bool:
    schemas = call.parameters("schema")
    if schemas and not any(_is_of_schema(listed_document.entry.schema, text) for text in schemas):
        return False
    for name in ("metadata.name", "metadata.layeringDefinition.layer", "status.bucket"):
        wanted = call.parameters(name)
        if wanted and nodes.at(listed_document, name) not in wanted:
            return False
    labels = call.parameters("metadata.label")
    return not labels or _has_labels(nodes.at(listed_document, "metadata.labels"), labels)


def _is_of_schema(schema: str, wanted: str) -> bool:
    """True if `wanted` is the schema, its namespace, or its namespace and kind."""
    parts = schema.split("/")
    return wanted in (schema, parts[0], "/".join(parts[:2]))


def _has_labels(labels: Value, wanted: Sequence[str]) -> bool:
    for text in wanted:
        key, is_pair, value = text.partition("=")
        item = labels.find(key) if type(labels) is Map else None
        if not is_pair or item is None or item.value != value:
            return False
    return True


def _rank(value: Value) -> tuple[int, float, str]:
    """The sort key of a value of any type."""
    if value is None or type(value) in (Map, Array):
        return 0, 0, ""
    if isinstance(value, bool | int | float):
        return 1, value, ""
    return 2, 0, str(value)
