"""Writes the difference between two sets of documents as an overlay.

Keys that are added to a map become its last ones; the order of keys does not count as a difference. If an overlay
cannot express a small change (moved items), it replaces the enclosing value.
"""

from __future__ import annotations

from plait.insight.diff import identity_fields, paired, printed
from plait.insight.item_names import by_key, identifying
from plait.tree.equality import alike
from plait.tree.nodes import Array, ArrayItem, Map, MapItem
from plait.yaml.writer import write_value
from plait.ytt.starlark.value_text import repr_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.tree.nodes import Document, Value

_HEAD = '#@ load("@ytt:overlay", "overlay")\n'
_REPLACE = "#@overlay/replace"
_REMOVE = "#@overlay/remove"
_NEW = "#@overlay/match missing_ok=True"


def to_overlay(left: Sequence[Document], right: Sequence[Document], *, in_order: bool = False) -> str:
    """An overlay that turns the left documents into the right ones, in their order. Empty documents are ignored.

    The text is empty if nothing differs. in_order: as in `diff`.
    """
    left, right = printed(left), printed(right)
    by_order = in_order and len(left) == len(right)
    both = zip(left, right, strict=True) if by_order else paired(left, right)
    pairs = [(a, b) for a, b in both if a is not None and b is not None]
    partner = {b: a for a, b in pairs}
    number = {document: place for place, document in enumerate(left)}
    # Documents keep the left order. The first one that would have to move, and all later ones, are appended again.
    kept: list[tuple[Document, Document]] = []
    last = -1
    stays = True
    appended: list[Document] = []
    for document in right:
        old = partner.get(document)
        stays = stays and old is not None and number[old] > last
        if stays and old is not None:
            last = number[old]
            kept.append((old, document))
        else:
            appended.append(document)
    parts: list[str] = []

    def others(document: Document) -> list[Document]:
        """The documents that a matcher must not select: all others, before and after their changes."""
        return [*(one for one in left if one is not document), *(b for a, b in kept if a is not document)]

    for old, other in kept:
        if not alike(old.value, other.value):
            parts.append(_changed(old, other, others(old), number[old]))
    stayed = {old for old, _ in kept}
    # From the last to the first, so that earlier indexes stay valid.
    parts += [
        f"{_match(document, others(document), number[document])}{_REMOVE}\n---\n"
        for document in reversed(left)
        if document not in stayed
    ]
    parts += [
        f"#@overlay/match missing_ok=True\n#@overlay/append\n---\n{write_value(document.value)}"
        for document in appended
    ]
    return _HEAD + "".join(parts) if parts else ""


def _match(document: Document, others: Sequence[Document], number: int) -> str:
    """The annotation that selects a document: by its identity if that is unique, else by its number."""
    fields = identity_fields(document)
    if fields is None or any(_has(other, fields) for other in others):
        return f"#@overlay/match by=overlay.index({number})\n"
    plain: dict[str, object] = {}
    for way, value in fields:
        inner = plain
        for key in way[:-1]:
            inner = inner.setdefault(key, {})  # type: ignore[assignment]
        inner[way[-1]] = value
    return f"#@overlay/match by=overlay.subset({_code(plain)})\n"


def _has(document: Document, fields: list[tuple[tuple[str, ...], Value]]) -> bool:
    for way, wanted in fields:
        value = document.value
        for key in way:
            item = value.find(key) if type(value) is Map else None
            if item is None:
                return False
            value = item.value
        if value != wanted:
            return False
    return True


