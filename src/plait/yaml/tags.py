"""Preserved tags: `!Ref name` is a map with one key, the tag, and such a map is printed as a tag (`--with tags`).

Templates, overlays, operations and code see tags as maps.
"""

from __future__ import annotations

import re

from plait.base.errors import LimitError, UsageError
from plait.tree.nodes import Array, DocumentSet, Map, MapItem, walk
from plait.yaml.key_order import sort_items
from plait.yaml.scalar_styles import StyledScalar, double_quoted
from plait.yaml.writer import head_of, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.tree.nodes import Item, Value

_TAG = re.compile(r"![A-Za-z0-9_.:/@$&*+=;?~'()-]+")
# Words that need quotes to be read as strings, but not after a tag.
_WORD = re.compile(r"[A-Za-z0-9~][A-Za-z0-9_.+-]*")


def is_tag(text: object) -> bool:
    """True if a text is a tag that can be preserved."""
    return type(text) is str and text[:1] == "!" and _TAG.fullmatch(text) is not None


def tagged(value: Value) -> MapItem | None:
    """The item of a map that is a tag and its value, or None."""
    if type(value) is Map and len(value.items) == 1 and is_tag(value.items[0].key):
        return value.items[0]
    return None


def tags_of(documents: DocumentSet) -> Iterator[MapItem]:
    """The items of all tags in the documents."""
    items = (item for document in documents.items for item in (document, *walk(document.value)))
    return (found for item in items if (found := tagged(item.value)) is not None)


def check_untagged(documents: DocumentSet, form: str) -> None:
    """Raises UsageError if the documents contain a tag and the output format has no tags."""
    for found in tags_of(documents):
        raise UsageError(
            f"{form} has no tags, but here is one",
            at=found.position,
            hint="-o yaml has them",
            code="yaml-tag",
        )


def write_tagged(documents: DocumentSet) -> str:
    """Writes documents as `write` does, with tags. Raises UsageError for a tag of a tag, LimitError."""
    return write(documents.with_items([document.with_value(printable(document.value)) for document in documents.items]))


def printable(value: Value, *, sort: bool = False) -> Value:
    """The value for the writer, in which tags are literal keys. sort: as in `write_value`.

    Raises as `write_tagged` does.
    """
    try:
        return _value(value, sort)
    except RecursionError:
        raise LimitError("a document is nested too deeply for tags") from None


def _value(value: Value, sort: bool) -> Value:
    found = tagged(value)
    if found is not None:
        return Map([MapItem(_written(str(found.key)), _value_after_tag(found, sort))])
    if type(value) is Map:
        return value.with_items([_item(item, sort) for item in (sort_items(value.items) if sort else value.items)])
    return value.with_values([_value(item.value, sort) for item in value.items]) if type(value) is Array else value


def _item(item: MapItem, sort: bool) -> MapItem:
    found, head = tagged(item.value), head_of(item.key)
    if found is None or head is None:
        return item.with_value(_value(item.value, sort))
    return MapItem(_written(f"{head} {found.key}"), _value_after_tag(found, sort))


def _value_after_tag(found: Item, sort: bool) -> Value:
    """The value after a tag."""
    value = found.value
    if tagged(value) is not None:
        raise UsageError("a value can have only one tag", at=found.position, code="yaml-tag")
    return _text(value, found) if type(value) is str else "" if value is None else _value(value, sort)


def _text(text: str, found: Item) -> Value:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UsageError("bytes that are not text already have the tag !!binary", at=found.position, code="yaml-tag")
    if _WORD.fullmatch(text):
        return _written(text)
    if "\n" in text and text[0] in " \n":
        # The block's lines would be indented like those of the enclosing map, which is not printed.
        return _written(double_quoted(text))
    return text


def _written(text: str) -> Value:
    """A key or scalar that the writer copies unchanged."""
    return StyledScalar(text)  # type: ignore[return-value]
