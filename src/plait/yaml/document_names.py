"""Names of documents and paths in messages: `Deployment/web`, `spec.ports[0]`."""

from __future__ import annotations

from plait.base.errors import UsageError
from plait.tree.nodes import Array, ArrayItem, Document, Map, MapItem
from plait.yaml.inline import flow_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plait.tree.nodes import Item, Value


class OutputError(UsageError):
    """A flag or setting that does not fit the output. The message may contain names of documents and keys, which may
    depend on a secret, so a run that uses secrets withholds it.
    """

    quotes_output = True


def document_name(document: Item) -> str | None:
    """Kind and name of a document (`Deployment/web`), or schema and name; None if it has neither."""
    top = document.value
    if type(top) is not Map:
        return None
    own = _metadata(top, "name")
    if own is None:
        plain = top.find("name")
        own = plain.value if plain is not None and type(plain.value) is str else None
    for key in ("kind", "schema"):
        item = top.find(key)
        if item is not None and type(item.value) is str:
            return item.value if own is None or type(own) in (Map, Array) else f"{item.value}/{scalar_text(own)}"
    return own if type(own) is str else None


def name_items(document: Item) -> list[Item]:
    """The items that `document_name` may use."""
    top = document.value
    if type(top) is not Map:
        return []
    metadata = top.find("metadata")
    inner = metadata.value.find("name") if metadata is not None and type(metadata.value) is Map else None
    return [item for item in (*map(top.find, ("kind", "schema", "name")), inner) if item is not None]


def namespace_of(document: Document) -> MapItem | None:
    """The item with the namespace of a document, or None."""
    top = document.value
    metadata = top.find("metadata") if type(top) is Map else None
    item = metadata.value.find("namespace") if metadata is not None and type(metadata.value) is Map else None
    return item if item is not None and type(item.value) is str else None


def _metadata(top: Map, key: str) -> Value:
    metadata = top.find("metadata")
    item = metadata.value.find(key) if metadata is not None and type(metadata.value) is Map else None
    return item.value if item is not None else None


def described(document: Document) -> str:
    """Describes a document in messages: its name, namespace and position, if known."""
    top = document.value
    name = document_name(document) if type(top) is Map and (top.find("kind") or top.find("schema")) else None
    space = namespace_of(document)
    if name is not None and space is not None:
        name = f"{name} (namespace {space.value})"
    at = document.position
    place = str(at) if at.source is not None and at.source.shown else None
    return ", ".join(part for part in (name, place) if part is not None) or "a document without a name"


def path_text(
    document: Document,
    ancestors: Sequence[Item],
    item_name: Callable[[Array, ArrayItem], str] | None = None,
    key_name: Callable[[Map, MapItem], str] | None = None,
) -> str:
    """The path of an item as text. item_name: names array items, by default `[0]` and so on. key_name: names keys."""
    out: list[str] = []
    around: Value = document.value
    for item in ancestors:
        if isinstance(item, MapItem):
            text = key_text(item.key) if key_name is None or type(around) is not Map else key_name(around, item)
            out.append(f".{text}" if out else text)
        elif type(around) is Array and isinstance(item, ArrayItem):
            out.append(f"[{around.items.index(item)}]" if item_name is None else item_name(around, item))
        around = item.value
    return "".join(out)


def key_text(key: Value) -> str:
    """A key as written in a PATH."""
    text = key if type(key) is str else scalar_text(key)
    return f'"{text}"' if not text or not _SYNTAX.isdisjoint(text) else text


# The characters with a meaning in a PATH.
_SYNTAX = frozenset('.[]":*')


def scalar_text(key: Value) -> str:
    """A key or a scalar, as a PATH and messages show it."""
    if type(key) is bool:
        return "true" if key else "false"
    if isinstance(key, (Map, Array)):
        return flow_text(key)
    return "null" if key is None else str(key)