def _code(value: object) -> str:
    """Plain data as a Starlark literal."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_code(key)}: {_code(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, str):
        return repr_of(value)
    return str(value)


def _changed(left: Document, right: Document, others: Sequence[Document], number: int) -> str:
    match = _match(left, others, number)
    lines = _lines(left.value, right.value)
    if lines is None:
        return f"{match}{_REPLACE}\n---\n{write_value(right.value)}"
    return f"{match}---\n" + "".join(f"{line}\n" for line in lines)


def _lines(left: Value, right: Value) -> list[str] | None:
    """The overlay from one value to another, without indentation; None if the value must be replaced."""
    if type(left) is Map and type(right) is Map:
        return _map_lines(left, right)
    if type(left) is Array and type(right) is Array:
        return _array_lines(left, right)
    return None


def _map_lines(left: Map, right: Map) -> list[str] | None:
    added = [item for item in right.items if left.find(item.key) is None]
    if not right.items:
        return None
    out: list[str] = []
    for item in left.items:
        other = right.find(item.key)
        if other is None:
            out += [_REMOVE, *_item(MapItem(item.key, None))]
        elif not alike(item.value, other.value):
            out += _item_lines(item.key, item.value, other.value)
    for item in added:
        out += [_NEW, *_item(item)]
    return out


def _item_lines(key: Value, left: Value, right: Value) -> list[str]:
    """The overlay for one map item with another value."""
    inner = _lines(left, right)
    if inner is not None:
        head = _item(MapItem(key, Map([])))
        return [*head[:-1], head[-1].removesuffix(" {}"), *_indented(inner)]
    if type(right) in (Map, Array):
        return [_REPLACE, *_item(MapItem(key, right))]
    return _item(MapItem(key, right))


def _item(item: MapItem) -> list[str]:
    return write_value(Map([item])).rstrip("\n").split("\n") if not _ends_open(item.value) else _open_lines(Map([item]))


def _ends_open(value: Value) -> bool:
    """True if the text of a value may end in significant line breaks."""
    while type(value) is Map or type(value) is Array:
        if not value.items:
            return False
        value = value.items[-1].value
    return type(value) is str and value.endswith("\n")


def _open_lines(value: Value) -> list[str]:
    return write_value(value)[:-1].split("\n")


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" if line else line for line in lines]


def _as_item(lines: list[str]) -> list[str]:
    """The lines of a map or an array as an array item. Annotations of its first part are below the dash."""
    is_annotated = lines[0].startswith("#")
    return ["-", *_indented(lines)] if is_annotated else [f"- {lines[0]}", *_indented(lines[1:])]


def _array_lines(left: Array, right: Array) -> list[str] | None:
    if not left.items or not right.items:
        return None
    key = identifying(left, right)
    if key is not None:
        return _keyed_lines(left, right, key)
    if len(left.items) != len(right.items):
        return None
    out: list[str] = []
    for place, (a, b) in enumerate(zip(left.items, right.items, strict=True)):
        if alike(a.value, b.value):
            continue
        out.append(f"#@overlay/match by=overlay.index({place})")
        inner = _lines(a.value, b.value)
        if inner is not None:
            out += _as_item(inner)
        else:
            if type(b.value) in (Map, Array):
                out.append(_REPLACE)
            out += _array_item(b.value)
    return out


def _array_item(value: Value) -> list[str]:
    array = Array([ArrayItem(value)])
    return _open_lines(array) if _ends_open(value) else write_value(array).rstrip("\n").split("\n")


def _keyed_lines(left: Array, right: Array, key: str) -> list[str] | None:
    old, new = by_key(left, key), by_key(right, key)
    order = [*(value for value in old if value in new), *(value for value in new if value not in old)]
    if order != list(new):
        return None
    match = f'#@overlay/match by="{key}"'
    out: list[str] = []
    for value, item in old.items():
        named = MapItem(key, value[1])
        if value not in new:
            out += [match, _REMOVE, *_array_item(Map([named]))]
            continue
        other = new[value]
        if alike(item, other):
            continue
        inner = _lines(item, other)
        if inner is None:
            out += [match, _REPLACE, *_array_item(other)]
        else:
            out += [match, *_as_item([*_item(named), *inner])]
    for value, item in new.items():
        if value not in old:
            out += ["#@overlay/append", *_array_item(item)]
    return out
