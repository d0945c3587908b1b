"""Where in a text everything stands: documents as parts with their spans, made from the parser's events.

A part knows less than a node (an alias stays an alias, `<<` a key) and more: where it begins and ends, which style it is
in, which anchors and aliases are within it. The parser ends a block collection where the next token begins; here it
ends with what is in it, so that comments and blank lines behind it are not part of it.
"""

from __future__ import annotations

from plait.yaml import libyaml
from plait.yaml.libyaml import parser as fastest_parser
from plait.yaml.quirks import Adapted
from plait.yaml.scalars import resolve_plain, resolve_tagged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.nodes import Scalar

SCALAR, ALIAS, MAP, ARRAY = "scalar", "alias", "map", "array"


class Part:
    """A scalar, an alias, a map or an array in a text.

    start, end: its span; anchor and tag are within it. value: a scalar's value. name: what an alias stands for.
    keys, values: of a map (an array has values only). flow: written in brackets. whole: cannot be changed in parts.
    anchors: the names of all anchors in it. aliased: whether an alias is in it.
    """

    __slots__ = (
        "aliased",
        "anchor",
        "anchors",
        "end",
        "flow",
        "keys",
        "kind",
        "name",
        "start",
        "value",
        "values",
        "whole",
    )

    def __init__(self, kind: str, start: int, end: int, anchor: str | None) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.anchor = anchor
        self.anchors: list[str] = [] if anchor is None else [anchor]
        self.aliased = False
        self.flow = False
        self.whole = False
        self.name = ""
        self.value: Scalar = None
        self.keys: list[Part] = []
        self.values: list[Part] = []


def layout(text: str) -> Part:
    """The parts of the first document of a text that was read before without error (and has no byte order mark)."""
    return _laid_out(text, only_first=True)[0]


def layouts(text: str) -> list[Part]:
    """The parts of all documents of such a text, one a document."""
    return _laid_out(text, only_first=False)


def _laid_out(text: str, *, only_first: bool) -> list[Part]:
    adapted = Adapted(text)
    parser = fastest_parser()
    while True:
        try:
            found = _documents(text, adapted.events(parser))
            return [next(found)] if only_first else [*found]
        except Exception as error:
            if libyaml.too_deep(error):
                parser = libyaml.pure_parser()
            elif not adapted.cover(error):
                raise


def _documents(text: str, next_event: Callable[[], libyaml.Event]) -> Iterator[Part]:
    stack: list[Part] = []
    while True:
        event = next_event()
        kind = event[0]
        if kind == libyaml.SCALAR:
            _, anchor, start, end, value, is_plain, tag, style = event
            part = Part(SCALAR, start.index, end.index, anchor)
            part.value = _resolved(value, tag, is_plain=is_plain)
            if style in ("|", ">"):
                part.end = _block_end(text, part.start, part.end)
        elif kind == libyaml.ALIAS:
            _, anchor, start, end = event
            part = Part(ALIAS, start.index, end.index, None)
            part.name = str(anchor)
            part.aliased = True
        elif kind in (libyaml.MAP_START, libyaml.ARRAY_START):
            _, anchor, start, end, flow, tag = event
            part = Part(MAP if kind == libyaml.MAP_START else ARRAY, start.index, end.index, anchor)
            part.flow = bool(flow)
            part.whole = tag is not None
            stack.append(part)
            continue
        elif kind == libyaml.COLLECTION_END:
            part = stack.pop()
            _finish(part, text, event[1].index)
        elif kind == libyaml.STREAM_END:
            yield Part(SCALAR, len(text), len(text), None)
            return
        else:
            continue
        if not stack:
            yield part
            continue
        around = stack[-1]
        around.anchors += part.anchors
        around.aliased = around.aliased or part.aliased
        if around.kind == MAP and len(around.keys) == len(around.values):
            around.keys.append(part)
        else:
            around.values.append(part)


def _resolved(text: str, tag: str | None, *, is_plain: bool) -> Scalar:
    if tag is not None:
        return resolve_tagged(tag, text)
    return resolve_plain(text) if is_plain else text


def _finish(part: Part, text: str, end: int) -> None:
    """The end of a collection, and whether it can be changed in parts."""
    if part.flow:
        part.end = end
        opening = (
            text[part.start : end].lstrip() if part.anchor is None else "{["
        )  # an anchor stands before the bracket
        part.whole = part.whole or opening[:1] not in ("{", "[")  # `[a: b]`
    elif part.values:
        part.end = part.values[-1].end
    if part.kind != MAP:
        return
    seen: set[tuple[type, object]] = set()
    for key, value in zip(part.keys, part.values, strict=True):
        if key.kind != SCALAR or key.anchor is not None or (type(key.value), key.value) in seen:
            part.whole = True
        seen.add((type(key.value), key.value))
        before = text[text.rfind("\n", 0, key.start) + 1 : key.start].rstrip(" \t")[-1:] if not part.whole else ""
        if before == "?" or text[key.end : value.start].lstrip(" \t\r\n")[:1] != ":":
            part.whole = True


def _block_end(text: str, start: int, end: int) -> int:
    """The end of a block scalar without its last line break; blank lines behind it count only if it keeps them."""
    header = text[start : text.find("\n", start) if "\n" in text[start:end] else end].split("#", maxsplit=1)[0]
    if "+" in header:
        return end - 1 if text[end - 1 : end] == "\n" else end
    return start + len(text[start:end].rstrip())
