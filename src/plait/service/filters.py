"""Which documents of a revision are asked for, in which order, and how many (spec layering 15)."""

from __future__ import annotations

from plait.nodes import Array, Map
from plait.service.calls import LARGEST_PAGE
from plait.service.documents import top_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeVar

    from plait.nodes import Value
    from plait.service.calls import Call
    from plait.service.history import Entry

    class Shown(Protocol):
        """A document of a revision, raw or rendered."""

        @property
        def entry(self) -> Entry: ...

        @property
        def text(self) -> str: ...

    One = TypeVar("One", bound=Shown)


def chosen(call: Call, documents: Sequence[One], *, raw: bool) -> tuple[Sequence[One], int | None]:
    """The documents that the parameters of a request choose, and the marker of the next ones.

    raw: by whether they are abstract, too. Raises Refusal.
    """
    call.page((), 0)
    nodes = _Nodes()
    found = [one for one in documents if _is_chosen(call, one, nodes, raw=raw)]
    descending = call.parameter("order") == "desc"
    keys = call.parameters("sort")
    if keys:
        found = sorted(found, key=lambda one: [_rank(nodes.at(one, key)) for key in keys], reverse=descending)
    elif descending and raw:
        found.reverse()
    return call.page(found, LARGEST_PAGE)


class _Nodes:
    """The nodes of documents, read when they are asked for."""

    def __init__(self) -> None:
        self._read: dict[int, Map] = {}

    def at(self, one: Shown, path: str) -> Value:
        """The value at a location, such as `metadata.name`; None if there is nothing."""
        entry = one.entry
        if path in _OF_ENTRY:
            return _OF_ENTRY[path](entry)
        if entry.id not in self._read:
            self._read[entry.id] = top_of(one.text)
        value: Value = self._read[entry.id]
        for step in path.removeprefix("$").strip(".").split("."):
            item = value.find(step) if type(value) is Map else None
            value = item.value if item is not None else None
        return value


_OF_ENTRY: dict[str, Callable[[Entry], Value]] = {
    "schema": lambda entry: entry.schema,
    "metadata.name": lambda entry: entry.name,
    "metadata.layeringDefinition.layer": lambda entry: entry.layer or None,
    "status.bucket": lambda entry: entry.bucket,
    "status.revision": lambda entry: entry.since,
    "id": lambda entry: entry.id,
}


def _is_chosen(call: Call, one: Shown, nodes: _Nodes, *, raw: bool) -> bool:
    schemas = call.parameters("schema")
    if schemas and not any(_is_of_schema(one.entry.schema, text) for text in schemas):
        return False
    for name in ("metadata.name", "metadata.layeringDefinition.layer", "status.bucket"):
        wanted = call.parameters(name)
        if wanted and nodes.at(one, name) not in wanted:
            return False
    abstract = call.parameters("metadata.layeringDefinition.abstract") if raw else ()
    if abstract and _truth(nodes.at(one, "metadata.layeringDefinition.abstract")) not in [
        text.lower() for text in abstract
    ]:
        return False
    labels = call.parameters("metadata.label")
    return not labels or _has_labels(nodes.at(one, "metadata.labels"), labels)


def _truth(value: Value) -> str:
    return "true" if value is True else "false"


def _is_of_schema(schema: str, wanted: str) -> bool:
    """Whether `wanted` is the schema, its namespace, or namespace and kind."""
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
    """What values of any kind are put in order by."""
    if value is None or type(value) in (Map, Array):
        return 0, 0, ""
    if isinstance(value, bool | int | float):
        return 1, value, ""
    return 2, 0, str(value)
