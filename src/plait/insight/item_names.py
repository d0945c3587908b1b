"""Keys that identify the items of an array, and the names derived from them."""

from __future__ import annotations

from plait.tree.nodes import Map
from plait.yaml.document_names import document_name, key_text, name_items, scalar_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plait.tree.nodes import Array, ArrayItem, Document, Item, MapItem, Value

# Keys that can identify the items of an array; the first one that all items have is used.
IDENTIFYING = ("name", "id", "key", "containerPort", "port", "mountPath", "path", "type")


def identifying(*arrays: Array, hides: Callable[[Item], bool] | None = None) -> str | None:
    """The key under which all items of each array have distinct strings or integers; None if there is none.

    hides: True for items whose values must not be compared. If one would be compared, the result is None, so that it
    does not depend on a secret.
    """
    if not all(array.items for array in arrays):
        return None
    for key in IDENTIFYING:
        if hides is not None and any(hides(one) for array in arrays for one in _under(key, array) or ()):
            return None
        if identifies(key, *arrays):
            return key
    return None


def identifies(key: str, *arrays: Array) -> bool:
    """True if all items of each array have distinct strings or integers under a key."""
    return all(found is not None and _are_different(found) for found in (_under(key, array) for array in arrays))


def _under(key: str, array: Array) -> list[MapItem] | None:
    """The item under a key for each item of an array; None if an item lacks the key."""
    values: list[MapItem] = []
    for item in array.items:
        found = item.value.find(key) if type(item.value) is Map else None
        if found is None:
            return None
        values.append(found)
    return values


def _are_different(items: list[MapItem]) -> bool:
    seen: set[tuple[type, Value]] = set()
    for item in items:
        if type(item.value) is not str and type(item.value) is not int:
            return False
        seen.add((type(item.value), item.value))
    return len(seen) == len(items)


def by_key(array: Array, key: str) -> dict[tuple[type, Value], Value]:
    """The values of an array's items, by the value of the identifying key, in order."""
    found: dict[tuple[type, Value], Value] = {}
    for item in array.items:
        known_by = item.value.find(key) if type(item.value) is Map else None
        if known_by is not None:
            found[type(known_by.value), known_by.value] = item.value
    return found


class ItemNames:
    """Names of documents and array items: `[name=web]` if a key identifies all items of the array, else `[0]`. If an
    identifying key has a secret value, items are named by index.

    Each array and document is examined once. is_secret: True if an item's value is secret. secret_keys: the items of a
    map whose key is secret, with their replacement text.
    """

    __slots__ = ("_documents", "_is_secret", "_keys", "_known", "_secret_keys")

    def __init__(
        self,
        is_secret: Callable[[Item], bool] | None = None,
        secret_keys: Callable[[Map], Mapping[MapItem, str]] | None = None,
    ) -> None:
        self._is_secret = is_secret
        self._secret_keys = secret_keys
        self._keys: dict[Map, Mapping[MapItem, str]] = {}
        self._known: dict[Array, dict[ArrayItem, str]] = {}
        self._documents: dict[Document, str | None] = {}

    def of(self, array: Array, item: ArrayItem) -> str:
        """The name of an item of an array."""
        known = self._known.get(array)
        if known is None:
            known = self._known[array] = dict(zip(array.items, self._item_names(array), strict=True))
        return known[item]

    @property
    def hides_keys(self) -> bool:
        """True if keys may be secret."""
        return self._secret_keys is not None

    def key(self, parent: Map, item: MapItem) -> str:
        """The key of an item of a map, as written in a PATH."""
        return self.secret_keys(parent).get(item) or key_text(item.key)

    def secret_keys(self, parent: Map) -> Mapping[MapItem, str]:
        """The items of a map with secret keys, and the text shown instead of the key."""
        if self._secret_keys is None:
            return {}
        known = self._keys.get(parent)
        if known is None:
            known = self._keys[parent] = self._secret_keys(parent)
        return known

    def document(self, document: Document, number: int) -> str | None:
        """The name of a document; None if it has no kind, schema or name. number: its index."""
        if document not in self._documents:
            is_hidden = any(map(self.hides, name_items(document)))
            self._documents[document] = f"document {number + 1}" if is_hidden else document_name(document)
        return self._documents[document]

    def hides(self, item: Item) -> bool:
        """True if the value of an item is secret."""
        return self._is_secret is not None and self._is_secret(item)

    def _item_names(self, array: Array) -> Iterable[str]:
        key = identifying(array, hides=self._is_secret)
        return _by_number(array) if key is None else _item_names(array, key)


def _by_number(array: Array) -> Iterable[str]:
    return [f"[{place}]" for place in range(len(array.items))]


def _item_names(array: Array, key: str) -> Iterable[str]:
    texts = [scalar_text(value) for _, value in by_key(array, key)]
    if not texts or len(set(texts)) < len(texts) or not all(map(_can_be_asked_for, texts)):
        return _by_number(array)
    return [f"[{key}={text}]" for text in texts]


def _can_be_asked_for(text: str) -> bool:
    """True if a PATH with this text in brackets matches exactly this text."""
    return text.isprintable() and text == text.strip() and not any(char in text for char in '[]"*?')
