"""What tells the items of an array apart, and what they are called in answers for it."""

from __future__ import annotations

from plait.naming import scalar_text
from plait.nodes import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from plait.nodes import Array, ArrayItem, Value

# The keys that tell the items of an array apart, the first that does so for all items.
IDENTIFYING = ("name", "id", "key", "containerPort", "port", "mountPath", "path", "type")


def identifying(*arrays: Array) -> str | None:
    """The key under which all items of each array have different strings or integers; None if there is none."""
    if not all(array.items for array in arrays):
        return None
    return next((key for key in IDENTIFYING if all(_distinguishes(key, array) for array in arrays)), None)


def _distinguishes(key: str, array: Array) -> bool:
    seen: set[tuple[type, Value]] = set()
    for item in array.items:
        found = item.value.find(key) if type(item.value) is Map else None
        if found is None or (type(found.value) is not str and type(found.value) is not int):
            return False
        seen.add((type(found.value), found.value))
    return len(seen) == len(array.items)


def by_key(array: Array, key: str) -> dict[tuple[type, Value], Value]:
    """The values of an array's items by what they have under the identifying key, in order."""
    found: dict[tuple[type, Value], Value] = {}
    for item in array.items:
        known_by = item.value.find(key) if type(item.value) is Map else None
        if known_by is not None:
            found[type(known_by.value), known_by.value] = item.value
    return found


class ItemNames:
    """How array items are called in answers: `[name=web]` where a key tells all items of the array apart, else `[0]`.

    Each array is looked at once.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Array, dict[ArrayItem, str]] = {}

    def of(self, array: Array, item: ArrayItem) -> str:
        known = self._known.get(array)
        if known is None:
            known = self._known[array] = dict(zip(array.items, _item_names(array), strict=True))
        return known[item]


def _item_names(array: Array) -> Iterable[str]:
    key = identifying(array)
    texts = [] if key is None else [scalar_text(value) for _, value in by_key(array, key)]
    if not texts or len(set(texts)) < len(texts) or not all(map(_can_be_asked_for, texts)):
        return [f"[{place}]" for place in range(len(array.items))]
    return [f"[{key}={text}]" for text in texts]


def _can_be_asked_for(text: str) -> bool:
    """Whether a PATH with this text in brackets means the text, and nothing else."""
    return text.isprintable() and text == text.strip() and not any(char in text for char in '[]"*?')
