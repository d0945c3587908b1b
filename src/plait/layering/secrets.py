"""Secrets: the sources of encrypted data, and their redaction (docs/reference/layering.md).

A document with `storagePolicy: encrypted` contains either its data or a reference into a secret store: an http(s)
address with "secrets" in it that ends in a UUID. A secret source resolves references.

A redacted value is replaced by the SHA-256 of its JSON text, which shows only that two secrets are equal or not.
"""

from __future__ import annotations

from plait.tree.nodes import Array, ArrayItem, Map, MapItem, to_plain
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plait.base.source import Source
    from plait.layering.document import LayeredDocument
    from plait.tree.nodes import Value


def lines_of_secrets(documents: Sequence[LayeredDocument]) -> Iterator[tuple[Source | None, int, int]]:
    """The lines of encrypted data: source, first line, and the line after the last. documents: all documents of the
    run.
    """
    following: dict[object, int] = {}
    for document in reversed(documents):
        node = document.node
        top = node.value
        items = top.items if document.encrypted and type(top) is Map else []
        data = next((item for item in items if item.key == "data"), None)
        if data is not None:
            end = following.get(node.source, 1 << 60)
            behind = [item.line for item in items if item.line > data.line]
            yield node.source, data.line, min([*behind, end])
        following[node.source] = node.line


class SecretSource:
    """A source of secret data. name: its name in messages."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def resolve(self, reference: str) -> tuple[Value] | None:
        """The data, in a tuple because it may be null; None if the source does not contain the reference."""
        raise NotImplementedError


class FileSecrets(SecretSource):
    """Secrets from a YAML map of references (complete, or only their UUID) to data."""

    __slots__ = ("_data",)

    def __init__(self, name: str, data: Map) -> None:
        super().__init__(name)
        self._data = data

    def resolve(self, reference: str) -> tuple[Value] | None:
        item = self._data.find(reference) or self._data.find(_uuid(reference))
        return (item.value,) if item is not None else None


class EnvironmentSecrets(SecretSource):
    """Secrets from environment variables. The name is the prefix and the UUID in upper case, with `_` for `-`; the
    value is the data.
    """

    __slots__ = ("_environment", "_prefix")

    def __init__(self, prefix: str, environment: Mapping[str, str]) -> None:
        super().__init__(f"environment variables {prefix}*")
        self._prefix = prefix
        self._environment = environment

    def resolve(self, reference: str) -> tuple[Value] | None:
        text = self._environment.get(self.variable(reference))
        return (text,) if text is not None else None

    def variable(self, reference: str) -> str:
        """The environment variable for this reference's data."""
        return self._prefix + _uuid(reference).upper().replace("-", "_")


def is_reference(data: Value) -> bool:
    """True if the data is a reference into a secret store."""
    if type(data) is not str or not data.startswith(("http://", "https://")) or "secrets" not in data:
        return False
    digits = _uuid(data).replace("-", "").replace("urn:", "").replace("uuid:", "").strip("{}")
    return len(digits) == 32 and all(char in "0123456789abcdefABCDEF" for char in digits)


def _uuid(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def redacted(value: Value) -> str:
    """The lower-case hexadecimal SHA-256 of the value's JSON text."""
    import hashlib
    import json

    try:
        text = json.dumps(to_plain(value), default=str)
    except TypeError:  # keys that JSON does not allow
        text = write_value(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_empty(data: Value) -> bool:
    """True if a payload cannot be secret: null, or an empty string, map or list."""
    return data is None or data == "" or ((type(data) is Map or type(data) is Array) and not data.items)


def hidden(document: LayeredDocument, data: Value) -> tuple[Map, Value]:
    """Metadata and data of a secret document for output, with data and substitution paths hashed.

    An empty payload is not secret: it stays, and the document is marked cleartext.
    """
    if is_empty(data):
        return (
            _with(document.metadata, "storagePolicy", "cleartext") if document.encrypted else document.metadata
        ), data
    metadata = document.metadata
    if not document.encrypted:
        metadata = _with(metadata, "storagePolicy", "encrypted")
    item = metadata.find("substitutions")
    if item is not None and type(item.value) is Array:
        entries = item.value.with_items([entry.with_value(_hide_paths(entry.value)) for entry in item.value.items])
        metadata = _with(metadata, "substitutions", entries)
    return metadata, redacted(data)


def _hide_paths(entry: Value) -> Value:
    """A substitution entry with `src.path` and every `dest.path` hashed."""
    if type(entry) is not Map:
        return entry
    items = []
    for item in entry.items:
        if item.key == "src":
            items.append(item.with_value(_hide_path(item.value)))
        elif item.key == "dest":
            dest = item.value
            if type(dest) is Array:
                items.append(item.with_value(dest.with_items([_hidden_item(one) for one in dest.items])))
            else:
                items.append(item.with_value(_hide_path(dest)))
        else:
            items.append(item)
    return entry.with_items(items)


def _hidden_item(item: ArrayItem) -> ArrayItem:
    return item.with_value(_hide_path(item.value))


def _hide_path(value: Value) -> Value:
    if type(value) is not Map:
        return value
    return value.with_items(
        [item.with_value(redacted(item.value)) if item.key == "path" else item for item in value.items]
    )


def _with(metadata: Map, key: str, value: Value) -> Map:
    existing = metadata.find(key)
    if existing is None:
        return metadata.with_items([*metadata.items, MapItem(key, value, metadata.source, metadata.line)])
    return metadata.with_items([item.with_value(value) if item is existing else item for item in metadata.items])
