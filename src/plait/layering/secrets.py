"""Secrets: the sources of encrypted data, and their redaction (docs/reference/layering.md).

A document with `storagePolicy: encrypted` contains either its data or a reference into a secret store: an http(s)
address with "secrets" in it that ends in a UUID. A secret source resolves references.

A redacted value is replaced by the SHA-256 of its JSON text, which shows only that two secrets are equal or not.
"""

from __future__ import annotations

from math import isfinite

from plait.tree.nodes import Array, Map, MapItem, to_plain
from plait.yaml.writer import write_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from hashlib import _Hash as HASH

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


def is_empty(data: Value) -> bool:
    """True if a payload cannot be secret: null, or an empty string, map or list."""
    return data is None or data == "" or ((type(data) is Map or type(data) is Array) and not data.items)


class Redactor:
    """Redacts documents of one output. They share values and paths, each of which is converted once."""

    __slots__ = ("_digests", "_quoted", "_sha256", "_texts")

    def __init__(self) -> None:
        # The functions of json and hashlib, without the import of these, which takes 9 ms.
        try:
            from _json import encode_basestring_ascii
        except ImportError:
            from json.encoder import encode_basestring_ascii
        self._quoted = encode_basestring_ascii
        self._sha256 = _sha256_function()
        self._digests: dict[str, str] = {}
        self._texts: dict[Map | Array, str] = {}

    def hidden(self, document: LayeredDocument, data: Value) -> tuple[Map, Value]:
        """Metadata and data of a secret document for output, with data and substitution paths hashed.

        An empty payload is not secret: it stays, and the document is marked cleartext.
        """
        metadata = document.metadata
        if is_empty(data):
            return _with(metadata, "storagePolicy", "cleartext") if document.encrypted else metadata, data
        if not document.encrypted:
            metadata = _with(metadata, "storagePolicy", "encrypted")
        item = metadata.find("substitutions")
        if item is not None and type(item.value) is Array:
            entries = item.value.with_values([self._without_paths(entry.value) for entry in item.value.items])
            metadata = _with(metadata, "substitutions", entries)
        return metadata, self.redacted(data)

    def redacted(self, value: Value) -> str:
        """The lower-case hexadecimal SHA-256 of the value's JSON text."""
        try:
            text = self._json(value)
        except TypeError:
            text = json_text(value)
        digest = self._digests.get(text)
        if digest is None:
            digest = self._sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            if len(text) < _SMALL:
                self._digests[text] = digest
        return digest

    def _json(self, value: Value) -> str:
        """As `json_text`. Raises TypeError for keys that are not strings, and numbers that are not finite."""
        if type(value) is str:
            return self._quoted(value)
        if type(value) is Map or type(value) is Array:
            text = self._texts.get(value)
            if text is None:
                if type(value) is Map:
                    pairs = [f"{self._quoted(item.key)}: {self._json(item.value)}" for item in value.items]  # type: ignore[arg-type]
                    text = f"{{{', '.join(pairs)}}}"
                else:
                    text = f"[{', '.join([self._json(item.value) for item in value.items])}]"
                if len(text) < _SMALL:
                    self._texts[value] = text
            return text
        if value is None or type(value) is bool:
            return _WORDS[value]
        if type(value) is int or (type(value) is float and isfinite(value)):
            return repr(value)
        raise TypeError

    def _without_paths(self, entry: Value) -> Value:
        """A substitution entry with `src.path` and every `dest.path` hashed."""
        if type(entry) is not Map:
            return entry
        return entry.with_values(
            [self._without_path(item.value) if item.key in ("src", "dest") else item.value for item in entry.items]
        )

    def _without_path(self, part: Value) -> Value:
        if type(part) is Array:  # several destinations
            return part.with_values([self._without_path(item.value) for item in part.items])
        if type(part) is not Map:
            return part
        return part.with_values(
            [self.redacted(item.value) if item.key == "path" else item.value for item in part.items]
        )


# Only shorter texts are kept: each collection around a long one would keep it again.
_SMALL = 4096
_WORDS = {None: "null", True: "true", False: "false"}


def json_text(value: Value) -> str:
    """The text that Deckhand hashes: JSON as Python writes it, or YAML if JSON does not allow the keys."""
    import json

    try:
        return json.dumps(to_plain(value), default=str)
    except TypeError:
        return write_value(value)


def _sha256_function() -> Callable[[bytes], HASH]:
    """The function `sha256`: of a module of Python that loads without OpenSSL, if this build has one."""
    for name in ("_sha2", "_sha256"):  # the latter until Python 3.11
        try:
            quick: Callable[[bytes], HASH] = __import__(name).sha256
        except ImportError:
            continue
        return quick
    from hashlib import sha256

    return sha256


def _with(metadata: Map, key: str, value: Value) -> Map:
    existing = metadata.find(key)
    if existing is None:
        return metadata.with_items([*metadata.items, MapItem(key, value, metadata.source, metadata.line)])
    return metadata.with_items([item.with_value(value) if item is existing else item for item in metadata.items])
