"""Values in flow style on one line, `[a, b]`, `{a: 1}`, or with escapes in quotes, independent of their context.

The result has no line numbers: `[a, {b: 1}]` is `(Array, ["a", (Map, [("b", 1)])])`, and a scalar itself.
"""

from __future__ import annotations

from plait.tree.nodes import Array, ArrayItem, Map, MapItem, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from plait.base.source import Source
    from plait.tree.nodes import Scalar

    # A part of a line: a scalar, the lists of a flow collection, or a node made of them.
    Parsed: TypeAlias = Any

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
# Plain scalars of these characters are plain in any context.
_PLAIN = _LETTERS + "_-./=+ "
_FIRST = frozenset(_LETTERS + "_/.")
_ENDS = {"[": "]", "{": "}"}
DEEPEST = 16
_NONE = object()


def flow(text: str, plain: Mapping[str, Scalar]) -> Parsed:
    """Parses a text that starts with `[` or `{`. Returns None if that requires the whole document."""
    if len(text) < 2 or text[-1] != _ENDS[text[0]]:
        return None
    made = _simple(text, plain)
    return parsed(text, plain) if made is None else made


def end_of(text: str, start: int) -> int:
    """The index of the quote that ends a string in double quotes, or -1."""
    if "\\" in text:
        text = text.replace("\\\\", "  ").replace('\\"', "  ")
    return text.find('"', start)


def nodes(made: Parsed, source: Source, line: int) -> Map | Array:
    """Creates the nodes of a collection on one line."""
    make, entries = made
    if make is Array:
        return Array(
            [ArrayItem(nodes(one, source, line) if type(one) is tuple else one, source, line) for one in entries],
            source,
            line,
        )
    return Map(
        [MapItem(key, nodes(one, source, line) if type(one) is tuple else one, source, line) for key, one in entries],
        source,
        line,
    )


def _simple(text: str, plain: Mapping[str, Scalar]) -> Parsed:
    """Parses a collection of short words and quoted strings without escapes. Returns None for any other text."""
    inner = text[1:-1].strip(" ")
    parts = inner.split(",") if inner else []
    if text[0] == "[":
        values = [_scalar(part.strip(" "), plain) for part in parts]
        return None if _NONE in values else (Array, values)
    pairs = []
    for part in parts:
        head, _, rest = part.strip(" ").partition(": ")
        key, value = _scalar(head, plain), _scalar(rest.strip(" "), plain)
        if key is _NONE or value is _NONE:
            return None
        pairs.append((key, value))
    return (Map, pairs) if len({key_id(key) for key, _ in pairs}) == len(pairs) else None


def _scalar(text: str, plain: Mapping[str, Scalar]) -> Parsed:
    first = text[:1]
    if first in _FIRST or (first == "-" and len(text) > 1 and text[1] != " "):
        return _NONE if text.strip(_PLAIN) or text[-1] == " " else plain[text]
    if first in {'"', "'"} and len(text) > 1:
        value = text[1:-1]
        if text[-1] == first and first not in value and "\\" not in value:
            return value
    return _NONE


def parsed(text: str, plain: Mapping[str, Scalar]) -> Parsed:
    """Parses a text with the YAML parser. Returns None for anchors, tags, merge keys and collections as keys."""
    if "\\/" in text:
        return None  # see `libyaml_quirks`
    from plait.yaml.libyaml import (
        ARRAY_START,
        COLLECTION_END,
        DOCUMENT_START,
        MAP_START,
        SCALAR,
        STREAM_END,
        STREAM_START,
        parser,
    )

    root: list[Parsed] = []
    items = root
    stack: list[tuple[Parsed, list[Parsed]]] = []
    try:
        next_event = parser().open(text)
        for expected in (STREAM_START, DOCUMENT_START):
            if next_event()[0] != expected:
                return None
        while True:
            event = next_event()
            if type(event) is not tuple:
                return None
            kind = event[0]
            if kind == SCALAR:
                _, anchor, _, _, written, is_plain, tag, _ = event
                if tag is not None or anchor is not None or (is_plain and written == "<<"):
                    return None
                items.append(plain[written] if is_plain else written)
            elif kind in {MAP_START, ARRAY_START}:
                _, anchor, _, _, is_flow, tag = event
                if anchor is not None or tag is not None or not is_flow or len(stack) >= DEEPEST:
                    return None
                stack.append((Map if kind == MAP_START else Array, items))
                items = []
            elif kind == COLLECTION_END:
                make, outer = stack.pop()
                made: Parsed = items
                if make is Map:
                    made = list(zip(items[::2], items[1::2], strict=True))
                    keys = items[::2]
                    if any(type(key) is tuple for key in keys) or len({key_id(key) for key in keys}) != len(keys):
                        return None
                outer.append((make, made))
                items = outer
            else:
                # At the end, only comments may follow.
                return root[0] if len(root) == 1 and next_event()[0] == STREAM_END else None
    except Exception:  # noqa: BLE001 - whatever is wrong with it, reading the document will report it
        return None
